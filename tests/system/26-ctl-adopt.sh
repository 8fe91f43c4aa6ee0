#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# wardctl account adopt: everything that keeps an account from being adopted is
# told before anything is changed, and with it gone the account is adopted; a
# step that fails leaves the account as it was.
# shellcheck disable=SC2016,SC2034 # causes and their remedies are evaluated
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"

# traces: all that could be different.
traces()
{
	cat /etc/passwd /etc/shadow /etc/group /etc/gshadow /etc/subuid \
	    /etc/subgid
	find /home -printf '%p %i %m %U %G %l\n' | sort
	find /home/bob -printf '%p %T@\n' 2>/dev/null | sort
	find /etc/ward /etc/systemd/system -not -path /etc/ward/adopted \
	    -printf '%p %m %U %G %l\n' 2>/dev/null | sort
	cat /etc/ward/assignments.conf 2>/dev/null || true
}

# adopt ACCOUNT [ARGUMENTS...]: sets $output and $status, and $changed to what
# is different afterwards.
adopt()
{
	local before after
	status=0
	before=$(traces)
	output=$(wardctl account adopt "$@" 2>&1 </dev/null) || status=$?
	after=$(traces)
	changed=$(diff <(echo "$before") <(echo "$after") || true)
}

# refused NAME REGEX: what adopt said just now.
refused()
{
	if [ "$status" -ne 1 ] || ! [[ $output =~ $2 ]]; then
		fail "$1" "exit status $status"$'\n'"$output"$'\n'"want: $2"
	elif [ -n "$changed" ]; then
		fail "$1" "changed: $changed"
	else
		pass "$1"
	fi
}

# keeps NAME REGEX CAUSE REMEDY: with the cause bob is refused, and without it
# he comes to what is looked at last, a profile that there is not.
keeps()
{
	local name=$1 regex=$2 said
	eval "$3" >/dev/null
	adopt bob --profile nope
	said=$output
	eval "$4" >/dev/null
	output=$(wardctl account adopt bob --profile nope 2>&1 </dev/null) || true
	if [ "$status" -ne 1 ] || [ -n "$changed" ] ||
	    ! [[ $said =~ $regex ]]; then
		fail "$name" "$said"$'\n'"$changed"$'\n'"want: $regex"
	else
		like "$name" "$output" 'the profile nope cannot be used'
	fi
}

# past every stack
as_bob=(setpriv --reuid bob --regid bob --clear-groups)

# start COMMAND...: in the background, until it is there.
start()
{
	"$@" </dev/null >/root/started 2>&1 &
	started=$!
	wait_for 10 grep -q ready /root/started
}

# stop: that one.
stop()
{
	kill -KILL "$started" 2>/dev/null || true
	wait "$started" 2>/dev/null || true
	rm /root/started
}

# A process that hides who owns it, from those who ask its files.
hidden='
import ctypes, time
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
print("ready", flush=True)
time.sleep(1000)'

# A process of roots, one thread of which is bob.
thread='
import ctypes, os, pwd, threading, time
def become():
    uid = pwd.getpwnam("bob").pw_uid
    if ctypes.CDLL(None).syscall(117, uid, uid, uid) == 0:
        print("ready", flush=True)
    time.sleep(1000)
threading.Thread(target=become).start()'

# A process that is another one every moment.
hopping='
import os
print("ready", flush=True)
while True:
    if os.fork():
        os._exit(0)'

plan 69

ssh-keygen -q -t ed25519 -N '' -f /root/key
useradd -m -s /bin/bash plain
useradd -m -s /bin/bash bob
echo 'bob:secret' | chpasswd
uid=$(id -u bob)
adopt bob --profile base
refused "where Ward is not enabled" "run 'wardctl enable'"
wardctl enable >/dev/null
# the form that an edit leaves
printf 'users:\n(\n);\n' >>/etc/ward/assignments.conf
cp -a /etc/passwd /etc/shadow /etc/fstab /root/ 2>/dev/null || touch /root/fstab

# --- who it is ---
exits "a name is needed" 2 wardctl account adopt
adopt root
refused "root" 'root has uid 0'
adopt daemon
refused "an account of the system's" 'daemon is an account of the system'
adopt nobody
refused "nobody" 'nobody is an account of the system'
adopt nosuch
refused "there is none" "no account nosuch: 'wardctl account add'"
adopt 'bob;x'
refused "no name of an account" 'has at most 32 of'
adopt ../bob
refused "nor this" 'has at most 32 of'
# /etc/passwd is read as an empty file once: what NSS says comes from elsewhere
before=$(traces)
exits "an account of a directory service" 1 strace -o /dev/null \
    -P /etc/passwd --inject=read:retval=0:when=1 wardctl account adopt bob
