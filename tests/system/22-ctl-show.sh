#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# What wardctl tells: profiles and their revisions, violations, sessions, and
# an explain that is held against what the account can really do.
# shellcheck disable=SC2016 # su's shell expands what is its to expand
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"

# as_agent COMMAND: in its sandbox.
as_agent()
{
	su - agent -c "$1" </dev/null
}

# json EXPRESSION COMMAND...: of its output, which is d.
json()
{
	local expression=$1
	shift
	"$@" | python3 -c "import json, sys
d = json.load(sys.stdin)
print($expression)"
}

# profile TEXT: the test's own profile.
profile()
{
	printf 'profile: { name = "mine"; extends = ( "base" ); %s };\n' "$1" \
	    >/etc/ward/profiles.d/mine.conf
}

# told PATH: what explain says of it: hidden, readable or writable.
told()
{
	wardctl explain --account agent "$1" | sed -n '1s/^.*: //p'
}

# tried PATH: what the account can do there, tried.  A hidden file cannot be
# opened, a hidden directory is empty, and these places have something in them.
tried()
{
	as_agent "$(declare -f tried_inside); tried_inside '$1'"
}

# shellcheck disable=SC2317 # runs as the account
tried_inside()
{
	local path=$1 probe
	if [ -d "$path" ]; then
		[ -n "$(ls -A "$path" 2>/dev/null)" ] || { echo hidden; return; }
		probe=$path/.probe.$$
		if (: >"$probe") 2>/dev/null; then
			rm "$probe"
			echo writable
		else
			echo readable
		fi
	elif ! cat "$path" >/dev/null 2>&1; then
		echo hidden
	elif (: >>"$path") 2>/dev/null; then
		echo writable
	else
		echo readable
	fi
}

# places: where explain and the sandbox are compared.
places()
{
	cat <<-'PLACES'
	/ readable
	/etc readable
	/etc/passwd readable
	/home/agent writable
	/home/agent/file writable
	/home/agent/kept readable
	/home/agent/to-etc/passwd readable
	/home/agent/to-secrets/file hidden
	/srv/open writable
	/srv/open/closed readable
	/srv/open/closed/file readable
	/srv/link writable
	/srv/secrets/deep hidden
	/srv/secrets/file hidden
	/srv/secrets/shown/file readable
	/srv/secret.txt hidden
	/home/plain hidden
	/root hidden
	/var/log hidden
	PLACES
}

plan $((54 + $(places | wc -l)))

# places of the host, with rights for all, so that only rules decide
useradd -m -s /bin/bash plain
install -d -m 0777 /srv/open /srv/open/closed /srv/secrets /srv/secrets/shown \
    /srv/secrets/deep
for file in /srv/secrets/deep/file /srv/open/file /srv/open/closed/file /srv/secrets/file \
    /srv/secrets/shown/file /srv/secret.txt; do
	echo text >"$file"
	chmod 0666 "$file"
done
ln -s open /srv/link
echo text >/root/file
echo text >/home/plain/file
chmod 0755 /root /home/plain
touch /var/log/file
wardctl enable >/dev/null

# profiles
exits "what is shipped is right" 0 wardctl profile check
profile 'filesystem: { write: { allow = ( "/srv/link" ); }; };'
exits "so is a first one" 0 wardctl profile check
is "it is not applied by that" "$(json 'len(d)' wardctl profile list --json)" 2
succeeds "apply" wardctl profile apply
like "says what was added" "$output" 'profile mine: added, revision 1'
like "and what was not changed" "$output" 'profile base: unchanged, revision 1'
profile 'filesystem: { read: { deny = ( "/srv/secrets", "/srv/secret.txt" );
    allow = ( "/srv/secrets/shown" ); };
    write: { allow = ( "/srv/link" );
    deny = ( "/srv/open/closed", "~/kept" ); }; };'
