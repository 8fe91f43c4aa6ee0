# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# Rows of the tests of faults: what a way in does while something is broken.
# Sourced by them after 40-entries.bash.
# shellcheck disable=SC2154 # of the setting

# A file that every entry can make, inside and outside alike.
mark=/srv/out/mark
log=/var/log/auth.log

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
