#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# What a row of violations.db says, what makes none, and the rows of sessions
# and commands.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

# violation WHERE COLUMNS: of the rows that fit.
violation()
{
	rows "SELECT $2 FROM violations v
	    JOIN sandboxes b ON b.id = v.sandbox
	    LEFT JOIN sessions s ON s.id = v.session WHERE $1"
}

# said COMMAND: what a shell of agent's says to it, without its own name.
said()
{
	su agent -s /bin/bash -c "$1" 2>&1 | sed 's/^[a-z]*: .*: //'
}

# is_row NAME COMMAND ERROR TARGET WANT: the command fails with the error, and
# is one row of the target; WANT is "OPERATION|ERRNO|RULE".
is_row()
{
	like "$1: it fails" "$(said "$2")" "^.*$3"
	settled
	is "$1: it is a row" "$(violation "target = '$4' ORDER BY v.id" \
	    "operation, errno, rule_file ||
	    CASE WHEN rule_line > 0 THEN ':' || rule_line ELSE '' END")" "$5"
}

# no_row NAME COMMAND ERROR: it fails, or not, and not by Ward.
no_row()
{
	local before
	before=$(rows 'SELECT count(*) FROM violations')
	like "$1: what it says" "$(said "$2")" "$3"
	settled
	is "$1: it is no row" "$(rows "SELECT operation, target
	    FROM violations LIMIT -1 OFFSET $before")" ''
}

all_columns()
{
	local pid sandbox session client
	over_ssh agent 'echo x >/srv/open/whose; exec sleep 4242' \
	    </dev/null >/dev/null 2>&1 &
	client=$!
	wait_for 10 rows_are 'SELECT count(*) FROM violations' 1 || true
	pid=$(pgrep -f 'sleep 4242' | tail -n 1)
	session=$(rows 'SELECT id FROM sessions WHERE ended IS NULL')
	sandbox=$(rows 'SELECT id FROM sandboxes WHERE ended IS NULL')
	is "the row of one refused write" "$(violation 1 "v.kind, v.operation,
	    v.target, v.pid, v.program, v.confirmed, v.errno, v.count,
	    v.profile, v.revision, v.rule_file, v.rule_line, v.session,
	    v.sandbox, b.account, b.uid, s.service, s.rhost")" \
	    "write|openat|/srv/open/whose|$pid|bash|0|30|1|agent|1|built-in|0|$session|$sandbox|agent|$(
	    id -u agent)|sshd|127.0.0.1"
	like "its times are those of the act" "$(violation 1 \
	    "first_at = last_at AND first_at > s.started AND
	    abs(first_at / 1000000 - $(date +%s)) < 15")" '^1$'
	is "the session and the sandbox are open" "$(violation 1 \
	    's.ended IS NULL, b.ended IS NULL')" '1|1'
	pkill -f 'sleep 4242'
	wait "$client" || true
	settled
	is "then both are closed" "$(violation 1 's.reason, b.reason,
	    s.ended > s.started, b.ended >= s.ended')" 'closed|closed|1|1'
}

repeats()
{
	su - agent -c 'for i in 1 2 3 4 5 6 7; do touch /srv/open/again; done' \
	    2>/dev/null || true
	settled
	is "seven times the same is one row" "$(violation \
	    "target = '/srv/open/again'" 'count, last_at > first_at')" '7|1'
	su - agent -c 'touch /srv/open/again; rm -f /srv/open/again
	    echo x >/srv/open/other' 2>/dev/null || true
	settled
	is "another session, place or operation is its own" "$(violation \
	    "target IN ('/srv/open/again', '/srv/open/other')" \
	    'operation, count' | LC_ALL=C sort | xargs)" \
	    'openat|1 openat|1 openat|7 unlinkat|1'
}

rules()
{
	local base=/usr/share/ward/profiles/base.conf
	is_row "a closed write" 'echo x >/srv/open/closed' \
	    'Read-only file system' /srv/open/closed 'openat|30|built-in'
	is_row "a write.deny within a write.allow" \
	    'echo x >/srv/shared/closed/x' 'Read-only file system' \
	    /srv/shared/closed/x \
	    "openat|30|$(rule_line /srv/shared/closed)"
	is_row "a write into a hidden directory" 'echo x >/srv/secret/x' \
	    'Read-only file system' /srv/secret/x \
	    "openat|30|$(rule_line /srv/secret)"
	is_row "a write to a hidden file" 'echo x >>/srv/secret.txt' \
	    'Permission denied' /srv/secret.txt \
	    "openat|13|$(rule_line /srv/secret.txt)"
	is_row "one that would empty a file of root's" \
	    'echo x >/etc/hosts' 'Read-only file system' /etc/hosts \
	    'openat|30|built-in'
	is_row "a write to another's home, which is not there" \
	    'echo x >/home/plain/x' 'No such file or directory' \
	    /home/plain/x "lookup|2|$base:$(grep -nF '"/home"' "$base" |
	        cut -d : -f 1)"
	is_row "a write to a FIFO outside" 'echo x >/srv/open/fifo' \
	    'Permission denied' /srv/open/fifo 'openat|13|built-in'
	is_row "a rename out of a writable place" \
	    'touch /srv/out/m; python3 -c "import os
