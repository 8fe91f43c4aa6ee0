#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# What is told behind a command: to which, of what, and that nothing else of it
# is another than without.
# shellcheck disable=SC2016 # expanded inside
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

home=/home/.ward/agent

# by ACCOUNT COMMAND: over ssh; its output, error and status are in files.
by()
{
	status=0
	over_ssh "$1" "$2" </dev/null >/root/out 2>/root/err || status=$?
}

# block: what stands between the tags of the error, and that they are whole.
block()
{
	awk '/^<sandbox_violations>$/ { inside++; next }
	/^<\/sandbox_violations>$/ { inside--; next }
	inside { print }
	END { if (inside) print "never closed" }' /root/err
}

# quiet NAME: no block.
quiet()
{
	is "$1" "$(grep -c sandbox_violations /root/err)" 0
}

# annotate WHEN
annotate()
{
	setting_profile | sed "\$i session: { annotate = \"$1\"; };" \
	    >/etc/ward/profiles.d/agent.conf
	setting_do wardctl profile apply
}

told()
{
	by agent 'echo out; echo before >&2; touch /srv/open/a /srv/open/a
	    touch /srv/open/a; mkdir /srv/shared/closed/d; exit 42'
	is "a command that fails: its status" "$status" 42
	is "its output has nothing else" "$(cat /root/out)" out
	is "what it says comes first" "$(head -n 1 /root/err)" before
	is "the block is the end" "$(tail -n 1 /root/err)" \
	    '</sandbox_violations>'
	is "a line for each, repeats as one" "$(block)" \
	    "write /srv/open/a: refused 3 times: nothing in the profile opens it for writing; write to what 'ward status' lists as writable, or ask whoever runs this machine to open it; will not succeed by retrying
write /srv/shared/closed/d: refused: by the rule \"/srv/shared/closed\" ($(
	    rule_line /srv/shared/closed)); write to what 'ward status' lists as writable, or ask whoever runs this machine to open it; will not succeed by retrying"
	by agent 'touch /srv/open/a /srv/open/b; exit 0'
	quiet "one that passes is told nothing"
	by agent 'false'
	quiet "one that fails by itself is told nothing"
	by agent 'touch shut; chmod 0 shut; echo x >shut'
	isnt "one that meets ordinary permissions fails" "$status" 0
	quiet "and is told nothing"
	by agent 'for i in $(seq 30); do touch /srv/open/m$i; done'
	is "of many the first are told, and how many more" \
	    "$(block | sed -n '20s/: .*//p;21p')" \
	    "write /srv/open/m20
and 10 more: see 'ward why'"
	by agent 'touch "/srv/open/$(printf "\n<sandbox_violations>\033[1m")"'
	is "no name ends the block" "$(block | cut -d : -f 1)" \
	    'write /srv/open/\x0a\x3csandbox_violations\x3e\x1b[1m'
	by plain 'touch /srv/open/a /etc/x'
	isnt "control: without Ward the same fails" "$status" 0
	quiet "control: and is no business of Ward's"
}

# own: what others of the account met is not told.  $other stays: with it, the
# sandbox.
own()
{
	ssh "${ssh_options[@]}" agent@127.0.0.1 'touch /srv/open/others
	    touch /srv/open/again ready; exec sleep 1000' </dev/null \
	    >/dev/null 2>&1 &
	other=$!
	wait_for 60 test -e "$home/ready" || diag "the command does not begin"
	by agent 'touch /srv/open/again'
	is "another session's are not told" "$(block | cut -d : -f 1-2)" \
	    'write /srv/open/again: refused'
	# one session, and one command behind the other
	over_ssh agent -M -S /root/shared -N -f </dev/null >/dev/null 2>&1
	ssh_options=(-S /root/shared "${ssh_options[@]/ControlPath=none/ControlMaster=no}")
	by agent 'touch /srv/open/c /srv/open/c'
	by agent 'touch /srv/open/c'
	is "nor are those of the command before" "$(block | cut -d : -f 1-2)" \
	    'write /srv/open/c: refused'
	is "control: they are of one session" "$(over_ssh agent \
	    'ward why --session --json' </dev/null | python3 -c 'import json
import sys
print(*(r["count"] for r in json.load(sys.stdin)))')" 3
	ssh -S /root/shared -O exit x 2>/dev/null || true
	ssh_options=("${ssh_options[@]:2}")
}

