#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Masks that stay: what the host does with its files while a sandbox lives.
# The control of each row: the same change is seen by the account that is not
# governed, and by the governed one where nothing is denied.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"

ward_profile()
{
	cat <<-'PROFILE'
	profile:
	{
	  name       = "probe";
	  extends    = ( "base" );
	  filesystem:
	  {
	    read:  { deny = ( "/srv/k/file", "/srv/k/dir", "/srv/k/later",
	                      "/srv/k/deep/er/later", "/srv/up/in/file",
	                      "~/at/some", "/srv/part", "/srv/disk/secret" );
	             allow = ( "/srv/part/open" ); };
	    write: { allow = ( "/srv/build", "/srv/disk/open", "/srv/again/open" );
	             deny = ( "/srv/build/a/kept" ); };
	  };
	};
	PROFILE
}

# places: what the profile names, as it is before each session.
places()
{
	rm -rf /srv/k /srv/up /srv/part /srv/build
	install -d -m 0755 /srv/k /srv/k/dir /srv/up/in /srv/part/open
	install -d -m 0777 /srv/build /srv/build/a /srv/build/a/kept
	echo OLD | tee /srv/k/file /srv/k/dir/x /srv/up/in/file \
	    /srv/part/x /srv/k/free >/dev/null
}

# inside_begin: a session that obeys lines; its answers come from $asked.
inside_begin()
{
	local answer=''
	coproc INSIDE { su -s /bin/sh agent -c 'echo ready; exec sh 2>&1'; } \
	    2>/dev/null
	# bash forgets these when the session ends
	# shellcheck disable=SC2153
	inside=$INSIDE_PID
	exec {to_inside}>&"${INSIDE[1]}" {from_inside}<&"${INSIDE[0]}"
	IFS= read -r -t 10 -u "$from_inside" answer || true
	[ "$answer" = ready ] || { diag "no session: $answer"; exit 1; }
}

# ask COMMAND: what the session prints for it, in one line; "ended" if it is.
ask()
{
	local line told=''
	printf '%s\necho end-of-answer\n' "$1" >&"$to_inside" ||
	    { echo ended; return; }
	while IFS= read -r -t 10 -u "$from_inside" line; do
		[ "$line" != end-of-answer ] || { echo "${told# }"; return; }
		told+=" $line"
	done
	echo "${told:+$told, }ended"
} 2>/dev/null

no_sandbox()
{
	! test -e "/run/ward/$(id -u agent)/current"
}

inside_end()
{
	{ echo exit >&"$to_inside"; } 2>/dev/null || true
	wait "$inside" 2>/dev/null || true
	# it would see the next change
	wait_for 10 no_sandbox || diag "the sandbox does not end"
	exec {to_inside}>&- {from_inside}<&-
}

# as_plain COMMAND: the control.
as_plain()
{
	su -s /bin/sh plain -c "$1" 2>&1 | xargs
}

# kept NAME FUNCTION COMMAND WANT CONTROL: a session; a change on the host;
# what the session and the other account are told a moment later.
kept()
{
	local agent plain
	places
	inside_begin
	"$2"
	sleep 0.3
	agent=$(ask "$3")
	plain=$(as_plain "$3")
	inside_end
	opposite "$1" "$agent" "$plain" "$4" "$5"
}

rename_file() { echo NEW >/srv/k/new; mv /srv/k/new /srv/k/file; }
rename_often()
{
	local times=0
	while [ $((times += 1)) -le 8 ]; do
		echo NEW >/srv/k/new
		mv /srv/k/new /srv/k/file
	done
}
make_anew() { rm /srv/k/file; echo NEW >/srv/k/file; }
edit_in_place() { sed -i s/OLD/NEW/ /srv/k/file; }
file_to_directory()
{
	rm /srv/k/file; mkdir /srv/k/file; echo NEW >/srv/k/file/x
}
move_directory()
{
	mv /srv/k/dir /srv/k/dir.old; mkdir /srv/k/dir; echo NEW >/srv/k/dir/x
}
move_above()
{
	mv /srv/up /srv/up.old; mkdir -p /srv/up/in; echo NEW >/srv/up/in/file
}
file_to_link()
{
	echo NEW >/srv/k/target; rm /srv/k/file; ln -s target /srv/k/file
}
appears() { echo NEW >/srv/k/later; }
appears_deep() { mkdir -p /srv/k/deep/er; echo NEW >/srv/k/deep/er/later; }
move_skeleton()
{
	mv /srv/part /srv/part.old; mkdir /srv/part; echo NEW >/srv/part/x
}
move_closed()
{
	mv /srv/build/a/kept /srv/build/a/old; install -d -m 0777 /srv/build/a/kept
}
move_writable() { mv /srv/build /srv/moved; }
nothing() { :; }

