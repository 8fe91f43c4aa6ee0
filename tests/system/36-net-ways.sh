#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# The network of a filtered sandbox from inside: what each program's way out is
# with each kind of steering, what the view tells it, and what goes nowhere.
# shellcheck disable=SC2016 # expanded inside
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"
# shellcheck source=tests/system/net.sh
. "$(dirname "$0")/net.sh"

get='curl -sS --max-time 8'
direct="$get --noproxy '*'"

# without REFUSALS COMMAND: one session, the first of its sandbox, where the
# kernel has not these.
without()
{
	local refused=$1
	shift
	# shellcheck disable=SC2086 # several words
	timeout 30 python3 "$here/without.py" $refused -- \
	    su -s /bin/bash agent -c "$*" 2>&1 </dev/null || true
}

# fresh: the next session begins a sandbox.
fresh()
{
	wait_for 10 ended || diag "the sandbox stays"
}

# refused NAME COMMAND: it says so at once, and nothing answers.
refused()
{
	local began=$SECONDS said
	said=$(inside "timeout 10 $2; echo status \$?")
	if [[ $said == *DATAGRAM* ]] || [[ $said =~ 'status '(0|124)$ ]] ||
	    [ $((SECONDS - began)) -gt 8 ]; then
		fail "$1" "after $((SECONDS - began)) s: $said"
	else
		pass "$1"
	fi
}

datagram()
{
	cat <<-PYTHON
	python3 -c "import socket
	s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	s.settimeout(5)
	s.sendto(b'x', ('$net_world', $1))
	print(s.recv(64))"
	PYTHON
}

plan 48
rsyslogd
net_setup
net_account

about steered
said=$(inside "$direct https://allowed.test/")
is "a program that knows of no proxy reaches an allowed name" "$said" WORLD
fresh
like "and where it may not, hears why" \
    "$(inside "$direct http://denied.test/")" \
    'denied.test:80 is refused .*net.conf:9.*: use allowed.test'
fresh
about "steered by nftables"
is "it reaches an allowed name" \
    "$(without bpf "$direct https://allowed.test/")" WORLD
fresh
like "and where it may not, hears why" \
    "$(without bpf "$direct http://denied.test/")" \
    'denied.test:80 is refused .*net.conf:9.*: use allowed.test'
fresh
about "not steered"
is "the proxy is there, and the variables name it" \
    "$(without 'bpf nftables' "$get https://allowed.test/")" WORLD
fresh
like "and refuses with its reasons" \
    "$(without 'bpf nftables' "$get http://denied.test/")" \
    'denied.test:80 is refused .*net.conf:9.*: use allowed.test'
fresh
like "control: a program that knows of no proxy reaches nothing" \
    "$(without 'bpf nftables' "$direct https://allowed.test/")" \
    'curl: \(7\)|refused'
fresh
like "Java, too, finds it" \
    "$(without 'bpf nftables' 'echo $JAVA_TOOL_OPTIONS')" 'proxyPort=3128'
fresh
like "the log says what is missing" "$(cat /var/log/auth.log)" \
    'sandbox of agent: only programs that use its proxy reach the network: .*sk_lookup.*doctor'

about view
keep_session
is "its resolver is the sandbox's" \
    "$(inside 'grep -c "^nameserver 127.0.0.1$" /etc/resolv.conf; grep -c nameserver /etc/resolv.conf' | xargs)" '1 1'
is "which cannot be changed" \
    "$(inside 'echo x >>/etc/resolv.conf || echo no' | tail -n 1)" no
is "the host's names are not in its hosts" \
    "$(inside 'grep -c test /etc/hosts')" 0
is "its own is" "$(inside 'getent ahosts $(hostname) | wc -l')" 3
like "every name has an address that stands for it" \
    "$(inside 'getent ahostsv4 other.test | head -n 1')" '^198\.18\.'
is "the host's files are as they were" \
    "$(grep -c allowed.test /etc/hosts)" 1
# the host replaces it, as its own tools do
cp /etc/resolv.conf /etc/resolv.conf.new
echo 'nameserver 192.0.2.53' >/etc/resolv.conf.new
mv /etc/resolv.conf.new /etc/resolv.conf
resolver_is_back()
{
	[ "$(inside 'grep -c 192.0.2.53 /etc/resolv.conf')" = 0 ]
}
if wait_for 10 resolver_is_back; then
	pass "replaced on the host, it is put back"
else
	fail "replaced on the host, it is put back" \
	    "$(inside 'cat /etc/resolv.conf')"
