#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# tools: tests/seam/without
# With a profile gone, no room in /run/ward, no descriptors or memory
# to be had, a feature of the kernel missing, or an earlier module failing, ssh,
# su and sudo lead a governed account nowhere, and say so in time; a full /var
# keeps nobody out.  Whoever is not governed does not notice.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/40-entries.bash
. "$(dirname "$0")/40-entries.bash"
# shellcheck source=tests/system/40-faults.bash
. "$(dirname "$0")/40-faults.bash"

ways=(ssh-command su sudo)
policy=/var/lib/ward/policy.db

# What is broken for everybody, and the code that says so.
faults=(profile-deleted:W021 run-readonly:W012 run-1:W012 run-2:W012 run-3:W012
    run-5:W012)

break_it()
{
	case $1 in
	profile-deleted)
		cp -a "$policy" /root/kept
		sqlite3 "$policy" 'PRAGMA foreign_keys = OFF;
		    DELETE FROM rules; DELETE FROM revisions' ;;
	run-readonly) mount -t tmpfs -o mode=0700,ro none /run/ward ;;
	run-*) mount -t tmpfs -o "mode=0700,nr_inodes=${1#run-}" none \
	    /run/ward ;;
	esac
}

mend()
{
	case $1 in
	profile-deleted) mv /root/kept "$policy" ;;
	run-*) umount /run/ward ;;
	esac
}

# A second sshd, as scarce as what precedes it here; its port in ssh_options.
sshd_under()
{
	"$@" /usr/sbin/sshd -D -o Port=2023 -o PidFile=/run/sshd-scarce.pid \
	    </dev/null >/dev/null 2>&1 &
	scarce=$!
	wait_for 10 listens 2023
}

sshd_over()
{
	kill "$scarce"
	wait "$scarce" 2>/dev/null || true
}

# under WAY COMMAND...: comes in as agent by the way, under the command, and
# leaves where it ran in the mark.
under()
{
	local way=$1 leave="readlink /proc/self/ns/mnt >$mark"
	shift
	rm -f "$mark"
	log_from=$(stat -c %s "$log")
	began=$(date +%s%3N)
	status=0
	case $way in
	ssh-command)
		sshd_under "$@"
		said=$(ssh "${ssh_options[@]}" -p 2023 agent@127.0.0.1 \
		    "$leave" 2>&1 </dev/null) || status=$?
		sshd_over ;;
	su) said=$("$@" su agent -c "$leave" 2>&1 </dev/null) || status=$? ;;
	sudo) said=$("$@" sudo -u agent sh -c "$leave" 2>&1 </dev/null) ||
	    status=$? ;;
	esac
	took=$(($(date +%s%3N) - began))
}

# ended: how that came out: refused in time and with a code, inside, or bad.
ended()
{
	if [ "$took" -gt 7000 ]; then
		echo "late: $took ms"
	elif [ -s "$mark" ]; then
		[ "$(cat "$mark")" = "$(readlink /proc/self/ns/mnt)" ] &&
		    echo outside || echo inside
	elif [ "$status" -eq 0 ]; then
		echo "succeeded"
	elif wait_for 3 logged 'ward: W[0-9]+: session for agent refused' ||
	    [[ $said =~ ward:\ W[0-9]+:\ session ]]; then
		echo refused
	else
		echo "no code"
	fi
}

# scarce ROW WANT COMMAND...: by each of the ways.
scarce()
{
	local row=$1 want=$2 way
	shift 2
	for way in "${ways[@]}"; do
		under "$way" "$@"
		like "$row: $way: $want" "$(ended); $said" "^($want);"
	done
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

# With less and less memory su itself does not start; before that the module
# has none.  In KiB, from where an ungoverned account still gets in.
memory()
{
	local low=4096 high=131072 middle kib outcome all=''
	while [ $((high - low)) -gt 32 ]; do
		middle=$(((low + high) / 2))
		if prlimit --as=$((middle * 1024)) su plain -c true \
		    >/dev/null 2>&1 </dev/null; then
			high=$middle
		else
			low=$middle
		fi
	done
	for ((kib = high - 64; kib <= high + 192; kib += 32)); do
		under su prlimit --as=$((kib * 1024))
		outcome=$(ended)
		all+="$outcome;"
	done
	unlike "no memory: su: never outside, nor late" "$all" \
	    'outside|late|succeeded'
	like "no memory: su: refused with too little" "$all" 'refused;'
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

plan $((${#faults[@]} * (${#ways[@]} + 6) + 3 * (${#calls[@]} + 2) + 3 +
    2 + 6 + ${#ways[@]} + 3 + 5 + 1))
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
without_calls
scarce "no descriptors" 'refused|inside' prlimit --nofile=64
memory
stacks
full_var
