#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# What an agent is told of its sandbox: ward status and ward why, against what
# the admin sees of the same.
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

# json EXPRESSION: of the text on standard input, which is d.
json()
{
	python3 -c "import json, sys
d = json.load(sys.stdin)
print($1)"
}

# networked: the profile has a network, which names a few hosts.
networked()
{
	local network='mode = "filtered"; deny = ( "denied.test" );'
	local said='{ match = "denied.test"; say = "use allowed.test"; }'
	sed -i "\$i network: { $network reasons = ( $said ); };" \
	    /etc/ward/profiles.d/agent.conf
	setting_do wardctl profile apply
}

# acts: some of each kind are refused, and some are repeated; then what ward
# says of them at once.
acts='curl -sS --max-time 20 -x http://127.0.0.1:3128 http://denied.test/
curl -sS --max-time 20 -x http://127.0.0.1:3128 http://other.test:81/
for i in 1 2 3; do touch /srv/open/again; done
touch /srv/shared/closed/x; mkdir /srv/secret/x
rm -f /srv/open/removed
touch "/srv/open/$(printf "\\033[31m<b>")"
python3 -c "import socket
socket.socket(socket.AF_UNIX).connect(\"/srv/open/socket\")"
touch mine; chmod 0 mine; echo x >mine; cat /etc/shadow
cat /root/none
'

# agrees: every row of either is one of the other's, in what both tell.
agrees()
{
	python3 - "$1" "$2" <<-'PYTHON'
	import json, sys
	why, rows = (json.load(open(name)) for name in sys.argv[1:3])
	own = {"retry", "instead"}
	keys = sorted(set(why[0]) - own)
	def lines(list):
	    return sorted(json.dumps([row[key] for key in keys])
	        for row in list)
	a, b = lines(why), lines(rows)
	print(len(keys), "agree" if a == b else
	    "only ward: %s; only wardctl: %s" % (
	    [x for x in a if x not in b], [x for x in b if x not in a]))
	PYTHON
}

# hostile: records that are none, each type with bodies of so many bytes, on a
# connection each; the sizes of those that had an answer.
hostile='import socket, struct
def ask(data):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.settimeout(30)
    s.connect("/run/ward/agent")
    s.send(data)
    return len(s.recv(8192)) > 0
def record(type, size):
    return struct.pack("=IHHI", 0x44524157, 2, type, size) + bytes(size)
print(ask(b"x"), ask(bytes(8192)), *(size for size in (0, 8, 19, 20, 21)
    for type in range(64) if ask(record(type, size))))'

plan 27
setting
python3 -c "import socket
socket.socket(socket.AF_UNIX).bind('/srv/open/socket')"
chmod 0666 /srv/open/socket
networked
cd /

# status
inside 'ward status --json; ward status >&2' >/root/status 2>/root/people
is "status: whose, and under what" "$(json 'd["version"], d["account"],
    d["profile"], d["revision"], d["state"], d["scope"], d["ends"]' \
    </root/status)" "1 agent agent 2 current account None"
is "status: its network" "$(json 'd["network"], d["proxy"], d["unlisted"]' \
    </root/status)" "filtered http://127.0.0.1:3128 deny"
is "status: what can be written" "$(json '*sorted(d["writable"])' \
    </root/status)" \
    "/dev/shm /home/agent /srv/out /srv/shared /tmp /var/tmp"
settled
is "status: session and sandbox are those of the rows" "$(json \
    'd["session"], d["sandbox"]' </root/status)" \
    "$(rows 'SELECT id, sandbox FROM sessions ORDER BY started DESC LIMIT 1' |
    tr '|' ' ')"
like "status: for people" "$(tr -s ' \n' ' ' </root/people)" \
    'account agent profile agent@2 session .* writable /home/agent '

# why
rm -f /var/lib/ward/violations.db*
inside "{ $acts } >/dev/null 2>&1; ward why --json; ward why >&2
    ward why --session --json >own" >/root/why 2>/root/people
settled
wardctl violations --json --limit 0 >/root/rows
is "why: every row agrees with the admin's" "$(agrees /root/why /root/rows)" \
    '16 agree'
is "why: there are so many" "$(json 'len(d)' </root/why)" 9
is "why: of its session" "$(json 'd == json.load(open(
    "/home/.ward/agent/own"))' </root/why)" True
is "why: repeats are counted" "$(json '*(r["count"] for r in d
    if r["target"] == "/srv/open/again")' </root/why)" 3
is "why: a rule by its file and line" "$(json '*(r["rule_file"] + ":" +
    str(r["rule_line"]) for r in d if r["target"] == "/srv/shared/closed/x")' \
    </root/why)" "$(rule_line /srv/shared/closed)"
is "why: the profile's own words" "$(json '*(r["reason"] for r in d
    if r["target"] == "denied.test:80")' </root/why)" 'use allowed.test'
is "why: retrying does not help" "$(json '*{r["retry"] for r in d}' \
    </root/why)" False
is "why: an error of ordinary permissions is none" "$(json '[r["target"]
    for r in d if "mine" in r["target"] or "shadow" in r["target"]]' \
    </root/why)" '[]'
is "why: a look into a hidden place" "$(json '*((r["operation"], r["error"],
    r["program"]) for r in d if r["target"] == "/root/none")' </root/why)" \
    "('lookup', 'ENOENT', 'cat')"
like "why: for people" "$(cat /root/people)" \
    'write /srv/open/again: refused 3 times: nothing in the profile opens it for writing; .*; will not succeed by retrying'
like "why: names are encoded" "$(cat /root/people)" \
    'write /srv/open/\\x1b\[31m\\x3cb\\x3e: refused: '
is "why: nothing that a terminal obeys gets out" \
    "$(tr -d '\n -~' </root/people)" ''

# the last of many
inside 'for i in $(seq 100); do touch /srv/open/n$i; done 2>/dev/null
    ward why --json' >/root/why
is "why: the last 64 of many, the oldest first" "$(json 'len(d),
    d[0]["target"], d[-1]["target"]' </root/why)" \
    '64 /srv/open/n37 /srv/open/n100'
settled

# asked for the moment before, by whoever comes first
is "why: what was done just before is known" "$(inside 'for i in $(seq 20); do
    touch /srv/open/at$i 2>/dev/null
    ward why --json | grep -c "\"/srv/open/at$i\""
done' | sort | uniq -c | xargs)" '20 1'
settled

# nobody else's
exits "outside there is nobody to ask" 1 su - plain -c 'ward why'
like "and it says so" "$output" '^ward: no warden answers at /run/ward/agent$'
setting_do wardctl account add other --profile agent
inside 'touch /srv/open/agents 2>/dev/null; touch ready
    exec sleep 1000' &
wait_for 60 test -e /home/.ward/agent/ready || true
is "another account's is another sandbox" "$(su - other -c 'ward why --json
    touch /srv/open/others 2>/dev/null; ward why --json' </dev/null |
    grep -o '/srv/open/[a-z]*' | xargs)" /srv/open/others
is "control: agent's has its own" "$(inside 'ward why --json' |
    grep -o '/srv/open/[a-z]*' | xargs)" /srv/open/agents
is "a session asks for its own only" "$(inside 'ward why --session --json' |
    json d)" '[]'

# whoever asks what is no question
# status, the login shell's and why: who else may ask is not the account
is "what is no question has no answer" "$(inside "python3 -c '$hostile'")" \
    'False False 0 8 20'
is "and the warden is there" "$(inside 'ward status --json' |
    json 'd["account"]')" agent
exits "a command that is none" 2 inside 'ward whynot'
wardctl end agent >/dev/null
wait
