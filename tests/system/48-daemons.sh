#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Programs that live on after a session of theirs was refused: one that may be
# a daemon serves the others as before, while a sudo never runs the command.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"

mark=/srv/mark

# daemon SERVICE: opens sessions of agent, plain and agent; then tries what the
# refusals have left it.
daemon()
{
	python3 "$(dirname "$0")/pam-daemon.py" "$1" agent plain agent 2>&1
}

# serves_on NAME SERVICE CODE: the rows of one that is refused and lives on.
serves_on()
{
	local said
	said=$(daemon "$2")
	like "$1: agent is refused" "$(sed -n 1p <<<"$said")" \
	    "^refused 6 .*$3"
	like "$1: another is served after that" "$(sed -n 2p <<<"$said")" \
	    '^opened 0'
	like "$1: and agent refused again" "$(sed -n 3p <<<"$said")" \
	    "^refused 6 .*$3"
	is "$1: it still starts programs" "$(sed -n 4,5p <<<"$said" | xargs)" \
	    'starts 0 becomes another'
}

plan 24

ssh-keygen -q -t ed25519 -N '' -f /root/key
wardctl enable >/dev/null
wardctl account add agent --profile base --key /root/key.pub >/dev/null
useradd -m -s /bin/bash plain
cp -a /etc/pam.d /root/pam.d

printf 'session required pam_permit.so\n@include common-session\n' \
    >/etc/pam.d/webshell
serves_on "a service that nobody knows" webshell W002
serves_on "a program by the name of sshd" sshd W003
serves_on "one by that of cron" cron W003
printf 'session required pam_permit.so\nsession required pam_ward.so\n' \
    >/etc/pam.d/su
serves_on "a stack that is not Ward's" su W001
rm -r /etc/pam.d
cp -a /root/pam.d /etc/pam.d

# the other way: what would go on
said=$(daemon sudo)
like "a program by the name of sudo: agent is refused" \
    "$(sed -n 1p <<<"$said")" '^refused 6 .*W003'
is "and it can start nothing" "$(sed -n 4,5p <<<"$said" | xargs)" \
    'starts Operation not permitted becomes none: Operation not permitted'
install -m 4755 /usr/bin/sudo /usr/local/bin/mysudo
sed -i '1i session required pam_debug.so open_session=session_err' /etc/pam.d/sudo
succeeds "control: a sudo from elsewhere does not mind PAM_SESSION_ERR" \
    /usr/local/bin/mysudo -u plain touch /tmp/mark
fails "for agent it runs nothing, though that hides the refusal" \
    /usr/local/bin/mysudo -u agent touch "$mark"
fails "nothing ran" test -e "$mark"
cp -a /root/pam.d/sudo /etc/pam.d/sudo
# what is refused to su, it does not run itself, either
wardctl account lock agent >/dev/null
fails "su to an account that is locked" su agent -c "touch $mark"
fails "has run nothing" test -e "$mark"
wardctl account unlock agent >/dev/null
succeeds "control: unlocked it does" su agent -c true
