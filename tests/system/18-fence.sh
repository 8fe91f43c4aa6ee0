#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# The uid fence: what the account starts on the host without PAM sends no
# packet; what runs inside, and other accounts, never notice it.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"

fence=(python3 "$here/fence.py")

# sends ACCOUNT KIND: without PAM, on the host.
sends()
{
	as_account "$1" "${fence[@]}" send "$2" 2>&1 </dev/null || true
}

# served ACCOUNT VERSION: root as the client of a listener of the account's.
served()
{
	local pid
	setpriv --reuid "$1" --regid "$1" --init-groups \
	    "${fence[@]}" serve </dev/null >/dev/null 2>&1 &
	pid=$!
	wait_for 10 listens "$2" || diag "nothing listens"
	"${fence[@]}" "ask$2" 2>&1 </dev/null || true
	kill "$pid"
	wait "$pid" 2>/dev/null || true
}

listens()
{
	ss -ltnH "-$1" 'sport = 7801' | grep -q .
}

# stands: for agent, as the kernel does it.
stands()
{
	[ "$(sends agent udp4)" = EPERM ]
}

# inside COMMAND...: in a session of agent's.
inside()
{
	su -s /bin/bash agent -c "$*" 2>&1 </dev/null || true
}

# uids: whom the table names.
uids()
{
	nft list set inet ward accounts 2>/dev/null |
	    grep -oE '[0-9]{4,}' | sort -n | xargs || true
}

sends_table()
{
	cat <<-'TABLE'
	tcp4|ECONNREFUSED
	tcp6|ECONNREFUSED
	udp4|EPERM
	udp6|EPERM
	ping4|EPERM
	ping6|EPERM|TIMEOUT
	TABLE
}

plan 48

# no table before there is an account
succeeds "enable, without an account" wardctl enable
like "its unit is started at boot" "$(readlink \
    /etc/systemd/system/multi-user.target.wants/ward-fence.service)" \
    '/lib/systemd/system/ward-fence.service$'
like "by the installed wardctl" "$(cat /etc/systemd/system/multi-user.target.wants/ward-fence.service)" \
    'ExecStart=/usr/sbin/wardctl fence apply'
is "and no table is needed" "$(nft list tables)" ''
ward_setup
agent=$(id -u agent)
echo '0 2147483647' >/proc/sys/net/ipv4/ping_group_range
"${fence[@]}" listen /run/listens </dev/null >/dev/null 2>&1 &
wait_for 10 test -e /run/listens || diag "no listeners"

is "account add puts it up" "$(uids)" "$agent"
while IFS='|' read -r kind refusal; do
	opposite "$kind to the host itself" "$(sends agent "$kind")" \
	    "$(sends plain "$kind")" "$refusal" ok
done < <(sends_table)
opposite "to its own address" \
    "$(as_account agent nc -w 2 192.0.2.1 7777 2>&1 || true)" \
    "$(as_account plain nc -w 2 192.0.2.1 7777 2>&1 || true)" '' HOSTSECRET
for version in 4 6; do
	opposite "a listener of its own, $version" "$(served agent "$version")" \
	    "$(served plain "$version")" 'TIMEOUT|ECONNREFUSED|EHOSTUNREACH' ok
done
opposite "a tool of the system's that has powers of its own" \
    "$(as_account agent nc -w 2 127.0.0.1 7777 2>&1 || true)" \
    "$(as_account plain nc -w 2 127.0.0.1 7777 2>&1 || true)" '' HOSTSECRET

# its ids by parts: what counts is who made the socket
is "with the uid alone" "$(setpriv --reuid agent --clear-groups \
    "${fence[@]}" send udp4)" EPERM
is "as the effective uid alone" "$(setpriv --euid agent --clear-groups \
    "${fence[@]}" send udp4)" EPERM
is "root is not meant" "$("${fence[@]}" send udp4)" ok

