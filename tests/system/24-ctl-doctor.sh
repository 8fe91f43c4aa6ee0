#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# wardctl doctor: a machine that is well passes; each fault that is made turns
# its own line, with what to do, and mended the report is as before.
# shellcheck disable=SC2016 # faults are evaluated when their turn comes
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/24-doctor.bash
. "$(dirname "$0")/24-doctor.bash"

# fault NAME RESULT CHECK REGEX MAKE MEND: a row for the line, one for what to
# do, one for the exit status and one for the report once it is mended.
fault()
{
	local name=$1 result=$2 check=$3 regex=$4 said line rest status=0
	eval "$5"
	said=$(wardctl doctor 2>&1 </dev/null) || status=$?
	line=$(grep -E "^$result  $check: .*$regex" <<<"$said" | head -n 1) || true
	if [ -n "$line" ]; then
		pass "$name: $result"
	else
		fail "$name: $result" "$said"
	fi
	rest=$(grep -A 1 -F -e "$line" <<<"$said" | sed -n 2p)
	if [ "$result" = pass ]; then
		unlike "$name: nothing to do" "$rest" '^ +to do: '
	else
		like "$name: what to do" "$rest" '^      to do: .....'
	fi
	if [ "$result" = fail ]; then
		is "$name: exit status" "$status" 1
	else
		is "$name: exit status" "$status" 0
	fi
	eval "$6"
	is "$name: mended" "$(report)" "$well"
}

# sshd_says LINE: before everything else.
sshd_says()
{
	printf '%b\n' "$1" >/etc/ssh/sshd_config.d/00-fault.conf
}

sshd_quiet()
{
	rm -f /etc/ssh/sshd_config.d/00-fault.conf
}

faults=42
plan $((12 + 4 * faults))

ssh-keygen -q -t ed25519 -N '' -f /root/key
fails "not enabled, it is not well" wardctl doctor
like "and says what is missing" "$output" 'fail  places: /etc/ward: No such file'
wardctl enable >/dev/null
succeeds "enabled, without an account" wardctl doctor
wardctl account add agent --profile base --key /root/key.pub >/dev/null
install -d /run/sshd
useradd -m -s /bin/bash plain
succeeds "with one" wardctl doctor
well=$(report)
# the box may have no name server
is "nothing of Ward's warns or fails" \
    "$(grep -vE '^(pass|warn  (sysctl:|terminals:|network: the host.s resolver)|      to do:)' <<<"$well" || true)" ''
is "each check has its line" "$(grep -oE '^(pass|warn)  [a-z-]+' <<<"$output" |
    awk '{ print $2 }' | uniq | wc -l)" 29

fault "no fence" fail fence 'what agent starts without PAM can send \(IPv4\)' \
    'nft delete table inet ward' 'wardctl fence apply >/dev/null'
fault "a fence without the account" fail fence 'agent .* \(IPv6\)' \
    'nft flush set inet ward accounts' 'wardctl fence apply >/dev/null'
fault "no fence at boot" fail fence 'ward-fence.service' \
    'rm /etc/systemd/system/multi-user.target.wants/ward-fence.service' \
    'wardctl enable >/dev/null'
fault "a program that others can write" fail installed 'warden has mode 0775' \
    'chmod 0775 /usr/libexec/ward/warden' 'chmod 0755 /usr/libexec/ward/warden'
fault "a program that is gone" fail installed 'ward/ward-init: No such file' \
    'mv /usr/libexec/ward/ward-init /root' 'mv /root/ward-init /usr/libexec/ward'
fault "another's program" fail installed 'wardsh is not root' \
    'chown plain /usr/bin/wardsh' 'chown root /usr/bin/wardsh'
fault "a state that can be entered" fail places '/var/lib/ward has mode 0755' \
    'chmod 0755 /var/lib/ward' 'chmod 0700 /var/lib/ward'
fault "a policy that can be read" fail places 'policy.db has mode 0644' \
    'chmod 0644 /var/lib/ward/policy.db' 'chmod 0600 /var/lib/ward/policy.db'
