#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Ways out that lead over what the host does for an account or has lying about:
# files that sshd reads, descriptors that a session is born with, mounts.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"

# both NAME AGENT-PATTERN PLAIN-PATTERN FUNCTION [ARGUMENTS]: a row of what the
# function prints, given the account behind its arguments.
both()
{
	local name=$1 want=$2 control=$3 agent plain
	shift 3
	agent=$("$@" agent 2>&1 </dev/null) || true
	plain_once "$name" "$@" plain
	opposite "$name" "${agent//$'\r'/}" "${plain//$'\r'/}" \
	    "$want" "$control"
}

# user_rc ACCOUNT: sshd would run it, past the login shell's argument.
user_rc()
{
	ssh_as "$1" "mkdir -p .ssh && echo $probe_dir/where rc >.ssh/rc"
	ssh_as "$1" true
	ssh_as "$1" rm .ssh/rc
	where_was rc "$1"
}

# host_rc ACCOUNT: a site's sshrc that reads what is the account's.
host_rc()
{
	ssh_as "$1" "echo $probe_dir/where sshrc >.read-by-sshrc"
	echo '. ~/.read-by-sshrc' >/etc/ssh/sshrc
	ssh_as "$1" true
	rm /etc/ssh/sshrc
	where_was sshrc "$1"
}

# second_key ACCOUNT: one that the account itself lets in.
second_key()
{
	ssh_as "$1" "mkdir -p .ssh && chmod 700 .ssh &&
	    echo '$(cat /root/key2.pub)' >>.ssh/authorized_keys"
	ssh -F none -i /root/key2 "${ssh_options[@]:4}" -p "$ssh_port" \
	    -l "$1" 127.0.0.1 'echo let in' || true
}

# like_scp ACCOUNT: no command is taken for one of sshd's own helpers.
like_scp()
{
	ssh_as "$1" "scp ; $probe_dir/where scp" 2>/dev/null
	where_was scp "$1"
}

# left ACCOUNT: what a session has left running.
left()
{
	local seconds=20000001
	[ "$1" = agent ] || seconds=20000002
	# it has to be there before the session ends
	ssh_as "$1" "setsid sleep $seconds >/dev/null 2>&1 </dev/null &
	    until pgrep -f -x 'sleep $seconds' >/dev/null; do sleep 0.05; done
	    echo begun" | grep -qx begun || { echo "never there"; return; }
	if wait_for 3 no_process "sleep $seconds"; then
		echo gone
	else
		echo lives on
	fi
}

no_process()
{
	! pgrep -f -x "$1"
}

# born_with KIND ACCOUNT: a session whose standard input is of this kind.
born_with()
{
	python3 - "$1" "$2" <<-'PYTHON'
	import os, socket, subprocess, sys

	kind, account = sys.argv[1:]
	if kind == "tcp":
	    server = socket.create_server(("127.0.0.1", 0))
	    client = socket.create_connection(server.getsockname())
	    given, _ = server.accept()
	elif kind == "netlink":
	    given = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
	elif kind == "packet":
	    given = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
	elif kind == "datagram":
	    given = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
	elif kind == "free":
	    given = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
	elif kind == "pair":
	    given, peer = socket.socketpair()
	else:
	    given = os.open("/", os.O_RDONLY)
	subprocess.run(("su", "-s", "/bin/sh", account, "-c", "echo ran"),
	               stdin=given, stderr=subprocess.STDOUT, check=False)
	PYTHON
}

# console ACCOUNT: login, as a getty that lets somebody in would call it.
console()
{
	# shellcheck disable=SC2016 # the variables are expect's
	expect -c 'log_user 0; set timeout 20' \
	    -c "spawn login -f $1" \
	    -c 'expect {
		-re {W[0-9]+} { puts $expect_out(0,string); exit }
		-ex {$ } { send "echo r\"\"an; exit\r" }
	    }
	    expect -re {[\r\n]ran} { puts ran }'
}

