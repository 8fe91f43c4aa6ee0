#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# Ways in and out that a service manager, logind and a mailer add.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"

with_command()
{
	ssh_as "$1" "$(probe_of "$1")"
}

su_login()
{
	su - "$1" -c "$probe" 9</
}

# refused_or COMMAND...: "ok", or that it was not.
refused_or()
{
	if "$@" >/dev/null 2>&1 </dev/null; then
		echo ok
	else
		echo refused
	fi
}

# manager ACCOUNT: whether its systemd --user can be started.
manager()
{
	refused_or timeout 20 systemctl start "user@$(id -u "$1").service"
}

# unit SERVICE ACCOUNT: one that becomes the account by PAM, without a fork.
unit()
{
	refused_or timeout 20 systemd-run --wait --quiet -p "PAMName=$1" -p "User=$2" \
	    "$probe_dir/where" "unit-$1"
	where_was "unit-$1" "$2"
}

# units SERVICE: its row.
units()
{
	opposite "a unit with PAMName=$1" "$(unit "$1" agent | xargs)" \
	    "$(unit "$1" plain | xargs)" 'refused nothing ran' 'ok host'
}

# inside ACCOUNT COMMAND...: by ssh.
inside()
{
	local account=$1
	shift
	refused_or ssh_as "$account" timeout 10 "$@"
}

# forward_file ACCOUNT: the mailer would run what it names, as the account.
forward_file()
{
	ssh_as "$1" "umask 022; echo '|$probe_dir/where mail' >.forward"
}

# delivered ACCOUNT: whether its message is in its mailbox.
delivered()
{
	grep -q '^From ' "/var/mail/$1"
}

plan $((2 * $(probe_count) + 9))
ward_setup
probe_entry "ssh box command" with_command
probe_entry "su -" su_login

for account in "${accounts[@]}"; do
	forward_file "$account"
	echo body | /usr/sbin/sendmail "$account@localhost"
done
wait_for 20 delivered agent || true
wait_for 20 test -s /srv/build/mail.plain || true
opposite "the .forward of the home" "$(where_was mail agent)" "$(where_was mail plain)" \
    'nothing ran' host
succeeds "the message is delivered all the same" delivered agent

units sshd
units su
opposite "systemd-run --user" "$(inside agent systemd-run --user true)" \
    "$(inside plain systemd-run --user true)" refused ok
opposite "the system's bus" "$(inside agent busctl list)" \
    "$(inside plain busctl list)" refused ok
opposite "the user manager" "$(manager agent)" "$(manager plain)" refused ok
is "no unit has failed for it" \
    "$(systemctl list-units --failed --no-legend --plain 'user@*')" ''
# the mask is for tidiness; PAM refuses it too
ward_do systemctl unmask "user@$(id -u agent).service"
is "the user manager, unmasked" "$(manager agent)" refused