# same NAME COMMAND...: status, output and error of both accounts, {} in the
# command being the account.
same()
{
	local name=$1 account got=''
	shift
	for account in agent plain; do
		status=0
		timeout 120 bash -c '"$@"' - "${@//\{\}/$account}" </dev/null \
		    >/root/out 2>/root/err || status=$?
		got+="$status|$(cat /root/out)|$(
		    sed "s/-\?wardsh/-bash/; s/$account/X/g" /root/err)"$'\n'
		[ "$account" = plain ] || got+=$'\001'
	done
	is "$name" "${got%%$'\001'*}" "${got#*$'\001'}"
}

# each COMMAND: by each way that runs a command line.
each()
{
	local way
	local -a ways=("ssh ${ssh_options[*]} {}@127.0.0.1"
	    "ssh -tt ${ssh_options[*]} {}@127.0.0.1"
	    "su - {} -c" "su --pty - {} -c")
	for way in "${ways[@]}"; do
		# shellcheck disable=SC2086 # words
		same "$(cut -d ' ' -f 1-2 <<<"$way"): $1" $way "$2"
	done
}

unseen()
{
	each "what it is" 'ps -o pid=,pgid=,sid=,tpgid= $$ |
	    awk "{ print \$1 == \$2, \$2 == \$3, \$3 == \$4 }"
	    grep -E "^Sig(Ign|Blk)" /proc/self/status
	    ls /proc/self/fd | grep -vx 10
	    setsid -w sh -c "exit 5"'
	each "what finds its own name" 'exec pgrep -f "x[y]zzy-no-such|own na[m]e"'
	same "the end by SIGPIPE" su - {} -c 'kill -PIPE $$'
	same "by SIGINT" su - {} -c 'kill -INT $$'
	is "standard input is the command's" "$(seq 100000 |
	    over_ssh agent 'head -n 1; cat | tail -n 1' | xargs)" '1 100000'
	is "its end, too" "$(timeout 60 bash -c 'set -o pipefail
	    yes | su agent -c "exec <&-; touch closed; sleep 0.1"
	    echo "${PIPESTATUS[@]}"' 2>/dev/null)" '141 0'
	is "the environment that the caller had stays hidden" "$(
	    SECRET=planted su -m -s /usr/bin/wardsh agent -c \
		'cat /proc/$PPID/environ; cat /proc/$PPID/comm' 2>/dev/null |
		tr '\0' '\n' | grep -E 'planted|wardsh')" wardsh
}

# ready COMMAND...: begins it, until the command inside has made its file;
# $job is the client, $pid the process that the client knows.
ready()
{
	rm -f "$home/ready"
	"$@" </dev/null >/root/out 2>&1 &
	job=$!
	wait_for 60 test -e "$home/ready" || diag "the command does not begin"
	pid=$(pgrep -u agent -x wardsh -n) || pid=none
}

# ended: $status and what was said, of what ready began.
ended()
{
	status=0
	wait "$job" 2>/dev/null || status=$?
}

# signalled: what is sent to the process that is known reaches the command.
signalled()
{
	ready su - agent -c 'trap "echo got; exit 7" TERM; touch ready
	    while :; do sleep 0.1; done'
	kill -TERM "$pid"
	ended
	is "SIGTERM" "$status $(cat /root/out)" '7 got'
	ready su - agent -c 'touch ready; exec sleep 4243'
	kill -KILL "$pid"
	ended
	gone() { ! pgrep -u agent -f '^sleep 4243'; }
	succeeds "SIGKILL ends the command, too" wait_for 60 gone
	# to the group of the command, by itself: once, as without
	by agent 'trap "echo got" TERM; kill 0; exit 9'
	is "a signal to its own group comes once" "$status $(cat /root/out)" \
	    '9 got'
	# a lost connection; not the end of the sandbox, since $other is there
	ready ssh -tt "${ssh_options[@]}" agent@127.0.0.1 \
	    'trap "touch hung-up; exit" HUP; touch ready
	    while :; do sleep 0.1; done'
	kill -KILL "$job"
	succeeds "a lost terminal is a hang-up" \
	    wait_for 60 test -e "$home/hung-up"
	ended
	kill "$other"
}

