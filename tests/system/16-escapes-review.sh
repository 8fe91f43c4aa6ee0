#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# What an account can do to its warden, and to the rules that are to hold it:
# each of these worked once.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"

# The probe's own profile, with closed places inside of writable ones.
ward_profile()
{
	cat <<-'PROFILE'
	profile:
	{
	  name       = "probe";
	  extends    = ( "base" );
	  filesystem:
	  {
	    read:  { deny = ( "/srv/secrets", "/srv/secret.txt",
	        "/srv/disk/hidden", "/srv/build/a/secret" ); };
	    write: { allow = ( "/srv/build" ); deny = ( "~/work/kept" ); };
	  };
	};
	PROFILE
}

# inside COMMAND: as the account, through su.
inside()
{
	timeout 30 su -s /bin/bash agent -c "$1" 2>&1 </dev/null || true
}

# make_disk: a disk with a hidden place, which has another name by a bind.
make_disk()
{
	local number
	mkdir -p /srv/disk /srv/other
	[ -e /dev/loop-control ] || mknod /dev/loop-control c 10 237
	for number in 0 1 2 3 4 5 6 7; do
		[ -e "/dev/loop$number" ] ||
		    mknod "/dev/loop$number" b 7 "$number"
	done
	truncate -s 4M /root/disk
	ward_do mkfs.ext4 -q /root/disk
	mount -o loop /root/disk /srv/disk 2>/dev/null || return
	install -d -m 0777 /srv/disk/hidden /srv/disk/open
	echo HIDDEN >/srv/disk/hidden/file
	echo OPEN >/srv/disk/open/file
	ward_do mount --bind /srv/disk /srv/other
}

aliases()
{
	if ! mountpoint -q /srv/disk; then
		skip "a hidden place by another name" "no loop device"
		skip "what is beside it" "no loop device"
		skip "what explain says of it" "no loop device"
		skip "by which line" "no loop device"
		skip "which the row of a write names" "no loop device"
		skip "control: beside it" "no loop device"
		return
	fi
	like "a hidden place by another name" \
	    "$(inside 'cat /srv/other/hidden/file')" 'No such file'
	is "what is beside it" "$(inside 'cat /srv/other/open/file')" OPEN
	# one decision: what the view hides, explain and the rows call hidden
	local said line
	line=$(grep -n '/srv/disk/hidden' /etc/ward/profiles.d/probe.conf |
	    cut -d : -f 1)
	said=$(wardctl explain --account agent /srv/other/hidden/file \
	    /srv/other/open/file)
	like "what explain says of it" "$said" \
	    'hidden/file: hidden.*another name of /srv/disk/hidden, by a mount'
	like "by which line" "$said" \
	    "hidden by read.deny \"/srv/disk/hidden\" \([^ ]*/probe.conf:$line\)"
	inside 'touch /srv/other/hidden/new' >/dev/null
	wait_for 10 sh -c 'wardctl violations --account agent |
	    grep -q /srv/other/hidden/new' || true
	like "which the row of a write names" "$(wardctl violations \
	    --account agent | grep /srv/other/hidden/new)" "/probe.conf:$line"
	like "control: beside it" "$said" \
	    "open/file: readable"
}

# renames: the account moves what is above a closed place away, and puts its
# own there, or reads what was there in its next session.
renames()
{
	as_account agent mkdir -p /home/.ward/agent/work/kept
	install -d -m 0777 /srv/build/a /srv/build/a/secret
	echo SECRET >/srv/build/a/secret/file
	like "what is above a closed place in the home is moved" \
	    "$(inside 'mv ~/work ~/moved')" 'Device or resource busy'
	like "what is above a hidden place in a writable tree is moved" \
	    "$(inside 'mv /srv/build/a /srv/build/b')" \
	    'Device or resource busy'
	is "the next session does not see it" \
	    "$(inside 'cat /srv/build/*/secret/file' | grep -c SECRET || true)" 0
	is "beside it, things are moved as ever" "$(inside \
	    'mkdir ~/x /srv/build/x && mv ~/x ~/y && mv /srv/build/x \
	    /srv/build/y && echo moved')" moved
}

# keyring ACCOUNT: what a session that the account gets through su leaves of
# the keyring of root's own session.
keyring()
{
	python3 - "$1" <<-'PYTHON'
	import ctypes, subprocess, sys

	libc = ctypes.CDLL(None, use_errno=True)
	keyctl = 250  # x86-64
	join, revoke, describe, session = 1, 3, 6, ctypes.c_long(-3)
	libc.syscall(keyctl, join, None)
	subprocess.run(("su", "-s", "/usr/bin/python3", sys.argv[1], "-c",
	                "import ctypes; ctypes.CDLL(None).syscall("
	                f"{keyctl}, {revoke}, ctypes.c_long(-3))"), check=True)
	left = libc.syscall(keyctl, describe, session, None, 0)
	print("kept" if left >= 0 else "revoked")
	PYTHON
}