# disk: a file system of its own, twice; the second time under another name.
disk()
{
	umount /srv/again /srv/disk 2>/dev/null || true
	mkdir -p /srv/disk /srv/again
	ward_do mount -t tmpfs disk /srv/disk
	install -d -m 0777 /srv/disk/open
	echo DISK >/srv/disk/secret
	echo DISK >/srv/disk/open/x
	ward_do mount --bind /srv/disk /srv/again
}
rename_on_disk() { echo NEW >/srv/disk/new; mv /srv/disk/new /srv/disk/secret; }
remove_again() { rm /srv/disk/secret; echo NEW >/srv/again/secret; }

# let_go: what a session has of a file system that the host unmounts.
let_go()
{
	local before between after
	inside_begin
	before=$(ask 'cat /srv/disk/open/x /srv/again/open/x')
	umount /srv/disk
	sleep 0.3
	between=$(ask 'cat /srv/disk/open/x 2>/dev/null; cat /srv/again/open/x')
	umount /srv/again
	sleep 0.3
	after=$(ask 'ls /srv/disk /srv/again; grep -c tmpfs.disk /proc/mounts')
	inside_end
	echo "$before, $between, $after"
}

# told: how many sandboxes were ended; all_told: those of this file.
told()
{
	grep -c 'ward: sandbox of agent: .*: it is ended$' /var/log/auth.log
}
all_told()
{
	[ "$(told)" -eq 6 ]
}

# own_flood: what the account does in its own places ends its own sandbox only.
own_flood()
{
	inside_begin
	# shellcheck disable=SC2016
	ask 'cd; i=0; while [ $i -lt 5000 ]; do mkdir -p at/some || exit
	    mv at at.$i; i=$((i+1)); done 2>/dev/null; echo survived'
	inside_end
}

# home_unmounted: the home on a file system of its own.
home_unmounted()
{
	mount --bind /home/.ward/agent /home/.ward/agent
	inside_begin
	umount -l /home/.ward/agent
	sleep 0.3
	ask 'echo still'
	inside_end
}

# --- what the host mounts where the account can write ---

# guests: directories that are such mount points, with a mount each, one of
# them in the home, and a file.
guests()
{
	local place
	for place in /srv/build/guest /srv/build/in/guest \
	    /home/.ward/agent/guest; do
		mountpoint -q "$place" || ward_do guest "$place"
	done
	mountpoint -q /srv/build/file && return
	touch /srv/build/file
	ward_do mount --bind /srv/k/free /srv/build/file
}

guest()
{
	mkdir -p "$1"
	chmod 0777 "$1"
	mount -t tmpfs guest "$1"
}

# mounted: which of them still are, on the host.
mounted()
{
	local place
	for place in /srv/build/guest /srv/build/in/guest \
	    /home/.ward/agent/guest /srv/build/file /srv/build/later; do
		! mountpoint -q "$place" || printf '%s ' "${place##*build/}"
	done
}

# in_its_own ACT: root's control: a namespace in which nothing is mounted there.
in_its_own()
{
	unshare --mount --propagation private sh -c \
	    "umount /srv/build/guest && setpriv --reuid plain $1" 2>&1 || true
}

# closed_later: the mask is there.
closed_later()
{
	[ "$(ask 'stat -c %a /srv/build/later')" = 555 ]
}

guests_gone()
{
	umount /srv/build/guest /srv/build/in/guest /srv/build/file \
	    /home/.ward/agent/guest /srv/build/later 2>/dev/null || true
}

