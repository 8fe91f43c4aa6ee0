#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Ways out beyond the list: what a hostile program would try that has read
# Ward's sources.  Where agent is refused, plain is let through.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"

# The probe's own, with a rule that leads through what the account can change,
# and one whose place is made on the host by whoever likes.
ward_profile()
{
	cat <<-'PROFILE'
	profile:
	{
	  name       = "probe";
	  extends    = ( "base" );
	  filesystem:
	  {
	    read:  { deny = ( "/srv/secrets" ); };
	    write: { allow = ( "/srv/build", "/srv/swap/out" );
	             deny = ( "~/work/kept" ); };
	  };
	};
	PROFILE
}

tool=$probe_dir/own.py

# tries ACCOUNT VERB [ARGUMENTS]: in a session of its own.
tries()
{
	local account=$1
	shift
	timeout 60 runuser -u "$account" -- python3 "$tool" "$@" 2>&1 || true
}

# holds MARK ACCOUNT VERB [ARGUMENTS]: a session that stays until released,
# once it has made its mark.
holds()
{
	local mark=/srv/build/$1
	shift
	rm -f "$mark"
	tries "$@" </dev/null >/dev/null 2>&1 &
	held+=($!)
	wait_for 20 test -e "$mark" || diag "no session that would $2"
}

# stop VERB PID: what as_account runs on the host.
stop()
{
	pkill -f "^python3 $tool $1" || true
	wait "$2" 2>/dev/null || true
}

# released: they end, and their sandboxes.
released()
{
	pkill -f "^python3 $tool" || true
	wait "${held[@]}" 2>/dev/null || true
	held=()
	wait_for 10 no_warden || diag "a warden stays"
}
held=()

no_warden()
{
	! pgrep -x warden
}

# on_host: what the attempts are made on.
on_host()
{
	local account
	python3 - <<-'PYTHON'
	import ctypes, os
	libc = ctypes.CDLL(None)
	os.umask(0)
	if libc.mq_open(b"/ward-host", os.O_RDWR | os.O_CREAT, 0o666, None) < 0:
	    raise SystemExit("no queue")
	libc.shmget(0x4F574E31, ctypes.c_size_t(4096), 0o1000 | 0o666)
	PYTHON
	for account in "${accounts[@]}"; do
		ward_mark "$account" 30000000
		echo "$marked" >"/srv/build/mark.$account"
		install -m 0666 /dev/null "/srv/open.d/theirs.$account"
	done
}

# What nobody else is needed for: name; what agent must get; what plain.
facts_table()
{
	cat <<-'TABLE'
	a signal|ESRCH|ok
	its limits|ESRCH|.*, .*
	a pidfd|ESRCH|ok
	SIGIO|ESRCH|ok
	its processors|ESRCH|ok
	a queue by name|ENOENT|ok
	shared memory|ENOENT|ok
	a hard link|EXDEV|ok
	an exchange|EXDEV|ok
	TABLE
}

# Of a file that it was handed.
handed_table()
{
	cat <<-'TABLE'
	opened anew|EACCES|ok
	emptied|EACCES|ok
	TABLE
}

# table_rows NAME TABLE AGENT PLAIN
table_rows()
{
	local name want control
	while IFS='|' read -r name want control; do
		opposite "$1: $name" "$(probe_value "$3" "$name")" \
		    "$(probe_value "$4" "$name")" "$want" "$control"
	done < <("$2")
}

# with_file ACCOUNT: a place that the profile does not let it write.
with_file()
{
	local file=/srv/open.d/handed
	echo content >"$file"
	chmod 0666 "$file"
	tries "$1" handed <"$file"
	echo "left: $(xargs <"$file")"
}

# watched ACCOUNT: somebody makes a file in a hidden place.
watched()
{
	rm -f "/srv/build/watching.$1" /srv/secrets/new
	tries "$1" watch &
	wait_for 20 test -e "/srv/build/watching.$1" || true
	touch /srv/secrets/new
	wait $!
}

# typed ACCOUNT: what a process that su's session left behind reads of what
# its caller types later.
typed()
{
	rm -f "/srv/build/typed.$1" "/srv/build/reading.$1"
	python3 - "$1" "$tool" <<-'PYTHON'
	import os, pty, subprocess, sys, time

	master, slave = pty.openpty()
	subprocess.run(("su", "-s", "/usr/bin/python3", sys.argv[1], "--",
	                sys.argv[2], "reads"), stdin=slave, check=False,
	               stdout=subprocess.DEVNULL)
	time.sleep(0.3)
	os.write(master, b"SECRET\n")
	deadline = time.monotonic() + 1.5
	while time.monotonic() < deadline and \
	        not os.path.exists(f"/srv/build/typed.{sys.argv[1]}"):
	    time.sleep(0.05)
	PYTHON
	cat "/srv/build/typed.$1" 2>/dev/null || echo nothing
}

# typed_rows: ward(7) says that a sandbox which lives on can read it.
typed_rows()
{
	ward_scope session
	holds serving.agent agent serve
	opposite "what is typed when su has ended" "$(typed agent)" \
	    "$(typed plain)" nothing SECRET
	released
	ward_scope account
	rm -f /home/.ward/agent/own.sock
	holds serving.agent agent serve
	is "control: in a sandbox that lives on it is read" "$(typed agent)" \
	    SECRET
	released
	rm -f /home/.ward/agent/own.sock
}

