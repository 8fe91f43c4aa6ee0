#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# What a filtered sandbox sends that is not TCP: refused in the call that sends
# it, and a row says so; of a flood the kernel tells some, and counts the rest.
# shellcheck disable=SC2016 # expanded inside
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"
# shellcheck source=tests/system/net.sh
. "$(dirname "$0")/net.sh"

stray="python3 $here/net-stray.py"
flood=20000

# rows SELECT...: of violations.db.
rows()
{
	sqlite3 -readonly /var/lib/ward/violations.db "SELECT $*"
}

# has_row OPERATION TARGET
has_row()
{
	[ "$(rows "count(*) > 0 FROM violations WHERE kind = 'network'
	    AND operation = '$1' AND target = '$2' AND coalesce(rule_file, '') = ''
	    AND confirmed = 1")" = 1 ]
}

# refused NAME ERROR TARGET NET-STRAY-ARGUMENTS: in the call, and a row says so.
refused()
{
	local name=$1 error=$2 target=$3 said
	shift 3
	said=$(inside "$stray $*")
	if [ "$said" != "$error" ]; then
		fail "$name" "$said"
	elif ! wait_for 20 has_row udp "$target"; then
		fail "$name" "no row of $target: $(wardctl violations)"
	else
		pass "$name"
	fi
}

# takes_over: nftables refuses, no longer the routing.
takes_over()
{
	[ "$(inside "$stray 192.0.2.1 9")" = EPERM ]
}

plan 15
rsyslogd
net_setup
net_account
keep_session
succeeds "nftables refuses" wait_for 20 takes_over
is "control: the host sends" "$($stray "$net_world" 53)" sent

refused "a datagram" EPERM 192.0.2.1:9 192.0.2.1 9
refused "DNS of an outside server" EPERM "$net_world:53" "$net_world" 53
refused "QUIC" EPERM "$net_world:443" "$net_world" 443
refused "multicast" EPERM 224.0.0.251:5353 224.0.0.251 5353
refused "IPv6" EPERM '[2001:db8::1]:443' -6 2001:db8::1 443
is "its loopback is its own" "$(inside "$stray 127.0.0.1 9")" sent
is "and its resolver answers" \
    "$(inside 'getent ahostsv4 other.test >/dev/null && echo yes')" yes

# as getaddrinfo(3) does, to sort what it found
is "a socket that is connected sends nothing" \
    "$(inside "$stray 192.0.2.77 9 0")" 'connected'
refused "control: one that sends" EPERM 192.0.2.78:9 192.0.2.78 9
is "has no row" "$(rows "count(*) FROM violations
    WHERE target LIKE '192.0.2.77%'")" 0

is "a flood is refused" "$(inside "$stray 203.0.113.1 9 $flood")" EPERM
fresh
# every one of it, the others told of above, and the tries of takes_over
is "and counted, to the last" "$(rows "((SELECT sum(count) FROM violations
    WHERE target = '203.0.113.1:9') + (SELECT sum(count) FROM gaps))
    || ', rows ' || (SELECT count(*) < 10 FROM violations
    WHERE target = '203.0.113.1:9')")" "$flood, rows 1"

about "without nftables"
said=$(timeout 30 python3 "$here/without.py" nftables -- su -s /bin/bash agent \
    -c "$stray 192.0.2.99 9" 2>&1 </dev/null || true)
fresh
like "it is refused all the same, and the log and doctor say what is missing" \
    "$said, rows $(rows "count(*) FROM violations
    WHERE target LIKE '192.0.2.99%'"), $(grep -c 'no row says so; see .*doctor' \
    /var/log/auth.log), $(python3 "$here/without.py" nftables -- wardctl doctor |
	grep 'no row says so')" \
    'ENETUNREACH, rows 0, 1, .*no row says so: .*nftables tells of no packets'