# inside there is a network of its own
is "the sandbox's loopback is not behind it" "$(inside \
    'sleep 60 | nc -l -p 7900 & sleep 1; echo INSIDE | nc -N -w 3 127.0.0.1 7900 && echo sent' |
    grep -o sent)" sent
is "nor is its datagram" "$(inside "python3 -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print(s.sendto(b\"x\", (\"127.0.0.1\", 9)))'")" 1

# a connection that was there before the fence
ward_do nft delete table inet ward
is "control: without the fence it sends" "$(sends agent udp4)" ok
is "control: and connects" "$(sends agent tcp4)" ok
as_account agent "${fence[@]}" hold /tmp/held /tmp/go >/run/held.said 2>&1 &
holder=$!
wait_for 10 test -e /tmp/held || diag "nothing is held"
succeeds "wardctl fence apply" wardctl fence apply
is "says for whom" "$output" 'the uid fence stands for 1 account'
touch /tmp/go
wait "$holder" || true
like "a connection from before is ended, too" "$(cat /run/held.said)" \
    '^(ECONNRESET|EPIPE|ECONNREFUSED|EPERM)$'
succeeds "again: it is replaced whole" wardctl fence apply
is "and is there once" "$(nft list tables)" 'table inet ward'

# somebody loads rules of their own
ward_do nft flush ruleset
is "flushed, it is gone" "$(sends agent udp4)" ok
# one that lives until it is back, so that the log can say it
is "the next session" "$(inside 'sleep 3; echo in')" in
if wait_for 10 stands; then
	pass "brings it back"
else
	fail "brings it back" "$(nft list ruleset)"
fi
like "and the log says so" "$(grep -h 'W060' /var/log/auth.log || true)" \
    'ward: W060: agent: the uid fence does not hold; '
wait_for 10 grep -q 'the uid fence is back' /var/log/auth.log || true
like "and that it is back" "$(grep -h 'uid fence' /var/log/auth.log || true)" \
    'the uid fence is back'
ward_do nft flush chain inet ward output
inside true >/dev/null
if wait_for 10 stands; then
	pass "an emptied chain is seen as well"
else
	fail "an emptied chain is seen as well" "$(nft list ruleset)"
fi
ward_do nft delete element inet ward accounts "{ $agent }"
inside true >/dev/null
if wait_for 10 stands; then
	pass "and a missing account"
else
	fail "and a missing account" "$(nft list ruleset)"
fi

# it follows the accounts
ward_do wardctl account add other --profile probe
other=$(id -u other)
is "a second account" "$(uids)" "$agent $other"
is "is behind it" "$(sends other udp4)" EPERM
is "and the first still" "$(sends agent udp4)" EPERM
ward_do wardctl account remove other
is "removed, its uid is anybody's" "$(uids)" "$agent"
opposite "which may send" "$(sends agent udp4)" \
    "$(setpriv --reuid "$other" --clear-groups "${fence[@]}" send udp4)" \
    EPERM ok

# what others have in nftables is not touched
ward_do nft add table inet site
ward_do wardctl fence apply
is "other tables stay" "$(nft list tables | xargs)" \
    'table inet site table inet ward'

# a kernel that does not take the table
without=(setpriv --bounding-set=-net_admin --inh-caps=-net_admin)
ward_do nft delete table inet ward
fails "where the kernel refuses, fence apply fails" \
    "${without[@]}" wardctl fence apply
like "and says why" "$output" 'the kernel does not take it: .*not permitted'
succeeds "enable does not" "${without[@]}" wardctl enable
like "but warns" "$output" 'wardctl: warning: there is no uid fence: '
fails "and doctor fails" "${without[@]}" wardctl doctor
ward_do wardctl fence apply
ward_do wardctl account lock agent
is "a locked account is behind it still" "$(sends agent udp4)" EPERM
succeeds "disable" wardctl disable
is "takes it away" "$(nft list tables)" 'table inet site'
