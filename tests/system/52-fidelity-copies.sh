#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# A GiB by scp and by rsync, both ways, arrives as it was.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/50-compare.bash
. "$(dirname "$0")/50-compare.bash"

# make_gib: the same random block over and over, cheap to make; a block that
# is lost, doubled or moved by less than its odd size shows.
make_gib()
{
	local n
	head -c 1048573 /dev/urandom >/root/block
	for ((n = 0; n < 1025; n++)); do
		cat /root/block
	done >/root/gib
	truncate -s 1G /root/gib
	touch -d '2020-02-02 02:02:02' /root/gib
	chmod 0640 /root/gib
	sum=$(b2sum </root/gib)
}

# copied NAME FILE: it is the GiB.
copied()
{
	is "$1: every byte" "$(b2sum <"$2")" "$sum"
}

# copies: both ways, in the account's home, which is where it lives inside.
# A box is memory: there are never more than two copies.
copies()
{
	local shell="ssh ${ssh_options[*]}" inside=/home/.ward/agent/gib
	succeeds "control: scp to an ungoverned account" scp -q \
	    "${ssh_options[@]}" /root/gib plain@127.0.0.1:gib
	copied "control" /home/plain/gib
	rm /home/plain/gib
	succeeds "scp to agent" scp -q -p "${ssh_options[@]}" /root/gib \
	    agent@127.0.0.1:gib
	rm /root/gib
	copied "scp to agent" "$inside"
	succeeds "scp from agent" scp -q -p "${ssh_options[@]}" \
	    agent@127.0.0.1:gib /root/gib
	rm "$inside"
	copied "scp from agent" /root/gib
	succeeds "rsync to agent" rsync -a -e "$shell" /root/gib \
	    agent@127.0.0.1:gib
	copied "rsync to agent" "$inside"
	succeeds "rsync again has nothing to do" rsync -a -i -e "$shell" \
	    /root/gib agent@127.0.0.1:gib
	is "and says nothing" "$output" ''
	rm /root/gib
	succeeds "rsync from agent" rsync -a -e "$shell" \
	    agent@127.0.0.1:gib /root/gib
	copied "rsync from agent" /root/gib
	is "its time and mode came along all the way" \
	    "$(stat -c '%a %.19y' /root/gib)" '640 2020-02-02 02:02:02'
	rm "$inside" /root/gib
	as_plain "scp of what is not there" '\[1\]' scp -q \
	    "${ssh_options[@]}" {}@127.0.0.1:none /root/back
	as_plain "rsync of what is not there" '\[23\]' rsync -a -e "$shell" \
	    {}@127.0.0.1:none /root/back
}

plan 15
setting
cd /
# the cipher is not what is tried
ssh_options+=(-c aes128-gcm@openssh.com)
make_gib
copies
