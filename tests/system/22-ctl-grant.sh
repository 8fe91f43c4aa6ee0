#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# What an admin grants for a time, and answers: grants, requests, and what
# profile check says of network rules that can never count.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"

# json EXPRESSION COMMAND...: of its output, which is d.
json()
{
	local expression=$1
	shift
	"$@" | python3 -c "import json, sys
d = json.load(sys.stdin)
print($expression)"
}

# profile LISTS: the account's, with this in its network.
profile()
{
	cat >/etc/ward/profiles.d/mine.conf <<-PROFILE
	profile: { name = "mine"; extends = ( "base" );
	  network: { $1 }; };
	PROFILE
}

# request HOST PORT [TIMES]: as a warden writes it.
request()
{
	python3 - "$@" <<-'PYTHON'
	import sqlite3, sys, time
	host, port = sys.argv[1], int(sys.argv[2])
	db = sqlite3.connect("/var/lib/ward/violations.db", timeout=10)
	(sandbox,) = db.execute("SELECT id FROM sandboxes LIMIT 1").fetchone()
	now = int(time.time() * 1e6)
	db.execute("INSERT INTO requests (account, host, port, count, "
	    "first_at, last_at, sandbox) VALUES (?, ?, ?, ?, ?, ?, ?)",
	    ("agent", host, port, int((sys.argv + [1])[3]), now, now, sandbox))
	db.commit()
	PYTHON
}

# grants EXPRESSION [OPTION...]: of every row g of the list.
grants()
{
	local expression=$1
	shift
	json "*(($expression) for g in d)" wardctl grant list --json "$@"
}

plan 65

wardctl enable >/dev/null
useradd -m plain
profile 'mode = "none";'
wardctl profile apply >/dev/null
wardctl account add agent --profile mine >/dev/null ||
    { diag "no account"; exit 1; }

# what can never count is said, where it stands
profile 'mode = "none"; allow = ( "a.example" );'
exits "check: an allow without a network" 1 wardctl profile check
like "by file and line" "$output" \
    'mine.conf:2: warning: network.allow "a.example" never counts: network.mode is none'
profile 'mode = "filtered"; allow = ( "a.x.example" ); deny = ( "*.x.example" );'
exits "check: an allow that a deny covers" 1 wardctl profile check
like "with what stands against it" "$output" \
    'network.allow "a.x.example" never counts: network.deny "\*.x.example" \(/etc/ward/profiles.d/mine.conf:2\)'
succeeds "it is applied all the same" wardctl profile apply
like "and said again" "$output" 'never counts'
profile 'mode = "filtered"; allow = ( "https://a.example" );'
exits "check: no host" 1 wardctl profile check
like "and what would be right" "$output" \
    'mine.conf:2: network.allow: "https://a.example": an entry is a host, without scheme'

# what came of a profile
profile 'mode = "filtered"; allow = ( "Www.Example" ); deny = ( "*:25" );
    unlisted = "ask"; allow_private = true;
    reasons = ( { match = "*"; say = "ask \"ops\"" ; } );
    deny_addresses = ( "10.0.0.0/8" ); upstream = "http://[::1]:8080";
    no_proxy = ( "*.corp.example" );'
exits "check: all keys" 0 wardctl profile check
succeeds "and apply" wardctl profile apply
shown=$(wardctl profile show mine --effective |
    sed -e 's/  */ /g' -e 's/[ -]*$//')
file=/etc/ward/profiles.d/mine.conf
for line in 'network.mode filtered' \
    "network.allow Www.Example $file:2" "network.deny *:25 $file:2" \
    'network.unlisted ask' "network.reasons *: ask \"ops\" $file:4" \
    'network.allow_private true' \
    "network.deny_addresses 10.0.0.0/8 $file:5" \
    "network.upstream http://[::1]:8080 $file:5" \
    "network.no_proxy *.corp.example $file:6"; do
	is "shown: ${line% */etc*}" "$(grep -cxF "$line" \
	    <<<"$shown")" 1
done
is "as JSON, too" "$(json '*((r["value"], r["line"]) for r in d
    if r["key"] == "network.deny")' \
    wardctl profile show mine --effective --json)" "('*:25', 2)"