like "is told as one" "$output" 'bob is not in /etc/passwd: a directory service'
is "and left alone" "$(traces)" "$before"
keeps "the uid has another name" "that of twin: give" \
    'useradd -o -u "$uid" -M -d /nonexistent twin' 'userdel twin'
keeps "the name has two lines" 'is in another line of /etc/passwd' \
    'grep ^bob: /root/passwd >>/etc/passwd' 'cp -a /root/passwd /etc/passwd'
keeps "no line in shadow" "'pwconv'" \
    'sed -i /^bob:/d /etc/shadow' 'cp -a /root/shadow /etc/shadow'
keeps "an empty password" 'has an empty password: lock it' \
    'passwd -d bob' 'cp -a /root/shadow /etc/shadow'
for group in docker sudo lxd disk shadow libvirt wheel adm kvm; do
	getent group "$group" >/dev/null || groupadd -r "$group"
	case $group in
	adm | kvm) why='reads more than it need' ;;
	*) why='amounts to root' ;;
	esac
	keeps "in the group $group" "in the group $group, which $why" \
	    "gpasswd -a bob $group" "gpasswd -d bob $group"
done
keeps "root is its primary group" 'group root.*usermod --gid' \
    'usermod -g root bob' 'usermod -g bob bob; chgrp bob /home/bob'

# --- what it runs ---
keeps "a process" 'bob has a process: sleep \(pid [0-9]+\)' \
    'start "${as_bob[@]}" sh -c "echo ready; exec sleep 1000"' stop
keeps "a process that hides its owner" 'bob has a process: python3' \
    'start "${as_bob[@]}" python3 -c "$hidden"' stop
keeps "a thread of another's process" 'bob has a process: python3' \
    'start python3 -c "$thread"' stop
keeps "a process of a subordinate id" 'bob has a process: sleep' \
    'start setpriv --reuid "$(($(sed -n "s/^bob:\(.*\):.*/\1/p" /etc/subuid) + 5))" \
        --clear-groups sh -c "echo ready; exec sleep 1000"' stop
keeps "a process that is always another" 'bob has a? ?process' \
    'start "${as_bob[@]}" python3 -c "$hopping"' \
    '"${as_bob[@]}" kill -KILL -1 || true; stop'
keeps "it lingers" "'loginctl disable-linger bob'" \
    'install -d /var/lib/systemd/linger; touch /var/lib/systemd/linger/bob' \
    'rm -r /var/lib/systemd/linger'

# --- its home ---
keeps "no home" 'there is no /home/bob' \
    'mv /home/bob /srv/bob' 'mv /srv/bob /home/bob'
keeps "its home is a link" '/home/bob is a link' \
    'mv /home/bob /srv/bob; ln -s /srv/bob /home/bob' \
    'rm /home/bob; mv /srv/bob /home/bob'
keeps "its home is a file" '/home/bob is no directory' \
    'mv /home/bob /srv/bob; touch /home/bob' \
    'rm /home/bob; mv /srv/bob /home/bob'
keeps "its home is another's" "/home/bob is another user's" \
    'chown plain /home/bob' 'chown bob /home/bob'
keeps "passwd names it otherwise" 'usermod --home /home/bob' \
    'usermod -d /home/./bob bob' 'usermod -d /home/bob bob'
keeps "passwd names none" "its home is '/'" \
    'usermod -d / bob' 'usermod -d /home/bob bob'
keeps "it is shared" '/home/bob is the home of plain, too' \
    'usermod -d /home/bob plain' 'usermod -d /home/plain plain'
keeps "by a link" '/home/bob is the home of plain, too' \
    'ln -s /home/bob /srv/link; usermod -d /srv/link plain' \
    'rm /srv/link; usermod -d /home/plain plain'
keeps "it is in another's" 'is in /home/plain, the home of plain' \
    'mv /home/bob /home/plain/bob; usermod -d /home/plain/bob bob' \
    'mv /home/plain/bob /home/bob; usermod -d /home/bob bob'
keeps "another's is in it" '/home/bob/in, the home of plain, is in' \
    'usermod -d /home/bob/in plain' 'usermod -d /home/plain plain'