# guest_rows: by removing the place, or by moving it, the account would take
# the host's mount away (Linux 3.18 and later).
guest_rows()
{
	places
	install -d -m 0777 /srv/build/in
	guests
	inside_begin
	like "a mount of the host's: its place is not removed" "$(ask '
	    rmdir /srv/build/guest ~/guest; rm -f /srv/build/file')" \
	    'busy .*guest.*busy .*file.*busy$'
	like "nor moved, nor what is above it" "$(ask '
	    mv /srv/build/guest /srv/build/g; mv /srv/build/in /srv/build/i
	    mv ~/guest ~/g')" 'busy .*in.*busy .*guest.*busy$'
	like "nor exchanged for something else" "$(ask 'mkdir /srv/build/own
	    python3 -c "import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.renameat2(-100, b\"/srv/build/own\", -100, b\"/srv/build/guest\", 2)
print(ctypes.get_errno())"')" '^16$'
	is "on the host each stands" "$(mounted)" \
	    'guest in/guest /home/.ward/agent/guest file '
	is "one that is mounted while the session lives is closed as well" \
	    "$(ask 'mkdir -m 0777 /srv/build/later && echo made')" made
	ward_do mount -t tmpfs guest /srv/build/later
	wait_for 5 closed_later || true
	like "and not removed" "$(ask 'rmdir /srv/build/later')" 'busy$'
	is "on the host it stands, too" "$(mounted)" \
	    'guest in/guest /home/.ward/agent/guest file later '
	umount /srv/build/later
	is "unmounted, it is the account's again" "$(ask '
	    until rmdir /srv/build/later 2>/dev/null; do sleep 0.1; done
	    echo removed')" removed
	inside_end
	in_its_own 'rmdir /srv/build/guest'
	is "control: without the mask the host's mount goes" "$(mounted)" \
	    'in/guest /home/.ward/agent/guest file '
	guests_gone
}

denied='.*Permission denied'
plan 45
trap '' PIPE
ward_setup
kept "nothing happens" nothing 'cat /srv/k/file' "$denied" OLD
kept "a file, renamed over" rename_file 'cat /srv/k/file' "$denied" NEW
kept "a file, renamed over again and again" rename_often 'cat /srv/k/file' \
    "$denied" NEW
kept "a file, made anew" make_anew 'cat /srv/k/file' "$denied" NEW
kept "a file, edited by sed" edit_in_place 'cat /srv/k/file' "$denied" NEW
kept "a file that becomes a directory" file_to_directory 'ls /srv/k/file' \
    '' x
kept "a directory, moved away and made anew" move_directory \
    'cat /srv/k/dir/x' '.*No such file.*' NEW
kept "what is above a file, moved away and made anew" move_above \
    'cat /srv/up/in/file' "$denied" NEW
kept "a file that becomes a link: the end" file_to_link 'cat /srv/k/file' \
    ended NEW
kept "a denied file that appears" appears 'cat /srv/k/later' "$denied" NEW
kept "a denied file that appears with what is above it" appears_deep \
    'cat /srv/k/deep/er/later' "$denied" NEW
kept "a hidden directory with openings, moved: the end" move_skeleton \
    'cat /srv/part/x' ended NEW
kept "a closed place in a writable one, moved: the end" move_closed \
    'echo >/srv/build/a/kept/x && echo written' ended written
kept "a writable place, moved: the end" move_writable \
    'echo >/srv/moved/x && echo written' ended written
mv /srv/moved /srv/build
places
inside_begin
is "the control of them: what is not denied is read anew" \
    "$(rm /srv/k/free; echo NEW >/srv/k/free; ask 'cat /srv/k/free')" NEW
inside_end
disk
kept "a bind of what holds a hidden file" nothing \
    'cat /srv/again/secret' "$denied" DISK
kept "the same, renamed over" rename_on_disk \
    'cat /srv/disk/secret; cat /srv/again/secret' \
    "$denied .*$denied" 'NEW NEW'
kept "the same, made anew by its other name" remove_again \
    'cat /srv/disk/secret; cat /srv/again/secret' \
    "$denied .*$denied" 'NEW NEW'
disk
is "a file system that the host unmounts" "$(let_go)" \
    'DISK DISK, DISK, /srv/again:  /srv/disk: 0'
is "the host unmounts the home: the end" "$(home_unmounted)" ended
is "masks that the account makes come to an end" "$(own_flood)" ended
guest_rows
ward_scope session
kept "a file, renamed over" rename_file 'cat /srv/k/file' "$denied" NEW
kept "a directory, moved away and made anew" move_directory \
    'cat /srv/k/dir/x' '.*No such file.*' NEW
kept "a denied file that appears" appears 'cat /srv/k/later' "$denied" NEW
guest_rows
about
wait_for 5 all_told || true
is "an ended sandbox says why" "$(told)" 6

# internal OPERATION: its rows, by place.
internal()
{
	wardctl violations --account agent --limit 0 --json | python3 -c '
import json, sys
print(*sorted({row["target"] for row in json.load(sys.stdin)
               if row["kind"] == "internal" and row["operation"] == sys.argv[1]}))' \
	    "$1"
}
like "each place that was hidden again is a row" "$(internal mask-restored)" \
    '/srv/k/deep/er/later /srv/k/dir /srv/k/file /srv/k/later /srv/up/in/file'
like "and each for which a sandbox was ended" "$(internal mask-lost)" \
    '/srv/k/file( .*)? /srv/part'