os.rename(\"/srv/out/m\", \"/srv/open/m\")"' 'Invalid cross-device link' \
	    /srv/open/m 'rename|30|built-in'
	is_row "removing a mount point" 'rmdir /srv/shared/closed' \
	    'Device or resource busy' /srv/shared/closed \
	    "rmdir|16|$(rule_line /srv/shared/closed)"
	is_row "renaming a mount point" 'python3 -c "import os
os.rename(\"/srv/shared/closed\", \"/srv/shared/c\")"' \
	    'Device or resource busy' /srv/shared/closed \
	    "rmdir|16|$(rule_line /srv/shared/closed)
rename|16|$(rule_line /srv/shared/closed)"
	is_row "a link to a closed place" 'ln -s /srv/open /srv/out/to-open
	    echo x >/srv/out/to-open/by-link' 'Read-only file system' \
	    /srv/open/by-link 'openat|30|built-in'
	is_row "a system file of the account's reach" 'rm /etc/hostname' \
	    'Read-only file system' /etc/hostname 'unlinkat|30|built-in'
}

not_wards()
{
	no_row "control: an allowed write" 'echo x >/srv/out/fine && echo done' \
	    '^done$'
	no_row "the home" 'cd && mkdir -p d && touch d/f && mv d/f d/g &&
	    chmod 0640 d/g && rm -r d && echo done' '^done$'
	# shellcheck disable=SC2016 # the account's shell does
	no_row "/tmp, /var/tmp, /dev/shm and the terminal's like" \
	    'for d in /tmp /var/tmp /dev/shm; do touch $d/x; done
	    echo x >/dev/null && echo done' '^done$'
	no_row "its own file without the mode for it" \
	    'cd && touch shut && chmod 0 shut && echo x >shut' \
	    'Permission denied'
	no_row "a file of root's outside" 'echo x >>/etc/passwd' \
	    'Permission denied'
	no_row "a name that is not there" 'echo x >/srv/out/no/x' \
	    'No such file'
	no_row "a directory that exists" 'mkdir /srv/open' 'File exists'
	no_row "a socket that exists" 'python3 -c "import socket
socket.socket(socket.AF_UNIX).bind(\"/srv/open/fifo\")"' 'already in use'
	no_row "a link to what is not there" 'python3 -c "import os
os.link(\"/srv/out/none\", \"/srv/open/linked\")"' 'No such file'
	no_row "control: an abstract address, and one of the network" \
	    'python3 -c "import socket
socket.socket(socket.AF_UNIX).bind(\"\\0/srv/open/abstract\")
socket.socket().bind((\"127.0.0.1\", 0))
print(\"done\")"' '^done$'
	no_row "reading" 'cat /etc/hostname /srv/open/readable' 'wardbox'
	no_row "opening for reading what would be made" \
	    'cat /srv/open/none' 'No such file'
	no_row "between two writable places" \
	    'touch /srv/out/a && mv /srv/out/a /srv/shared/a && echo done' \
	    '^done$'
}

# session_rows: of the ways in, with what is known of each.  By time: each
# sandbox's warden writes for itself, when it comes to it.
session_rows()
{
	over_ssh agent 'exit 3' </dev/null || true
	su - agent -c true
	sudo -u agent true
	sudo -i -u agent true
	runuser -u agent -- true
	settled
	is "each session is a row" "$(rows "SELECT service, rhost, ruser,
	    ended > started, reason FROM sessions WHERE rowid > $1
	    ORDER BY started")" \
	    'sshd|127.0.0.1||1|closed
su-l||root|1|closed
sudo||root|1|closed
sudo-i||root|1|closed
runuser||root|1|closed'
	is "each run of the login shell is one too" "$(rows "SELECT s.service,
	    c.argv, c.pid > 0, c.started >= s.started
	    FROM commands c JOIN sessions s ON s.id = c.session
	    WHERE s.rowid > $1 ORDER BY c.started")" \
	    'sshd|-c exit 3|1|1
su-l|-c true|1|1
sudo-i|-c true|1|1'
	over_ssh agent "printf '%s\\n' 'a  b' \"\$HOME\" *" </dev/null >/dev/null
	settled
	is "a command line is as it was sent" "$(rows 'SELECT argv FROM commands
	    ORDER BY started DESC LIMIT 1')" "-c printf '%s\\n' 'a  b' \"\$HOME\" *"
}

# revisions: a row names the one that its sandbox runs under.
revisions()
{
	sed -i 's,"/srv/shared/closed","/srv/shared/closed"\, "/srv/none",' \
	    /etc/ward/profiles.d/agent.conf
	setting_do wardctl profile apply
	su agent -c 'touch /srv/open/later' 2>/dev/null || true
	settled
	is "a row has the revision that decided" "$(violation \
	    "target LIKE '/srv/open/%' AND target IN ('/srv/open/whose',
	    '/srv/open/later') ORDER BY v.id" 'v.revision')" '1
2'
	sed 's/name    = "agent"/name = "unseen"/
	    s/write:/write: /
	    s/^  filesystem:/  session: { observe = "none"; };\n&/' \
	    /etc/ward/profiles.d/agent.conf >/etc/ward/profiles.d/unseen.conf
	setting_assign unseen
	no_row "with observe none" 'echo x >/srv/open/unseen' \
	    'Read-only file system'
	setting_assign agent
}

# control: the same acts of the account that is not governed.
control()
{
	local file
	for file in /srv/open/whose /srv/shared/closed/x /srv/secret/x \
	    /srv/secret.txt; do
		succeeds "control: plain may write $file" \
		    su plain -c "touch $file"
	done
	is "none of it is a row" "$(violation 'b.account <> "agent"' 1)" ''
}

# wardctls: the rows that wardctl tells, in the columns of told_rows.
wardctls()
{
	wardctl violations --json --limit 0 | python3 -c 'import json, sys
for row in json.load(sys.stdin):
    print(*(row[name] for name in sys.argv[1:]), sep="|")' \
	    id account session operation target pid program count profile \
	    revision rule_file rule_line
}

# told_rows: the same from the store itself.
told_rows()
{
	rows "SELECT v.id, b.account, v.session, operation, target, pid,
	    program, count, v.profile, v.revision, rule_file, rule_line
	    FROM violations v JOIN sandboxes b ON b.id = v.sandbox
	    ORDER BY v.id"
}

# calls: those that the seal refuses and tells of.
calls()
{
	local got before
	before=$(rows 'SELECT max(id) FROM violations')
	install -m 0644 "$(dirname "$0")/61-calls.py" /usr/local/lib/
	got=$(su agent -s /bin/bash -c \
	    'for i in 1 2; do python3 /usr/local/lib/61-calls.py; done')
	settled
	is "system calls that the seal refuses" "$(cut -d '|' -f 2 <<<"$got" |
	    sort | uniq -c | xargs)" '70 EPERM'
	is "are a row each" "$(rows "SELECT target || '|EPERM' FROM violations
	    WHERE id > $before AND kind = 'syscall' AND errno = 1 AND confirmed
	    AND count = 2 AND program = 'python3' AND session IS NOT NULL
	    AND substr(target || ' ', 1, length(operation) + 1) =
	    operation || ' '" | sort)" "$(sort -u <<<"$got")"
	is "and nothing else is" "$(rows "SELECT count(*) FROM violations
	    WHERE id > $before")" 35
	unlike "control: an ungoverned account's are not all refused" \
	    "$(su plain -s /bin/bash -c 'python3 /usr/local/lib/61-calls.py' |
	    grep -c 'EPERM$')" '^35$'
	like "the agent is told" "$(su agent -s /bin/bash -c 'unshare -U true
	    ward why' 2>&1)" 'call unshare 0x10000000: refused'
	settled
}

plan 77
setting
cd /
mkfifo -m 0666 /srv/open/fifo
cat /srv/open/fifo >/dev/null &
reader=$!
echo readable >/srv/open/readable
rm -f /var/lib/ward/violations.db*
all_columns
repeats
rules
not_wards
calls
session_rows "$(rows 'SELECT max(rowid) FROM sessions')"
revisions
control
isnt "control: the store has rows" "$(told_rows)" ''
is "wardctl tells each as it is" "$(wardctls | sort -n)" "$(told_rows)"
is "and of one session its own" "$(wardctl violations --json --session \
    "$(rows 'SELECT session FROM violations WHERE id = 1')" | grep -c '"id"')" 1
kill "$reader"

# What a table has no room for.
long=$(printf 'a%.0s' {1..60} {1..60})
over_ssh agent "echo >/srv/$long" </dev/null >/dev/null 2>&1 || true
settled
like "a long place loses its middle in the table" \
    "$(wardctl violations --limit 1)" ' /srv/a{25}\.\.\.a{47}  '
like "in JSON it is whole" "$(wardctl violations --limit 1 --json)" \
    "\"/srv/$long\""
