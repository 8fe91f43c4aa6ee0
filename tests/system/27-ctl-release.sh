#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# An account that is adopted has its own files and keys, inside, by every way
# in; released, it has every line, its home and its ids as they were before.
# shellcheck disable=SC2016 # su's shell expands what is its to expand
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"
# shellcheck source=tests/system/27-before.bash
. "$(dirname "$0")/27-before.bash"

# runs COMMAND...: what it says of where it is.
runs()
{
	"$@" 'id -un; cat /proc/1/comm' 2>&1 </dev/null | xargs
}

# refused NAME REGEX: bob is not released, for this, and stays as he is.
refused()
{
	exits "$1" 1 wardctl account release bob
	like "$1: as is told" "$output" "$2"
	like "$1: he goes on" "$(runs su bob -c)" 'bob ward-init'
}

plan 59

wardctl enable >/dev/null
printf 'profile: { name = "quiet"; extends = ( "base" ); %s };\n' \
    'services = ( "sshd", "su", "su-l", "sudo", "runuser" ); ' \
    >/etc/ward/profiles.d/quiet.conf
wardctl profile apply >/dev/null
# what bob was, in every respect
printf 'users: ( { name = "bob"; profile = "strict"; } );\n' \
    >>/etc/ward/assignments.conf
ssh-keygen -q -t ed25519 -N '' -f /root/key
ssh-keygen -q -t ed25519 -N '' -f /root/other
useradd -m -s /bin/dash -c 'Bob, of old' bob
echo 'bob:secret' | chpasswd
chage -d 19000 -M 90000 -E 2099-05-05 bob
gpasswd -a bob users >/dev/null
useradd -m after
install -d -m 0700 -o bob -g bob /home/bob/.ssh /home/bob/work
install -m 0600 -o bob -g bob /root/key.pub /home/bob/.ssh/authorized_keys
touch -d 2020-02-02 /home/bob/work/old
ln /home/bob/work/old /home/bob/work/twice
chown bob:bob /home/bob/work/old
chmod 0750 /home/bob
touch -d 2021-01-01 /home/bob
echo '* * * * * true' | crontab -u bob -
rsyslogd
ward_do /usr/sbin/sshd -p "$ssh_port"
before=$(account bob; left bob)
of_home=$(files /home/bob)
like "he is an ordinary account" "$(runs ssh_as bob)" 'bob (bash|systemd)'

# --- adopted ---
succeeds "adopt" wardctl account adopt bob --profile quiet
like "says where the keys are from" "$output" \
    'copied from /home/bob/.ssh/authorized_keys'
like "that the password is locked" "$output" 'password is locked'
like "that ids are taken" "$output" 'subordinate ids are taken away'
like "what cron does" "$output" 'crontab stays: its jobs are refused, since'
is "which sessions were tried" "$(grep -c ': inside$' <<<"$output")" 5
is "his files are untouched, down to the inodes" "$(files /home/.ward/bob)" \
    "$of_home"
is "where they were, root has an empty directory" \
    "$(stat -c '%a %u' /home/bob) $(ls -A /home/bob)" '755 0 '
for way in "ssh_as bob" "su bob -c" "su - bob -c" "runuser bob -c" \
    "runuser -u bob -- sh -c" "sudo -u bob sh -c"; do
	# shellcheck disable=SC2086
	is "inside: $way" "$(runs $way)" 'bob ward-init'
done
is "with what was his" "$(su - bob -c 'pwd; ls work; stat -c %Y work/old' \
    </dev/null | xargs)" "/home/bob old twice $(date -d 2020-02-02 +%s)"
unlike "his password is no way in" "$(as_account after su bob -c 'id -un' \
    <<<secret 2>&1 || true)" '^bob|: bob'
is "no subordinate ids" "$(grep bob /etc/subuid /etc/subgid || true)" ''
is "his date of expiry holds" "$(getent shadow bob | cut -d : -f 8)" \
    "$(($(date -ud 2099-05-05 +%s) / 86400))"
