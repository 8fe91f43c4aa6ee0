#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# Time: a warden that stands still in the middle of a start holds up its own
# login for five seconds, the next one no longer, and nobody else; nor does
# what an account floods its warden with.  A warden that something holds up
# ends all the same.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/43-dangling.bash
. "$(dirname "$0")/43-dangling.bash"

warden=/usr/libexec/ward/warden

# took ROW LOW HIGH COMMAND...: milliseconds; $output is what it said.
took()
{
	local row=$1 low=$2 high=$3 began ms
	shift 3
	began=$(date +%s%3N)
	output=$("$@" 2>&1 </dev/null) || true
	ms=$(($(date +%s%3N) - began))
	if [ "$ms" -ge "$low" ] && [ "$ms" -le "$high" ]; then
		pass "$row"
	else
		fail "$row" "$ms ms: $output"
	fi
}

# stop_one: the next warden stands still as it starts, once.
stop_one()
{
	mv "$warden" "$warden.real"
	cat >"$warden" <<-PROGRAM
	#!/bin/sh
	if mkdir /root/stopped 2>/dev/null; then
		echo \$\$ >/root/stopped/pid
		kill -STOP \$\$
	fi
	exec $warden.real
	PROGRAM
	chmod 0755 "$warden"
}

stopped_start()
{
	local late
	stop_one
	su agent -c 'echo first' >/root/first 2>&1 </dev/null &
	first=$!
	wait_for 5 test -s /root/stopped/pid
	late=$(cat /root/stopped/pid)
	took "nobody else waits" 0 3000 su plain -c 'echo in'
	su agent -c 'touch /srv/out/second; exec sleep 4242' <&"$silence" \
	    >/root/second 2>&1 &
	second=$!
	wait "$first" || true
	like "the login that waits for it is refused" "$(cat /root/first)" W011
	wait_for 6 test -e /srv/out/second || true
	succeeds "the next one gets in" test -e /srv/out/second
	took "and the one after it joins" 0 3000 su agent -c \
	    'readlink /proc/self/ns/pid'
	is "the same sandbox" "$output" \
	    "$(readlink "/proc/$(pgrep -u agent -f '^sleep 4242')/ns/pid")"
	kill -CONT "$late"
	wait_for 5 test ! -e "/proc/$late" || true
	succeeds "a warden that comes too late ends" test ! -e "/proc/$late"
	took "and is in nobody's place" 0 3000 su agent -c \
	    'readlink /proc/self/ns/pid'
	is "who comes then joins as before" "$output" \
	    "$(readlink "/proc/$(pgrep -u agent -f '^sleep 4242')/ns/pid")"
	mv "$warden.real" "$warden"
	kill -KILL "$second"
	wait "$second" 2>/dev/null || true
	dangles_nothing "nothing is left"
}

# end_takes ROW LOW HIGH: milliseconds from the end of agent's only session,
# which is cat's, to the end of its warden.
end_takes()
{
	local row=$1 low=$2 high=$3 pid began ms
	pid=$(oldest_warden)
	began=$(date +%s%3N)
	kill -KILL "$held"
	wait "$held" 2>/dev/null || true
	wait_for 10 test ! -e "/proc/$pid" || true
	ms=$(($(date +%s%3N) - began))
	if [ "$ms" -ge "$low" ] && [ "$ms" -le "$high" ]; then
		pass "$row"
	else
		fail "$row" "$ms ms"
	fi
}

hold()
{
	rm -f /srv/out/held
	su agent -c 'touch /srv/out/held; exec cat' <&"$silence" >/dev/null &
	held=$!
	wait_for 10 test -e /srv/out/held
	wait_for 10 rows_are \
	    "SELECT count(*) FROM sandboxes WHERE ended IS NULL" 1
}

# A recorder whose database answers nobody is a thread that stands still.
held_up()
{
	local log=/var/log/auth.log from sandbox
	hold
	from=$(stat -c %s "$log")
	end_takes "control: a warden ends" 0 6000
	unlike "control: by itself" "$(tail -c "+$((from + 1))" "$log")" \
	    'its end takes too long'
	hold
	sandbox=$(rows 'SELECT id FROM sandboxes WHERE ended IS NULL')
	from=$(stat -c %s "$log")
	python3 /tests/hold-threads.py "$(oldest_warden)" /root/standing &
	holder=$!
	wait_for 10 test -e /root/standing
	end_takes "one whose threads stand still ends in three seconds" \
	    2500 6000
	like "the log says so" "$(tail -c "+$((from + 1))" "$log")" \
	    'ward: sandbox of agent: its end takes too long: '
	wait "$holder"
	took "the next login" 0 2000 su agent -c 'echo in'
	is "gets in" "$output" in
	settled
	is "what was not recorded is counted as a gap" "$(rows "SELECT
	    b.reason, s.reason, g.what FROM sandboxes b
	    JOIN sessions s ON s.sandbox = b.id
	    JOIN gaps g ON g.sandbox = b.id
	    WHERE b.id = '$sandbox'")" 'lost|lost|warden lost'
	dangles_nothing "and nothing is left of it"
}

# floods: each runs while others log in.
flood()
{
	local row=$1
	runuser -u agent -- sh -c "touch /srv/out/flood; $2" <&"$silence" \
	    >/dev/null 2>&1 &
	wait_for 10 test -e /srv/out/flood
	sleep 1
	took "$row: another agent account's login" 0 3000 su other -c 'echo in'
	is "$row: which gets in" "$output" in
	took "$row: the account's own next login" 0 6500 su agent -c 'echo in'
	setting_do wardctl end agent --grace 0
	rm -f /srv/out/flood
	wait
}

plan 26
setting
setting_do wardctl account add other --profile base
count_before
stopped_start
held_up
# shellcheck disable=SC2016 # the account's own
flood "forks" 'while :; do sleep 3 & done'
flood "refused writes" \
    'exec python3 -c "
import os
while True:
    try: os.mkdir(\"/usr/x\")
    except OSError: pass"'
flood "silent clients" 'exec python3 -c "
import socket, time
held = []
for i in range(200):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.setblocking(False)
    try: s.connect(\"/run/ward/agent\")
    except OSError: pass
    held.append(s)
time.sleep(600)"'
