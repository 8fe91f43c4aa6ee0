#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# wardctl account adopt and release under a running systemd: an account that
# has a user manager, a crontab and jobs of at, and what becomes of them.
# shellcheck disable=SC2016 # the account's shell expands what is its to expand
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"

where='{ id -un; cat /proc/1/comm; } | xargs'

# login: over the box's own sshd, where it is.
login()
{
	ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=no \
	    -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -i /root/key \
	    bob@127.0.0.1 "$where" </dev/null 2>&1 || true
}

# job: what bob's crontab wrote, when cron has started as at boot; it is told
# from the inside and from the host alike, as mail is not.
job()
{
	rm -f /srv/build/job /run/crond.reboot
	systemctl restart cron
	wait_for 20 test -s /srv/build/job || { echo "nothing ran"; return; }
	cat /srv/build/job
}

# at_job: the same of a job of at.
at_job()
{
	rm -f /srv/build/at
	(cd / && echo "( $where ) >/srv/build/at" |
	    setpriv --reuid=bob --regid=bob --init-groups env -i PATH="$PATH" \
	        HOME=/ USER=bob LOGNAME=bob SHELL=/bin/sh at now) 2>/dev/null
	wait_for 20 test -s /srv/build/at || { echo "nothing ran"; return; }
	cat /srv/build/at
}

# has_manager: systemd runs one for bob.
has_manager()
{
	[ "$(systemctl is-active "user@$(id -u bob)")" = active ]
}

# is_quiet: no process of his is left.
is_quiet()
{
	! pgrep -u bob
}

# has_none: no manager, nor what is left of one.
has_none()
{
	[ "$(systemctl is-active "user@$(id -u bob)")" = inactive ]
}

# end_all: his manager as logind ends one, then the rest.
end_all()
{
	loginctl terminate-user bob
	wait_for 20 has_none || diag "$(systemctl status "user@$(id -u bob)")"
	pkill -KILL -u bob || true
	wait_for 20 is_quiet || diag "$(ps -u bob)"
}

# account: his lines, and his home.
account()
{
	grep '^bob:' /etc/passwd /etc/shadow /etc/group /etc/gshadow \
	    /etc/subuid /etc/subgid
	stat -c '%n %i %a %u %Y' /home/bob
}

plan 29

ssh-keygen -q -t ed25519 -N '' -f /root/key
install -d -m 0755 /etc/ward
install -d -m 0700 /etc/ward/profiles.d
printf 'profile: { name = "mine"; extends = ( "base" ); %s };\n' \
    'filesystem: { write: { allow = ( "/srv/build" ); }; };' \
    >/etc/ward/profiles.d/mine.conf
install -d -m 0777 /srv/build
ward_said=$(wardctl enable 2>&1 && wardctl profile apply 2>&1) ||
    { diag "$ward_said"; exit 1; }
systemctl reload ssh
useradd -m -s /bin/bash bob
install -d -m 0700 -o bob -g bob /home/bob/.ssh
install -m 0600 -o bob -g bob /root/key.pub /home/bob/.ssh/authorized_keys
echo "@reboot ( $where ) >/srv/build/job" | crontab -u bob -

# --- an ordinary account of this machine ---
is "he logs in, on the host" "$(login)" 'bob systemd'
is "his crontab runs there" "$(job)" 'bob systemd'
is "and his job of at" "$(at_job)" 'bob systemd'
loginctl enable-linger bob
wait_for 20 has_manager || true
exits "one who lingers is not adopted" 1 wardctl account adopt bob \
    --profile mine
like "as is told" "$output" 'loginctl disable-linger bob'
setsid -f setpriv --reuid=bob --regid=bob --init-groups sleep 1000
loginctl disable-linger bob
exits "nor one whose processes run" 1 wardctl account adopt bob --profile mine
like "as is told" "$output" 'bob has a process: .*pkill -KILL -u bob'
end_all
before=$(account)

# --- adopted ---
succeeds "adopt" wardctl account adopt bob --profile mine
like "says what cron does" "$output" 'its crontab stays: its jobs run inside'
is "every service was tried" "$(grep -c ': inside$' <<<"$output")" 9
is "he logs in, inside" "$(login)" 'bob ward-init'
is "without a manager" "$(has_manager && echo one || echo none)" none
is "no unit has failed" "$(systemctl --failed --no-legend --plain)" ''
is "his crontab runs inside" "$(job)" 'bob ward-init'
is "and his job of at" "$(at_job)" 'bob ward-init'
fence='import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.sendto(b"x", ("127.0.0.1", 9))'
fails "he is behind the fence" setpriv --reuid bob --clear-groups \
    python3 -c "$fence"
exits "doctor knows nothing against him" 0 wardctl doctor
is "with nothing to do" "$(grep -E '^(warn|fail)' <<<"$output" |
    grep -vE '^warn  (sysctl:|terminals:|network: the host.s resolver)' || true)" ''

# --- released ---
wardctl end bob --grace 0 >/dev/null 2>&1 || true
wait_for 20 is_quiet || diag "$(ps -u bob)"
succeeds "release" wardctl account release bob
like "says what cron does" "$output" 'jobs run on the host from now on'
is "every line is as it was" "$(account)" "$before"
is "he logs in, on the host" "$(login)" 'bob systemd'
is "his crontab runs there" "$(job)" 'bob systemd'
is "and his job of at" "$(at_job)" 'bob systemd'
succeeds "he is not behind the fence" setpriv --reuid bob --clear-groups \
    python3 -c "$fence"
loginctl enable-linger bob
is "he can have a manager" "$(wait_for 20 has_manager && echo one)" one
loginctl disable-linger bob
end_all
succeeds "and is adopted again" wardctl account adopt bob --profile mine
is "inside" "$(login)" 'bob ward-init'
succeeds "and released again" sh -c 'wardctl end bob --grace 0
    wardctl account release bob'
