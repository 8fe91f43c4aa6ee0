#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# What was recorded, and changed behind Ward's back: wardctl verify says where.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

store=/var/lib/ward/violations.db
log=/var/log/auth.log

# refused NAME...: a session in which a file of each name cannot be made.
refused()
{
	su agent -c "for name in $*; do echo x >/srv/open/\$name; done" \
	    2>/dev/null || true
	settled
}

# changed SQL: the store as somebody with sqlite3 leaves it.  Nobody else has
# it open.
changed()
{
	rm -f "$store"*
	install -m 0600 /root/kept.db "$store"
	sqlite3 "$store" "$1"
}

# finds NAME SQL WANT [OPTION...]: verify says WANT of the store after SQL.
finds()
{
	local name=$1 want=$3
	changed "$2"
	shift 3
	exits "$name: it is found" 1 wardctl verify "$@"
	# shellcheck disable=SC2154 # exits has set it
	like "$name: and where" "$output" "$want"
}

# logged N: whether the log has the heads of N chains.
logged()
{
	[ "$(grep -c 'ward: chain of sandbox ' "$log")" -eq "$1" ]
}

# kept_open: a session that has a row and stays; $client is its ssh.
kept_open()
{
	over_ssh agent 'echo x >/srv/open/lost; exec sleep 4242' \
	    </dev/null >/dev/null 2>&1 &
	client=$!
	wait_for 30 rows_are "SELECT count(*) FROM violations
	    WHERE target = '/srv/open/lost'" 1
}

plan 27
setting
cd /
: >"$log"
rm -f "$store"*
refused one two three three three
refused four
exits "what was recorded holds" 0 wardctl verify
is "it says how much" "$output" '4 rows of 2 sandboxes are what was recorded'
succeeds "the log has the heads of both chains" wait_for 20 logged 2
exits "they hold, too" 0 wardctl verify --log "$log"
like "all of them" "$output" '^2 lines of the log'
like "a row whose repeats were counted is hashed with them" \
    "$(rows "SELECT count, link FROM violations
    WHERE target = '/srv/open/three'")" '^3\|3$'
sqlite3 "$store" '.backup /root/kept.db'

finds "an edited row" "UPDATE violations SET target = '/srv/open/none'
    WHERE id = 2" 'row 2 is not what was recorded: it was edited or moved'
is "in JSON, too" "$(wardctl verify --json | python3 -c 'import json, sys
for one in json.load(sys.stdin):
    print(one["rows"], one["fault"], one["row"])')" "$(printf '%s\n' \
    '3 changed 2' '1 None None')"
finds "a removed row" 'DELETE FROM violations WHERE id = 2' \
    "1 row before row 3 is gone, the chain's 2 to 2"
finds "the last rows, removed" 'DELETE FROM violations WHERE id IN (2, 3)' \
    "the last 2 rows are gone, the chain's 2 to 3"
finds "rows that changed places" 'UPDATE violations SET link = -1 WHERE id = 1;
    UPDATE violations SET link = 1 WHERE id = 2;
    UPDATE violations SET link = 2 WHERE id = 1' \
    'row 2 is not .* row 1 is not '
finds "a sandbox with another account" \
    "UPDATE sandboxes SET account = char(27) || '[1m' WHERE rowid = 1" \
    'of \\x1b\[1m: row 1 is not .*, or its sandbox.s row was'
cut="DELETE FROM violations WHERE id = 3; UPDATE sandboxes SET chain_length = 2,
    chain_head = (SELECT hash FROM violations WHERE id = 2) WHERE rowid = 1"
changed "$cut"
succeeds "control: a head that was changed with its chain holds" wardctl verify
finds "but not with the log" "$cut" "another hash of the chain's row 3" \
    --log "$log"
finds "nor does a store without the sandbox" 'DELETE FROM violations
    WHERE sandbox = (SELECT id FROM sandboxes WHERE rowid = 2);
    DELETE FROM sandboxes WHERE rowid = 2' \
    "another hash of the chain's row 1, or it is gone" --log "$log"
changed "UPDATE violations SET link = NULL, hash = NULL;
    UPDATE sandboxes SET chain_head = NULL, chain_length = 0"
exits "what an older version wrote is no fault" 0 wardctl verify
like "and is told" "$output" '^4 rows are not chained'

changed 'DELETE FROM gaps'
kept_open
like "a row that is still counted is told" "$(wardctl verify)" \
    '^1 rows are still counted'
kill -9 "$(oldest_warden)"
wait "$client" || true
refused after
succeeds "what a dead warden left is hashed by the next" wardctl verify
is "all of it" "$(rows 'SELECT count(*) FROM violations
    WHERE link IS NULL')" 0
