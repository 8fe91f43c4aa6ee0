#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# wardctl violations --follow: each row once, as it is written, from the moment
# that it began; and it ends with whoever reads it.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

# follows NAME OPTION...: one that writes to /root/NAME, and waits.
follows()
{
	local name=$1
	shift
	wardctl violations --follow "$@" >"/root/$name" 2>"/root/$name.err" &
	pids[$name]=$!
	# it has asked the kernel, and looked what was there
	wait_for 30 waits "${pids[$name]}" || diag "$name never waits"
}

# waits PID: in poll.
waits()
{
	grep -qE '^(7|271) ' "/proc/$1/syscall"
}

# refused NAME...: agent's refused writes, one row each.
refused()
{
	# shellcheck disable=SC2016 # expanded inside
	su agent -c 'for name; do : >"/srv/open/$name"; done 2>/dev/null' \
	    sh "$@" </dev/null || true
}

# targets NAME: of the JSON lines.
targets()
{
	python3 -c 'import json, sys
print(*[json.loads(line)["target"] for line in sys.stdin])' <"/root/$1"
}

# has_lines NAME N
has_lines()
{
	[ "$(wc -l <"/root/$1")" -ge "$2" ]
}

declare -A pids=()
plan 13
setting
cd /
refused before
settled
follows lines --json
follows table
follows plain --account plain
follows kind --kind network
follows target --target '/srv/open/two*'
refused one two
wait_for 30 has_lines lines 2 || true
is "what is new is a line of JSON" "$(targets lines)" '/srv/open/one /srv/open/two'
settled
is "as in the list" "$(sort /root/lines)" "$(wardctl violations --json |
    sed -n 's/,$//; s/^  \({.*\/srv\/open\/\(one\|two\)"\)/\1/p' | sort)"
wait_for 30 has_lines table 3 || true
like "for people it is a line below titles" "$(sed -n 1p /root/table)" \
    '^TIME +ACCOUNT .*TARGET'
like "with what there is to say" "$(sed -n 2p /root/table)" \
    '^20.* agent .*/srv/open/one '
refused three
wait_for 30 has_lines lines 3 || true
wait_for 30 has_lines table 4 || true
is "titles come once" "$(grep -c '^TIME' /root/table)" 1
is "whoever has no row has no line" "$(cat /root/plain /root/kind)" ''
is "a pattern is one here, too" "$(grep -o '/srv/open/[a-z]*' /root/target)" \
    /srv/open/two

mapfile -t many < <(seq -f 'many%g' 1500)
refused "${many[@]}"
settled
wait_for 30 has_lines lines 1000 || true
sleep 1
is "many at once: each row once, in order" "$(python3 -c 'import json, sys
print(*[json.loads(line)["id"] for line in sys.stdin], sep="\n")' </root/lines)" \
    "$(rows "SELECT id FROM violations WHERE target <> '/srv/open/before'
        ORDER BY id")"
is "control: there were many" "$(($(wc -l </root/lines) >= 1000))" 1

kill "${pids[@]}"
wait || true
is "nothing went wrong" "$(cat /root/*.err)" ''
rm -f /var/lib/ward/violations.db*
follows anew --json
refused first
wait_for 30 has_lines anew 1 || true
is "also where the store is made only then" "$(targets anew)" /srv/open/first
kill "${pids[anew]}"
wait || true
settled
(refused last) &
is "it ends with its reader" "$(timeout 60 bash -c \
    'wardctl violations --follow --json | head -n 1 | grep -o "/srv/open/last"
    echo over' | xargs)" '/srv/open/last over'
wait
exits "what was is not followed" 2 wardctl violations --follow --since 1h
