#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# The filtered network in what sudo and at start, which run no shell of Ward's:
# the variables, an allowed name and another.  atd gives its jobs the environment
# that at(1) had, and nothing of PAM's: there it is steering that counts.
# shellcheck disable=SC2016 # expanded inside
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"
# shellcheck source=tests/system/net.sh
. "$(dirname "$0")/net.sh"

# job: a line for each: the variables in both cases, and who answers.
cat >/usr/local/bin/job <<'JOB'
#!/bin/sh
for name in http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY; do
	echo "$name $(printenv "$name")"
done
for name in no_proxy NO_PROXY; do
	echo "$name $(printenv "$name")"
done
echo "node $NODE_USE_ENV_PROXY"
for host in allowed.test denied.test; do
	echo "$host $(curl -sS --max-time 20 "http://$host/" 2>&1 | head -n 1)"
	echo "direct $host $(curl -sS --noproxy '*' --max-time 20 \
	    "http://$host/" 2>&1 | head -n 1)"
done
JOB
chmod 0755 /usr/local/bin/job

# has_variables WAY SAID
has_variables()
{
	local name proxies=0
	for name in http https all HTTP HTTPS ALL; do
		case $name in
		[a-z]*) name=${name}_proxy ;;
		*) name=${name}_PROXY ;;
		esac
		if grep -qx "$name http://127.0.0.1:3128" <<<"$2"; then
			proxies=$((proxies + 1))
		fi
	done
	is "$1: both cases of the proxy's variables" "$proxies" 6
	is "$1: what goes without it" \
	    "$(grep -i '^no_proxy' <<<"$2" | cut -d ' ' -f 2 | sort -u)" \
	    'localhost,127.0.0.1,::1'
	is "$1: Node heeds them" "$(grep '^node' <<<"$2")" 'node 1'
}

# tells WAY SAID: its rows.
tells()
{
	is "$1: an allowed name" "$(grep 'allowed.test ' <<<"$2" | xargs)" \
	    'allowed.test WORLD direct allowed.test WORLD'
	like "$1: a denied one, by the proxy" \
	    "$(grep '^denied.test' <<<"$2")" \
	    'ward: denied.test:80 is refused .*use allowed.test'
	like "$1: and dialled" "$(grep '^direct denied.test' <<<"$2")" \
	    'ward: denied.test:80 is refused .*use allowed.test'
}

# by_service SERVICE: its refusals are rows of its session.
by_service()
{
	[ "$(rows "SELECT count(*) > 0 FROM violations v
	    JOIN sessions s ON s.id = v.session
	    WHERE s.service = '$1' AND v.kind = 'network'
	    AND v.target LIKE 'denied.test:%'")" = 1 ]
}

at_is_done()
{
	[ -e /home/.ward/agent/at.done ]
}

plan 12
rsyslogd
net_setup
net_account
is "control: root reaches both" \
    "$(curl -sS http://allowed.test/; curl -sS http://denied.test/)" \
    "$(printf 'WORLD\nWORLD')"
# so that a session that ends takes no process of another's with it
keep_session

said=$(timeout 60 sudo -u agent job 2>&1 </dev/null || true)
has_variables sudo "$said"
tells sudo "$said"

ward_do /usr/sbin/atd
(cd / && echo 'cd /home/agent; job >at.said 2>&1; touch at.done' |
    as_account agent at now) 2>/dev/null
wait_for 90 at_is_done || diag "the job of at does not end"
tells at "$(cat /home/.ward/agent/at.said 2>/dev/null || true)"

for service in sudo atd; do
	succeeds "$service: its refusals are rows of its session" \
	    wait_for 20 by_service "$service"
done