keyrings()
{
	opposite "the keyring of who opens a session" "$(keyring agent)" \
	    "$(keyring plain)" kept revoked
}

# lingering: sockets that take long to close are sent to the warden.  Whoever
# closes last waits, so many are sent, each closed by another delay.
lingering()
{
	cat >"$probe_dir/linger" <<-'PYTHON'
	#!/usr/bin/python3
	import array, os, socket, struct, time

	def send(delay):
	    server = socket.create_server(("127.0.0.1", 0))
	    client = socket.create_connection(server.getsockname())
	    peer, _ = server.accept()
	    client.setblocking(False)
	    try:
	        while True:
	            client.send(bytes(65536))
	    except BlockingIOError:
	        pass
	    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
	                      struct.pack("ii", 1, 1000))
	    # a message that is never received: the warden answers one, closes
	    ward = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
	    ward.connect("/run/ward/agent")
	    fds = array.array("i", [client.fileno()]).tobytes()
	    if os.fork() == 0:
	        os.close(client.detach())
	        time.sleep(60)
	    ward.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
	    os.close(client.detach())
	    time.sleep(60)

	for number in range(40):
	    if os.fork() == 0:
	        send(number)
	time.sleep(60)
	PYTHON
	chmod 0755 "$probe_dir/linger"
	inside "setsid $probe_dir/linger & sleep 2" >/dev/null
	is "a session after sockets that linger" "$(inside 'echo in')" in
	succeeds "nothing of the sandbox lives on" \
	    wait_for 5 no_process_of_sandbox
}

no_process_of_sandbox()
{
	! pgrep -f "$probe_dir/linger" && ! pgrep -x ward-init
}

# The warden writes the last counts, and the end, when its init is gone.
no_open_sandbox()
{
	[ "$(rows 'SELECT count(*) FROM sandboxes WHERE ended IS NULL')" = 0 ]
}

# many_rows: distinct acts, each of which would be a row.
many_rows()
{
	local size
	inside 'python3 -c "
import os
for number in range(30000):
    try:
        os.mkdir(\"/usr/\" + str(number) + \"x\" * 200)
    except OSError:
        pass
"' >/dev/null
	wait_for 10 no_open_sandbox || true
	size=$(stat -c %s /var/lib/ward/violations.db)
	succeeds "a flood of distinct refusals: at most 4 MB ($size)" \
	    test "$size" -lt 4194304
	# and a few of others, such as python's own
	like "a flood of distinct refusals: each is counted" \
	    "$(python3 - <<-'PYTHON'
	import sqlite3

	store = sqlite3.connect("/var/lib/ward/violations.db")
	print(sum(store.execute(query).fetchone()[0] for query in (
	    "SELECT count(*) FROM violations WHERE target LIKE '/usr/%xxxx'",
	    "SELECT sum(count) FROM gaps")))
	PYTHON
	    )" '^300[0-9][0-9]$'
}

# walks: links of the account's that take long to follow.
walks()
{
	local start=$SECONDS
	inside 'rm -rf ~/work/* ; cd ~ && python3 -c "
import os
os.makedirs(\"a/\" * 600)
last = \"a\"
for number in range(38):
    os.symlink(\"a/\" * 600 + \"../\" * 600 + last, \"w%d\" % number)
    last = \"w%d\" % number
"' >/dev/null
	as_account agent rm -rf /home/.ward/agent/work
	as_account agent ln -s w37 /home/.ward/agent/work
	inside 'echo in' >/dev/null
	is "links that take long to follow: nothing works on them for long" \
	    "$(wait_for 3 no_warden && [ $((SECONDS - start)) -lt 15 ] &&
	    echo ended)" ended
	as_account agent rm /home/.ward/agent/work
	is "without them, the account is let in again" "$(inside 'echo in')" in
}

no_warden()
{
	! pgrep -f '^ward-warden'
}

# small_limits: whoever opens the first session has small limits; the warden
# serves the later ones, too.
small_limits()
{
	local warden
	# that of the session before
	wait_for 5 no_warden || true
	(
		ulimit -S -n 100 -f 4096 -s 512
		exec nice -n 19 su -s /bin/sh agent -c 'sleep 5'
	) &
	# the session runs: its warden has all that it will have
	wait_for 10 pgrep -u agent -f '^sleep 5$' || diag "no session runs"
	warden=$(pgrep -o -f '^ward-warden')
	is "the warden's limits are not the opener's" "$(awk '
	    /^Max (file size|stack size|open files)/ { print $4 }' \
	    "/proc/$warden/limits" | xargs)" "unlimited 8388608 16384"
	is "nor is its priority" "$(ps -o ni= -p "$warden" | xargs)" 0
	wait $!
}

plan 20
make_disk || true
ward_setup
aliases
renames
keyrings
lingering
many_rows
walks
small_limits
is "no sandbox is left" "$(wait_for 5 no_warden && ls /run/ward/*)" lock