# with_password ACCOUNT: su by another user, who knows one and asks for a shell.
with_password()
{
	echo "$1:secret" | chpasswd
	# shellcheck disable=SC2016 # the variables are expect's
	as_account third expect -c 'log_user 0; set timeout 20' \
	    -c "spawn su -s /bin/bash $1 -c \"$probe_dir/where su\"" \
	    -c 'expect -re "assword" { send "secret\r" }; expect eof' || true
	passwd -q -l "$1"
	where_was su "$1"
}

# sshd_says KEYWORD ACCOUNT
sshd_says()
{
	sshd -T -C "user=$2,host=localhost,addr=127.0.0.1" |
	    awk -v keyword="$1" '$1 == keyword { print $2 }' | xargs
}

# on_host: mounts of kinds that a view must have, or must not.
on_host()
{
	local number
	mkdir -p /srv/disk /srv/other /srv/chroot/proc /srv/chroot/run
	ward_do mount -t proc proc /srv/chroot/proc
	ward_do mount --bind /run /srv/chroot/run
	[ -e /dev/loop-control ] || mknod /dev/loop-control c 10 237
	for number in 0 1 2 3 4 5 6 7; do
		[ -e "/dev/loop$number" ] ||
		    mknod "/dev/loop$number" b 7 "$number"
	done
	truncate -s 4M /root/disk
	ward_do mkfs.ext4 -q /root/disk
	mount -o loop /root/disk /srv/disk 2>/dev/null || return
	install -d -m 0777 /srv/disk/open
	echo DISK >/srv/disk/open/file
	touch /srv/one-file
	ward_do mount --bind /srv/disk/open /srv/other
	ward_do mount --bind /srv/disk/open/file /srv/one-file
}

# seen ACCOUNT COMMAND: through su, which is the fastest.
seen()
{
	su -s /bin/sh "$2" -c "$1" 2>&1 | xargs
}

# disk_rows: a disk of its own, and binds of it, of a directory and of a file.
disk_rows()
{
	if ! mountpoint -q /srv/disk; then
		skip "a disk, written" "no loop device can be had here"
		skip "a bind of a directory, written" "no loop device"
		skip "a disk and its binds are read" "no loop device"
		return
	fi
	both "a disk, written" '.*Read-only.*' '' \
	    seen 'echo >/srv/disk/open/new'
	both "a bind of a directory, written" '.*Read-only.*' '' \
	    seen 'echo >/srv/other/new'
	is "a disk and its binds are read" \
	    "$(seen 'cat /srv/disk/open/file /srv/other/file /srv/one-file' \
	    agent)" 'DISK DISK DISK'
}

# fifo_in_plan: what a rule of the profile leads through is a FIFO.
fifo_in_plan()
{
	as_account "$1" rm -rf "$2/work"
	as_account "$1" mkfifo "$2/work"
	timeout 5 su -s /bin/sh "$1" -c 'echo in' </dev/null 2>&1 || true
	as_account "$1" rm "$2/work"
}

# --- a sshd whose configuration opens everything, with the snippet left out ---

open_port=2224

open_sshd()
{
	{
		sed '/^Include/d' /etc/ssh/sshd_config
		printf '%s\n' 'PermitUserRC yes' 'PermitUserEnvironment yes' \
		    'PermitTunnel yes' 'PidFile /run/sshd-open.pid' \
		    'AuthorizedKeysFile /etc/ward/authorized_keys/%u .ssh/authorized_keys'
	} >/etc/ssh/sshd_config.open
	ward_do /usr/sbin/sshd -f /etc/ssh/sshd_config.open -p "$open_port"
}

# over_open ACCOUNT [SSH-ARGUMENTS]
over_open()
{
	local ssh_port=$open_port
	ssh_as "$@"
}

# open_rc ACCOUNT: sshd runs it by /bin/sh, never through the login shell.
open_rc()
{
	over_open "$1" "mkdir -p .ssh && echo $probe_dir/where rc >.ssh/rc"
	rm -f "/srv/build/rc.$1"
	over_open "$1" true
	over_open "$1" rm .ssh/rc
	where_was rc "$1"
}

# planted ACCOUNT MARK: code of the account's that each python runs which has
# this directory in its environment.
planted()
{
	ssh_as "$1" "mkdir -p code.d && printf '%s\n' 'import os' \
	    'os.system(\"$probe_dir/where $2\")' >code.d/sitecustomize.py"
	rm -f "/srv/build/$2.$1"
}

