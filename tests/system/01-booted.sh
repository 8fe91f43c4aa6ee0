#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# The booted box is a whole Debian: its services run, logind sees sessions,
# mail is delivered, and the kernel's interfaces are as free as on a machine.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"

# probe_rows: one row for each line of the probe.
probe_rows()
{
	local line
	while read -r line; do
		case $line in
		'ok '*) pass "kernel: ${line#ok }" ;;
		*) fail "kernel: ${line#not ok }" ;;
		esac
	done < <(python3 "$(dirname "$0")/box-probe.py")
}

# services: those that the tests log in through, and their state.
services()
{
	systemctl is-active ssh cron atd exim4 rsyslog systemd-logind \
	    systemd-journald dbus
}

# key_login COMMAND: over real ssh, as the account made below.
key_login()
{
	ssh -o BatchMode=yes -o StrictHostKeyChecking=no \
	    -o LogLevel=ERROR -i /root/key boxaccount@localhost "$@" </dev/null
}

plan $((11 + $(python3 "$(dirname "$0")/box-probe.py" --count)))

is "the kind of box" "$WARD_BOX" booted
is "pid 1 is systemd" "$(cat /proc/1/comm)" systemd
is "the services run" "$(services | sort | uniq -c | xargs)" '8 active'
is "no unit has failed" "$(systemctl --failed --no-legend --plain)" ''
is "the network is lo" "$(find /sys/class/net -mindepth 1 -printf '%f ')" 'lo '
useradd -m -s /bin/bash boxaccount
ssh-keygen -q -t ed25519 -N '' -f /root/key
install -d -m 0700 -o boxaccount -g boxaccount /home/boxaccount/.ssh
install -m 0600 -o boxaccount -g boxaccount /root/key.pub \
    /home/boxaccount/.ssh/authorized_keys
is "ssh logs an account in" "$(key_login id -un)" boxaccount
like "logind gives it a session" \
    "$(key_login loginctl --no-legend list-sessions)" ' 1[0-9]{3} boxaccount'
like "journald has the line" "$(journalctl -u ssh -o cat)" \
    'Accepted publickey for boxaccount'
like "syslog has it too" "$(cat /var/log/auth.log)" \
    'Accepted publickey for boxaccount'
su boxaccount -c 'echo "echo at-ran >~/at" | at now' 2>/dev/null
if wait_for 20 test -s /home/boxaccount/at; then
	pass "an at job runs"
else
	fail "an at job runs" "$(journalctl -u atd -o cat | tail -n 5)"
fi
echo body | mail -s subject boxaccount
if wait_for 20 test -s /var/mail/boxaccount; then
	pass "mail is delivered"
else
	fail "mail is delivered" "$(tail -n 5 /var/log/exim4/mainlog)"
fi
probe_rows