fault "another's profiles" fail places 'profiles.d is not root' \
    'chown plain /etc/ward/profiles.d' 'chown root /etc/ward/profiles.d'
fault "a corrupt policy" fail stores 'policy.db' \
    'kept /var/lib/ward/policy.db; echo garbage >/var/lib/ward/policy.db' \
    'back /var/lib/ward/policy.db'
fault "corrupt rows" fail stores 'violations.db' \
    'kept /var/lib/ward/violations.db; mv /var/lib/ward/violations.db /root
     echo garbage >/var/lib/ward/violations.db
     chmod 0600 /var/lib/ward/violations.db' \
    'mv /root/violations.db /var/lib/ward/violations.db'
fault "a profile that is not applied" warn profiles 'the profile new is not applied' \
    'echo "profile: { name = \"new\"; extends = ( \"base\" ); };" \
     >/etc/ward/profiles.d/new.conf' 'rm /etc/ward/profiles.d/new.conf'
fault "one that is none" fail profiles 'broken.conf' \
    'echo "profile: {" >/etc/ward/profiles.d/broken.conf' \
    'rm /etc/ward/profiles.d/broken.conf'
fault "a stack without the line" fail pam 'sshd' \
    'kept /etc/pam.d/common-session
     sed -i "/pam_ward.so open/d" /etc/pam.d/common-session' \
    'back /etc/pam.d/common-session'
fault "a stack of its own" fail pam 'runuser' \
    'kept /etc/pam.d/runuser; sed -i "/ward/d" /etc/pam.d/runuser' \
    'back /etc/pam.d/runuser'
fault "a service without the lines" fail pam-other 'webshell has none' \
    'echo "session required pam_permit.so" >/etc/pam.d/webshell' \
    'rm /etc/pam.d/webshell'
fault "variables of the user's too early" warn pam-other 'early: pam_env.so' \
    'printf "session optional pam_env.so user_readenv=1\n@include common-session\n" \
     >/etc/pam.d/early' 'rm /etc/pam.d/early'
fault "sudo without sessions" fail sudoers 'sudoers.d/fault:2: ' \
    'printf "#\nDefaults:root !pam_session\n" >/etc/sudoers.d/fault' \
    'rm /etc/sudoers.d/fault'
fault "wardsh among the shells" fail shells '/usr/bin/wardsh' \
    'kept /etc/shells; echo /usr/bin/wardsh >>/etc/shells' 'back /etc/shells'
fault "sshd without PAM" fail sshd 'agent: usepam is no' \
    'sshd_says "UsePAM no"' sshd_quiet
fault "variables from .ssh" fail sshd 'permituserenvironment is yes' \
    'sshd_says "PermitUserEnvironment yes"' sshd_quiet
fault "any variable of a client's" warn sshd 'may set variables LD_' \
    'sshd_says "AcceptEnv LD_*"' sshd_quiet
fault "keys of the account's own" fail sshd 'authorizedkeysfile is \.ssh' \
    'sshd_says "Match User agent\nAuthorizedKeysFile .ssh/authorized_keys"' sshd_quiet
fault "agent forwarding" warn sshd 'allowagentforwarding is yes' \
    'sshd_says "Match User agent\nAllowAgentForwarding yes"' sshd_quiet
fault "a chroot" warn sshd 'chrootdirectory is /srv' \
    'sshd_says "ChrootDirectory /srv"' sshd_quiet
fault "a configuration that is none" fail sshd 'sshd_config' \
    'sshd_says "NoSuchThing yes"' sshd_quiet
fault "a second sshd" fail sshd '/etc/ssh/second, agent: usepam is no' \
    'printf "Port 2244\nUsePAM no\n" >/etc/ssh/second
     stays /usr/sbin/sshd -D -f /etc/ssh/second
     wait_for 10 sh -c "ss -ltnH \"sport = 2244\" | grep -q ."' \
    'end_it; rm /etc/ssh/second'
fault "sshrc that reads the home" warn sshrc 'sshrc reads files' \
    'echo ". ~/.x" >/etc/ssh/sshrc' 'rm /etc/ssh/sshrc'