succeeds "apply again" wardctl profile apply
like "says what was changed" "$output" 'profile mine: changed, revision 2'
before=$(wardctl profile show mine --effective --json)
profile 'filesystm: { };'
exits "check finds a wrong one" 1 wardctl profile check
is "by file and line" "$output" \
    '/etc/ward/profiles.d/mine.conf:1: unknown key filesystm: did you mean filesystem?'
exits "apply refuses it" 1 wardctl profile apply
is "and nothing changed" "$(wardctl profile show mine --effective --json)" \
    "$before"
mv /etc/ward/profiles.d/mine.conf /root/mine.conf
chmod 0644 /root/mine.conf
exits "a file elsewhere can be checked" 1 wardctl profile check /root/mine.conf
like "under its own name" "$output" '^/root/mine.conf:1: unknown key'
exits "by anybody" 0 setpriv --reuid nobody wardctl profile check \
    /usr/share/ward/profiles/strict.conf
like "who is told what that does not read" "$output" "are root's"
like "the text of an older revision" \
    "$(wardctl profile show mine --revision 1)" 'allow = \( "/srv/link" \)'
exits "one that is not there" 1 wardctl profile show mine --revision 9
exits "no number" 2 wardctl profile show mine --revision x
like "effective: merged, by file and line" \
    "$(wardctl profile show mine --effective | tr -s ' ')" \
    'filesystem.read.deny /srv/secrets /etc/ward/profiles.d/mine.conf:1'
like "with what a parent said" \
    "$(wardctl profile show mine --effective | tr -s ' ')" \
    'filesystem.read.deny /root /usr/share/ward/profiles/base.conf:'
like "seccomp" "$(wardctl profile show mine --seccomp | head -n 1)" '^0000: ld'

# explain, and the truth
cat >/etc/ward/profiles.d/mine.conf <<-'PROFILE'
profile: { name = "mine"; extends = ( "base" );
  filesystem: {
    read: { deny = ( "/srv/secrets", "/srv/secret.txt" );
      allow = ( "/srv/secrets/shown" ); };
    write: { allow = ( "/srv/link" );
      deny = ( "/srv/open/closed", "~/kept" ); }; }; };
PROFILE
wardctl account add agent --profile mine >/dev/null ||
    { diag "no account"; exit 1; }
as_agent 'mkdir kept; echo >kept/file; echo >file; ln -s /etc to-etc
    ln -s /srv/secrets to-secrets'
while read -r place state; do
	is "$place: $state" "$(told "$place"), $(tried "$place")" \
	    "$state, $state"
done < <(places)
like "the rule, by file and line" \
    "$(wardctl explain --account agent /srv/open/closed/x)" \
    'writes refused by write.deny "/srv/open/closed" \(/etc/ward/profiles.d/mine.conf:6\)'
like "links, as they lead" "$(wardctl explain --account agent /home/agent/to-etc/passwd)" \
    'link /home/agent/to-etc -> /etc.*is /etc/passwd'
is "as JSON" "$(json 'd[0]["resolved"], d[0]["state"], d[0]["rule"]["line"],
    d[1]["private"]' wardctl explain --json --account agent \
    /srv/link/closed /tmp/x)" '/srv/open/closed readable 6 True'
exits "no such account" 1 wardctl explain --account nobody /
exits "none at all" 2 wardctl explain /

# violations and sessions
as_agent 'touch /etc/one; for i in 1 2 3; do : >/usr/two; done
    : >"/usr/$(printf "a\033[31mb\342\200\256c")"; : >/srv/open/closed/x' \
    2>/dev/null || true
wait_for 10 sh -c 'wardctl violations | grep -q /srv/open/closed/x' || true
is "violations" "$(json '*((v["operation"], v["target"], v["count"],
    v["error"], v["rule_line"]) for v in d if v["target"] in
    ("/usr/two", "/srv/open/closed/x"))' wardctl violations --json)" \
    "('openat', '/usr/two', 3, 'EROFS', 0) ('openat', '/srv/open/closed/x', 1, 'EROFS', 6)"
