#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Package managers and Java in a filtered network, and what ssh forwards for
# somebody outside.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"
# shellcheck source=tests/system/net.sh
. "$(dirname "$0")/net.sh"
# shellcheck source=tests/system/37-programs.bash
. "$(dirname "$0")/37-programs.bash"

plan 14
rsyslogd
net_setup
net_account
shared
programs
ward_sshd
keep_session

reaches "pip" "rm -rf lib; pip install -q --retries 0 --timeout 8 --no-cache-dir --target lib --index-url https://HOST/pip/ --cert /etc/ssl/certs/ca-certificates.crt thing; PYTHONPATH=lib python3 -c 'import thing; print(thing.WORD)'"
reaches "npm" "rm -rf node_modules package-lock.json; npm --no-audit --no-fund --fetch-retries=0 --cafile=/etc/ssl/certs/ca-certificates.crt --silent install https://HOST/thing.tgz; node -p 'require(\"thing\")'"
reaches "Java" "java Get.java http://HOST/index.html"

like "pip's is not a wait" \
    "$(login "cd $work && pip download -q --retries 0 --index-url https://other.test/pip/ thing")" \
    '403|denied|ProxyError|No matching'

about forwards
recorded()
{
	wardctl violations --account agent | grep -q "$1"
}
forward()
{
	ssh "${ssh_options[@]}" -p "$ssh_port" -o ExitOnForwardFailure=yes \
	    -l agent -fN "$@" 127.0.0.1
}
ward_do forward -L 9001:allowed.test:80 -L 9002:other.test:80 -D 9003
is "-L reaches an allowed name" \
    "$(curl -sS --max-time 8 -H 'Host: allowed.test' http://127.0.0.1:9001/ 2>&1 || true)" WORLD
like "and no other" \
    "$(curl -sS --max-time 8 http://127.0.0.1:9002/ 2>&1 || true)" \
    'ward: other.test:80 is refused'
is "-D reaches an allowed name" \
    "$(curl -sS --max-time 8 -x socks5h://127.0.0.1:9003 http://allowed.test/ 2>&1 || true)" WORLD
like "and no other" \
    "$(curl -sS --max-time 8 -x socks5h://127.0.0.1:9003 http://other.test/ 2>&1 || true)" \
    'ward: other.test:80 is refused'
if wait_for 10 recorded 'forward .*other.test:80 .*sshd('; then
	pass "a row names the forward"
else
	fail "a row names the forward" "$(wardctl violations)"
fi
connected()
{
	wardctl connections --account agent |
	    grep -qE 'forward +allowed.test:80 .*sshd\('
}
if wait_for 10 connected; then
	pass "and what it reached"
else
	fail "and what it reached" "$(wardctl connections)"
fi
like "of its session" "$(wardctl connections --account agent | grep forward | head -n 1)" \
    '[0-9a-f]{16}-[0-9]+ +forward'
pkill -u root -f '^ssh .*-fN' || true