# user_environment ACCOUNT: sshd reads it in the process that it has forked.
user_environment()
{
	planted "$1" by-file
	ssh_as "$1" "mkdir -p .ssh
	    echo PYTHONPATH=/home/$1/code.d >.ssh/environment"
	over_open "$1" 'python3 -c pass'
	ssh_as "$1" rm .ssh/environment
	where_was by-file "$1"
}

# pam_environment ACCOUNT: sshd's stack reads it, as root, before anything is
# forked.
pam_environment()
{
	planted "$1" by-pam
	ssh_as "$1" "mv .pam_environment kept
	    echo PYTHONPATH DEFAULT=/home/$1/code.d >.pam_environment"
	ssh_as "$1" 'python3 -c pass'
	ssh_as "$1" "mv -f kept .pam_environment"
	where_was by-pam "$1"
}

# system_environment ACCOUNT: the same where the file is the admin's, by a way
# that does not run the login shell.
system_environment()
{
	planted "$1" by-system
	cp /etc/environment /root/environment
	echo "PYTHONPATH=/home/$1/code.d" >>/etc/environment
	su -s /bin/sh -c 'python3 -c pass' "$1"
	cp /root/environment /etc/environment
	where_was by-system "$1"
}

# preloaded ACCOUNT: a library that the login shell, too, loads before its main,
# and that writes a file: where is it?
preloaded()
{
	local there=/tmp/preloaded.$1
	cp /etc/environment /root/environment
	printf '%s\n' LD_PRELOAD=libpcprofile.so "PCPROFILE_OUTPUT=$there" \
	    >/etc/environment
	ssh_as "$1" "test -s $there && echo ran" 2>/dev/null | xargs
	cp /root/environment /etc/environment
	[ ! -e "$there" ] || echo "on the host"
}

# key_command ACCOUNT: the command that a key's options name.
key_command()
{
	local keys=/home/$1/.ssh/authorized_keys
	[ "$1" = plain ] || keys=/etc/ward/authorized_keys/$1
	cp -p "$keys" /root/keys
	sed "s,^,command=\"$probe_dir/where key\" ," /root/key3.pub >>"$keys"
	ssh -F none -i /root/key3 "${ssh_options[@]:4}" -p "$ssh_port" \
	    -l "$1" 127.0.0.1 'another command' 2>/dev/null || true
	cp -p /root/keys "$keys"
	where_was key "$1"
}

# tunnel ACCOUNT: a device of the host's that is the account's; whether its
# session gets hold of it.
tunnel()
{
	local device=tun7 pid
	[ "$1" = plain ] || device=tun8
	ip tuntap add dev "$device" mode tun user "$1" 2>/dev/null || true
	ip link set "$device" up
	over_open "$1" -N -w "9:${device#tun}" >/dev/null 2>&1 &
	pid=$!
	if wait_for 3 grep -q 1 "/sys/class/net/$device/carrier"; then
		echo attached
	else
		echo refused
	fi
	kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null || true
	wait_for 5 ip tuntap del dev "$device" mode tun || true
}

# tables ACCOUNT: what it can have the host run later, from its own session.
tables()
{
	seen "echo '* * * * * true' | crontab - 2>/dev/null && echo crontab
	    cd /; echo true | at now + 1 day 2>/dev/null && echo at" "$1"
	crontab -u "$1" -r 2>/dev/null || true
}

# changes_shell ACCOUNT: with its password.
changes_shell()
{
	local before after
	before=$(getent passwd "$1")
	echo "$1:secret" | chpasswd
	# shellcheck disable=SC2016 # the variables are expect's
	expect -c 'log_user 0; set timeout 20' \
	    -c "spawn su -s /bin/bash $1 -c {chsh -s /bin/dash}" \
	    -c 'expect -re "assword" { send "secret\r"; expect eof }'
	passwd -q -l "$1"
	after=$(getent passwd "$1")
	[ "$before" = "$after" ] && echo same || echo changed
	[ "$1" != plain ] || usermod -s /bin/bash plain
}

