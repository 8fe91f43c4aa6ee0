#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# What a session leaves on the host when it is over: terminals that belong to
# whom they belonged, empty spools, no unit that failed, and nobody who waited.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/40-entries.bash
. "$(dirname "$0")/40-entries.bash"

# on_tty COMMAND: as an admin at a terminal types it, and what became of the
# terminal: its owner and mode before, during and after.
on_tty()
{
	script -qec "
	    stat -c 'before %U %G %a' \$(tty)
	    $1
	    stat -c 'after %U %G %a' \$(tty)" /dev/null <&"$silence" |
	    tr -d '\r' | grep -E '^(before|during|after) '
}

during="stat -c 'during %U %G %a' \\\$(tty)"

# admins_terminal NAME COMMAND: {} in it is the account.
admins_terminal()
{
	local agent plain
	agent=$(on_tty "${2//\{\}/agent}")
	plain=$(on_tty "${2//\{\}/plain}")
	like "$1: control: the session had a terminal" "$plain" 'during '
	is "$1: the admin's terminal, as ever" \
	    "${agent//agent/ACCOUNT}" "${plain//plain/ACCOUNT}"
	is "$1: it is as it was before" "$(sed -n 's/^after //p' <<<"$agent")" \
	    "$(sed -n 's/^before //p' <<<"$agent")"
}

# sshds_terminal ACCOUNT: what is left of the terminal of an ssh session, which
# the host keeps open to see it.
sshds_terminal()
{
	local tty client
	rm -f /srv/out/tty
	ssh -tt "${ssh_options[@]}" "$1@127.0.0.1" \
	    'tty >/srv/out/tty; exec sleep 4242' <&"$silence" >/dev/null 2>&1 &
	client=$!
	wait_for 10 test -s /srv/out/tty
	tty=$(cat /srv/out/tty)
	exec 8<>"$tty"
	stat -c 'during %U %G %a' "$tty" | sed "s/$1/ACCOUNT/"
	pkill -f 'sleep 4242'
	wait "$client" || true
	stat -L -c 'after %U %G %a' /proc/self/fd/8 | sed "s/$1/ACCOUNT/"
	exec 8>&-
}

# spool ACCOUNT: what at and cron have left of a job that printed something.
spool()
{
	local mark=/srv/out/mark.$1
	at_runs "$1" "echo printed; touch $mark" 2>/dev/null
	wait_for 20 test -e "$mark" || echo "the at job did not run"
	rm -f "$mark"
	cron_runs "$1" "echo printed; touch $mark"
	wait_for 20 test -e "$mark" || echo "the cron job did not run"
	wait_for 20 background_done || echo "at or cron does not end"
	find /var/spool/cron/atjobs /var/spool/cron/atspool -type f \
	    ! -name .SEQ
	atq
}

# fast_enough ACCOUNT: a login of less than five seconds.
fast_enough()
{
	timeout 5 ssh "${ssh_options[@]}" "$1@127.0.0.1" true </dev/null
}

# unit ACCOUNT: the state of its user manager.
unit()
{
	systemctl show -P ActiveState "user@$(id -u "$1").service"
}

plan 28
setting
cd /
rm -f /var/mail/*
printf '%s ALL=(ALL) NOPASSWD: ALL\n' root >/etc/sudoers.d/root
admins_terminal su "su - {} -c \"$during\""
admins_terminal 'su --pty' "su --pty - {} -c \"$during\""
admins_terminal sudo "sudo -u {} sh -c \"$during\""
admins_terminal runuser "runuser -u {} -- sh -c \"$during\""
printf 'Defaults use_pty\n' >/etc/sudoers.d/pty
admins_terminal 'sudo with use_pty' "sudo -u {} sh -c \"$during\""
agent=$(sshds_terminal agent) plain=$(sshds_terminal plain)
like "ssh: control: the terminal was the account's" "$plain" \
    'during ACCOUNT tty 620'
is "ssh: what becomes of its terminal" "$agent" "$plain"
is "at and cron leave nothing, ungoverned" "$(spool plain)" ''
is "nor governed" "$(spool agent)" ''
crontab -u agent -r || true
is "control: mail of an ungoverned job" \
    "$(wait_for 20 test -s /var/mail/plain && echo there)" there
is "no unit has failed" "$(systemctl --failed --no-legend --plain)" ''
succeeds "a login waits for nothing" fast_enough agent
succeeds "control: nor does another" fast_enough plain
over_ssh plain 'exec sleep 4242' </dev/null >/dev/null 2>&1 &
over_ssh agent 'exec sleep 4242' </dev/null >/dev/null 2>&1 &
wait_for 10 pgrep -u agent -x sleep
wait_for 10 pgrep -u plain -x sleep
is "control: an ungoverned account has a user manager" "$(unit plain)" active
is "a governed one has none" "$(unit agent)" inactive
is "its unit is masked" \
    "$(systemctl is-enabled "user@$(id -u agent).service" || true)" masked
pkill -f 'sleep 4242'
wait
systemctl unmask --quiet "user@$(id -u agent).service"
fails "unmasked, it is refused" \
    timeout 20 systemctl start "user@$(id -u agent).service"
like "by the module" "$(cat /var/log/auth.log)" \
    'pam_ward\(systemd-user:session\): ward: W002: session for agent refused'
