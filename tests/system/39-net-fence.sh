#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Egress under the uid fence: what a session is allowed it reaches, through a
# user of Ward's, and the account's own uid sends nothing from the host, to the
# same server or by the proxy's address.
# shellcheck disable=SC2016 # expanded inside
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"
# shellcheck source=tests/system/net.sh
. "$(dirname "$0")/net.sh"

# The server's page, without a proxy and by the sandbox's.
page='http://allowed.test/'
direct="curl -sS --max-time 8 --noproxy '*' $page"
proxied="curl -sS --max-time 8 -x http://127.0.0.1:3128 $page"

# outside ACCOUNT COMMAND: without PAM, from the host's own namespace.
outside()
{
	as_account "$1" bash -c "$2" 2>&1 </dev/null || true
}

# dials ACCOUNT: the errno of a connect and of a datagram to the server.
dials()
{
	outside "$1" 'exec python3 -c "
import errno, socket
for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
    s = socket.socket(socket.AF_INET, kind)
    s.settimeout(8)
    try:
        s.connect((\"allowed.test\", 80))
        s.send(b\"x\")
        print(\"sent\")
    except OSError as e:
        print(errno.errorcode.get(e.errno, e))
"' | xargs
}

plan 12
net_setup
net_account
useradd -m -s /bin/bash plain
cd /
succeeds "control: the fence holds" nft list table inet ward
is "inside, a program that knows of no proxy" "$(inside "$direct")" WORLD
is "and one that does" "$(inside "$proxied")" WORLD
is "egress is not the account's" "$(keep_session >&2; stat -c %U \
    "/proc/$(egress_pid)")" ward-egress
is "on the host the account's uid sends nothing" "$(dials agent)" \
    'ECONNREFUSED EPERM'
unlike "nor by curl" "$(outside agent "$direct")" WORLD
unlike "nor to a proxy, of which there is none" "$(outside agent "$proxied")" \
    WORLD
is "control: another's does" "$(dials plain)" 'sent sent'
is "and by curl" "$(outside plain "$direct")" WORLD
ward_do nft delete table inet ward
is "control: without the fence the account's would" "$(dials agent)" 'sent sent'
ward_do wardctl fence apply
is "put back, it does not" "$(dials agent)" 'ECONNREFUSED EPERM'
is "and the session still reaches what it may" "$(inside "$direct")" WORLD
fresh