# grants
exits "a grant has an end" 2 wardctl grant add agent g.example
exits "which is a time" 2 wardctl grant add agent g.example --for soon
exits "with a unit" 2 wardctl grant add agent g.example --for 60
exits "of a year at most" 2 wardctl grant add agent g.example --for 367d
exits "and not over at once" 2 wardctl grant add agent g.example --for 0s
exits "not of everything" 1 wardctl grant add agent '*' --for 2h
exits "not of a URL" 1 wardctl grant add agent https://g.example --for 2h
like "as network.allow" "$output" 'https://g.example: an entry is a host, without scheme'
exits "not to nobody" 1 wardctl grant add nobody-here g.example --for 2h
exits "not to an ordinary account" 1 wardctl grant add plain g.example --for 2h
is "nothing came of all that" "$(grants 'g["id"]' --all)" ''
succeeds "a grant" env SUDO_USER=ann wardctl grant add agent \
    '*.G.example:443' --for 2h --reason 'release day'
like "says what it is" "$output" \
    'grant 1: agent reaches \*.G.example:443 until 2'
is "who, what, why" "$(grants 'g["account"], g["entry"], g["state"],
    g["granter"], g["reason"], g["revoked"]')" \
    "('agent', '*.G.example:443', 'live', 'ann', 'release day', None)"
like "for people" "$(wardctl grant list | tr -s ' ')" \
    '1 agent \*.G.example:443 live 2'
succeeds "one that a deny covers" wardctl grant add agent mail.example:25 \
    --for 1d
like "says so" "$output" \
    "opens nothing: network.deny \"\*:25\" \($file:2\) stands against it"
succeeds "one of an address" wardctl grant add agent 192.168.7.7 --for 1d
like "says what that is" "$output" '192.168.7.7 is a private address'
is "of one account" "$(grants 'g["id"]' --account plain)" ''
succeeds "revoke" env SUDO_USER=bob wardctl grant revoke 2
exits "only once" 1 wardctl grant revoke 2
exits "no such grant" 1 wardctl grant revoke 99
is "it is kept" "$(json 'd[1]["state"], d[1]["revoker"]' \
    wardctl grant list --all --json)" 'revoked bob'
wardctl grant add agent short.example --for 1s >/dev/null
wait_for 10 sh -c '! wardctl grant list | grep -q short' || true
is "one that is over is, too" "$(json 'd[-1]["state"]' \
    wardctl grant list --all --json)" over

# requests
request 'new.example' 443 7
request '2001:db8::1' 22
request "$(printf 'a\033[31mb\342\200\256c')" 80
is "requests" "$(json '*((r["id"], r["host"], r["port"], r["count"]) for r in d[:2])' \
    wardctl requests --json)" \
    "(1, 'new.example', 443, 7) (2, '2001:db8::1', 22, 1)"
like "what an agent named is shown as text" "$(wardctl requests)" \
    'a\\x1b\[31mb\\u\{202e\}c:80'
is "no control character gets out" \
    "$(wardctl requests; wardctl requests --json)" "$(wardctl requests;
    wardctl requests --json | tr -d '\000-\011\013-\037')"
succeeds "approve" env SUDO_USER=ann wardctl approve 1 --reason 'it is ours'
like "makes a grant, for a day" "$output" \
    'grant 5: agent reaches new.example:443 until 2'
is "which knows its request" "$(grants 'g["request"]' | tr -d ' ')" \
    NoneNone1
is "and so does the request" "$(json '*((r["answer"], r["answerer"], r["grant"],
    r["reason"]) for r in d if r["id"] == 1)' wardctl requests --all --json)" \
    "('approved', 'ann', 5, 'it is ours')"
is "it is not open any more" "$(json '*(r["id"] for r in d)' \
    wardctl requests --json)" '2 3'
exits "nothing is approved twice" 1 wardctl approve 1
like "but what to do instead is said" "$output" \
    'wardctl grant add agent new.example:443 --for'
succeeds "refuse" env SUDO_USER=bob wardctl refuse 2 --reason 'not ours'
exits "nothing is refused twice" 1 wardctl refuse 2
succeeds "somebody thinks again" wardctl approve 2 --for 30m
like "an IPv6 address is in brackets" "$output" 'reaches \[2001:db8::1\]:22 until'
exits "what an agent made up cannot be approved" 1 wardctl approve 3
exits "no such request" 1 wardctl approve 99

# an account that goes takes its grants along, and one that comes finds none
wardctl account remove agent >/dev/null || diag "not removed"
is "grants of an account that went" "$(grants 'g["id"]')" ''
python3 - <<-'PYTHON'
import sqlite3
db = sqlite3.connect("/var/lib/ward/policy.db", timeout=10)
db.execute("UPDATE grants SET account = 'again', revoked = NULL WHERE id = 1")
db.commit()
PYTHON
is "of one that went without wardctl" "$(grants 'g["account"]')" again
like "whose name is used again" "$(wardctl account add again --profile base)" \
    'revoked 1 grant of again'
is "and its grants are not" "$(grants 'g["id"]')" ''
