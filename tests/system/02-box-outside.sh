#!/bin/bash
# SPDX-License-Identifier: ISC
# box: none
# Seen from the machine: a box passes on its command's end, never reaches out,
# and leaves nothing behind, however it ends.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source=tests/system/lib.sh
. "$here/lib.sh"
box=$here/../box
work=$(mktemp -d)
stop()
{
	"$box" booted stop "outside-a-$$"
	"$box" booted stop "outside-b-$$"
}

# tidy: also where this file is ended early.
tidy()
{
	stop
	umount "$work/probe" 2>/dev/null || true
	rm -rf --one-file-system "$work"
}
trap 'status=$?; tidy; set +e; (exit "$status"); tap_end' EXIT

# machine: what a box could leave: accounts, mounts, cgroups, crontabs, files.
machine()
{
	sha256sum /etc/passwd /etc/group /etc/shadow
	cat /proc/self/mounts
	find /sys/fs/cgroup -maxdepth 2 -name 'ward-box*'
	find /var/spool/cron /run/ward-box -type f 2>/dev/null || true
	find "$($box root)" -maxdepth 2 -printf '%p %m %U %T@\n'
	# which the first box of all makes, and the directory above
	find "$(dirname "$($box root)")/mnt" -mindepth 1 2>/dev/null || true
}

# left: what was not there before; what has gone since was somebody else's.
left()
{
	comm -13 "$work/before" <(machine | sort)
}

nothing_left()
{
	[ -z "$(left)" ]
}

# alive MARK: whether a process with this mark in its arguments runs.
alive()
{
	local file
	for file in /proc/[0-9]*/cmdline; do
		! tr '\0' ' ' 2>/dev/null <"$file" | grep -q "sleep $1" ||
		    return 0
	done
	return 1
}

gone()
{
	! alive "$1"
}

# ended_by SIGNAL MARK: a quick box with a daemon in it, whose tests/box gets
# the signal; "gone" when nothing of it runs on.
ended_by()
{
	local pid
	"$box" quick -- sh -c "setsid sleep $2 & exec sleep $2" \
	    </dev/null >/dev/null 2>&1 &
	pid=$!
	wait_for 10 alive "$2" || { echo "never there"; return; }
	kill -s "$1" "$pid"
	wait_for 10 gone "$2" && echo gone || echo alive
}

plan 18
machine | sort >"$work/before"
mkdir "$work/probe"
mount --bind "$work/probe" "$work/probe"
like "control: what is left is seen" "$(left)" "$work/probe"
umount "$work/probe"

exits "an exit status is passed on" 7 "$box" quick -- sh -c 'exit 7'
exits "a signal is 128 and its number" 137 "$box" quick -- sh -c 'kill -9 $$'
exits "no such command" 127 "$box" quick -- /no/such
is "standard input is passed on" "$(echo words | "$box" quick -- cat)" words
exits "an account of one box" 0 "$box" quick -- useradd wardboxprobe
exits "is not in the next" 2 "$box" quick -- getent passwd wardboxprobe
exits "and not on the machine" 2 getent passwd wardboxprobe
mkdir -p "$work/dest/lib/ward" "$work/dest/usr/bin" "$work/given"
chmod 0700 "$work/dest/usr"
printf '#!/bin/sh\necho installed\n' >"$work/dest/usr/bin/wardprobe"
chmod 0755 "$work/dest/usr/bin/wardprobe"
is "a tree is laid over the root" "$("$box" quick --install "$work/dest" -- \
    sh -c 'wardprobe; stat -c "%a %F" /usr /lib | tr "\n" " "')" \
    $'installed\n755 directory 777 symbolic link '
is "a bind is read-only" "$("$box" quick --bind "$work/given:/given" -- sh -c \
    'ls -d /given; touch /given/x 2>/dev/null || echo refused' | xargs)" \
    '/given refused'
is "killed, nothing is left" "$(ended_by KILL 31415901)" gone
is "terminated, nothing is left" "$(ended_by TERM 31415902)" gone
is "a daemon ends with its box" "$("$box" quick -- sh -c \
    'setsid sleep 31415903 >/dev/null 2>&1 & sleep 0.1'
    wait_for 10 gone 31415903 && echo gone)" gone
succeeds "a box boots" "$box" booted start "outside-a-$$"
succeeds "and a second beside it" "$box" booted start "outside-b-$$"
exits "its exit status is passed on" 9 "$box" booted run "outside-a-$$" -- \
    sh -c 'useradd wardboxprobe && exit 9'
exits "they know nothing of each other" 2 "$box" booted run "outside-b-$$" -- \
    getent passwd wardboxprobe
stop
wait_for 10 nothing_left || true
is "the machine is as it was" "$(left)" ""
