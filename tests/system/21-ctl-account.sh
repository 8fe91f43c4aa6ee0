#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# wardctl account: made whole or not at all, locked until a session through
# every service has shown itself inside, and gone without a trace.
# shellcheck disable=SC2016 # su's shell expands what is its to expand
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"

# traces: all that an account could leave.
traces()
{
	getent passwd
	getent group
	getent shadow
	[ -d /etc/ward ] || return 0
	find /home /etc/ward /etc/systemd/system -printf '%p %m %u %g %l\n' |
	    sort
	cat /etc/ward/assignments.conf /etc/subuid /etc/subgid
}

# refuses NAME REGEX ARGUMENTS...: account add fails, says so, and nothing is
# different.
refuses()
{
	local name=$1 regex=$2 status=0 before after
	shift 2
	before=$(traces)
	output=$(wardctl account add "$@" 2>&1 </dev/null) || status=$?
	after=$(traces)
	if [ "$status" -ne 1 ] || ! [[ $output =~ $regex ]]; then
		fail "$name" "exit status $status"$'\n'"$output"$'\n'"want: $regex"
	elif [ "$before" != "$after" ]; then
		fail "$name" "left: $(diff <(echo "$before") <(echo "$after"))"
	else
		pass "$name"
	fi
}

# opens COMMAND: whether su lets the account in: its uid, or what is said.
enters()
{
	su - agent -c 'echo "in: $(id -un)"' 2>&1 </dev/null || true
}

# expiry: the shadow field that locks it.
expiry()
{
	getent shadow agent | cut -d : -f 8
}

plan 57

ssh-keygen -q -t ed25519 -N '' -f /root/key
refuses "where Ward is not enabled" "run 'wardctl enable'" agent --profile base
wardctl enable >/dev/null
useradd -m -s /bin/bash plain

# what can be said beforehand
exits "a name is needed" 2 wardctl account add --profile base
refuses "no name of an account" 'a name has at most 31 of' 'Agent;x'
refuses "nor this" 'a name has at most 31 of' ../agent
refuses "nor one that terminals obey" \
    '\\x1b\[31m: a name has' "$(printf '\033[31m')"
refuses "no profile would govern it" "give one with --profile" agent
refuses "there is no such profile" "profile list'" agent --profile nope
refuses "the account is there" "'wardctl account adopt plain'" plain --profile base
refuses "root is there too" "account root exists" root --profile base
groupadd agent
refuses "there is a group of the name" 'there is a group' agent --profile base
groupdel agent
mkdir /home/agent
refuses "its home is there" '/home/agent is there already' \
    agent --profile base
rmdir /home/agent
refuses "a private key" 'is a private key' \
    agent --profile base --key /root/key
refuses "no key file" '/root/nothing: No such file' \
    agent --profile base --key /root/nothing
echo nonsense >/root/nonsense
refuses "no key in it" 'no public key' \
    agent --profile base --key /root/nonsense
chmod 0777 /home
refuses "homes where anybody can make one" \
    '/home is not a directory that only root can write' agent --profile base
chmod 0755 /home
ln -s /tmp /home/.ward
refuses "a link for the real homes" '/home/.ward is not a directory' \
    agent --profile base
rm /home/.ward

# a step that fails in the middle
touch /etc/systemd/system/user@1001.service
refuses "the unit is there: what was made goes again" \
    'user@1001.service is there already' agent --profile base --key /root/key.pub
rm /etc/systemd/system/user@1001.service
cp /etc/ward/assignments.conf /root/assignments
echo 'usres = ( );' >>/etc/ward/assignments.conf
refuses "assignments that are wrong: the same" \
    'assignments.conf:[0-9]+: unknown key usres' agent --profile base
cp /root/assignments /etc/ward/assignments.conf
mv /usr/sbin/useradd /root/
refuses "useradd is missing" '/usr/sbin/useradd: No such file' \
    agent --profile base
mv /root/useradd /usr/sbin/

# a session that is not inside
warden=$(find /usr -name warden -path '*/ward/*')
mv "$warden" /root/
exits "no warden: the account is made" 1 wardctl account add agent \
    --profile base --key /root/key.pub
like "each service says why" "$output" \
    'a session through atd: NOT inside: ward: W010: '
