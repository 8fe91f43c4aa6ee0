#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Whose a connection is, is known of clients that have ended already, and where
# others have taken their ports.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"
# shellcheck source=tests/system/net.sh
. "$(dirname "$0")/net.sh"

clients=200
home=/home/.ward/agent

# rows_of NAME: whom the refusals of it are of, with how many there were.
rows_of()
{
	rows "SELECT
	    sum(count) || ' ' || count(DISTINCT session) || ' ' ||
	    group_concat(DISTINCT iif(session IS NULL, '-', 'session')) ||
	    ' ' || group_concat(DISTINCT iif(ifnull(program, '') = '', '-',
	    program)) FROM violations WHERE target LIKE '$1%'"
}

rows_are()
{
	[ "$(rows_of "$1")" = "$2" ]
}

# rows_become NAME HOST WANT
rows_become()
{
	wait_for 30 rows_are "$2" "$3" || true
	is "$1" "$(rows_of "$2")" "$3"
}

# client ARGUMENTS...: of 37-net-owner.py, in a session.
client()
{
	timeout 120 su -s /bin/bash agent -c "python3 ~/owner.py $*" 2>&1 \
	    </dev/null || true
}

gone()
{
	! pgrep -u agent -f 'owner.py late' >/dev/null
}

# late NAME FIRST: its question is answered, and it ends, while the warden
# stands still.
late()
{
	local dir=$home/$1 warden job
	install -d -o agent -g agent "$dir"
	client late "/home/agent/$1" "$1" "$2" >"/run/$1" &
	job=$!
	wait_for 30 test -e "$dir/connected" || diag "it does not connect"
	warden=$(oldest_warden)
	kill -STOP "$warden"
	: >"$dir/go"
	wait_for 30 gone || diag "it does not end"
	kill -CONT "$warden"
	wait "$job"
	like "$1: it was refused" "$(head -n 1 "/run/$1")" ' 403 '
}

plan 11
net_setup
net_account
cp "$here/37-net-owner.py" "$home/owner.py"
keep_session

about gone
is "$clients clients" \
    "$(client many "$clients" first.test denied.test)" 'all gone'
rows_become "each that asked the proxy" first.test \
    "$((clients / 2)) 1 session python3"
rows_become "each that was steered" denied.test \
    "$((clients / 2)) 1 session python3"

about "a port that is used again"
is "$clients clients" "$(client reuse "$clients" 40000 tick tock)" 'all gone'
for name in tick tock; do
	rows_become "$name" "$name.test" "$((clients / 2)) 1 session $name"
done

about "gone before the warden hears of it"
late late.test 0
rows_become "its session and its program" late.test '1 1 session python3'
late forgotten.test 600
rows_become "control: neither, where its connect is forgotten" \
    forgotten.test '1 0 - -'

about "sending without a connect"
opposite "is no connection" \
    "$(inside "python3 -c 'import socket
s = socket.socket()
try:
    s.sendto(b\"x\", socket.MSG_FASTOPEN, (\"127.0.0.1\", 3128)); print(\"sent\")
except OSError as e:
    print(e.errno)'")" "$(python3 -c 'import socket
l = socket.create_server(("127.0.0.1", 0))
s = socket.socket()
s.sendto(b"x", socket.MSG_FASTOPEN, l.getsockname()); print("sent")')" \
    95 sent
