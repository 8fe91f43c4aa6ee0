#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# ward request: an agent asks for a host, an admin reads why and answers, and a
# live sandbox has it; what a rule decides is not asked for, and what an agent
# says is kept as it is, encoded and bounded.
# shellcheck disable=SC2016 # expanded inside
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

# inside COMMAND: by agent, in a session; what it says.
inside()
{
	su - agent -c "$1" 2>&1 </dev/null
}

# networked MODE UNLISTED
networked()
{
	local network="mode = \"$1\"; unlisted = \"$2\";"
	[ "$1" = none ] || network+=' allow = ( "allowed.test:443",
	    "inner.test" ); deny = ( "denied.test" );
	    reasons = ( { match = "denied.test"; say = "use allowed.test"; } );'
	setting_profile | sed "\$i network: { ${network//$'\n'/ } };" \
	    >/etc/ward/profiles.d/agent.conf
	setting_do wardctl profile apply
}

# open_ones: what nobody answered: host, port, why, how often.
open_ones()
{
	wardctl requests --json | python3 -c 'import json, sys
for row in json.load(sys.stdin):
    print(row["host"], row["port"], row["why"], row["count"], row["session"] is not None)'
}

# filed N: that many are there; they are written a moment later.
filed()
{
	[ "$(open_ones | wc -l)" = "$1" ]
}

# exits_with COMMAND: its exit status, behind what it said.
exits_with()
{
	local status=0
	inside "$1" || status=$?
	echo "status $status"
}

plan 20
setting
networked filtered deny
cd /
like "what no rule names is asked for" \
    "$(exits_with 'ward request Forge.TEST:8443 --reason "to push"')" \
    '^Forge.TEST at port 8443: whoever runs this machine is asked.*status 0$'
wait_for 10 filed 1 || true
is "an admin sees it, and why" "$(open_ones)" 'forge.test 8443 to push 1 True'
like "also in the list for people" "$(wardctl requests)" \
    'WHY.*forge\.test:8443 +to push'
inside 'ward request forge.test:8443 --reason "once more"' >/dev/null
inside 'ward request forge.test:8443 --reason "and once more"' >/dev/null
settled
is "asked again it is one row, with the last reason" "$(open_ones)" \
    'forge.test 8443 and once more 3 True'
is "a port is 443 where none is said" \
    "$(inside 'ward request other.test --reason x --json' | python3 -c '
import json, sys
print(json.load(sys.stdin))')" "$(python3 -c 'print([{"asked": "other.test",
    "port": 443, "verdict": "refused", "filed": True,
    "text": "other.test:443 is refused: no rule allows it; trying again will " +
        "not succeed: ask the admin to allow it"}])')"
like "what a rule denies is not" \
    "$(exits_with 'ward request denied.test:443 --reason x')" \
    'nothing to ask for.*denied\.test.*use allowed\.test.*status 1$'
like "what is allowed is not" \
    "$(exits_with 'ward request allowed.test:443 --reason x')" \
    'nothing to ask for.*allowed.*status 0$'
like "no host is none" "$(exits_with 'ward request bad..name:443 --reason x')" \
    'nothing to ask for.*status 1$'
like "no port is none" "$(exits_with 'ward request a:0 --reason x')" \
    'a port is a number from 1 to 65535.*status 1$'
like "no reason is none" "$(exits_with 'ward request a.test')" \
    'say what it is needed for, with --reason.*status 1$'
like "a reason has a length" "$(exits_with \
    'ward request a.test --reason "$(printf %0600d 1)"')" \
    'the reason can have 511 bytes at most.*status 1$'
settled
is "and none of these is filed" "$(open_ones | wc -l)" 2
inside $'ward request evil.test --reason $\'a\\e[31m\\nward: approved\\r\'' \
    >/dev/null
settled
is "what cannot be seen is encoded" \
    "$(wardctl requests | grep -c $'\e\\|^ward: approved')|$(wardctl requests |
        grep -oF 'a\x1b[31m\x0award: approved\x0d')" \
    '0|a\x1b[31m\x0award: approved\x0d'

id=$(rows "SELECT id FROM requests WHERE host = 'forge.test'")
inside 'ward explain forge.test:8443 | head -n 1
    touch /srv/out/waits
    until [ -e /srv/out/go ]; do sleep 0.1; done
    ward explain forge.test:8443 | head -n 1' >/root/live &
wait_for 30 test -e /srv/out/waits || true
setting_do wardctl approve "$id" --for 1h
touch /srv/out/go
wait
is "approved, the live sandbox has it" "$(cat /root/live)" \
    $'forge.test:8443 at port 8443: refused\nforge.test:8443 at port 8443: allowed'
like "and there is nothing more to ask for" \
    "$(exits_with 'ward request forge.test:8443 --reason x')" \
    'nothing to ask for.*allowed by grant 1.*status 0$'
id=$(rows "SELECT id FROM requests WHERE host = 'other.test'")
setting_do wardctl refuse "$id" --reason "no"
inside 'ward request other.test --reason "please"' >/dev/null
settled
is "what was refused opens no new one" "$(open_ones | cut -d ' ' -f 1)" \
    evil.test
is "but its last reason is kept" "$(rows "SELECT answer, why FROM requests
    WHERE host = 'other.test'")" 'refused|please'

inside 'for i in $(seq 300); do
    ward request "h$i.test" --reason "$i" >/dev/null; done'
settled
is "a flood is bounded, and counted" \
    "$(open_ones | wc -l) $(rows 'SELECT sum(count) FROM requests_dropped')" \
    '100 201'
networked none deny
like "without a network there is nothing to ask for" \
    "$(exits_with 'ward request late.test --reason x')" \
    'nothing to ask for.*status 1$'
like "outside nobody answers" "$(ward request a.test --reason x 2>&1 || true)" \
    'no warden answers'
