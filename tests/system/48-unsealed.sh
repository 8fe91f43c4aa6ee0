#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# A process of the account that is found without its seal ends its session, or
# the sandbox where nobody knows whose it is; one that is sealed, and one of
# root's, stay.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

here=$(cd "$(dirname "$0")" && pwd -P)
log=/var/log/auth.log

# way NAME ACCOUNT: what a child of an opener came to, see opener.py.
way()
{
	local said
	said=$(/usr/bin/su "$here/opener.py" su "$2" "$1" 2>&1) || true
	sed -n "s/^$1: //p" <<<"$said"
}

# found PATTERN: whether the log tells of one.
found()
{
	grep -qE "W041: .*process [0-9]+ \($1\) was found without its seal.*: its $2 ends" \
	    "$log"
}

# hold: a session that stays.
hold()
{
	over_ssh agent 'exec sleep 4848' <&"$silence" >/dev/null 2>&1 &
	held=$!
	wait_for 10 lives '^sleep 4848'
}

lives()
{
	pgrep -f "$1" >/dev/null
}

dead()
{
	! lives "$1"
}

# enter WORDS: into all namespaces of the sandbox, as root can; a child of the
# test's, and of no session.
enter()
{
	nsenter --target "$(pgrep -x ward-init)" --mount --net --ipc --uts --pid \
	    "$@" </dev/null >/dev/null 2>&1 &
}

# A module, or a later release of a program, that fails to seal a child.
by_opener()
{
	local account way ways=()
	hold
	# all at once: what lives takes its time to end
	for account in agent plain; do
		for way in unsealed_inside early_child; do
			way "$way" "$account" >"/root/$way.$account" &
			ways+=($!)
		done
	done
	for way in sealed_beside sealed_stays; do
		way "$way" agent >"/root/$way" &
		ways+=($!)
	done
	wait "${ways[@]}"
	is "a child without a seal is killed" \
	    "$(cat /root/unsealed_inside.agent)" killed
	is "a child on the host, from before the session: the same" \
	    "$(cat /root/early_child.agent)" killed
	is "with it the sealed ones of its session" \
	    "$(cat /root/sealed_beside)" killed
	is "those of an ungoverned account live" \
	    "$(cat /root/unsealed_inside.plain /root/early_child.plain)" \
	    $'lives\nlives'
	is "one with its seal stays, and is looked at as often" \
	    "$(cat /root/sealed_stays)" lives
	is "the log says so, once for each" \
	    "$(grep -c 'W041: .*without its seal.*: its session ends' "$log")" 3
	succeeds "the sessions that they were of have ended" wait_for 5 rows_are \
	    "SELECT count(*) FROM sessions WHERE reason = 'unsealed'" 3
	is "each has a row" "$(rows "SELECT count(*), count(session)
	    FROM violations WHERE kind = 'internal' AND operation = 'unsealed'")" \
	    '3|3'
	succeeds "another session of the sandbox goes on" lives '^sleep 4848'
}

# What root does inside, before and after it becomes the account.
by_root()
{
	local uid gid
	uid=$(id -u agent) gid=$(id -g agent)
	enter sleep 4849
	wait_for 5 lives '^sleep 4849'
	# a look comes with each session
	su agent -c true </dev/null
	sleep 1
	succeeds "a process of root's inside stays" lives '^sleep 4849'
	succeeds "and the session, too" lives '^sleep 4848'
	enter --setuid "$uid" --setgid "$gid" sleep 4850
	succeeds "one that became the account is found" \
	    wait_for 20 found '(sleep|nsenter)' sandbox
	succeeds "and killed" wait_for 5 dead '^sleep 4850'
	succeeds "with all that is in the sandbox" wait_for 5 dead '^sleep 484'
	wait "$held" || true
	settled
	is "the sandbox's row says why" "$(rows "SELECT reason FROM sandboxes
	    ORDER BY started DESC LIMIT 1")" 'a process without its seal'
	like "wardctl violations shows it" \
	    "$(wardctl violations --account agent)" 'unsealed +(sleep|nsenter)'
	is "the next login works" "$(su agent -c 'echo in' </dev/null)" in
}

plan 17
setting
rsyslogd
# the module looks at where a program stands
cp -p /usr/bin/su /root/su
install "$(readlink -f /usr/bin/python3)" /root/python
mv /root/python /usr/bin/su
by_opener
mv /root/su /usr/bin/su
by_root
