#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# What wardctl explain says of hosts: every row of the table that the decision
# is tested with, and what it says to people.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")

# profile LISTS: the account's, with this in its network.
profile()
{
	cat >/etc/ward/profiles.d/mine.conf <<-PROFILE
	profile: { name = "mine"; extends = ( "base" );
	  network: { $1 }; };
	PROFILE
	wardctl profile apply >/dev/null 2>&1
}

# told OPERAND...: what explain says.
told()
{
	wardctl explain --account agent "$@"
}

plan 26

file=/etc/ward/profiles.d/mine.conf
wardctl enable >/dev/null
profile 'mode = "none";'
wardctl account add agent --profile mine >/dev/null ||
    { diag "no account"; exit 1; }

is "no network" "$(told example.org:443)" "example.org:443: refused
    the account is told: this sandbox has no network: network.mode of its profile is none"

profile 'mode = "filtered"; allow = ( "Www.Example", "203.0.113.9:22" );
    deny = ( "*:25" ); unlisted = "deny";
    reasons = ( { match = "forge.example:22"; say = "push over https"; } );'
is "allowed, by which line" "$(told WWW.example.:443)" \
    "WWW.example.:443: allowed
    www.example:443 is allowed by \"allow Www.Example\" ($file:2)"
is "refused, by which line" "$(told www.example:25)" \
    "www.example:25: refused
    the account is told: www.example:25 is refused by \"deny *:25\" ($file:3); trying again will not succeed"
is "without a port: both that the web has" \
    "$(told www.example | grep -v '^ ')" \
    "www.example at port 443: allowed
www.example at port 80: allowed"
is "an address" "$(told 203.0.113.9:22 203.0.113.9:80 | grep -v '^ ')" \
    "203.0.113.9:22: allowed
203.0.113.9:80: refused"
is "an IPv6 address needs no brackets without a port" \
    "$(told 2001:db8::1 '[2001:db8::1]:22' | grep -v '^ ')" \
    "2001:db8::1 at port 443: refused
2001:db8::1 at port 80: refused
[2001:db8::1]:22: refused"
like "with the profile's reason" "$(told forge.example:22)" \
    'the account is told: .*no rule allows it: push over https'
like "what the name stands for counts" \
    "$(told --address 169.254.169.254 www.example:443)" \
    '^www.example:443: refused.*metadata'
like "a private address, too" "$(told --address 10.0.0.1 www.example:443)" \
    '^www.example:443: refused.*a private address.*allow_private would open it'
like "one on the internet is dialled" \
    "$(told --address 93.184.216.34 www.example:443)" \
    '^www.example:443: allowed'
like "one of this machine's own is not" "$(
    ip address add 93.184.216.77/32 dev lo
    told --address 93.184.216.77 www.example:443
    ip address del 93.184.216.77/32 dev lo)" \
    "refused.*an address of this machine's own"
exits "no address" 2 wardctl explain --account agent --address here \
    www.example
like "a URL is no host" "$(told https://www.example/)" \
    'refused.*this names no host'
exits "no port" 1 wardctl explain --account agent www.example:http
exits "neither is that" 1 wardctl explain --account agent www.example:65536
like "a path beside a host" "$(told /etc/passwd www.example:443)" \
    '^/etc/passwd: readable.*www.example:443: allowed'
like "what somebody made up is shown as text" \
    "$(told "$(printf 'a\033[31mb')")" '^a\\x1b\[31mb at port 443: refused'

# requests and grants
profile 'mode = "filtered"; unlisted = "ask"; deny = ( "d.y.example" );
    upstream = "http://proxy.example:3128"; no_proxy = ( "near.y.example" );'
like "what is filed as a request" "$(told g.y.example:443)" \
    'a request was filed'
like "and what is not" "$(told d.y.example:443)" 'will not succeed'
SUDO_USER=ann wardctl grant add agent '*.y.example:443' --for 1h \
    --reason 'release day' >/dev/null
like "a grant, by whom and until when" "$(told g.y.example:443)" \
    'g.y.example:443 is allowed by grant 1.*by "\*.y.example:443", of ann, until 2.*: release day'
like "by way of the proxy" "$(told g.y.example:443)" \
    'through http://proxy.example:3128'
unlike "or not" "$(told near.y.example:443)" 'through'
like "a deny wins" "$(told d.y.example:443)" "refused by \"deny d.y.example\""
is "as JSON" "$(wardctl explain --account agent --json g.y.example:443 |
    python3 -c 'import json, sys
d, = json.load(sys.stdin)
print(d["host"], d["port"], d["verdict"], d["ground"], d["rule"],
    d["grant"]["granter"], d["grant"]["reason"])')" \
    'g.y.example 443 allowed grant None ann release day'

# the table
is "every row of the table" \
    "$(python3 "$here/decision-table.py" /tables/decision.table)" \
    "$(grep -vE '^(#|$)' /tables/decision.table |
	awk 'NF >= 5 { n++; if ($1 ~ /\\x00/ || $1 == ":") left++ }
	    END { printf "%d rows, %d left", n - left, left }')"
# the control: a row that is wrong is found
sed -e 's/^example.com  *443 - allowed example.com$/example.com 443 - refused unlisted/' \
    -e '/^policy literals/,$d' /tables/decision.table >/root/wrong.table
like "a row that is wrong is found" \
    "$(python3 "$here/decision-table.py" /root/wrong.table)" \
    "decision.table:[0-9]*: \('allowed', 'example.com'\), not \('refused', 'unlisted'\)"