fault "an account without a profile" fail policy 'agent: ' \
    'kept /etc/ward/assignments.conf; echo >/etc/ward/assignments.conf
     wardctl profile apply >/dev/null' \
    'back /etc/ward/assignments.conf; wardctl profile apply >/dev/null'
fault "a password" fail password 'agent has a password' \
    'usermod -p "\$6\$x\$y" agent' 'usermod -p "*" agent'
fault "a second name for the uid" fail password 'twin has the uid of agent' \
    'useradd -o -u "$(id -u agent)" twin' 'userdel -f twin >/dev/null 2>&1'
fault "a group that is root" fail groups 'agent is in the group disk' \
    'gpasswd -a agent disk >/dev/null' 'gpasswd -d agent disk >/dev/null'
fault "not in sshd's group" fail groups 'not in the group ward-agents' \
    'gpasswd -d agent ward-agents >/dev/null' \
    'gpasswd -a agent ward-agents >/dev/null'
fault "a home of its own on the host" fail home '/home/agent is not' \
    'chown agent /home/agent' 'chown root /home/agent'
fault "a file in that home" warn home '/home/agent/.forward' \
    'touch /home/agent/.forward' 'rm /home/agent/.forward'
fault "linger" warn manager 'agent is to have a user manager' \
    'mkdir -p /var/lib/systemd/linger; touch /var/lib/systemd/linger/agent' \
    'rm /var/lib/systemd/linger/agent'
fault "a daemon without PAM" fail daemons 'dropbear \(pid' \
    'named dropbear' end_it
fault "a unit" fail units '/etc/systemd/system/agent.service runs as agent' \
    'printf "[Service]\nUser=agent\nExecStart=/bin/true\n" \
     >/etc/systemd/system/agent.service' 'rm /etc/systemd/system/agent.service'
fault "a drop-in, by number" fail units 'cron.service.d/who.conf runs as agent' \
    'mkdir /etc/systemd/system/cron.service.d
     printf "[Service]\n User=%s\n" "$(id -u agent)" \
     >/etc/systemd/system/cron.service.d/who.conf' \
    'rm -r /etc/systemd/system/cron.service.d'
fault "a crontab" pass jobs 'agent has a crontab' \
    'echo "0 0 1 1 * true" | crontab -u agent -' 'crontab -u agent -r'
fault "a job of at" pass jobs 'agent has 1 jobs? of at' \
    'setpriv --reuid agent --regid agent --init-groups sh -c \
     "echo true | at now + 1 hour" >/dev/null 2>&1' \
    'rm /var/spool/cron/atjobs/a*'
fault "a process outside" fail outside 'sleep \(pid [0-9]+\) of agent' \
    'stays setpriv --reuid agent --clear-groups sleep 600
     wait_for 10 grep -q sleep /proc/$stayed/comm' end_it

# what lists sessions shows it, too
stays setpriv --reuid agent --clear-groups sleep 601
wait_for 10 grep -q sleep "/proc/$stayed/comm"
like "wardctl sessions shows what is outside" "$(wardctl sessions | tail -n 1)" \
    "agent .* outside .*in no sandbox: sleep\($stayed\)"
is "as JSON" "$(wardctl sessions --open --json | python3 -c '
import json, sys
print(*((r["service"], r["opener_pid"]) for r in json.load(sys.stdin)
        if r["session"] is None))')" "('outside', $stayed)"
end_it
unlike "control: which is gone" "$(wardctl sessions)" outside

is "the JSON has these keys and words" "$(wardctl doctor --json | python3 -c '
import json, sys
rows = json.load(sys.stdin)
print(sorted({k for r in rows for k in r}),
      {r["result"] for r in rows} <= {"pass", "warn", "fail"},
      all((r["result"] == "pass") == (r["remedy"] is None) for r in rows))')" \
    "['check', 'detail', 'remedy', 'result'] True True"
succeeds "a session of the account's" wardctl doctor --account agent
is "through every service, with its times" "$(grep -cE \
    '^pass  session: [a-z-]+: inside: opened in [0-9]+\.[0-9]{2} ms' <<<"$output")" 9
