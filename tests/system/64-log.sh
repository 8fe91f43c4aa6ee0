#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Each violation goes to the host's log, once and with its fields: to journald
# (which 64-log.py plays here), or to syslog where there is none; and a log that
# takes nothing holds nobody up.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

here=$(cd "$(dirname "$0")" && pwd -P)
entries=/root/journal
log=/var/log/auth.log

# journald HOW: one that reads, or is silent; $journald is its pid.
journald()
{
	rm -f /run/systemd/journal/socket
	: >"$entries"
	python3 "$here/64-log.py" "$1" >"$entries" &
	journald=$!
	wait_for 60 grep -q listens "$entries"
}

# refused NAME...: a session in which a file of each name cannot be made.
refused()
{
	su agent -c "for name in $*; do echo x >\"/srv/open/\$name\"; done" \
	    2>/dev/null || true
	settled
}

# entries EXPRESSION: of those that the journal got, with d as their list.
entries()
{
	python3 -c "import json, sys
d = [json.loads(line) for line in open('$entries')][1:]
print($1)"
}

# n_entries N: of violations.
n_entries()
{
	[ "$(entries 'sum("WARD_ID" in e for e in d)')" = "$1" ]
}

# cee EXPRESSION: of the lines that syslog got, with d as their list.
cee()
{
	sed -n 's/^.* ward\[[0-9]*\]: @cee://p' "$log" | python3 -c "import json, sys
d = [json.loads(line) for line in sys.stdin]
print($1)"
}

# n_cee N
n_cee()
{
	[ "$(cee 'len(d)')" = "$1" ]
}

plan 15
setting
cd /
rm -f /var/lib/ward/violations.db*
settled

journald read
refused one one two "\$'three\\nPRIORITY=0'"
succeeds "each row is an entry of the journal, once" wait_for 20 n_entries 3
is "with its number and its fields" "$(entries 'd[0]["WARD_ID"],
    d[0]["WARD_ACCOUNT"], d[0]["WARD_KIND"], d[0]["WARD_OPERATION"],
    d[0]["WARD_TARGET"], d[0]["WARD_ERROR"], d[0]["WARD_PROFILE"],
    d[0]["WARD_RULE_FILE"], d[0]["PRIORITY"], d[0]["SYSLOG_IDENTIFIER"]')" \
    '1 agent write openat /srv/open/one EROFS agent built-in 5 ward'
is "those of the store" "$(entries '[(e["WARD_ID"], e["WARD_SESSION"],
    e["WARD_SANDBOX"]) for e in d]')" "[$(rows "SELECT group_concat(
    '(''' || id || ''', ''' || session || ''', ''' || sandbox || ''')', ', ')
    FROM violations ORDER BY id")]"
is "a line's end in a name ends no line" "$(entries 'd[2]["PRIORITY"],
    d[2]["WARD_TARGET"]')" '5 /srv/open/three\x0aPRIORITY=0'
is "what is read makes no entry" "$(su agent -c 'cat /etc/hostname' >/dev/null
    settled
    entries 'len(d)')" 3
kill "$journald"
wait "$journald" 2>/dev/null || true

# more than a socket's queue holds
echo 10 >/proc/sys/net/unix/max_dgram_qlen 2>/dev/null || true
many=$(($(cat /proc/sys/net/unix/max_dgram_qlen) + 20))
journald silent
mkfifo /root/commands
su agent -s /bin/sh </root/commands >/dev/null 2>&1 &
session=$!
exec {commands}>/root/commands
echo "for i in $(seq -s ' ' "$many"); do echo >/srv/open/many\$i; done" \
    >&"$commands"
succeeds "a log that takes nothing holds no row up" wait_for 60 rows_are \
    "SELECT count(*) FROM violations WHERE target LIKE '/srv/open/many%'" \
    "$many"
kill -USR1 "$journald"
wait_for 60 grep -q many1 "$entries" || true
echo 'echo >/srv/open/after' >&"$commands"
succeeds "when it takes again it gets what comes" \
    wait_for 60 grep -q /srv/open/after "$entries"
is "and how many it did not get" "$(entries 'sum("many" in
    e.get("WARD_TARGET", "") for e in d) + sum(int(e.get("WARD_MISSED", 0))
    for e in d)')" "$many"
isnt "control: some it did not" "$(entries 'sum(int(e.get("WARD_MISSED", 0))
    for e in d)')" 0
exec {commands}>&-
wait "$session" || true
settled
kill "$journald"
wait "$journald" 2>/dev/null || true

# one that had died: its socket refuses
: >"$log"
rsyslogd
wait_for 60 test -S /dev/log
refused 'quote\"d' 'quote\"d' last
succeeds "without a journal each row is a line of syslog" wait_for 20 n_cee 2
is "with the same fields" "$(cee 'd[0]["event"], d[0]["account"],
    d[0]["target"], d[0]["confirmed"], type(d[0]["id"]).__name__')" \
    'violation agent /srv/open/quote"d False int'
is "and the numbers of the store" "$(cee '[e["id"] for e in d]')" \
    "$(rows "SELECT '[' || group_concat(id, ', ') || ']' FROM (SELECT id
    FROM violations WHERE target IN ('/srv/open/quote\"d', '/srv/open/last')
    ORDER BY id)")"
like "of the facility authpriv, from the warden" "$(grep -m 1 '@cee:' "$log")" \
    ' ward\[[0-9]+\]: @cee:\{"event":"violation",'
kill "$(cat /run/rsyslogd.pid)"
wait_for 60 sh -c '! pidof rsyslogd' || true
rm -f /run/systemd/journal/socket /dev/log
exits "without any log a session goes on" 0 su agent -c \
    'echo x >/srv/open/nolog || true'
settled
is "and its row is there" "$(rows "SELECT count(*) FROM violations
    WHERE target = '/srv/open/nolog'")" 1
