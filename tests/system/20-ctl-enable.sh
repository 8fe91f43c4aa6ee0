#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# wardctl enable: what it makes, that twice is once, that disable undoes it,
# and that it fails, naming the place, where the lines would not hold.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"

# sums: the system's files that Ward edits, with owner and mode.
sums()
{
	find /etc/pam.d /etc/ssh /etc/ward -type f -exec sha256sum {} + | sort
	find /etc/pam.d /etc/ssh /etc/ward -printf '%p %m %u %g\n' | sort
}

# pam_sums: the stacks alone.
pam_sums()
{
	sha256sum /etc/pam.d/*
	stat -c '%n %a %U %G' /etc/pam.d/*
}

# refuses NAME REGEX: enable fails with 1, and says so.
refuses()
{
	local status=0
	output=$(wardctl enable 2>&1 </dev/null) || status=$?
	if [ "$status" -eq 1 ] && [[ $output =~ $2 ]]; then
		pass "$1"
	else
		fail "$1" "exit status $status"$'\n'"$output"$'\n'"want: $2"
	fi
}

# edited FILE SED-SCRIPT NAME REGEX: enable refuses a file that was edited so;
# then the file is as it was.
edited()
{
	cp -p "$1" /root/kept
	sed -i "$2" "$1"
	if cmp -s "$1" /root/kept; then
		fail "$3" "the edit changes nothing: $2"
	else
		refuses "$3" "$4"
	fi
	cp -p /root/kept "$1"
}

common=/etc/pam.d/common-session

plan 49

# the command line
exits "no command is a usage error" 2 wardctl
exits "nor is there this one" 2 wardctl enabel
exits "half a command is a usage error" 2 wardctl profile
exits "an unknown option too" 2 wardctl enable --force
exits "and an operand too many" 2 wardctl enable now
exits "--help is none" 0 wardctl --help
like "and has each command" "$output" 'account add .*NAME'
exits "each has its own" 0 wardctl violations --help
like "with its options" "$output" '--since WHEN'
exits "others than root are told so" 1 setpriv --reuid nobody wardctl enable
is "in one line" "$output" 'wardctl: enable needs root: run it with sudo'

# nothing that is missing is enabled
module=$(find /usr/lib -name pam_ward.so)
before=$(pam_sums)
mv "$module" /root/
refuses "a module that is not installed" 'pam_ward.so: .*install Ward again'
is "and no line went in" "$(pam_sums)" "$before"
mv /root/pam_ward.so "$module"
cp -p /etc/ssh/sshd_config /root/sshd_config
sed -i /^Include/d /etc/ssh/sshd_config
refuses "sshd does not include the snippet" \
    "/etc/ssh/sshd_config does not include .*put 'Include"
cp -p /root/sshd_config /etc/ssh/
sed -i 's/^UsePAM yes/UsePAM no/' /etc/ssh/sshd_config
refuses "sshd without PAM" "put 'UsePAM yes' into /etc/ssh/sshd_config"
cp -p /root/sshd_config /etc/ssh/
echo 'NoSuchKeyword yes' >>/etc/ssh/sshd_config
refuses "a configuration that sshd does not accept" 'does not accept'
cp -p /root/sshd_config /etc/ssh/
wardctl disable >/dev/null
is "what was done until then goes again" "$(pam_sums)" "$before"

# enable
succeeds "enable" wardctl enable
like "it says that all is well" "$output" 'every service that Ward opens'
is "the group" "$(getent group ward-agents | cut -d : -f 1,4)" ward-agents:
like "the user" "$(getent passwd ward-egress)" \
    '^ward-egress:x:[0-9]+:[0-9]+::/nonexistent:/usr/sbin/nologin$'
is "the directories" "$(stat -c '%a %U %n' /etc/ward /etc/ward/* \
    /var/lib/ward /var/lib/ward/policy.db | xargs)" "755 root /etc/ward \
644 root /etc/ward/assignments.conf 755 root /etc/ward/authorized_keys \
700 root /etc/ward/profiles.d 700 root /var/lib/ward \
600 root /var/lib/ward/policy.db"
is "the stacks have their lines" "$(grep -c pam_ward.so /etc/pam.d/* |
    grep -v ':0$' | xargs)" "/etc/pam.d/common-session:2 \
/etc/pam.d/common-session-noninteractive:2 /etc/pam.d/runuser:2 /etc/pam.d/sudo:1 /etc/pam.d/sudo-i:1"
is "runuser's file is as before otherwise" "$(stat -c '%a %U:%G' \
    /etc/pam.d/runuser) $(grep -vc -e ward -e pam_succeed_if \
    /etc/pam.d/runuser)" "644 root:root 5"
is "sshd accepts the snippet" "$(/usr/sbin/sshd -t 2>&1)" ''
before_again=$(sums)
succeeds "enable again" wardctl enable
is "changes nothing" "$(sums)" "$before_again"
rmdir /run/sshd
succeeds "enable while sshd does not run" wardctl enable
is "no temporary file stays" "$(find /etc -name '.ward-*')" ''
succeeds "an ungoverned account logs in" su root -c true

# stacks that somebody edited: what pam-auth-update puts right again
for edit in '/pam_ward.so open/d' 's/success=2/success=3/'; do
	cp -p $common /root/kept
	sed -i "$edit" $common
	succeeds "put right: $edit" wardctl enable
	is "as it was" "$(cat $common)" "$(cat /root/kept)"
done

# and what it leaves
edited $common 's/^\(session.*\)pam_unix.so/session sufficient pam_x.so\n&/' \
    "a sufficient line between" \
    'common-session:[0-9]+: sshd: pam_x.so \(sufficient\) can end'
like "and each service that has it is named" "$output" 'su-l: pam_x.so'
edited $common 's/\(pam_ward.so\) close/\1 x/; s/\(pam_ward.so\) open/\1 close/; s/\(pam_ward.so\) x/\1 open/' \
    "open before close" "pam_ward.so (open' stands before|takes one word)"
edited $common 's/required.*pam_ward.so open/optional pam_ward.so open/' \
    "open is optional" "must be 'required'"
edited $common '$ a session required pam_unix.so' \
    "pam_unix behind open" 'pam_unix.so must stand before'
edited /etc/pam.d/cron 's/^@include common-session.*/session required pam_unix.so/' \
    "cron does not include it" "cron: no session line 'required pam_ward.so'"
edited /etc/pam.d/atd 's/^@include common-session/@include no-such-file\n&/' \
    "what is included is missing" 'no-such-file: No such file'
sed -i '/pam_ward.so/d' /etc/pam.d/runuser
succeeds "runuser's lines are put back" wardctl enable
is "all of them" "$(grep -c pam_ward.so /etc/pam.d/runuser)" 2

# where pam-auth-update keeps its hands off
succeeds "disable" wardctl disable
is "the stacks are as they were" "$(pam_sums)" "$before"
is "and sshd's snippet is gone" "$(ls /etc/ssh/sshd_config.d)" ''
sed -i 's/^# end of pam-auth-update/session optional pam_keyinit.so\n&/; s/^session.*pam_unix.so/# by hand\n&/' \
    $common
refuses "a file edited by hand gets no lines, and that is said" \
    "/etc/pam.d/sshd: no session line 'required pam_ward.so' at all"
like "nor do the files beside it" "$output" '/etc/pam.d/cron: no session line'
like "and nobody is let in" "$output" 'no account can be let in'
