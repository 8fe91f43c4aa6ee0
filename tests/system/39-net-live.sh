#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# What an admin changes while a sandbox lives: grants, requests, the profile;
# and what doctor says of the network.
# shellcheck disable=SC2016 # expanded inside
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"
# shellcheck source=tests/system/net.sh
. "$(dirname "$0")/net.sh"

get='curl -sS --max-time 8'

# gets NAME: what a request to it answers.
gets()
{
	inside "$get http://$1/"
}

plan 18
rsyslogd
net_setup
net_account
keep_session

about grants
like "before one it is refused" "$(gets other.test)" 'other.test:80 is refused'
succeeds "one is added" wardctl grant add agent other.test --for 1h
like "and says which sandbox has it" "$output" \
    'sandbox [0-9a-f]{16} of agent took the new network rules'
is "it holds at once" "$(gets other.test)" WORLD
id=$(wardctl grant list --json | grep -oE '"id": ?[0-9]+' | head -n 1 | grep -oE '[0-9]+')
succeeds "it is revoked" wardctl grant revoke "$id"
like "and is over at once" "$(gets other.test)" 'other.test:80 is refused'
has_grant()
{
	wardctl connections --account agent --json | grep -qE "\"grant\": ?$id"
}
if wait_for 10 has_grant; then
	pass "the connection's row names it"
else
	fail "the connection's row names it" "$(wardctl connections --json)"
fi
ward_do wardctl grant add agent other.test --for 1s
ends()
{
	[[ $(gets other.test) == *refused* ]]
}
if wait_for 10 ends; then
	pass "one that is over by itself is over"
else
	fail "one that is over by itself is over"
fi

about profile
sed -i 's/"git.test" )/"git.test", "other.test" )/' \
    /etc/ward/profiles.d/net.conf
succeeds "a changed one is applied" wardctl profile apply
like "it says who took its rules" "$output" \
    'of agent took the new network rules'
is "they hold for new connections" "$(gets other.test)" WORLD
sed -i 's/mode .*= "filtered"/mode = "none"/; /allow\|deny\|reasons/d' \
    /etc/ward/profiles.d/net.conf
ward_do wardctl profile apply
like "without a network nothing is reached" "$(
	pid=$(pgrep -o -u agent -f '^sleep 600')
	nsenter -t "$pid" -n curl -sS --max-time 5 -x http://127.0.0.1:3128 \
	    http://allowed.test/ 2>&1 || true
)" 'this sandbox has no network'
net_profile | sed 's/mode .*= "filtered";/&\n    unlisted = "ask";/' \
    >/etc/ward/profiles.d/net.conf
ward_do wardctl profile apply
ward_do wardctl end agent --grace 0
keep_session

about requests
like "what no rule names is refused" "$(gets other.test)" \
    'other.test:80 is refused'
requested()
{
	wardctl requests | grep -q 'other.test'
}
if wait_for 10 requested; then
	pass "and is a request"
else
	fail "and is a request" "$(wardctl requests)"
fi
id=$(wardctl requests --json | grep -oE '"id": ?[0-9]+' | head -n 1 | grep -oE '[0-9]+')
succeeds "which is approved" wardctl approve "$id"
is "and holds at once" "$(gets other.test)" WORLD

about doctor
like "it says how TCP is steered" "$(wardctl doctor 2>&1 || true)" \
    'network: TCP is steered by BPF'
like "and where nothing steers" "$(python3 "$here/without.py" bpf nftables -- \
    wardctl doctor 2>&1 || true)" 'network: only programs that use the proxy'
