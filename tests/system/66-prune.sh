#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# What is old is removed, by hand and by a warden that ends, and what is left
# verifies as before.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

store=/var/lib/ward/violations.db
conf=/etc/ward/ward.conf
log=/var/log/auth.log

# refused NAME...: a session in which a file of each name cannot be made.
refused()
{
	su agent -c "for name in $*; do echo x >/srv/open/\$name; done" \
	    2>/dev/null || true
	settled
}

# pruned SQL WANT: what is old now is removed, and the rest is so.
pruned()
{
	wardctl prune >/dev/null && rows_are "$1" "$2"
}

# left IDS: after a pruning that fails.
left()
{
	wardctl prune >/dev/null
	rows_are 'SELECT group_concat(id) FROM (SELECT id FROM violations
	    ORDER BY id)' "$1"
}

plan 19
setting
cd /
rm -f "$store"*
: >"$log"
rsyslogd
wait_for 60 test -S /dev/log || true
refused one two three
refused four
exits "without ward.conf" 0 wardctl prune
like "nothing is removed that is new" "$output" '^0 rows are removed'
is "all of it is there" "$(rows 'SELECT count(*) FROM violations')" 4

printf 'retention:\n{ days = "7d"; };\n' >"$conf"
exits "an unknown key is an error" 1 wardctl prune
is "with its line" "$output" \
    "wardctl: $conf:2: unknown key days: retention has age and size"
is "and nothing is removed" "$(rows 'SELECT count(*) FROM violations')" 4
echo 'retention: { age = "1s"; };' >"$conf"
chmod 0666 "$conf"
exits "so is a file that others may write" 1 wardctl prune
chmod 0644 "$conf"

sqlite3 "$store" '.backup /root/kept.db'
succeeds "what is old is removed" wait_for 60 \
    pruned 'SELECT count(*) FROM violations' 0
succeeds "what is left verifies" wardctl verify
succeeds "and against the log" wardctl verify --log "$log"
is "of each chain the last hash is kept" "$(rows 'SELECT count(*)
    FROM sandboxes WHERE chain_pruned = chain_length
    AND chain_base = chain_head')" 2

rm -f "$store"*
install -m 0600 /root/kept.db "$store"
sqlite3 "$store" "UPDATE violations SET target = '/none' WHERE id = 2"
succeeds "what is before an edited row, and the other chain, goes" \
    wait_for 60 left 2,3
exits "which is told" 1 wardctl prune
like "and how" "$output" 'old rows of 1 sandboxes stay: .* wardctl verify'
exits "verify finds it still" 1 wardctl verify
like "the same row" "$output" 'row 2 is not what was recorded'

rm -f "$store"*
install -m 0600 /root/kept.db "$store"
refused five
is "a warden that ends removes nothing, where that was done today" \
    "$(rows 'SELECT count(*) FROM violations')" 5
sqlite3 "$store" 'UPDATE prunings SET at = 1'
su agent -c 'true'
settled
succeeds "and does it where nobody did for a day" wait_for 60 rows_are \
    "SELECT count(*) FROM violations WHERE id <= 4" 0
succeeds "what is left verifies" wardctl verify
