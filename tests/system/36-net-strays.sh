#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# What a filtered sandbox sends that is not TCP: refused in the call that sends
# it, and a row says so; of a flood the kernel tells some, and counts the rest.
# The same of sockets for anything but TCP and UDP, in the call that makes them.
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
sockets=5000

# has_row OPERATION TARGET
has_row()
{
	[ "$(rows "SELECT count(*) > 0 FROM violations WHERE kind = 'network'
	    AND operation = '$1' AND target = '$2' AND coalesce(rule_file, '') = ''
	    AND confirmed = 1")" = 1 ]
}

# made FAMILY TYPE PROTOCOL...: a socket inside, what comes of each.
made()
{
	inside "python3 - $* <<-'PYTHON'
	import errno, socket, sys
	for kind in sys.argv[1:]:
	    try:
	        socket.socket(*map(int, kind.split(','))).close()
	        print('made')
	    except OSError as e:
	        print(errno.errorcode[e.errno])
	PYTHON"
}

# no_socket NAME ERROR OPERATION TARGET FAMILY,TYPE,PROTOCOL: and a row says so.
no_socket()
{
	local name=$1 said
	said=$(made "$5")
	if [ "$said" != "$2" ]; then
		fail "$name" "$said"
	elif ! wait_for 20 has_row "$3" "$4"; then
		fail "$name" "no row of $4: $(wardctl violations)"
	else
		pass "$name"
	fi
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

plan 27
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
is "has no row" "$(rows "SELECT count(*) FROM violations
    WHERE target LIKE '192.0.2.77%'")" 0

# numbers of Linux, as socket(2) takes them
no_socket "a ping socket" EACCES icmp 'IPv4, type 2, protocol 1' 2,2,1
no_socket "one of IPv6" EACCES icmp 'IPv6, type 2, protocol 58' 10,2,58
no_socket "a raw socket" EPERM raw 'IPv4, type 3, protocol 255' 2,3,255
no_socket "one of IPv6" EPERM raw 'IPv6, type 3, protocol 58' 10,3,58
no_socket "SCTP" EPERM socket 'IPv4, type 1, protocol 132' 2,1,132
no_socket "a packet socket" EAFNOSUPPORT packet 'every packet' 17,3,3
has_ping()
{
	[ "$(rows "SELECT count(*) > 0 FROM violations WHERE program = 'ping'")" = 1 ]
}
like "ping is refused at once" "$(inside 'time -p timeout 20 ping -c 1 192.0.2.1')" \
    '(not permitted|denied).*real [0-9]\.'
succeeds "and has a row" wait_for 20 has_ping
told="SELECT count(*) FROM violations
    WHERE operation IN ('icmp', 'raw', 'packet', 'socket')"
# rows come in order: behind this one's, all of ping's are there
made 2,3,201 >/dev/null
wait_for 20 has_row raw 'IPv4, type 3, protocol 201' ||
    diag "no row of what comes last"
before=$(rows "$told")
is "control: TCP and UDP sockets are made" \
    "$(made 2,1,0 2,1,6 2,2,17 10,1,6 10,2,0 1,1,0 | uniq)" made
no_socket "control: and another is not" EPERM raw 'IPv4, type 3, protocol 202' 2,3,202
is "and have no row" "$(rows "$told")" $((before + 1))

is "a flood is refused" "$(inside "$stray 203.0.113.1 9 $flood")" EPERM
# each of another protocol
is "a flood of sockets is refused" "$(timeout 300 su -s /bin/bash agent -c "
    python3 -c '
import socket
def made(n):
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM, n)
    except PermissionError:
        return 0
    return 1
print(sum(made(1000 + n) for n in range($sockets)))'" 2>&1 </dev/null)" 0
fresh
# every one of it, the others told of above, and the tries of takes_over
is "and counted, to the last" "$(rows "SELECT ((SELECT sum(count) FROM violations
    WHERE target = '203.0.113.1:9' OR target LIKE 'IPv4, type 1, protocol ____') +
    (SELECT sum(count) FROM gaps))
    || ', rows ' || (SELECT count(*) < 10 FROM violations
    WHERE target = '203.0.113.1:9')
    || ', fewer than calls ' || (SELECT count(*) < $sockets FROM violations)")" \
    "$((flood + sockets)), rows 1, fewer than calls 1"

about "without nftables"
said=$(timeout 30 python3 "$here/without.py" nftables -- su -s /bin/bash agent \
    -c "$stray 192.0.2.99 9" 2>&1 </dev/null || true)
fresh
like "it is refused all the same, and the log and doctor say what is missing" \
    "$said, rows $(rows "SELECT count(*) FROM violations
    WHERE target LIKE '192.0.2.99%'"), $(grep -c 'no row says so; see .*doctor' \
    /var/log/auth.log), $(python3 "$here/without.py" nftables -- wardctl doctor |
	grep 'no row says so')" \
    'ENETUNREACH, rows 0, 1, .*no row says so: .*nftables tells of no packets'
