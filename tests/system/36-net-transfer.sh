#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Whole transfers through the egress of a sandbox, hashed at both ends: a
# gibibyte each way, bytes that come before the proxy's answer, the half that
# stays, and a client that is gone.
# shellcheck disable=SC2016 # expanded inside
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"
# shellcheck source=tests/system/net.sh
. "$(dirname "$0")/net.sh"

port=7100
gib=$((1 << 30))

# transfer WAY WHAT BYTES: inside, with all the time that it needs.
transfer()
{
	timeout 300 su -s /bin/bash agent -c \
	    "python3 $here/net-transfer.py allowed.test $port $*" 2>&1 \
	    </dev/null || true
}

# holds N: so many connections of the egress's to the server.
holds()
{
	[ "$(ss -tnH state established "dst $net_world and dport = $port" |
	    wc -l)" = "$1" ]
}

plan 9
rsyslogd
net_setup
net_account
in_world python3 "$here/net-transfer.py" serve "$port" \
    </dev/null >/run/transfer.log 2>&1 &
wait_for 20 grep -q up /run/transfer.log || diag "no server"
keep_session

is "by CONNECT, a gibibyte up, and its half-close" \
    "$(transfer proxy take "$gib")" same
is "for a program that knows of no proxy, a gibibyte down" \
    "$(transfer direct give "$gib")" same
is "by CONNECT, down" "$(transfer proxy give 10000001)" same
is "for a program that knows of no proxy, up" \
    "$(transfer direct take 10000001)" same
is "what comes with CONNECT, before its answer" \
    "$(transfer proxy early 300001)" same
# the connections of the host's: nothing of the sandbox's is left
succeeds "what is over is let go" wait_for 20 holds 0

inside "printf 'CONNECT allowed.test:$port HTTP/1.1\r\nHost: a\r\n\r\nhold\n' |
    nc -q 600 127.0.0.1 3128 >/tmp/held & echo \$! >/tmp/held.pid
    until grep -q x /tmp/held; do sleep 0.1; done; kill -9 \$(cat /tmp/held.pid)"
succeeds "one whose client is killed lets its server go" wait_for 20 holds 0
succeeds "which hears of it" wait_for 20 grep -q ended /run/transfer.log
# what the transfers said to begin with comes on top
recorded()
{
	[ "$(rows "SELECT max(up) > $gib, max(down) = $gib FROM connections
	    WHERE host = 'allowed.test' AND port = $port")" = '1|1' ]
}
if wait_for 20 recorded; then
	pass "rows tell the bytes"
else
	fail "rows tell the bytes" "$(wardctl connections)"
fi
