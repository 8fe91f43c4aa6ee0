#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Whoever is not governed pays nothing for Ward: an strace of the login shows
# the module being mapped, and no file, process or socket of Ward's.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

trace=/root/trace

# traced COMMAND...: all that it and its children do is in $trace.
traced()
{
	strace -f -qq -y -s 4096 -o "$trace" "$@" </dev/null >/dev/null 2>&1
}

# traced_sshd ACCOUNT: the same of an sshd that serves one login.
traced_sshd()
{
	local port=2200
	rm -f "$trace"
	strace -f -qq -y -s 4096 -o "$trace" /usr/sbin/sshd -d -p "$port" \
	    >/dev/null 2>&1 &
	wait_for 10 grep -q 'listen(' "$trace"
	ssh "${ssh_options[@]}" -p "$port" "$1@127.0.0.1" true </dev/null
	wait
}

# The text of a configuration that was read or mapped is no act.
acts()
{
	grep -vE ' (<\.\.\. )?(read|pread64|write|sendto|sendmsg|recvmsg)(\(| )' \
	    "$trace"
}

# wards_acts: what was done with anything of Ward's, the module's own mapping
# left out, also where strace tells a call in two lines; a stack's look at the
# shell is its own module's.
wards_acts()
{
	acts | grep -E '/(run|var/lib|etc|libexec)/ward|wardsh|pam_ward' |
	    grep -vE '(openat|mmap|mprotect|munmap|close|read|pread64|fstat|newfstatat|access|faccessat2?)(\(| resumed>).*/pam_ward\.so' ||
	    true
}

# children: how many processes were made.
children()
{
	acts | grep -cE ' (<\.\.\. )?(v?fork|clone3?)( resumed>|\().* = [0-9]+$' ||
	    true
}

# connections: every socket that was connected, by where it went.
connections()
{
	acts | grep -E ' connect\(' | grep -oE 'sun_path="[^"]*"' |
	    sort -u | xargs
}

# without_ward COMMAND...: with a stack that has no line of Ward's.
without_ward()
{
	local file
	rm -rf /root/pam.d
	cp -a /etc/pam.d /root/pam.d
	for file in /etc/pam.d/*; do
		drop_lines "$file"
	done
	"$@"
	cp -a /root/pam.d/. /etc/pam.d/
}

# drop_lines FILE: Ward's three lines, wherever they stand.
drop_lines()
{
	sed -i -e '/pam_succeed_if.so quiet uid = 0/d' \
	    -e '/pam_succeed_if.so quiet shell != .*wardsh/d' \
	    -e '/pam_ward.so/d' "$1"
}

# row_set NAME COMMAND...: what a login does, against the same without Ward.
row_set()
{
	local name=$1 forks sockets
	shift
	without_ward "$@"
	forks=$(children) sockets=$(connections)
	unlike "$name: without Ward, its module is not loaded" "$(acts)" \
	    'pam_ward'
	"$@"
	like "$name: the module is mapped" "$(acts)" 'openat\([^)]*pam_ward\.so'
	is "$name: nothing else of Ward's is touched" "$(wards_acts)" ''
	is "$name: no process more than without Ward" "$(children)" "$forks"
	is "$name: no connection more" "$(connections)" "$sockets"
}

plan 32
setting
cd /
traced su agent -c true
isnt "control: a governed login does touch Ward's" "$(wards_acts)" ''
like "control: its directory in /run" "$(wards_acts)" '/run/ward'
row_set "su to an account" traced su plain -c true
row_set "su to root" traced su - -c true
row_set "sudo to an account" traced sudo -u plain true
row_set "runuser to an account" traced runuser -u plain -- true
row_set "ssh of an account" traced_sshd plain
row_set "ssh of root" traced_sshd root