like "and what to do" "$output" 'agent stays locked.*account unlock agent'
is "it is locked" "$(expiry)" 1
like "so that su refuses it" "$(enters)" 'account has expired'
exits "and cannot be unlocked" 1 wardctl account unlock agent
is "it stays locked" "$(expiry)" 1
mv /root/warden "$warden"
sed -i 's/^session.*pam_ward.so open/# &/' /etc/pam.d/common-session
exits "nor while a stack has no line" 1 wardctl account unlock agent
sed -i 's/^# \(session.*pam_ward.so open\)/\1/' /etc/pam.d/common-session
succeeds "inside, it is unlocked" wardctl account unlock agent
is "through every service" "$(grep -c ': inside$' <<<"$output")" 9
is "it is not locked" "$(expiry)" ''
is "and let in" "$(enters)" 'in: agent'

# what it is made of
is "passwd" "$(getent passwd agent | cut -d : -f 1,5-)" \
    'agent::/home/agent:/usr/bin/wardsh'
is "no password, and not one that locks" "$(getent shadow agent |
    cut -d : -f 2)" '*'
is "groups" "$(id -Gn agent)" 'agent ward-agents'
is "no subordinate ids" "$(cat /etc/subuid /etc/subgid | grep agent || true)" ''
is "homes" "$(stat -c '%a %U %n' /home/agent /home/.ward /home/.ward/agent |
    xargs)" '755 root /home/agent 711 root /home/.ward 700 agent /home/.ward/agent'
is "the skeleton is the account's" "$(find /home/.ward/agent -mindepth 1 \
    -printf '%P %u\n' | sort | xargs)" \
    '.bash_logout agent .bashrc agent .profile agent'
is "the host's side of it is empty" "$(ls -A /home/agent)" ''
is "keys" "$(stat -c '%a %U' /etc/ward/authorized_keys/agent)
$(cat /etc/ward/authorized_keys/agent)" "644 root
$(cat /root/key.pub)"
is "no user manager" "$(readlink \
    "/etc/systemd/system/user@$(id -u agent).service")" /dev/null
like "sshd reads its keys there" "$(/usr/sbin/sshd -T -C \
    user=agent,host=localhost,addr=127.0.0.1)" \
    'authorizedkeysfile /etc/ward/authorized_keys/%u'
unlike "and nobody else's" "$(/usr/sbin/sshd -T -C \
    user=plain,host=localhost,addr=127.0.0.1)" '/etc/ward'
is "list" "$(wardctl account list --json | python3 -c 'import json, sys
print(*((a["name"], a["profile"], a["locked"], a["home_ok"], a["live"])
    for a in json.load(sys.stdin)))')" "('agent', 'base', False, True, 0)"

# lock, and disable
fails "disable is refused while it could log in" wardctl disable
succeeds "lock" wardctl account lock agent
like "nothing gets in" "$(enters)" 'account has expired'
succeeds "unlock" wardctl account unlock agent
fails "an ungoverned account cannot be locked" wardctl account lock plain

# remove
su - agent -c 'exec sleep 1000' </dev/null >/dev/null 2>&1 &
wait_for 10 pgrep -u agent sleep
exits "not while a sandbox lives" 1 wardctl account remove agent
like "which is said with how to end it" "$output" 'wardctl end agent'
succeeds "which does it" wardctl end agent --grace 1
wait || true
setpriv --reuid agent --regid agent --clear-groups sleep 1000 &
exits "nor while it has a process outside" 1 wardctl account remove agent
is "and all of it stays" "$(stat -c %U /home/.ward/agent)" agent
kill $!
wait || true
mkdir -p /var/spool/cron/crontabs
touch /var/spool/cron/crontabs/agent
# a file that only a careless rm would follow
setpriv --reuid agent --regid agent --clear-groups \
    ln -s /home/plain /home/.ward/agent/link
wait_for 10 sh -c '! find /run/ward -name alive | grep -q .' || true
succeeds "remove" wardctl account remove agent
like "what others keep is named" "$output" 'left: /var/spool/cron/crontabs/agent'
is "nothing of it is left" "$(getent passwd agent; getent group agent
    find / -xdev \( -name agent -o -name 'user@*' \) -path '/[eh]*' 2>/dev/null
    grep -n '"agent"' /etc/ward/assignments.conf; ls -d /home/plain)" /home/plain

# two at once: the second waits, and neither undoes the other's line
wardctl account add one --profile base >/dev/null 2>&1 &
wardctl account add two --profile strict >/dev/null 2>&1 || true
wait || true
is "two admins at once" "$(wardctl account list --json | python3 -c 'import json, sys
print(*sorted((a["name"], a["profile"], a["locked"])
    for a in json.load(sys.stdin)))')" \
    "('one', 'base', False) ('two', 'strict', False)"