like "what an agent named is shown as text" "$(wardctl violations)" \
    '/usr/a\\x1b\[31mb\\u\{202e\}c'
is "no control character gets out" "$(wardctl violations;
    wardctl violations --json)" "$(wardctl violations;
    wardctl violations --json | tr -d '\000-\011\013-\037')"
is "of nobody else" "$(json 'len(d)' wardctl violations --account plain \
    --json)" 0
is "the newest" "$(json 'd[0]["target"]' wardctl violations --limit 1 --json)" \
    /srv/open/closed/x
is "none since a moment that is to come" "$(json 'len(d)' wardctl violations \
    --since 2099-01-01 --json)" 0
exits "no time" 2 wardctl violations --since soon
session=$(json 'd[-1]["session"]' wardctl violations --json)
is "of one session" "$(json 'len(set(v["session"] for v in d))' \
    wardctl violations --session "$session" --json)" 1
is "which is among the sessions" "$(json "[s['service'] for s in d
    if s['session'] == '$session']" wardctl sessions --json)" "['su-l']"
is "of a kind" "$(json 'set(v["kind"] for v in d)' wardctl violations \
    --kind write --json)" "{'write'}"
is "of a kind that there is not" "$(json 'len(d)' wardctl violations \
    --kind none --json)" 0
is "of a target" "$(json 'set(v["target"] for v in d)' wardctl violations \
    --target /usr/two --json)" "{'/usr/two'}"
is "of those that begin so" "$(json 'len(d), all(v["target"].startswith("/usr/")
    for v in d)' wardctl violations --target '/usr/*' --json)" '2 True'
is "counted by target, the most first" "$(json \
    'd[0]["target"], d[0]["count"], d[0]["rows"]' \
    wardctl violations --kind write --group-by target --json)" '/usr/two 3 1'
is "by rule, those that fit" "$(json '[g["rule"].split("/")[-1] for g in d]' \
    wardctl violations --group-by rule --target '/srv/open/*' --json)" \
    "['mine.conf:6']"
exits "by no column" 2 wardctl violations --group-by colour
is "a session begins, runs what it runs, and is refused" "$(json \
    '*dict.fromkeys(e["event"] for e in d),
    d[1]["text"].startswith("-c touch /etc/one"),
    d == sorted(d, key=lambda e: e["from"])' \
    wardctl session show "$session" --json)" \
    'session command violation True True'
is "with all its violations" "$(json 'sorted(e["id"] for e in d
    if e["event"] == "violation")' wardctl session show "$session" --json)" \
    "$(json 'sorted(v["id"] for v in d)' \
    wardctl violations --session "$session" --json)"
exits "no such session" 1 wardctl session show $'\e[1mx'
is "which is shown as text" "$output" \
    'wardctl: there is no session \x1b[1mx'
like "a report" "$(wardctl report --account agent)" \
    'Sessions.*agent .*by kind.* write.*refused most.* /usr/two.*mine.conf:6'
unlike "nothing of another's" "$(wardctl report --account plain)" '/usr/two'
like "and what there is none of says so" "$(wardctl report --account plain)" \
    $'Sessions\nnone\n.*by kind\nnone\n.*not recorded\nnone$'
exits "no such column" 2 wardctl violations --group-by nothing
like "and those that there are" "$output" \
    'nothing: no such column; there are account session .* rule'
told=$(wardctl violations --group-by target; wardctl report
    wardctl session show "$session")
is "no control character gets out of these, either" "$told" \
    "$(tr -d '\000-\011\013-\037' <<<"$told")"
su - agent -c 'exec sleep 1000' </dev/null >/dev/null 2>&1 &
wait_for 10 sh -c 'wardctl sessions --open --json | grep -q su-l' || true
is "one that is open" "$(json 'len(d), d[0]["ended"]' \
    wardctl sessions --open --json)" '1 None'
pkill -KILL -u agent
