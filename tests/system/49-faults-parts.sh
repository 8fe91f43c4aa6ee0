#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# tools: tests/seam/without
# With a profile gone, no room in /run/ward, a feature of the kernel missing, or
# an earlier module failing, ssh, su and sudo lead a governed account nowhere,
# and say so in time; a full /var keeps nobody out.  Whoever is not governed does
# not notice.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/40-entries.bash
. "$(dirname "$0")/40-entries.bash"
# shellcheck source=tests/system/40-faults.bash
. "$(dirname "$0")/40-faults.bash"
# shellcheck source=tests/system/49-scarce.bash
. "$(dirname "$0")/49-scarce.bash"

policy=/var/lib/ward/policy.db

# What is broken for everybody, and the code that says so.
# a profile without its revision is damage; nobody's profile is none
faults=(profile-deleted:W020 unassigned:W021 run-readonly:W012 run-1:W012
    run-2:W012 run-3:W012 run-5:W012)

break_it()
{
	case $1 in
	profile-deleted)
		cp -a "$policy" /root/kept
		sqlite3 "$policy" 'PRAGMA foreign_keys = OFF;
		    DELETE FROM rules; DELETE FROM revisions' ;;
	unassigned)
		cp -a "$policy" /root/kept
		sqlite3 "$policy" 'DELETE FROM assignments' ;;
	run-readonly) mount -t tmpfs -o mode=0700,ro none /run/ward ;;
	run-*) mount -t tmpfs -o "mode=0700,nr_inodes=${1#run-}" none \
	    /run/ward ;;
	esac
}

mend()
{
	case $1 in
	profile-deleted | unassigned) mv /root/kept "$policy" ;;
	run-*) umount /run/ward ;;
	esac
}

# The text of a profile is the admin's; what was applied of it goes on.
profile_file()
{
	local way file=/etc/ward/profiles.d/agent.conf
	settled
	mv "$file" /root/kept
	for way in "${ways[@]}"; do
		opens "$way" agent "a profile's file is gone: $way goes by what was applied"
	done
	is "and what that refuses is refused" \
	    "$(su agent -c 'touch /srv/open/gone 2>&1')" \
	    "touch: cannot touch '/srv/open/gone': Read-only file system"
	fails "applying is refused, since the account needs it" \
	    wardctl profile apply
	like "with what is missing" "$output" 'there is no profile "agent"'
	opens su agent "and changes nothing"
	mv /root/kept "$file"
	succeeds "with the file it is applied" wardctl profile apply
}

# A kernel without these: each is refused.
calls=(landlock_create_ruleset landlock_restrict_self listener open_tree
    move_mount mount_setattr openat2 fsopen pivot_root)

without_calls()
{
	local call
	scarce "control: nothing is missing" inside /tools/without acct
	for call in "${calls[@]}"; do
		scarce "no $call" refused /tools/without "$call"
	done
	scarce "no clone3, which libc does without" inside \
	    /tools/without clone3
}

# earlier FILE...: a module before Ward's last line fails as none should.
earlier()
{
	local line='session required pam_debug.so open_session=session_err'
	sed -i "/pam_ward.so close/a $line" "$@"
}

# runs_nothing ROW WAY
runs_nothing()
{
	try_entry "$2" agent
	wait_for 10 background_done || true
	if [ ! -e "$mark" ] && [ "$status" -ne 0 ]; then
		pass "$1: $2: refused, and nothing ran"
	else
		fail "$1: $2: refused, and nothing ran" "status $status: $said"
	fi
}

stacks()
{
	local module way
	module=$(find /usr/lib -name pam_ward.so)
	settled
	cp -a /etc/pam.d /root/pam.d
	earlier /etc/pam.d/common-session
	for way in ssh-command su; do
		runs_nothing "an earlier module fails" "$way"
	done
	settled
	mv "$module" /root/module
	for way in ssh-command su; do
		runs_nothing "and pam_ward.so is missing" "$way"
	done
	cp -a /root/pam.d/. /etc/pam.d/
	mv /root/module "$module"
	for way in ssh-command su; do
		opens "$way" agent "mended, $way opens again"
	done
}

# What is in memory now has no room for a byte more.
fill_var()
{
	cp -a /var/lib/ward /root/ward.kept
	mount -t tmpfs -o mode=0700,size=4m none /var/lib/ward
	cp -a /root/ward.kept/. /var/lib/ward/
	dd if=/dev/zero of=/var/lib/ward/fill bs=4k status=none 2>/dev/null ||
	    true
}

full_var()
{
	local way
	settled
	fill_var
	fails "control: /var/lib/ward is full" sh -c \
	    'echo more >/var/lib/ward/more'
	for way in "${ways[@]}"; do
		opens "$way" agent "/var is full: $way of a governed account"
	done
	settled
	log_from=$(stat -c %s "$log")
	is "/var is full: what is refused is refused" \
	    "$(su agent -c 'touch /srv/open/full 2>&1')" \
	    "touch: cannot touch '/srv/open/full': Read-only file system"
	if wait_for 10 logged 'ward: [1-9][0-9]* records of agent are lost'
	then
		pass "/var is full: the log counts what could not be written"
	else
		fail "/var is full: the log counts what could not be written" \
		    "$(tail -c "+$((log_from + 1))" "$log")"
	fi
	ungoverned "/var is full"
	settled
	umount /var/lib/ward
	opens su agent "/var has room: it opens as before"
}

plan $((${#faults[@]} * (${#ways[@]} + 6) + 3 * (${#calls[@]} + 2) +
    ${#ways[@]} + 5 + 6 + ${#ways[@]} + 3 + 5 + 1))
setting
cd /
for fault in "${faults[@]}"; do
	settled
	code=${fault#*:} fault=${fault%:*}
	break_it "$fault"
	for name in "${ways[@]}"; do
		refuses "$name" "$code" "$fault: $name is refused"
	done
	ungoverned "$fault"
	mend "$fault"
	opens su agent "$fault: mended, it opens again"
done
profile_file
without_calls
stacks
full_var