fi
is "and names are answered" "$(inside "$direct https://allowed.test/")" WORLD
like "both cases of each variable, without a shell of Ward's" \
    "$(inside 'env' | grep -i proxy | sort | xargs)" \
    'ALL_PROXY=http://127.0.0.1:3128 .*http_proxy=.*no_proxy=localhost,127.0.0.1,::1'
is "and with it" "$(login 'echo $https_proxy $NODE_USE_ENV_PROXY')" \
    'http://127.0.0.1:3128 1'
is "no secret is in them" \
    "$(inside 'env' | grep -i proxy | grep -c '@' || true)" 0

about nowhere
is "control: the server answers datagrams" \
    "$(python3 -c "import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(5)
s.sendto(b'x', ('$net_world', 53))
print(s.recv(64).decode())")" DATAGRAM
refused "DNS of an outside server" "$(datagram 53)"
refused "QUIC" "$(datagram 443)"
refused "ping" "ping -c 1 -W 5 $net_world"
refused "a ping socket" "python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)'"
refused "raw IP" "python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 255)'"
refused "a packet socket" "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'"
refused "IPv6" "$direct -f http://[2001:db8::1]/"
refused "multicast" "python3 -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.sendto(b\"x\", (\"224.0.0.251\", 5353))'"
is "control: the server answers on its address" \
    "$($get "http://$net_world/")" WORLD
like "a literal is refused as what it is" \
    "$(inside "$direct http://$net_world/")" \
    "ward: $net_world:80 is refused"
like "and by the proxy" "$(inside "$get http://$net_world/")" \
    "ward: $net_world:80 is refused"
like "the host's loopback is not there" \
    "$(inside "$direct http://127.0.0.1:7000/")" 'curl: \(7\)'
is "its own loopback is" \
    "$(inside 'echo MINE | nc -l -N 127.0.0.1 80 & sleep 0.5; nc -w 3 127.0.0.1 80 </dev/null; wait' | head -n 1)" MINE

opposite "the account on the host sends nothing" \
    "$(as_account agent curl -sS --max-time 5 "http://$net_world/" 2>&1 || true)" \
    "$(setpriv --reuid nobody --clear-groups curl -sS --max-time 5 "http://$net_world/" 2>&1 || true)" \
    'curl: .*' WORLD

about egress
# stands_for NAME: the address that it resolves to.
stands_for()
{
	inside "getent ahostsv4 $1" | awk 'NR == 1 { print $1 }'
}
address=$(stands_for allowed.test)
first=$(egress_pid)
is "it has a user of its own" "$(ps -o user:20= -p "$first")" ward-egress
like "without a capability, and sealed" \
    "$(xargs <"/proc/$first/status")" \
    'CapPrm: 0+ CapEff: 0+ .*NoNewPrivs: 1 Seccomp: 2'
like "a name stood for an address" "$address" '^198\.1[89]\.[0-9.]+$'
is "of the host's network" "$(readlink "/proc/$first/ns/net")" \
    "$(readlink /proc/self/ns/net)"
inside "$get -o /dev/null http://allowed.test/big; echo curl \$?" \
    >/run/transfer &
flows()
{
	[ "$(ss -tnH "dst $net_world and dport = 80" | wc -l)" -gt 0 ]
}
wait_for 10 flows || diag "no transfer"
kill -9 "$first"
wait $! || true
like "killed, its transfer fails" "$(cat /run/transfer)" 'curl (18|56|52)'
began=$(date +%s%N)
is "the next request works" "$(inside "$get https://allowed.test/")" WORLD
took=$((($(date +%s%N) - began) / 1000000))
if [ "$took" -lt 2000 ]; then
	pass "within two seconds"
else
	fail "within two seconds" "$took ms"
fi
isnt "by another one" "$(egress_pid)" "$first"
isnt "which gives the name another address" "$(stands_for allowed.test)" \
    "$address"
like "and the one from before stands for nothing" \
    "$(inside "$direct http://$address/")" "ward: $address:80 is refused"
told_of()
{
	wardctl violations | grep -q " $1 "
}
if wait_for 10 told_of egress-ended; then
	pass "and a row says so"
else
	fail "and a row says so" "$(wardctl violations)"
fi
kill -STOP "$(egress_pid)"
is "stopped, it is replaced as well" \
    "$(inside "$get https://allowed.test/")" WORLD
if wait_for 10 told_of egress-stopped; then
	pass "and a row says that"
else
	fail "and a row says that" "$(wardctl violations)"
fi