# beside_stopped SCOPE: a login while the warden of another session stands
# still.
beside_stopped()
{
	local warden
	ward_scope "$1"
	holds serving.agent agent serve
	warden=$(oldest_warden)
	kill -STOP "$warden"
	timeout 20 su -s /bin/sh agent -c 'echo in' 2>&1 || true
	kill -CONT "$warden"
	released
	rm -f /home/.ward/agent/own.sock
}

stopped_rows()
{
	like "control: a stopped warden of one's own refuses the login" \
	    "$(beside_stopped account)" '^ward: W011: '
	is "a stopped warden of another session holds nobody up" \
	    "$(beside_stopped session)" in
}

# abuse_rows: the warden's own socket, inside.
abuse_rows()
{
	local warden before
	holds abusing agent abuse
	warden=$(oldest_warden)
	is "questions that are none: a login gets its answer" \
	    "$(timeout 10 su - agent -c 'echo in' 2>&1)" in
	# that of the login may not have ended yet
	is "and the warden is the same" \
	    "$(pgrep -x warden | grep -x "$warden")" "$warden"
	before=$(find "/proc/$warden/fd" -mindepth 1 | wc -l)
	succeeds "with a bounded number of descriptors ($before)" \
	    test "$before" -lt 150
	released
}

# lease_rows: who opens a file under a lease waits for its holder.
lease_rows()
{
	local kept=/home/.ward/agent/work/kept holder
	as_account agent mkdir -p "${kept%/*}"
	as_account agent touch "$kept"
	# in a session of its own the way to the file is walked again
	ward_scope session
	as_account agent python3 "$tool" lease "$kept" &
	holder=$!
	wait_for 10 test -e /srv/build/leased || diag "no lease"
	like "control: who opens a file under a lease has to wait" \
	    "$(python3 -c "import os
os.open('$kept', os.O_RDONLY | os.O_NONBLOCK)" 2>&1 || true)" \
	    'BlockingIOError'
	is "a lease on what a rule names holds nobody up" \
	    "$(timeout 5 su -s /bin/sh agent -c 'echo in' 2>&1)" in
	stop lease "$holder"
}

# swap_rows: the place of a rule is a directory and a link to another, in turn.
swap_rows()
{
	local swapper in=0 round
	install -d -m 0777 /srv/swap
	as_account agent python3 "$tool" swap /srv/swap/out /etc/open.d &
	swapper=$!
	wait_for 10 test -L /srv/swap/out.other || diag "nothing is swapped"
	for round in {1..15}; do
		! su -s /bin/sh agent -c "touch /srv/swap/out/$round; echo in" \
		    2>/dev/null | grep -q in || in=$((in + 1))
	done
	is "a rule's place that becomes a link: nothing behind the link" \
	    "$(find /etc/open.d -user agent)" ''
	succeeds "and sessions begin all the same ($in of 15)" test "$in" -gt 0
	succeeds "control: somebody else does get there by it" wait_for 10 \
	    su -s /bin/sh plain -c 'touch /srv/swap/out/plain
		test -e /etc/open.d/plain'
	stop swap "$swapper"
	rm -rf /srv/swap /etc/open.d/plain
}

# What a session has of another of the same account: name; where both are in
# one sandbox; where each has its own; without Ward.
meet_table()
{
	cat <<-'TABLE'
	an abstract socket|ok|ECONNREFUSED|ok
	processes|seen|not seen|seen
	/tmp|there|not there|there
	memory|ok|ENOENT|ok
	its root, read|ENOENT|ENOENT|DIRSECRET
	above its root|ENOENT|ENOENT|DIRSECRET
	its root, written|EROFS|EROFS|ok
	from its root|ENOENT|ENOENT|DIRSECRET
	TABLE
}

# met ACCOUNT
met()
{
	holds "serving.$1" "$1" serve
	tries "$1" meet
	released
	rm -f /home/plain/own.sock /home/.ward/agent/own.sock
}

meet_rows()
{
	local shared alone plain name in_one in_own control
	ward_scope account
	shared=$(met agent)
	ward_scope session
	alone=$(met agent)
	plain=$(met plain)
	about "another session"
	while IFS='|' read -r name in_one in_own control; do
		is "$name, in one sandbox" "$(probe_value "$shared" "$name")" \
		    "$in_one"
		is "$name, in its own" "$(probe_value "$alone" "$name")" \
		    "$in_own"
		is "$name, without Ward" "$(probe_value "$plain" "$name")" \
		    "$control"
	done < <(meet_table)
}

plan $((2 * ($(facts_table | wc -l) + $(handed_table | wc -l) + 2) + 2 + 2 +
    3 + 2 + 3 + 3 * $(meet_table | wc -l)))
ward_setup
install -m 0644 "$here/19-escapes-own.py" "$tool"
on_host
plain_facts=$(tries plain facts)
plain_handed=$(with_file plain)
plain_watched=$(watched plain)
for scope in "${scopes[@]}"; do
	ward_scope "$scope"
	table_rows "a process of its own on the host" facts_table \
	    "$(tries agent facts)" "$plain_facts"
	agent=$(with_file agent)
	table_rows "a file that it is handed" handed_table "$agent" \
	    "$plain_handed"
	opposite "what is left of it" "$(probe_value "$agent" left)" \
	    "$(probe_value "$plain_handed" left)" content ''
	opposite "events of a hidden place" "$(watched agent)" \
	    "$plain_watched" nothing new
done
typed_rows
stopped_rows
abuse_rows
lease_rows
swap_rows
meet_rows