# no_groups ACCOUNT: the directory service is down, and it is in no group.
no_groups()
{
	rm -f "/srv/build/no-groups.$1"
	cp /etc/nsswitch.conf /root/nsswitch.conf
	sed -i 's/^group:.*/group: nosuch/' /etc/nsswitch.conf
	! id -Gn "$1" 2>/dev/null | grep -q ward-agents || echo "it has groups"
	su -s /bin/sh "$1" -c "$probe_dir/where no-groups"
	cp /root/nsswitch.conf /etc/nsswitch.conf
	where_was no-groups "$1"
}

# host_rows: in one scope.
host_rows()
{
	local kind
	both "the user's rc of sshd" "nothing ran" host user_rc
	both "the same, where sshd's configuration lets it" sealed host open_rc
	both "sshrc that reads the home" sealed host host_rc
	both "the user's environment file" "nothing ran" host user_environment
	both "a preload that all programs have" ran 'ran.*on the host' \
	    preloaded
	both "the home's file for pam_env" "nothing ran" host pam_environment
	both "the system's" sealed host system_environment
	both "a key that the account adds" '.*Permission denied.*' 'let in' \
	    second_key
	both "the command of a key" sealed host key_command
	both "a command that begins as scp's" sealed host like_scp
	both "jobs for cron and at" '' 'crontab at' tables
	both "what a session leaves running" gone "lives on" left
	for kind in directory tcp netlink packet; do
		both "born with: $kind" \
		    '.*W004: session for agent refused.*' ran born_with "$kind"
	done
	both "born with a datagram socket" \
	    '.*W004: .* 0 is a datagram socket;.*' ran born_with datagram
	both "born with a socket that has no peer" \
	    '.*W004: .* is not connected;.*' ran born_with free
	is "born with one that has" "$(born_with pair agent)" ran
	both "login" W002 ran console
	both "su by somebody who knows a password" sealed host with_password
	both "chsh" same changed changes_shell
	both "no groups can be looked up" sealed host no_groups
	if "$tunnels"; then
		both "a tunnel" refused attached tunnel
	else
		skip "a tunnel" "this kernel has none"
	fi
}

# Once: what is so for the machine, or does not ask for the scope.
plan $((2 * 24 + 16))
for name in key2 key3; do
	ssh-keygen -q -t ed25519 -N '' -f "/root/$name"
done
ward_setup
useradd -m -s /bin/bash third
open_sshd
[ -e /dev/net/tun ] || { mkdir -p /dev/net; mknod -m 0666 /dev/net/tun c 10 200; }
tunnels=true
ip tuntap add dev tun6 mode tun 2>/dev/null || tunnels=false
for scope in "${scopes[@]}"; do
	ward_scope "$scope"
	rm -f /srv/build/*.agent
	host_rows
done
about
for name in allowagentforwarding allowstreamlocalforwarding x11forwarding \
    permituserrc; do
	both "sshd: $name" no yes sshd_says "$name"
done
is "sshd: permituserenvironment" \
    "$(sshd_says permituserenvironment agent)" no
is "sshd: permittunnel" "$(sshd_says permittunnel agent)" no
is "the login shell is in no list of shells" \
    "$(grep -c -x -e "$(getent passwd agent | cut -d : -f 7)" \
    -e "$(getent passwd plain | cut -d : -f 7)" /etc/shells)" 1
is "the account has no password" "$(passwd -S agent | cut -d ' ' -f 2)" L

on_host || true
both "another proc of the host's" '' '.*cpuinfo.*' seen 'ls /srv/chroot/proc'
both "a bind of /run" '' '.*sshd.*' seen 'ls /srv/chroot/run'
disk_rows

# The profile denies writing to ~/work/kept.
as_account agent mkdir /home/.ward/agent/work
as_account agent touch /home/.ward/agent/work/kept
is "a write rule in the home" "$(seen 'echo >~/work/kept' agent)" \
    'sh: 1: cannot create /home/agent/work/kept: Read-only file system'
is "a FIFO where the rule leads through" \
    "$(fifo_in_plan agent /home/.ward/agent)" in
is "no mount of the sandboxes' is left on the host" \
    "$(grep -c ' ward ' /proc/self/mounts || true)" 0