keeps "it is a mount" '/home/bob is a mount' \
    'mount --bind /home/bob /home/bob' 'umount /home/bob'
install -d -o bob /home/bob/disk
keeps "something is mounted in it" '/home/bob/disk is a mount' \
    'mount -t tmpfs tmpfs /home/bob/disk' 'umount /home/bob/disk'
keeps "something is to be, at boot" 'fstab names /home/bob/disk' \
    'echo "none /home/bob/disk tmpfs noauto 0 0" >>/etc/fstab' \
    'cp /root/fstab /etc/fstab'
keeps "something of it is to be elsewhere" 'fstab names /home/bob/work' \
    'echo "/home/bob/work /srv none bind,noauto 0 0" >>/etc/fstab' \
    'cp /root/fstab /etc/fstab'
keeps "homes where anybody can make one" 'only root can write' \
    'chmod 1777 /home' 'chmod 0755 /home'
keeps "its place is on another file system" 'not in the file system of /home' \
    'mkdir /home/.ward; mount -t tmpfs tmpfs /home/.ward' \
    'umount /home/.ward; rmdir /home/.ward'
keeps "its place is taken" '/home/.ward/bob is there already' \
    'install -d -o bob /home/.ward/bob' 'rm -r /home/.ward'
keeps "a link is in its place" '/home/.ward/bob is a link' \
    'mkdir /home/.ward; ln -s /root /home/.ward/bob' 'rm -r /home/.ward'
keeps "Ward has keys of that name" 'authorized_keys/bob is there already' \
    'touch /etc/ward/authorized_keys/bob' 'rm /etc/ward/authorized_keys/bob'

# --- what is given ---
adopt bob
refused "no profile would govern it" 'give one with --profile'
adopt bob --profile base --key /root/key
refused "a private key" 'is a private key'
sed -i 's/^session.*pam_ward.so open/# &/' /etc/pam.d/common-session
adopt bob --profile base
refused "a stack has no line" 'common-session|pam_ward'
sed -i 's/^# \(session.*pam_ward.so open\)/\1/' /etc/pam.d/common-session

# --- steps that fail: what was done is undone ---
echo 'profile: { name = "mine"; extends = ( "nope" ); };' \
    >/etc/ward/profiles.d/mine.conf
adopt bob --profile base
refused "profiles that are wrong" 'mine.conf:.*bob is as it was|bob is as it was.*mine.conf:'
rm /etc/ward/profiles.d/mine.conf
touch "/etc/systemd/system/user@$uid.service"
adopt bob --profile base
refused "a unit is in the way" "bob is as it was.*user@$uid.service is there"
rm "/etc/systemd/system/user@$uid.service"
printf 'Match all\nAuthorizedKeysFile /srv/keys\n' \
    >/etc/ssh/sshd_config.d/00-first.conf
adopt bob --profile base
refused "sshd would read other keys" "bob is as it was.*sshd would not read"
rm /etc/ssh/sshd_config.d/00-first.conf
mv /usr/sbin/usermod /usr/sbin/usermod.real
for failing in --expiredate --shell --append; do
	printf '#!/bin/sh\n[ "$1" != "%s" ] || exit 3\nexec %s "$@"\n' \
	    "$failing" /usr/sbin/usermod.real >/usr/sbin/usermod
	chmod 0755 /usr/sbin/usermod
	adopt bob --profile base
	refused "usermod $failing fails" 'bob is as it was'
done
mv /usr/sbin/usermod.real /usr/sbin/usermod
like "and after all that it is an ordinary account" \
    "$(su bob -c 'id -un; cat /proc/1/comm' </dev/null | xargs)" '^bob bash'
succeeds "which is adopted" wardctl account adopt bob --profile base
is "into a sandbox" "$(su bob -c 'id -un; cat /proc/1/comm' </dev/null |
    xargs)" 'bob ward-init'
exits "once" 1 wardctl account adopt bob
like "as is told" "$output" 'bob is an agent account already'

# --- one that is half done, by its record ---
sed -i 's/^state adopted/state adopting/' /etc/ward/adopted/bob
like "doctor tells of one that was interrupted" "$(wardctl doctor || true)" \
    'fail  adopted: the adoption of bob was interrupted'
exits "he is not unlocked" 1 wardctl account unlock bob
exits "nor removed" 1 wardctl account remove bob
succeeds "but adopted" wardctl account adopt bob
unlike "which is the end of it" "$(wardctl doctor || true)" 'fail  adopted'
