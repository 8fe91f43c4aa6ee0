#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# A sandbox whose profile has changed: it goes on for session.grace, its
# terminals are told, and its warden learns of it whoever forgot to say so.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

profile=/etc/ward/profiles.d/agent.conf

# change SETTINGS: agent's profile, with these in its session group; each time
# another revision.  What wardctl said is in $said.
change()
{
	changes=$((${changes:-0} + 1))
	{
		setting_profile | sed '$d'
		printf '  environment: { set = ( { name = "N"; value = "%s"; } ); };\n' \
		    "$changes"
		printf '  session: { %s };\n};\n' "$1"
	} >"$profile"
	said=$(wardctl profile apply 2>&1)
}

# assigned PROFILE: behind everybody's back.
assigned()
{
	sqlite3 -cmd '.timeout 10000' /var/lib/ward/policy.db \
	    "UPDATE assignments SET profile = '$1' WHERE name = 'agent'"
}

# sandboxes EXPRESSION: of each live sandbox of agent's, oldest first.  This
# makes each of their wardens look.
sandboxes()
{
	wardctl sandboxes --account agent --json | python3 -c '
import datetime, json, sys
def seconds(when):
    when = datetime.datetime.fromisoformat(when.replace("Z", "+00:00"))
    return (when - datetime.datetime.now(datetime.timezone.utc)).seconds
for s in sorted(json.load(sys.stdin), key=lambda s: s["since"] or ""):
    print('"$1"')'
}

# begin NAME: a session on a terminal of its own, which shows what is told in
# /root/NAME; $shell is what runs in it.
begin()
{
	script -qfec "su agent --session-command 'echo \$\$ >/srv/out/$1; exec sleep 4747'" \
	    "/root/$1" <&"$silence" >/dev/null 2>&1 &
	wait_for 10 test -s "/srv/out/$1"
	wait_for 10 pgrep -u agent -f '^sleep 4747'
}

# live N: so many of them live, and no warden was asked.
live()
{
	[ "$(pgrep -c -u agent -f '^sleep 4747')" = "$1" ]
}

end_all()
{
	setting_do wardctl end agent --grace 0
	settled
	rm -f /srv/out/*
}

# told NAME PATTERN: whether its terminal shows it.
told()
{
	grep -qE "$2" "/root/$1"
}

without_grace()
{
	change ''
	begin endless
	change ''
	like "without a grace, apply says that the old one goes on" "$said" \
	    'sandbox [0-9a-f]{16} of agent is of an older policy, and goes on'
	is "it is stale, and nothing ends it" \
	    "$(sandboxes 's["state"], s["ends"]')" 'stale None'
	fails "its terminal hears nothing of it" told endless changed
	end_all
}

with_grace()
{
	local left
	change 'grace = "1h";'
	begin long
	is "what is current has no end" \
	    "$(sandboxes 's["state"], s["ends"]')" 'current None'
	change 'grace = "2h";'
	like "apply says when the old one ends" "$said" \
	    'of agent is of an older policy, and ends in (7200|71[0-9][0-9]) s'
	left=$(sandboxes 'seconds(s["ends"])')
	if [ "$left" -gt 7100 ] && [ "$left" -le 7200 ]; then
		pass "the grace that counts is the new one's"
	else
		fail "the grace that counts is the new one's" "$left s"
	fi
	wait_for 5 told long 'profile was changed' || true
	like "its terminal is told" "$(cat /root/long)" \
	    'ward: its profile was changed, and this sandbox ends in 2 h; a new'
	begin other
	is "the next session has one beside it, without an end" \
	    "$(sandboxes 's["state"], s["ends"] is None')" \
	    $'stale False\ncurrent True'
	change 'grace = 62;'
	wait_for 10 told long 'ends in (1 min|[56][0-9] s)' || true
	like "a change counts for those that were stale before" \
	    "$(cat /root/long)" 'ends in 2 h; a.*ends in (1 min|[56][0-9] s); a'
	wait_for 10 told other 'ends in 1 min' || true
	like "a minute before the end the terminals are told again" \
	    "$(cat /root/other)" 'ends in 62 s; a.*ends in 1 min; a'
	end_all
}

# A change that is taken back.
taken_back()
{
	change 'grace = "1h";'
	begin back
	setting_assign strict
	is "another profile is assigned: it is stale" \
	    "$(sandboxes 's["state"]')" stale
	setting_assign agent
	is "it is assigned again: the sandbox is current, without an end" \
	    "$(sandboxes 's["state"], s["ends"]')" 'current None'
	setting_assign
	is "nothing is assigned: its own grace counts" \
	    "$(sandboxes 's["state"], s["ends"] is None')" 'stale False'
	setting_assign agent
	end_all
}

grace_over()
{
	local old
	change 'grace = 0;'
	begin old
	old=$(sandboxes 's["sandbox"]')
	change 'grace = 2;'
	begin new
	succeeds "the grace is over: what ran in the old one is gone" \
	    wait_for 10 live 1
	is "the new one lives" "$(sandboxes 's["state"], s["ends"]')" \
	    'current None'
	like "the terminal was told before" "$(cat /root/old)" \
	    'this sandbox ends in 2 s; a'
	like "and at its end" "$(cat /root/old)" \
	    'ward: this sandbox ends in 5 s: its profile was changed'
	fails "the new one's was not" told new 'ward:'
	succeeds "the row says so" wait_for 10 rows_are \
	    "SELECT reason FROM sandboxes WHERE id = '$old'" \
	    'ended: its profile was changed'
	end_all
}

# A warden that stood still when it was told.
missed()
{
	local warden
	change ''
	begin stopped
	warden=$(oldest_warden)
	kill -STOP "$warden"
	change 'grace = 0;'
	like "apply says which warden does not answer" "$said" \
	    'sandbox [0-9a-f]{16} of uid [0-9]+: its warden does not answer'
	is "what it holds lives" "$(pgrep -c -u agent -f '^sleep 4747')" 1
	kill -CONT "$warden"
	succeeds "it hears of it later" wait_for 10 live 0
	settled
	rm -f /srv/out/*
}

# Nobody told any warden: the next login does.
untold()
{
	change 'scope = "session";'
	sed 's/"agent"/"hasty"/; s/scope = "session"/grace = 0/' "$profile" \
	    >/etc/ward/profiles.d/hasty.conf
	setting_do wardctl profile apply
	begin one
	begin two
	wait_for 10 live 2
	assigned hasty
	sleep 1
	succeeds "a change that nobody tells is not seen" live 2
	is "the next login has the new profile" \
	    "$(su agent -c 'echo in' </dev/null)" in
	succeeds "and makes all others look, which end" wait_for 10 live 0
	settled
	rm /etc/ward/profiles.d/hasty.conf
	setting_assign agent
}

plan 25
setting
without_grace
with_grace
taken_back
grace_over
missed
untold
