#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# ward explain, inside: it says what wardctl explain says, and what happens.
# shellcheck disable=SC2016 # expanded inside
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

# inside COMMAND: by agent, in a session; what it says.
inside()
{
	su - agent -c "$1" </dev/null
}

# networked: the profile has a network, which names a few hosts, and a socket.
networked()
{
	local network='mode = "filtered"; allow = ( "allowed.test:443",'
	network+=' "*.wide.test" ); deny = ( "denied.test", "no.wide.test" );'
	local said='{ match = "denied.test"; say = "use allowed.test"; }'
	sed -i -e "\$i network: { $network reasons = ( $said ); };" \
	    -e '$i unix_sockets: { allow = ( "/srv/open/socket" ); };' \
	    /etc/ward/profiles.d/agent.conf
	setting_do wardctl profile apply
}

# questions: paths, spelt in several ways, sockets and hosts.
questions()
{
	local place
	for place in / /etc/passwd /srv /srv/out /srv/out/new/deep /srv/open \
	    /srv/open/x /srv/shared /srv/shared/closed /srv/shared/closed/x \
	    /srv/secret /srv/secret/file /srv/secret.txt /srv/link \
	    /srv/link/x /srv/out/dangling /srv/out/loop /none/at/all \
	    \~ \~/x/y /home/agent /home/plain /tmp/x /run /var/log /root; do
		printf '%s\n' "$place" "unix:$place" "${place%/}//./z"
	done
	printf '%s\n' unix:/srv/open/socket unix:socket /srv/out/../open
	for place in allowed.test denied.test a.wide.test no.wide.test \
	    wide.test other.test 192.0.2.1 127.0.0.1 '[::1]' 10.1.2.3 \
	    8.8.8.8 ALLOWED.test bad..name 0x7f.1 xn--a.test; do
		printf '%s\n' "$place" "$place:22" "$place:443"
	done
}

# verdicts: of either's JSON, one a line, what both have.
verdicts()
{
	python3 -c 'import json, sys
for row in json.load(sys.stdin):
    print(row.get("asked", row.get("path")), row.get("port") or "-",
        row.get("socket") or row.get("state") or row.get("verdict"))'
}

plan 12
setting
networked
ln -s /srv/secret /srv/link
ln -s /srv/shared/closed/none /srv/out/dangling
ln -s loop /srv/out/loop
cd /
mapfile -t asked < <(questions)
printf -v words ' %q' "${asked[@]}"
inside "ward explain --json$words" >/root/inside.json 2>/root/err || true
wardctl explain --account agent --json "${asked[@]}" >/root/outside.json
is "it says nothing else" "$(cat /root/err)" ''
verdicts </root/inside.json >/root/inside
verdicts </root/outside.json >/root/outside
is "the same as wardctl explain, to each question" \
    "$(diff /root/inside /root/outside)" ''
is "control: there are many" "$(($(wc -l </root/inside) > 120))" 1
is "and all verdicts" "$(cut -d ' ' -f 3 /root/inside | sort -u | xargs)" \
    'allowed closed hidden open own readable refused writable'

# what is said is what happens
wrong=$(inside 'ward explain --json /srv/out/a /srv/open/a /srv/shared/closed/a \
    /tmp/a ~/a /etc/a /srv/shared/a | python3 -c "import json, sys
for row in json.load(sys.stdin):
    try:
        open(row[\"resolved\"], \"w\").close()
        done = True
    except OSError:
        done = False
    if done != (row[\"verdict\"] == \"writable\"):
        print(row)
print(\"tried\")"')
is "files can be made where it says so, and nowhere else" "$wrong" tried
is "hosts are reached where it says so" "$(inside '
    for host in denied.test:443 other.test:80 no.wide.test:80; do
	ward explain $host | head -n 1
	curl -s -o /dev/null --max-time 20 -w "%{http_connect}%{http_code} " \
	    -x http://127.0.0.1:3128 http://$host/
    done' | sed 's/ at port.*:/:/' | xargs)" \
    'denied.test:443: refused 000403 other.test:80: refused 000403 no.wide.test:80: refused 000403'
like "for people: the path and its rule" "$(inside \
    'ward explain /srv/shared/closed/x')" \
    "^/srv/shared/closed/x: readable.*$(rule_line /srv/shared/closed)"
like "the host and the profile's words" "$(inside \
    'ward explain denied.test:22')" 'refused.*use allowed.test'
setting_do wardctl grant add agent other.test:80 --for 1h
like "a grant counts at once" "$(inside 'ward explain other.test:80')" allowed
is "asking leaves no row" "$(rows "SELECT target FROM violations WHERE
    target LIKE '%link%' OR target LIKE '%secret%'")" ''
status=0
inside 'ward explain a:0' >/root/out 2>&1 || status=$?
is "what is no question is said" "$status $(cat /root/out)" \
    '1 ward: a port is a number from 1 to 65535'
status=0
ward explain /etc >/root/out 2>&1 || status=$?
is "outside nobody answers" "$status" 1
wardctl end agent >/dev/null 2>&1 || true