succeeds "locked and unlocked" sh -c \
    'wardctl account lock bob && wardctl account unlock bob'
is "it holds still" "$(getent shadow bob | cut -d : -f 8)" \
    "$(($(date -ud 2099-05-05 +%s) / 86400))"
unlike "doctor knows nothing against him" "$(wardctl doctor || true)" \
    '(fail|warn)  (home|password|groups|manager|adopted|places)'

# --- what keeps him ---
exits "who is not governed is not released" 1 wardctl account release after
su bob -c 'exec sleep 1000' </dev/null >/dev/null 2>&1 &
wait_for 10 pgrep -u bob sleep
refused "a sandbox lives" "wardctl end bob"
ward_do wardctl end bob --grace 0
wait || true
setpriv --reuid bob --regid bob --clear-groups sleep 1000 &
outside=$!
wait_for 10 pgrep -u bob sleep
refused "a process is outside" 'has a process: sleep'
kill "$outside"
wait || true
touch /home/bob/.forward
refused "something is where the home was" '/home/bob/.forward is in the way'
rm /home/bob/.forward
mkdir /home/.ward/bob/disk
mount -t tmpfs tmpfs /home/.ward/bob/disk
refused "something is mounted in his home" '/home/.ward/bob/disk is a mount'
umount /home/.ward/bob/disk
rmdir /home/.ward/bob/disk
usermod -d /srv bob
exits "passwd has another home" 1 wardctl account release bob
like "as is told" "$output" 'usermod --home /home/bob'
usermod -d /home/bob bob
touch -d 2021-01-01 /home/.ward/bob
wait_for 10 sh -c '! find /run/ward -name alive | grep -q .' || true
ward_do wardctl end bob || true

# --- released ---
succeeds "release" wardctl account release bob
like "says what he is" "$output" 'with the shell /bin/dash and its files in'
like "that the password is" "$output" 'password is valid again'
like "that cron runs on the host" "$output" 'jobs run on the host from now on'
is "every line and every file is as it was" \
    "$(account bob; left bob)" "$before"
like "he logs in as before" "$(runs ssh_as bob)" 'bob (bash|systemd)'
like "with his password, too" "$(as_account after su bob -c 'id -un' \
    <<<secret 2>&1 || true)" 'bob'

# --- again, with keys of the admin's, and changed ones of the account's ---
succeeds "adopted again" wardctl account adopt bob --profile quiet \
    --key /root/other.pub
is "with these keys" "$(cat /etc/ward/authorized_keys/bob)" \
    "$(cat /root/other.pub)"
fails "and not with those of its home" ssh_as bob true
succeeds "released again" wardctl account release bob
like "the admin's keys are left" "$output" 'left: .*authorized_keys/bob'
like "and whose count is said" "$output" \
    'other keys now.*: /home/bob/.ssh/authorized_keys'
exits "which is in the way of the next time" 1 wardctl account adopt bob
like "as is told" "$output" 'authorized_keys/bob is there already'

# --- one that account add made ---
ward_do wardctl account add agent --profile quiet --key /root/key.pub
su agent -c 'echo kept >~/file' </dev/null
ward_do wardctl end agent || true
succeeds "one that account add made" wardctl account release agent
like "has a shell and a home" "$output" 'shell /bin/bash and its files in /home/agent'
is "with its files" "$(cat /home/agent/file)" kept
like "on the host" "$(runs su agent -c)" 'agent (bash|systemd)'
is "and no line is left" "$(grep '"agent"' /etc/ward/assignments.conf
    ls /etc/ward/adopted; readlink "/etc/systemd/system/user@$(id -u agent).service"
    id -Gn agent)" agent
rm /etc/ward/authorized_keys/*
succeeds "it is adopted as any other" wardctl account adopt agent --profile quiet
ward_do wardctl account remove agent
is "and removed without a trace" "$(find /home /etc/ward -name '*agent'
    getent passwd agent)" ''
