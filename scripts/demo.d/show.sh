#!/bin/bash
# SPDX-License-Identifier: ISC
# What scripts/demo shows, inside of its box, as root: Ward is installed there,
# and nothing else is prepared.  Every act says how it must come out; the first
# that comes out otherwise ends the demo with 1.
set -eu -o pipefail

key=/root/agent.key
wrong=0

# title WORDS: a heading.
title()
{
	printf '\n== %s\n' "$*"
}

# told COMMAND...: shows a command of root's and runs it.
told()
{
	printf '# %s\n' "$*"
	"$@" 2>&1 | sed 's/^/    /'
}

# act ok|refused SHOWN COMMAND...: shows it as SHOWN, runs it, prints what it
# said, and holds its exit status against what it must be.
act()
{
	local wanted=$1 shown=$2 status=0 said came
	shift 2
	printf '$ %s\n' "$shown"
	said=$("$@" 2>&1 </dev/null) || status=$?
	[ -z "$said" ] || printf '%s\n' "$said" | sed 's/^/    /'
	came=ok
	[ "$status" -eq 0 ] || came=refused
	if [ "$came" != "$wanted" ]; then
		printf '!!! this was to be %s, and ended with %d\n' \
		    "$wanted" "$status"
		wrong=1
	fi
}

# by_ssh ok|refused COMMAND: as the agent.
by_ssh()
{
	act "$1" "ssh box '$2'" ssh box "$2"
}

# What each way in is asked: whose process 1 it sees, and whether it can write
# to a directory that is open to all.
# shellcheck disable=SC2016 # the shell inside expands it
probe='(: >/srv/open/probe) 2>&- && w=yes || w=no
echo "process 1 is of $(stat -c %U /proc/1), writes to /srv/open: $w"'

# way NAME EXPECTED COMMAND...: what the probe says when it comes in so.
way()
{
	local name=$1 wanted=$2 said
	shift 2
	said=$("$@" 2>&1 </dev/null) || true
	printf '    %-28s %s\n' "$name" "$said"
	case $said in
	*"$wanted"*) ;;
	*)
		printf '!!! not "%s"\n' "$wanted"
		wrong=1
		;;
	esac
}

# A person's account, and something of hers that any account can read.
make_alice()
{
	useradd --create-home --shell /bin/bash alice
	chmod 755 /home/alice
	echo 'the code is 4711' >/home/alice/notes
	chmod 644 /home/alice/notes
	mkdir -m 777 /srv/open
	su alice -c 'umask 0; echo hers >/srv/open/plan'
}

# Only the machine's own loopback interface, which is the box's.
start_sshd()
{
	local tries=50
	/usr/sbin/sshd -o ListenAddress=127.0.0.1
	until (: </dev/tcp/127.0.0.1/22) 2>/dev/null; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || { echo 'sshd does not start' >&2; exit 1; }
		sleep 0.1
	done
	install -d -m 700 /root/.ssh
	{ printf 'box '; cat /etc/ssh/ssh_host_ed25519_key.pub; } \
	    >/root/.ssh/known_hosts
	cat >/root/.ssh/config <<-CONFIG
	Host box
	    HostName 127.0.0.1
	    HostKeyAlias box
	    User agent
	    IdentityFile $key
	    BatchMode yes
	    LogLevel ERROR
	CONFIG
}

setting_up()
{
	title "An admin enables Ward, and makes an agent account that one key opens"
	ssh-keygen -q -t ed25519 -N '' -C agent -f "$key"
	told wardctl enable
	told wardctl account add --profile base --key "$key.pub" agent
	make_alice
	start_sshd
}

logging_in()
{
	title "A login over ssh lands in the sandbox; no wrapper was started"
	by_ssh ok 'id -un; pwd; echo hello >file; cat file'
	by_ssh ok 'ps ax -o pid,user,args'
	by_ssh refused 'touch /etc/cron.d/mine'
	by_ssh refused 'mkdir /root/.ssh'
	by_ssh refused 'echo mine >/srv/open/plan'
	by_ssh refused 'cat /home/alice/notes'
	by_ssh refused 'sudo -n true'
	by_ssh refused 'curl -s --fail-with-body http://example.org/'
	by_ssh refused 'kill -9 1'
	by_ssh refused 'unshare --user --map-root-user true'
}

other_ways()
{
	local inside='ward-egress, writes to /srv/open: no'
	title "So does every other way into the account"
	way 'su - agent' "$inside" su - agent -c "$probe"
	way 'su -s /bin/sh agent' "$inside" su -s /bin/sh agent -c "$probe"
	way 'sudo -u agent' "$inside" sudo -u agent sh -c "$probe"
	way 'runuser -u agent' "$inside" runuser -u agent -- sh -c "$probe"
	way 'sftp: ls /home' '/home/agent ' sftp_list
	way 'ssh -W to the host'\''s sshd' 'Connection refused' forward
	title "An account that is not governed does not notice"
	way 'su - alice' "root, writes to /srv/open: yes" \
	    su - alice -c "$probe"
}

# shellcheck disable=SC2317 # way calls it
sftp_list()
{
	echo 'ls -1 /home' | sftp -q -b - box | sed '/^sftp>/d' | tr '\n' ' '
}

# To the sshd that is listening on the host's loopback interface.
# shellcheck disable=SC2317 # way calls it
forward()
{
	ssh -o LogLevel=INFO -W 127.0.0.1:22 box 2>&1 |
	    sed -n 's/.*open failed: //p'
}

looking_back()
{
	title "What was refused, and by which line of the policy"
	told wardctl violations --account agent
	told wardctl sessions --account agent --limit 6
	told wardctl explain --account agent /home/agent/file /etc/passwd \
	    /home/alice/notes
	told wardctl explain --account agent example.org:443
}

setting_up
logging_in
other_ways
looking_back
exit "$wrong"
