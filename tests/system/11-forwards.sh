#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# What sshd forwards for an account ends where its user child is: inside.
# A service of the account's own answers OWN on port 8888 of its loopback; the
# host's, on port 7777, answers HOSTSECRET.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"

# own_service: run as the account, wherever it is.
own_service='python3 -c "
import socket
server = socket.create_server((\"127.0.0.1\", 8888))
print(\"ready\", flush=True)
while True:
    connection, _ = server.accept()
    connection.sendall(b\"OWN\\n\")
    connection.close()
"'

# reads ARGUMENTS: what a server says to nc, or "none".
reads()
{
	local said
	said=$(timeout 5 nc -w 3 "$@" </dev/null 2>/dev/null | tr -d '\r\n') ||
	    true
	echo "${said:-none}"
}

# socks ADDRESS PORT: through the SOCKS server that -D made.
socks()
{
	reads -X 5 -x 127.0.0.1:1080 "$@"
}

# forwards_begin ACCOUNT: every kind on one connection, which also runs the
# account's own service; it goes when $forwards does.
forwards_begin()
{
	rm -f /root/forwards /root/out.sock /srv/build/in.sock
	ssh_as "$1" -L 9001:127.0.0.1:7777 -L 9002:127.0.0.1:8888 \
	    -L 9003:192.0.2.1:7777 -L '9004:[::1]:2222' -D 1080 \
	    -R 127.0.0.1:2301:127.0.0.1:7777 -R 0.0.0.0:2302:127.0.0.1:7777 \
	    -L /root/out.sock:/srv/open.d/host.sock \
	    -R /srv/build/in.sock:127.0.0.1:7777 \
	    "$own_service" >/root/forwards 2>/root/forwards.err &
	forwards=$!
	wait_for 15 grep -q ready /root/forwards ||
	    { diag "no service of $1's: $(cat /root/forwards.err)"; }
}

forwards_end()
{
	kill "$forwards" 2>/dev/null || true
	wait "$forwards" 2>/dev/null || true
	# the service of an account without a sandbox outlives its connection
	pkill -u "$1" -f create_server || true
}

# tell NAME VALUE
tell()
{
	printf '%s: %s\n' "$1" "$2"
}

# forwards_of ACCOUNT: a line for each, as the probe has them.
forwards_of()
{
	local place
	forwards_begin "$1"
	tell "-L to the host's loopback" "$(reads 127.0.0.1 9001)"
	tell "-L to the host's address" "$(reads 127.0.0.1 9003)"
	tell "-L to the host's sshd" "$(reads 127.0.0.1 9004)"
	tell "-L to its own service" "$(reads 127.0.0.1 9002)"
	tell "-D to the host's loopback" "$(socks 127.0.0.1 7777)"
	tell "-D to the host by name" "$(socks localhost 7777)"
	tell "-D to its own service" "$(socks 127.0.0.1 8888)"
	tell "-W to the host's loopback" \
	    "$(ssh_as "$1" -W 127.0.0.1:7777 </dev/null 2>/dev/null || true)"
	tell "-W to its own service" \
	    "$(ssh_as "$1" -W 127.0.0.1:8888 </dev/null 2>/dev/null || true)"
	tell "-R seen from the host" "$(reads 127.0.0.1 2301)"
	tell "-R on every address" "$(reads 192.0.2.1 2302)"
	tell "-R seen by the account" \
	    "$(ssh_as "$1" 'nc -w 3 127.0.0.1 2301 </dev/null')"
	tell "-L to a Unix socket" "$(reads -U /root/out.sock)"
	place=absent
	[ ! -S /srv/build/in.sock ] || place=there
	tell "-R of a Unix socket" "$place"
	forwards_end "$1"
	# shellcheck disable=SC2016 # the remote shell's
	tell "X11" "$(DISPLAY=:99 ssh_as "$1" -Y \
	    'echo "at${DISPLAY:+ $DISPLAY}"' || true)"
	tell "agent" "$(ssh_as "$1" -A 'ssh-add -l' 2>&1 | tail -n 1 || true)"
	tell "its own loopback's sshd" \
	    "$(ssh_as "$1" "nc -w 3 127.0.0.1 $ssh_port </dev/null || true")"
}

# Name; what the governed account has; what the ungoverned one has.
forwards_table()
{
	cat <<-'TABLE'
	-L to the host's loopback|none|HOSTSECRET
	-L to the host's address|none|HOSTSECRET
	-L to the host's sshd|none|SSH-2.*
	-D to the host's loopback|none|HOSTSECRET
	-D to the host by name|none|HOSTSECRET
	-W to the host's loopback||HOSTSECRET
	-R seen from the host|none|HOSTSECRET
	-R on every address|none|HOSTSECRET
	-L to a Unix socket|none|HOSTSECRET
	-R of a Unix socket|absent|there
	X11|at|at .+:10\.0
	agent|Could not open a connection.*|256 .*
	its own loopback's sshd||SSH-2.*
	TABLE
}

# forwards_rows SCOPE: -W is a connection of its own, and so is who looks for
# what -R has made: where each session has its own sandbox, it finds nothing.
forwards_rows()
{
	local agent plain name want control own=OWN seen=HOSTSECRET
	[ "$1" = account ] || own='' seen=''
	agent=$(forwards_of agent)
	plain_once forwards forwards_of plain
	while IFS='|' read -r name want control; do
		opposite "$name" "$(probe_value "$agent" "$name")" \
		    "$(probe_value "$plain" "$name")" "$want" "$control"
	done < <(forwards_table)
	for name in "-L to its own service" "-D to its own service"; do
		is "$name" "$(probe_value "$agent" "$name")" OWN
	done
	is "-W to the service of a session" \
	    "$(probe_value "$agent" "-W to its own service")" "$own"
	is "-R seen by another session" \
	    "$(probe_value "$agent" "-R seen by the account")" "$seen"
}

plan $((2 * ($(forwards_table | wc -l) + 4)))
# for the ungoverned account nothing stands in the way
printf 'GatewayPorts clientspecified\n' \
    >/etc/ssh/sshd_config.d/01-forwards.conf
printf '#!/bin/sh\nexec cat >/dev/null\n' >/usr/bin/xauth
chmod 0755 /usr/bin/xauth
ward_setup
eval "$(ssh-agent -a /root/agent.sock)" >/dev/null
ward_do ssh-add /root/key
for scope in "${scopes[@]}"; do
	ward_scope "$scope"
	forwards_rows "$scope"
done
