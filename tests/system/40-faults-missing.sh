#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# With a part of Ward missing or broken, no way into a governed account leads
# anywhere: nothing runs, the log says why, and so does the entry where it can
# print.  Whoever is not governed does not notice.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/40-entries.bash
. "$(dirname "$0")/40-entries.bash"

# A file that every entry can make, inside and outside alike.
mark=/srv/out/mark
log=/var/log/auth.log
warden=/usr/libexec/ward/warden
policy=/var/lib/ward/policy.db
module=$(dirname "$(find /usr/lib -name pam_unix.so)")/pam_ward.so

# What is broken, and the code that says so; a module that libpam cannot load
# has none.
faults=(
    warden-missing:W010 warden-not-executable:W010
    policy-missing:W020 policy-no-database:W020 policy-not-private:W020
    module-missing: module-broken:
)

# break_it FAULT: what it breaks is kept in /root/kept.
break_it()
{
	local file
	case $1 in
	warden-*) file=$warden ;;
	policy-*) file=$policy ;;
	module-*) file=$module ;;
	esac
	cp -a "$file" /root/kept
	echo "$file" >/root/kept.name
	case $1 in
	*-missing) rm "$file" ;;
	warden-not-executable) chmod 0644 "$file" ;;
	policy-no-database) echo nonsense >"$file" ;;
	policy-not-private) chmod 0644 "$file" ;;
	module-broken)
		# by rename, as a file that others have mapped
		echo nonsense >"$file.new"
		mv "$file.new" "$file"
		;;
	esac
}

# mend: takes back what break_it did.
mend()
{
	mv /root/kept "$(cat /root/kept.name)"
}

# logged PATTERN: whether the log has had such a line since log_from.
logged()
{
	tail -c "+$((log_from + 1))" "$log" | grep -qE "$1"
}

# try_entry NAME ACCOUNT: comes in, and waits until all of it is over.  Sets
# said, and status, which only an entry that waits has.
try_entry()
{
	status=0
	rm -f "$mark"
	log_from=$(stat -c %s "$log")
	said=$(enter "$1" "$2" "$mark") || status=$?
}

# over PATTERN: until the mark is there, or else the log has the pattern and
# nothing of the entry is left.
over()
{
	[ -e "$mark" ] || { logged "$1" && background_done; }
}

# opens NAME ACCOUNT: the control; without a fault each entry makes the mark.
opens()
{
	try_entry "$1" "$2"
	if wait_for 10 test -e "$mark"; then
		pass "$3"
	else
		fail "$3" "status $status: $said"
	fi
	wait_for 10 background_done || true
}

# refuses NAME CODE ROW: one row for all of it, with what is missing.
refuses()
{
	local pattern="pam_ward\\([a-z-]+:session\\): ward: $2: .*refused: "
	local missing=''
	[ -n "$2" ] || pattern='PAM unable to dlopen\(pam_ward.so\)'
	try_entry "$1" agent
	wait_for 10 over "$pattern" || missing+=' a line in the log;'
	[ ! -e "$mark" ] || missing+=' nothing may have run;'
	if entry_waits "$1" && [ "$status" -eq 0 ]; then
		missing+=' an exit status of failure;'
	fi
	if [ -n "$2" ] && entry_prints "$1" &&
	    ! grep -qE "^ward: $2: session for agent refused: " <<<"$said"; then
		missing+=' a line for the user;'
	fi
	if [ -z "$missing" ]; then
		pass "$3"
	else
		fail "$3" "wanted:$missing"$'\n'"status $status: $said
$(tail -c "+$((log_from + 1))" "$log")"
	fi
	# atd keeps the file of a job that could not run
	find /var/spool/cron/atjobs -type f -name '=*' -delete
}

# forwards NAME: whether a forward leads to the host's mail server.
forwards()
{
	over_ssh "$1" -W 127.0.0.1:25 </dev/null 2>/dev/null | grep -q '^220'
}

# ungoverned FAULT: people get in as ever.
ungoverned()
{
	local name
	for name in ssh-command su; do
		opens "$name" plain "$1: $name of an ungoverned account"
	done
	is "$1: ssh of root" "$(over_ssh root id -un </dev/null)" root
	is "$1: su of root" "$(su - -c 'id -un')" root
	is "$1: sudo to root" "$(sudo id -un)" root
}

plan $((4 * ${#entries[@]} + 2 + ${#faults[@]} * (${#entries[@]} + 7)))
setting
entries_ready
cd /
for name in "${entries[@]}"; do
	opens "$name" plain "control: $name, ungoverned"
	opens "$name" agent "control: $name, governed"
done
succeeds "control: a forward of an ungoverned account" forwards plain
fails "control: a forward of the governed one does not lead out" forwards agent
for fault in "${faults[@]}"; do
	settled
	code=${fault#*:} fault=${fault%:*}
	break_it "$fault"
	for name in "${entries[@]}"; do
		refuses "$name" "$code" "$fault: $name is refused"
	done
	fails "$fault: a forward leads nowhere" forwards agent
	ungoverned "$fault"
	mend
	opens su agent "$fault: mended, it opens again"
done
settled
break_it module-missing
for name in "${entries[@]}"; do
	opens "$name" plain "module-missing: $name, ungoverned"
done
mend
break_it module-broken
for name in "${entries[@]}"; do
	opens "$name" plain "module-broken: $name, ungoverned"
done
mend
