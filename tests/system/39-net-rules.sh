#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Network rules of a sandbox that lives: grants, answered requests and applied
# profiles hold for its next connection, whoever forgot to tell it, and it is
# stale for none of them.
# shellcheck disable=SC2016 # expanded inside
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"
# shellcheck source=tests/system/net.sh
. "$(dirname "$0")/net.sh"

# rules LISTS: the profile's network has these, too; what apply said is in $said.
rules()
{
	net_profile | sed "s/allow_private = true;/& $1/" \
	    >/etc/ward/profiles.d/net.conf
	said=$(wardctl profile apply 2>&1)
}

# reaches NAME: from inside, by a program that knows of no proxy.
reaches()
{
	inside "curl -sS --max-time 8 --noproxy '*' http://$1/" | grep -qx WORLD
}

# live EXPRESSION: of each live sandbox.
live()
{
	wardctl sandboxes --account agent --json | python3 -c "import json, sys
print(*($1 for s in json.load(sys.stdin)))"
}

# fails_now NAME, requested: for wait_for.
fails_now()
{
	! reaches "$1"
}

requested()
{
	wardctl requests | grep -q 'other.test:80'
}

took='sandbox [0-9a-f]* of agent took the new network rules'

plan 29
net_setup
net_account
keep_session
sandbox=$(live 's["sandbox"]')
succeeds "what is allowed is reached" reaches allowed.test
fails "what nothing names is not" reaches other.test

# grants
succeeds "a grant" wardctl grant add agent other.test:80 --for 1h
like "the sandbox has it" "$output" "$took"
succeeds "and it counts" reaches other.test
like "explain says so" "$(wardctl explain --account agent other.test:80)" \
    'other.test:80: allowed.*by grant 1'
succeeds "it is revoked" wardctl grant revoke 1
like "the sandbox has that, too" "$output" "$took"
fails "and it does not count" reaches other.test
wardctl grant add agent other.test --for 8s >/dev/null
succeeds "a short one counts" reaches other.test
succeeds "until it is over, and nobody says so" wait_for 30 fails_now other.test

# requests
rules 'unlisted = "ask";'
like "apply tells the sandbox" "$said" "$took"
fails "what nothing names is refused, and asked for" reaches other.test
succeeds "which is a request" wait_for 10 requested
is "with its host" "$(wardctl requests --json | python3 -c 'import json, sys
print(*((r["account"], r["host"], r["port"]) for r in json.load(sys.stdin)))')" \
    "('agent', 'other.test', 80)"
succeeds "approve" wardctl approve 1
succeeds "and it is reached" reaches other.test
wardctl grant revoke 3 >/dev/null

# profiles
cp /var/lib/ward/policy.db /root/before.db
rules 'unlisted = "ask"; allow = ( "other.test" );' || true
like "a bad profile" "$said" 'net.conf:'
succeeds "changes nothing" reaches allowed.test
fails "at all" reaches other.test
net_profile | sed 's/"git.test" )/"git.test", "other.test" )/' \
    >/etc/ward/profiles.d/net.conf
succeeds "a good one is applied" wardctl profile apply
like "and the sandbox has its rules" "$output" "$took"
unlike "without being stale" "$output" 'older policy'
succeeds "they count" reaches other.test
is "the same sandbox goes on" "$(live '(s["sandbox"], s["state"])')" \
    "('$sandbox', 'current')"
# as if wardctl had been killed before it told anybody
install -m 0600 /root/before.db /var/lib/ward/policy.db
fails "rules that nobody told of count with the next login" reaches other.test
is "in the same sandbox" "$(live '(s["sandbox"], s["state"])')" \
    "('$sandbox', 'current')"
rm /var/lib/ward/policy.db
like "without a policy nobody gets in" "$(inside 'echo in')" 'W[0-9]{3}'
install -m 0600 /root/before.db /var/lib/ward/policy.db

# the control: what a sandbox is made of is more than its rules
sed -i 's/"filtered"/"none"/' /etc/ward/profiles.d/net.conf
like "another mode makes it stale" "$(wardctl profile apply 2>&1)" \
    'older policy'
