#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# Whatever of a session is killed or stopped: nothing of it survives one second
# of a kill, the next login works, and nothing is left over.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/43-dangling.bash
. "$(dirname "$0")/43-dangling.bash"

entries=(ssh su runuser sudo)

# A session: something in the foreground, and what does not hear of its end.
job='setsid sleep 4343 >/dev/null 2>&1 & touch /srv/out/held; exec sleep 4242'

# enter ENTRY: as agent, with $job.
enter()
{
	case $1 in
	ssh) over_ssh agent "$job" ;;
	su) su agent -c "$job" ;;
	runuser) runuser -u agent -- sh -c "$job" ;;
	sudo) sudo -u agent sh -c "$job" ;;
	esac
}

# hold ENTRY: begins a session that stays; $opener is the process that holds
# it, $warden and $init are its sandbox's.
hold()
{
	rm -f /srv/out/held
	enter "$1" <&"$silence" >/dev/null 2>&1 &
	client=$!
	wait_for 10 test -e /srv/out/held
	wait_for 10 pgrep -u agent -f '^sleep 4242'
	wait_for 10 pgrep -u agent -f '^sleep 4343'
	warden=$(oldest_warden)
	init=$(pgrep -x ward-init)
	opener=$(opener_of "$(pgrep -u agent -f '^sleep 4242')")
}

# opener_of PID: the first process above it that is outside.
opener_of()
{
	local pid=$1 host
	host=$(readlink /proc/self/ns/pid)
	while [ "$(readlink "/proc/$pid/ns/pid")" != "$host" ]; do
		pid=$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status")
	done
	echo "$pid"
}

# nothing_inside: what is dead counts for nothing, though a stopped opener does
# not reap it.
nothing_inside()
{
	! pgrep -u agent -r D,R,S,T,t,I >/dev/null
}

# within ROW MS COMMAND...: the command succeeds no later than that.
within()
{
	local row=$1 limit=$2 began took
	shift 2
	began=$(date +%s%3N)
	wait_for 10 "$@" || true
	took=$(($(date +%s%3N) - began))
	if "$@" && [ "$took" -le "$limit" ]; then
		pass "$row"
	else
		fail "$row" "after $took ms: $(pgrep -a -u agent || true)"
	fi
}

# next_login ROW
next_login()
{
	local began took said
	began=$(date +%s%3N)
	said=$(su agent -c 'echo in' 2>&1 </dev/null) || true
	took=$(($(date +%s%3N) - began))
	if [ "$said" = in ] && [ "$took" -le 6500 ]; then
		pass "$1: the next login works"
	else
		fail "$1: the next login works" "after $took ms: $said"
	fi
}

# let_go: what was only a stage.
let_go()
{
	kill -CONT "$opener" "$warden" "$init" 2>/dev/null || true
	kill -KILL "$client" 2>/dev/null || true
	wait "$client" 2>/dev/null || true
}

# killed ENTRY WHO PID...
killed()
{
	local row="$1, $2 killed"
	shift 2
	kill -KILL "$@"
	within "$row: nothing of it lives a second longer" 1000 nothing_inside
	next_login "$row"
	let_go
	dangles_nothing "$row: nothing is left over"
}

each_killed()
{
	local entry
	for entry in "${entries[@]}"; do
		hold "$entry"
		killed "$entry" "its opener" "$opener"
		hold "$entry"
		killed "$entry" "the warden" "$warden"
		hold "$entry"
		killed "$entry" "init" "$init"
		hold "$entry"
		killed "$entry" "all three" "$opener" "$warden" "$init"
	done
}

# A stopped process cannot say that it stands still: the session is as it is
# until somebody ends it, which must work.
each_stopped()
{
	local entry
	for entry in "${entries[@]}"; do
		hold "$entry"
		kill -STOP "$opener"
		next_login "$entry, its opener stopped"
		succeeds "$entry, its opener stopped: it can be ended" \
		    wardctl end agent --grace 0
		within "$entry, its opener stopped: then nothing lives" 1000 \
		    nothing_inside
		let_go
		dangles_nothing "$entry, its opener stopped: nothing is left"

		hold "$entry"
		kill -STOP "$init"
		next_login "$entry, init stopped"
		kill -KILL "$opener"
		within "$entry, init stopped: it ends as ever" 1000 \
		    nothing_inside
		let_go
		dangles_nothing "$entry, init stopped: nothing is left"

		hold "$entry"
		kill -STOP "$warden"
		kill -KILL "$opener"
		# it is the one who would end the rest
		succeeds "$entry, the warden stopped: it can be ended" \
		    wardctl end agent
		within "$entry, the warden stopped: then nothing lives" 1000 \
		    nothing_inside
		next_login "$entry, the warden stopped"
		let_go
		dangles_nothing "$entry, the warden stopped: nothing is left"
	done
}