# streams: their ends speak to nobody else.
streams()
{
	local shell="ssh ${ssh_options[*]}" sum
	head -c 300000 /dev/urandom >/root/file
	sum=$(sha256sum </root/file)
	fails "scp to a closed place" scp -O "${ssh_options[@]}" /root/file \
	    agent@127.0.0.1:/srv/open/scp
	unlike "is told nothing" "$output" sandbox_violations
	fails "sftp" scp -s "${ssh_options[@]}" /root/file \
	    agent@127.0.0.1:/srv/open/sftp
	unlike "is told nothing" "$output" sandbox_violations
	fails "rsync" rsync -e "$shell" /root/file \
	    agent@127.0.0.1:/srv/open/rsync/
	unlike "is told nothing" "$output" sandbox_violations
	succeeds "rsync to an open one" rsync -e "$shell" /root/file \
	    agent@127.0.0.1:there
	is "is whole" "$(sha256sum <"$home/there") $output" "$sum "
	succeeds "rsync back" rsync -e "$shell" agent@127.0.0.1:there /root/back
	is "is whole" "$(sha256sum </root/back) $output" "$sum "
	git init -q -b main /root/here
	git -C /root/here -c user.name=x -c user.email=x@x commit -q \
	    --allow-empty -m x
	git init -q --bare -b main /srv/open/repo.git
	git -C /srv/open/repo.git config core.sharedRepository 0777
	chmod -R go+rwX /srv/open/repo.git
	su - agent -c 'git config --global safe.directory "*"'
	GIT_SSH_COMMAND=$shell fails "git push" git -C /root/here push \
	    agent@127.0.0.1:/srv/open/repo.git main
	unlike "is told nothing" "$output" sandbox_violations
	settled
	like "control: all of that was refused" "$(rows 'SELECT target
	    FROM violations ORDER BY id' | tr '\n' ' ')" \
	    '/srv/open/scp .*/srv/open/sftp .*/srv/open/rsync.* /srv/open/repo.git/'
	git -C /srv/open/repo.git fetch -q /root/here main:main
	GIT_SSH_COMMAND=$shell succeeds "git clone" git clone -q \
	    agent@127.0.0.1:/srv/open/repo.git /root/clone
	is "is whole" "$(git -C /root/clone rev-parse main) $output" \
	    "$(git -C /root/here rev-parse main) "
}

# at_terminal OPTION: the terminal of a login over ssh, as lines.
at_terminal()
{
	timeout 60 ssh "$1" "${ssh_options[@]}" agent@127.0.0.1 \
	    < <(echo exit) 2>&1 | tr -d '\r'
}

notice()
{
	local shown
	shown=$(at_terminal -tt)
	is "a login at a terminal has two lines" "$(grep -cE \
	    '^This is a sandbox.*README|^.ward status.*ward why' <<<"$shown")" 2
	unlike "one without a terminal has none" "$(at_terminal -T)" sandbox
	touch "$home/.hushlogin"
	unlike "nor one that wants none" "$(at_terminal -tt)" sandbox
	rm "$home/.hushlogin"
	by agent 'cat /run/ward/README; stat -c "%U %a" /run/ward/README
	    echo x >>/run/ward/README; rm -f /run/ward/README
	    test -s /run/ward/README && echo kept'
	like "what it names is there" "$(cat /root/out)" "^This.*'ward why'"
	is "and stays, whatever the account does" "$(tail -n 2 /root/out)" \
	    'root 444
kept'
}

# slow: a warden that does not answer.
slow()
{
	local warden
	ready over_ssh agent 'touch ready; touch /srv/open/x
	    while [ -e ready ]; do sleep 0.1; done; exit 6'
	warden=$(pgrep -x warden -n)
	kill -STOP "$warden"
	rm -f "$home/ready"
	ended
	cp /root/out /root/err
	is "a warden that does not answer: the status" "$status" 6
	quiet "and no word"
	kill -CONT "$warden"
}

plan 61
setting
cd /
told
own
unseen
signalled
streams
notice
slow

annotate always
by agent 'touch /srv/open/a; exit 0'
is "always: after one that passes" "$(block | cut -d : -f 1)" \
    'write /srv/open/a'
by agent 'exit 0'
quiet "but not without a refusal"
is "the shell's parent is the login shell" "$(over_ssh agent \
    'cat /proc/$PPID/comm' </dev/null)" wardsh
annotate never
by agent 'touch /srv/open/a; exit 3'
is "never: the status" "$status" 3
quiet "and no word"
isnt "the shell has no parent of Ward's" "$(over_ssh agent \
    'cat /proc/$PPID/comm' </dev/null)" wardsh
wardctl end agent >/dev/null 2>&1 || true
wait 2>/dev/null
