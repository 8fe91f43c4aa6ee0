#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# A violation in the journal itself; and that an account can put no line of its
# own into any log or onto any terminal of the host, as another account can.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

here=$(cd "$(dirname "$0")" && pwd -P)
forge=/usr/local/lib/forge.py

# entries: of the refused write, in the journal.
entries()
{
	journalctl --sync
	journalctl -o json WARD_TARGET=/srv/open/logged
}

# n_entries N
n_entries()
{
	[ "$(entries | wc -l)" -eq "$1" ]
}

# host_has: all that a forged line could reach.
host_has()
{
	journalctl --sync
	journalctl -o cat
	cat /var/log/auth.log /var/log/syslog /root/terminal /dev/kmsg
	who
} 2>/dev/null

# reached WAY ACCOUNT: all of it is read, or what writes it would fail.
reached()
{
	host_has | grep -a "forged-$1-$2" >/dev/null
}

ways=(logger datagram journal stream kmsg wall utmp)
plan $((5 + 2 * ${#ways[@]}))
setting
cd /
settled

su agent -c 'for i in 1 2 3; do echo x >/srv/open/logged; done' \
    2>/dev/null || true
settled
succeeds "a violation is an entry of the journal" wait_for 30 n_entries 1
is "with its fields, from the warden" "$(entries | python3 -c 'import json, sys
e = json.loads(sys.stdin.readline())
print(e["_COMM"], e["_UID"], e["WARD_ACCOUNT"], e["WARD_KIND"],
      e["WARD_OPERATION"], e["WARD_ERROR"], e["SYSLOG_IDENTIFIER"])')" \
    'warden 0 agent write openat EROFS ward'
is "it has the number of its row" "$(entries | python3 -c 'import json, sys
print(json.loads(sys.stdin.readline())["WARD_ID"])')" "$(rows "SELECT id
    FROM violations WHERE target = '/srv/open/logged'")"
is "which has the count" "$(rows "SELECT count FROM violations
    WHERE target = '/srv/open/logged'")" 3

# what a mode would refuse to both is open to both
install -m 0755 "$here/65-forge.py" "$forge"
rm -f /dev/kmsg
install -m 0666 /dev/null /dev/kmsg
chmod 0666 /run/utmp
python3 "$forge" hold >/root/terminal 2>&1 &
holder=$!
wait_for 60 grep -q held /root/terminal || true
su agent -s /bin/sh -c "python3 $forge agent" </dev/null >/dev/null 2>&1 || true
su plain -s /bin/sh -c "python3 $forge plain" </dev/null >/dev/null 2>&1 || true
for way in "${ways[@]}"; do
	succeeds "control: $way of another account is there" \
	    wait_for 60 reached "$way" plain
	fails "$way of the governed account is not" reached "$way" agent
done
is "nothing else came to the terminal" "$(grep -c held /root/terminal)" 1
[ "$tap_failed" -eq 0 ] || diag "$(cat /root/terminal; who -a)"
kill "$holder"