# joined: two sessions share the sandbox; what goes down is one of them.
joined()
{
	local other
	hold ssh
	su agent -c 'touch /srv/out/other; exec sleep 4444' <&"$silence" \
	    >/dev/null 2>&1 &
	other=$!
	wait_for 10 pgrep -u agent -f '^sleep 4444'
	is "two sessions, one sandbox" "$(pgrep -xc warden)" 1
	kill -KILL "$opener"
	within "shared, one opener killed: its connection ends" 1000 \
	    not_running sshd
	wait_for 3 rows_are "SELECT count(*) FROM sessions WHERE ended IS NULL" 1
	is "shared, one opener killed: one session is open" \
	    "$(rows 'SELECT count(*) FROM sessions WHERE ended IS NULL')" 1
	is "and its processes run" "$(pgrep -c -u agent -f '^sleep 4444')" 1
	pkill -KILL -f '^su agent -c touch /srv/out/other'
	within "the other opener killed: nothing lives" 1000 nothing_inside
	wait "$other" 2>/dev/null || true
	let_go
	dangles_nothing "shared: nothing is left"
}

# waits, refused: what $asked, a connect of agent's, has come to.
waits()
{
	grep -qs seccomp "/proc/$(pgrep -u agent -f 'server.py ask')/wchan"
}

refused()
{
	[ "$(cat /root/asked)" = ECONNREFUSED ]
}

connects()
{
	[ "$(su agent -c 'python3 /srv/open/server.py try' </dev/null)" = ok ]
}

# connector_gone: connects fail clearly, and nothing else notices.
connector_gone()
{
	local asked server
	cat >/srv/open/server.py <<-'PYTHON'
	import errno, socket, sys, time
	def to(path):
	    s = socket.socket(socket.AF_UNIX)
	    s.connect(path)
	    return s
	def listen(path, queue):
	    s = socket.socket(socket.AF_UNIX)
	    s.bind(path)
	    s.listen(queue)
	    return s
	try:
	    if sys.argv[1] == "serve":
	        # a queue that is full: who connects has to wait
	        kept = listen("/tmp/stuck", 0), to("/tmp/stuck")
	        free = listen("/tmp/free", 100)
	        open("/srv/out/serving", "w").close()
	        time.sleep(100)
	    to("/tmp/stuck" if sys.argv[1] == "ask" else "/tmp/free")
	    print("ok")
	except OSError as error:
	    print(errno.errorcode[error.errno])
	PYTHON
	hold ssh
	rm -f /srv/out/serving
	over_ssh agent 'exec python3 /srv/open/server.py serve' \
	    <&"$silence" >/dev/null 2>&1 &
	server=$!
	wait_for 10 test -e /srv/out/serving
	over_ssh agent 'exec python3 /srv/open/server.py ask' </dev/null \
	    >/root/asked 2>&1 &
	asked=$!
	succeeds "a connect that has to wait" wait_for 10 waits
	kill -KILL "$(pgrep -x ward-connector)"
	within "the connector killed: it is refused" 1000 refused
	wait "$asked" || true
	within "the connector killed: soon there is another" 4000 connects
	kill -STOP "$(pgrep -x ward-connector)"
	within "the connector stopped: soon there is another" 4000 connects
	is "the session goes on" "$(pgrep -c -u agent -f '^sleep 4242')" 1
	succeeds "both are rows" wait_for 5 rows_are "SELECT operation
	    FROM violations WHERE kind = 'internal' ORDER BY operation" \
	    $'connector-ended\nconnector-stopped'
	next_login "the connector killed and stopped"
	pkill -KILL -u agent -f 'server.py serve'
	wait "$server" || true
	kill -STOP "$(pgrep -x ward-connector)"
	kill -KILL "$opener"
	within "the connector stopped: its sandbox ends as ever" 1000 \
	    nothing_inside
	let_go
	dangles_nothing "the connector: nothing is left"
}

# not_running COMM: no process of agent's has that name.
not_running()
{
	! pgrep -u agent -x "$1" >/dev/null
}

plan 107
setting
count_before
each_killed
each_stopped
joined
connector_gone
