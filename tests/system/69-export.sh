#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# wardctl export: each row once, as it is in the end, whatever ended an export or
# a warden, and from where a cursor or a file says.
# shellcheck disable=SC2016 # expanded inside
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

# refused ACCOUNT NAME...: refused writes of one session.
refused()
{
	local account=$1
	shift
	su "$account" -c 'for name; do : >"/srv/open/$name"; done 2>/dev/null' \
	    sh "$@" </dev/null >/dev/null 2>&1 || true
}

# of EXPRESSION: of each line on standard input.
of()
{
	python3 -c "import json, sys
for line in sys.stdin:
    d = json.loads(line)
    print($1)"
}

names='d["target"].rpartition("/")[2]'

# follower: an export that goes on, to /root/followed.
follower()
{
	wardctl export --follow --to /root/followed </dev/null \
	    >/dev/null 2>>/root/follower.err &
	follower=$!
}

# exported N: so many lines are in the file.
exported()
{
	[ "$(wc -l </root/followed)" -ge "$1" ]
}

plan 28
setting
setting_do wardctl account add other --profile agent
cd /
settled
rm -f /var/lib/ward/violations.db*
is "nothing is nothing" "$(wardctl export)" ''

refused agent a b a a c
settled
wardctl export >/root/all
is "each row once, with its repeats" "$(of "$names, d['count']" </root/all | xargs)" \
    'a 3 b 1 c 1'
is "a schema and what it is" "$(of 'd["schema"], d["event"]' </root/all | sort -u)" \
    '1 violation'
is "and what the list has" "$(python3 -c '
import json, sys
head = ("schema", "cursor", "event")
print(sorted(json.dumps({k: v for k, v in json.loads(line).items()
    if k not in head}) for line in open("/root/all")) ==
    sorted(json.dumps(row) for row in json.load(sys.stdin)))' \
    < <(wardctl violations --json))" True
cursor=$(sed -n 2p /root/all | of 'd["cursor"]')
is "behind a cursor is the rest" "$(wardctl export --after "$cursor")" \
    "$(tail -n 1 /root/all)"
exits "what is no cursor" 2 wardctl export --after 12
exits "nor is that" 2 wardctl export --after '1.x'

wardctl export --to /root/file
is "a file gets the same" "$(cat /root/file)" "$(cat /root/all)"
is "and is root's" "$(stat -c '%a %u' /root/file)" '600 0'
wardctl export --to /root/file
is "once" "$(cat /root/file)" "$(cat /root/all)"
truncate -s -20 /root/file
wardctl export --to /root/file
is "a line that was cut is whole" "$(cat /root/file)" "$(cat /root/all)"
truncate -s 20 /root/file
wardctl export --to /root/file
is "also the first one" "$(cat /root/file)" "$(cat /root/all)"
refused agent $'d\e[1m\nx'
settled
wardctl export --to /root/file
is "then only what is new, encoded" "$(tail -n +4 /root/file | of 'd["target"]')" \
    '/srv/open/d\x1b[1m\x0ax'
echo 'root:x:0:0' >/root/none
exits "what is no export's is left alone" 1 wardctl export --to /root/none
is "as it was" "$(cat /root/none)" 'root:x:0:0'
printf '{"a": 1}' >/root/none
exits "also one of JSON without a line's end" 1 wardctl export --to /root/none
is "as it was, too" "$(cat /root/none)" '{"a": 1}'
ln -s /root/file /root/link
exits "nor is a link followed" 1 wardctl export --to /root/link
exits "nor a device written" 1 wardctl export --to /dev/full
status=0
wardctl export >/dev/full 2>/root/said || status=$?
like "a full disk is said" "$status $(cat /root/said)" '^1 .*No space'

# an act that is repeated for ever holds up its own row, and no other
su agent -c 'until [ -e /srv/out/go ]; do
	: >/srv/open/again; sleep 0.2; done 2>/dev/null' </dev/null >/dev/null 2>&1 &
again=$!
rows_has()
{
	[ "$(rows "SELECT count(*) FROM violations WHERE target LIKE '$1'")" != 0 ]
}
wait_for 30 rows_has %again || true
refused other of-other
other_ended()
{
	wardctl export | grep -q of-other
}
succeeds "a row that is open holds up no other" wait_for 30 other_ended
is "and does not come before it is done" "$(wardctl export | grep -c again)" 0
touch /srv/out/go
wait "$again" || true
settled
is "then it does, once" "$(wardctl export | grep -c again)" 1

# killed again and again
follower
wait_for 30 exported 6 || true
exits "who writes there is one" 1 wardctl export --to /root/followed
writers=()
for i in $(seq 8); do
	mapfile -t many < <(seq -f "kill$i-%g" 40)
	refused agent "${many[@]}" &
	writers+=($!)
	sleep 0.$((RANDOM % 9 + 1))
	kill -9 "$follower" 2>/dev/null || true
	follower
done
wait "${writers[@]}"
settled
wait_for 30 exported $((6 + 320)) || true
kill "$follower"
wait "$follower" || true
is "an export that is killed: each line is there once, in order" \
    "$(sha256sum </root/followed)" "$(wardctl export | sha256sum)"
is "control: all of them" "$(of "$names" </root/followed | grep -c ^kill)" 320

# a warden that is killed
su agent -c ': >/srv/open/lost; sleep 60' </dev/null >/dev/null 2>&1 &
wait_for 30 rows_has %lost || true
pkill -9 -x warden
wait || true
refused agent after
settled
is "what a killed warden lost is a line, with from and to" \
    "$(wardctl export | of 'd["event"], d.get("from", "") < d.get("to", ""),
        d["account"]' | sort -u | grep gap)" 'gap True agent'

# numbers do not come again
last=$(wardctl export | tail -n 1 | of 'd["cursor"]')
setting_do sqlite3 /var/lib/ward/violations.db 'DELETE FROM violations'
refused agent anew
settled
is "where all was removed, what is new comes behind" \
    "$(wardctl export --after "$last" | of "$names")" anew
