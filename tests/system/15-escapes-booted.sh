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
	rm -f "/srv/build/unit-$1.$2"
	refused_or timeout 20 systemd-run --wait --quiet -p "PAMName=$1" -p "User=$2" \
	    "$probe_dir/where" "unit-$1"
	where_was "unit-$1" "$2"
}

# machine_shell ACCOUNT: it tells nobody how its program ended.
machine_shell()
{
	rm -f "/srv/build/machine.$1"
	timeout 30 script -qec "machinectl -q shell $1@.host \
	    $probe_dir/where machine" /dev/null >/dev/null 2>&1 || true
	where_was machine "$1"
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

# lingers ACCOUNT: whether lingering, which root may turn on for anybody, gets
# it a manager.
lingers()
{
	local unit
	unit=user@$(id -u "$1").service
	loginctl enable-linger "$1"
	if wait_for 3 systemctl is-active "$unit"; then
		echo started
	else
		echo nothing
	fi
	loginctl disable-linger "$1"
	systemctl stop "$unit" 2>/dev/null || true
}

# open_sshd: one that forbids no forward.
open_sshd()
{
	sed '/^Include/d' /etc/ssh/sshd_config >/etc/ssh/sshd_config.open
	echo 'PidFile /run/sshd-open.pid' >>/etc/ssh/sshd_config.open
	ward_do /usr/sbin/sshd -f /etc/ssh/sshd_config.open -p 2224 \
	    -o 'AuthorizedKeysFile /etc/ward/authorized_keys/%u .ssh/authorized_keys'
}

# bus_answers PATH ACCOUNT: a bus at the end of a forward, which no program of
# the account's has a part in.
bus_answers()
{
	local forward said path=${1/UID/$(id -u "$2")}
	rm -f /root/bus.sock
	ssh_port=2224 ssh_as "$2" -N -L "/root/bus.sock:$path" &
	forward=$!
	wait_for 30 test -S /root/bus.sock || true
	# a bus that is slow is asked again; what is closed says so at once, and
	# takes nothing
	for _ in 1 2 3 4 5; do
		said=$(printf '\0AUTH\r\n' 2>/dev/null | timeout 5 nc -w 2 \
		    -U /root/bus.sock 2>/dev/null | grep -ao '^REJECTED') || true
		[ -z "$said" ] || break
	done
	echo "${said:-silent}"
	pkill -f 'ssh .*-N -L /root/bus.sock' || true
	wait "$forward" 2>/dev/null || true
}

# both NAME AGENT-PATTERN PLAIN-PATTERN FUNCTION [ARGUMENTS]
both()
{
	local name=$1 want=$2 control=$3 agent plain
	shift 3
	agent=$("$@" agent 2>&1 </dev/null | xargs) || true
	plain_once "$name" "$@" plain
	opposite "$name" "$agent" "$(xargs <<<"$plain")" "$want" "$control"
}

run_user_unit()
{
	inside "$1" systemd-run --user true
}

lists_bus()
{
	inside "$1" busctl list
}

# booted_rows: in one scope.
booted_rows()
{
	local service
	probe_entry "ssh box command" with_command
	probe_entry "su -" su_login
	# machinectl shell, a getty and cockpit come in by login's name or by
	# one that nobody knows
	for service in sshd su login; do
		both "a unit with PAMName=$service" 'refused nothing ran' \
		    'ok host' unit "$service"
	done
	both "machinectl shell" 'nothing ran' host machine_shell
	both "systemd-run --user" refused ok run_user_unit
	both "the system's bus" refused ok lists_bus
	both "the user manager" refused ok manager
	both "lingering" nothing started lingers
	both "a forward to the system's bus" silent REJECTED \
	    bus_answers /run/dbus/system_bus_socket
	both "a forward to the user manager" silent REJECTED \
	    bus_answers /run/user/UID/systemd/private
}

# delivered COUNT ACCOUNT: so many messages are in its mailbox.
delivered()
{
	[ "$(grep -c '^From ' "/var/mail/$2" 2>/dev/null)" -ge "$1" ]
}

# mailed COUNT ACCOUNT: where its .forward ran.
mailed()
{
	rm -f "/srv/build/mail.$2"
	forward_file "$2"
	echo body | /usr/sbin/sendmail "$2@localhost"
	if [ "$2" = agent ]; then
		wait_for 20 delivered "$1" agent || true
	else
		wait_for 20 test -s /srv/build/mail.plain || true
	fi
	where_was mail "$2"
}

plan $((2 * (2 * $(probe_count) + 12) + 2))
ward_setup
open_sshd
count=0
for scope in "${scopes[@]}"; do
	ward_scope "$scope"
	rm -f /srv/build/*.agent
	booted_rows
	count=$((count + 1))
	both "the .forward of the home" 'nothing ran' host mailed "$count"
	succeeds "the message is delivered all the same" \
	    delivered "$count" agent
done
about
is "no unit has failed for it" \
    "$(systemctl list-units --failed --no-legend --plain 'user@*')" ''
# the mask is for tidiness; PAM refuses it too
ward_do systemctl unmask "user@$(id -u agent).service"
is "the user manager, unmasked" "$(manager agent)" refused
