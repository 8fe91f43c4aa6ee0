#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# Sandboxes that outlive their sessions: linger, tmux, a profile that changes
# meanwhile; and the admin's view of them: wardctl sandboxes, wardctl end.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

profile=/etc/ward/profiles.d/agent.conf

# lasting SESSION-SETTINGS: agent's profile, with these in its session group.
lasting()
{
	{
		setting_profile | sed '$d'
		printf '  session: { %s };\n};\n' "$1"
	} >"$profile"
	setting_do wardctl profile apply
}

# sandboxes EXPRESSION: of each live sandbox of agent's, oldest first.
sandboxes()
{
	wardctl sandboxes --account agent --json | python3 -c '
import json, sys
for s in sorted(json.load(sys.stdin), key=lambda s: s["since"] or ""):
    print('"$1"')'
}

sandboxes_are()
{
	[ "$(sandboxes "$1")" = "$2" ]
}

# becomes ROW SECONDS EXPRESSION WANT
becomes()
{
	wait_for "$2" sandboxes_are "$3" "$4" || true
	is "$1" "$(sandboxes "$3")" "$4"
}

# inside_is ROW PATTERN COUNT: processes of agent's with such a command line.
inside_is()
{
	is "$1" "$(pgrep -c -u agent -f "$2" || true)" "$3"
}

# monitor_of PATTERN: sshd's monitor above a process of agent's.
monitor_of()
{
	local pid
	for pid in $(pgrep -u agent -f "$1"); do
		while [ "$pid" -gt 1 ]; do
			pid=$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status")
			if [ "$(stat -c %u "/proc/$pid")" = 0 ] &&
			    [ "$(cat "/proc/$pid/comm")" = sshd ]; then
				echo "$pid"
				return
			fi
		done
	done
}

# on_terminal FILE WORDS...: an ssh session with a terminal, which stays; what
# the terminal shows is in FILE, and its client is $client.
on_terminal()
{
	local file=$1
	shift
	# shellcheck disable=SC2029 # what is expanded here is the test's
	script -qfec "ssh -tt ${ssh_options[*]} agent@127.0.0.1 '$*'" "$file" \
	    <&"$silence" >/dev/null 2>&1 &
	client=$!
}

gone()
{
	! kill -0 "$client" 2>/dev/null
}

tmux_lives()
{
	over_ssh agent 'tmux has-session -t work' </dev/null
}

tmux_story()
{
	local place id ended
	lasting 'linger = 15;'
	on_terminal /root/first 'exec tmux new-session -s work "sleep 4243"'
	wait_for 15 pgrep -u agent -f '^sleep 4243'
	place=$(readlink "/proc/$(pgrep -u agent -f '^sleep 4243')/ns/pid")
	id=$(sandboxes 's["sandbox"]')
	becomes "a session is there" 3 's["sessions"], s["until"]' '1 None'
	kill -KILL "$(monitor_of 'tmux new-session')"
	wait_for 5 gone || true
	ended=$SECONDS
	becomes "sshd's monitor killed: no session is open" 3 's["sessions"]' 0
	like "the sandbox says until when it lingers" \
	    "$(sandboxes 's["until"]')" '^20[0-9-]*T[0-9:.]*Z$'
	inside_is "what runs in tmux goes on" '^sleep 4243' 1
	sleep 3
	succeeds "logged in again, it is there" tmux_lives
	is "in the same sandbox" "$(over_ssh agent \
	    'readlink /proc/self/ns/pid' </dev/null)" "$place"
	on_terminal /root/second 'exec tmux attach -t work'
	wait_for 10 pgrep -u agent -f 'tmux attach' || true
	is "and the same id" "$(sandboxes 's["sandbox"]')" "$id"
	wait_for 30 eval "[ \$SECONDS -gt $((ended + 16)) ]"
	inside_is "attached, no linger runs: longer than that after the first end" \
	    '^sleep 4243' 1
	kill -TERM "$client"
	becomes "detached" 5 's["sessions"]' 0
	sleep 4
	inside_is "within linger it is still there" '^sleep 4243' 1
	becomes "linger over: the sandbox is gone" 20 's["sandbox"]' ''
	inside_is "and everything in it" . 0
	is "nothing is left in its directory" \
	    "$(ls "/run/ward/$(id -u agent)")" lock
	is "its sessions' rows have an end" "$(rows 'SELECT count(*)
	    FROM sandboxes b JOIN sessions s ON s.sandbox = b.id
	    WHERE b.ended IS NULL OR s.ended IS NULL')" 0
	is "the sandbox was closed, not lost" \
	    "$(rows "SELECT reason FROM sandboxes WHERE id = '$id'")" closed
}

no_linger()
{
	lasting 'linger = 0;'
	over_ssh agent 'setsid sleep 4244 >/dev/null 2>&1 &' </dev/null
	settled
	inside_is "without linger nothing outlives the last session" \
	    '^sleep 4244' 0
	lasting 'linger = 8; scope = "session";'
	over_ssh agent 'setsid sleep 4244 >/dev/null 2>&1 &' </dev/null
	over_ssh agent true </dev/null
	becomes "where each session has a sandbox of its own, each lingers" 5 \
	    's["state"], s["sessions"], s["processes"]' $'current 0 1\ncurrent 0 0'
	inside_is "what runs in one goes on" '^sleep 4244' 1
	wait_for 20 no_sandbox_left
	inside_is "until its linger is over" '^sleep 4244' 0
}

