#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# alone: twenty logins at a time want every processor
# Two hundred sessions, twenty at a time, so that joins race ends: each gets in,
# each has a row with a start and an end, and nothing is left over.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/43-dangling.bash
. "$(dirname "$0")/43-dangling.bash"

profile=/etc/ward/profiles.d/agent.conf
marks=/srv/out/marks

# scope SETTINGS: agent's profile with these in its session group.
scope()
{
	{
		setting_profile | sed '$d'
		printf '  session: { %s };\n};\n' "$1"
	} >"$profile"
	setting_do wardctl profile apply
}

# one NUMBER: a session through one way in or another, of another length each;
# one in ten has its opener killed.
one()
{
	local work="touch $marks/$1; exec sleep 0.0$(($1 % 7))" pid
	case $(($1 % 10)) in
	0 | 1) over_ssh agent "$work" ;;
	2 | 3 | 4) su agent -c "$work" ;;
	5) sudo -u agent sh -c "$work" ;;
	6) runuser -u agent -- sh -c "$work" ;;
	7)
		runuser -u agent -- sh -c "touch $marks/$1; exec sleep 7" &
		pid=$!
		wait_for 20 test -e "$marks/$1"
		kill -KILL "$pid"
		wait "$pid" || true
		;;
	*) su - agent -c "$work" ;;
	esac </dev/null >"/root/said/$1" 2>&1 || true
}

# still PID...: those that run.
still()
{
	local pid
	for pid in "$@"; do
		! kill -0 "$pid" 2>/dev/null || echo "$pid"
	done
}

# many: two hundred of them.
many()
{
	local number pids=()
	rm -rf "$marks" /root/said
	install -d -m 1777 "$marks"
	install -d /root/said
	for number in $(seq 200); do
		one "$number" &
		pids+=($!)
		if [ "${#pids[@]}" -ge 20 ]; then
			wait -n "${pids[@]}" || true
			mapfile -t pids < <(still "${pids[@]}")
		fi
	done 2>/dev/null
	wait "${pids[@]}" 2>/dev/null || true
}

# missing: which of them did not get in, and what they said.
missing()
{
	local number
	for number in $(seq 200); do
		[ -e "$marks/$number" ] || echo "$number: $(cat \
		    "/root/said/$number")"
	done
}

# round ROW: all of it, and what is to be seen of it.
round()
{
	local rows_before
	rows_before=$(rows 'SELECT count(*) FROM sessions')
	log_before=$(stat -c %s /var/log/auth.log)
	many
	is "$1: each of 200 sessions got in" "$(missing)" ''
	wait_for 10 rows_are 'SELECT count(*) FROM sessions' \
	    $((rows_before + 200 + ${2:-0})) || true
	is "$1: each has a row" "$(($(rows 'SELECT count(*) FROM sessions') -
	    rows_before))" $((200 + ${2:-0}))
	is "$1: with a start before its end" "$(rows 'SELECT count(*)
	    FROM sessions WHERE ended < started OR started IS NULL')" 0
	unlike "$1: no warden complains" "$(tail -c "+$((log_before + 1))" \
	    /var/log/auth.log | grep 'ward\(en\)\?\[.*: ward:' || true)" .
}

# descriptors: how many the warden has.
descriptors()
{
	find "/proc/$(oldest_warden)/fd" -mindepth 1 | wc -l
}

descriptors_are()
{
	[ "$(descriptors)" = "$1" ]
}

plan 24
setting
count_before

scope 'scope = "account"; linger = 0;'
round "shared, ending with the last"
dangles_nothing "shared, ending with the last: nothing is left"
scope 'scope = "session"; linger = 0;'
round "one for each"
dangles_nothing "one for each: nothing is left"
scope 'scope = "account"; linger = 1;'
round "shared, lingering"
dangles_nothing "shared, lingering: nothing is left"

# processes: of each sandbox.
processes()
{
	wardctl sandboxes --json | python3 -c '
import json, sys
print(*(s["processes"] for s in json.load(sys.stdin)))'
}

# one that stays, so that its warden has them all
scope 'scope = "account"; linger = 0;'
su agent -c 'touch /srv/out/stays; exec sleep 4242' <&"$silence" \
    >/dev/null 2>&1 &
stays=$!
wait_for 10 test -e /srv/out/stays
su agent -c true
sleep 1
fds=$(descriptors)
processes=$(processes)
sandboxes=$(rows 'SELECT count(*) FROM sandboxes')
round "joined"
is "joined: in one sandbox" "$(rows 'SELECT count(*) FROM sandboxes')" \
    "$sandboxes"
wait_for 5 descriptors_are "$fds" || true
is "joined: the warden has as many descriptors as before" \
    "$(descriptors)" "$fds"
is "joined: its sandbox has the processes of one session" "$(processes)" \
    "$processes"
kill -KILL "$stays"
wait "$stays" 2>/dev/null || true
dangles_nothing "joined: nothing is left"
rm -rf "$marks"
is "sshd has not more children than before" \
    "$(pgrep -c -P "$(cat /run/sshd.pid)" || true)" 0