changed_profile()
{
	local old new
	lasting 'linger = 600;'
	on_terminal /root/old 'exec sleep 4245'
	wait_for 10 pgrep -u agent -f '^sleep 4245'
	old=$(sandboxes 's["sandbox"]')
	lasting 'linger = 601;'
	becomes "a changed profile: the sandbox is stale" 3 's["state"]' stale
	on_terminal /root/new 'exec sleep 4246'
	wait_for 10 pgrep -u agent -f '^sleep 4246'
	becomes "the next session has a new one beside it" 3 \
	    's["state"], s["sessions"]' $'stale 1\ncurrent 1'
	new=$(sandboxes 's["sandbox"]' | tail -n 1)
	isnt "each sees only its own" \
	    "$(readlink "/proc/$(pgrep -u agent -f '^sleep 4245')/ns/pid")" \
	    "$(readlink "/proc/$(pgrep -u agent -f '^sleep 4246')/ns/pid")"
	is "a third session joins the new one" "$(over_ssh agent \
	    'readlink /proc/self/ns/pid' </dev/null)" \
	    "$(readlink "/proc/$(pgrep -u agent -f '^sleep 4246')/ns/pid")"
	exits "the old one is ended by its id" 0 \
	    wardctl end "$old" --grace 1
	inside_is "with what ran in it" '^sleep 4245' 0
	inside_is "and nothing else" '^sleep 4246' 1
	is "the new one is still the one that is joined" \
	    "$(readlink "/run/ward/$(id -u agent)/current")" "$new"
	succeeds "the account's are ended by its name" \
	    wardctl end agent --grace 1
	inside_is "and nothing of it lives" . 0
}

# took COMMAND...: milliseconds.
took()
{
	local began
	began=$(date +%s%3N)
	"$@" >/dev/null 2>&1
	echo $(($(date +%s%3N) - began))
}

told_end()
{
	local id ms
	lasting 'linger = 600;'
	# one that ends when it is asked to, one that does not
	on_terminal /root/told 'exec sleep 4247'
	wait_for 10 pgrep -u agent -f '^sleep 4247'
	over_ssh agent 'trap "" HUP TERM; touch /srv/out/deaf
	    while :; do sleep 0.2; done' </dev/null >/dev/null 2>&1 &
	wait_for 10 test -e /srv/out/deaf
	id=$(sandboxes 's["sandbox"]')
	ms=$(took wardctl end agent --grace 3 \
	    --reason $'the disk\e[31m is \u202e full')
	if [ "$ms" -ge 2900 ] && [ "$ms" -le 5000 ]; then
		pass "what ignores its signals has the grace, and no more"
	else
		fail "what ignores its signals has the grace, and no more" \
		    "$ms ms"
	fi
	inside_is "then nothing lives" . 0
	wait_for 5 gone || true
	like "the terminal says why, in visible text only" \
	    "$(cat /root/told)" 'administrator: the disk\\x1b\[31m is \\u\{202e\} full'
	like "the rows say so, too" "$(rows "SELECT b.reason FROM sandboxes b
	    WHERE b.id = '$id'")" '^ended: the disk'
	is "and those of its sessions" "$(rows "SELECT count(*) FROM sessions
	    WHERE sandbox = '$id' AND reason LIKE 'ended: the disk%'
	    AND ended IS NOT NULL" | sed 's/[12]/some/')" some
	is "the next login works" "$(over_ssh agent 'echo in' </dev/null)" in
	ms=$(took wardctl end agent --grace 60)
	if [ "$ms" -le 2000 ]; then
		pass "where nothing runs, the grace is not waited for"
	else
		fail "where nothing runs, the grace is not waited for" "$ms ms"
	fi
	succeeds "nothing to end is no failure" wardctl end agent
	fails "no such account is" wardctl end nobody-of-that-name
	fails "nor is an id that is gone an account" wardctl end "$id"
	exits "a grace that is none" 2 wardctl end agent --grace -1
	fails "not by an account itself" su plain -c 'wardctl end agent'
}

# during the grace: who comes then has a sandbox of his own.
grace_and_login()
{
	local ended
	on_terminal /root/grace 'trap "" HUP TERM; while :; do sleep 0.2; done'
	wait_for 10 sandboxes_are 's["sessions"]' 1
	wardctl end agent --grace 4 >/dev/null &
	ended=$!
	wait_for 3 sandboxes_are 's["state"]' ending
	is "during the grace a login has another sandbox" \
	    "$(over_ssh agent 'echo in' </dev/null)" in
	becomes "beside the one that ends" 2 's["state"]' \
	    $'ending\ncurrent'
	wait "$ended"
	becomes "which then ends alone" 2 's["state"]' current
	setting_do wardctl end agent --grace 0
}

silent_warden()
{
	local warden
	on_terminal /root/silent 'exec sleep 4248'
	wait_for 10 pgrep -u agent -f '^sleep 4248'
	warden=$(sandboxes 's["warden"]')
	is "the warden's pid is right" "$(cat "/proc/$warden/comm")" warden
	kill -STOP "$warden"
	becomes "a stopped warden is silent" 5 's["state"]' silent
	exits "end kills it" 0 wardctl end agent
	like "and says so" "$output" 'killed the warden of [0-9a-f]{16}'
	wait_for 1 gone || true
	inside_is "with everything inside" . 0
	is "the next login works" "$(over_ssh agent 'echo in' </dev/null)" in
	setting_do wardctl end agent
}

locked()
{
	on_terminal /root/locked 'exec sleep 4249'
	wait_for 10 pgrep -u agent -f '^sleep 4249'
	succeeds "account lock --end" wardctl account lock agent --end
	inside_is "ends what runs" . 0
	fails "and nothing comes in" over_ssh agent true
	setting_do wardctl account unlock agent
}

plan 53
setting
tmux_story
no_linger
changed_profile
told_end
grace_and_login
silent_warden
locked
