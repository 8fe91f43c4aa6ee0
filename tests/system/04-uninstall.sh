#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# source: yes
# make uninstall: refused, and harmless, while an agent account could log in or
# a stack leads to Ward; else it leaves nothing but what is the site's.  What was
# installed into a DESTDIR goes whatever the machine has.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

# source_ready: the tree, at the place that it was configured for.
source_ready()
{
	local place
	place=$(sed -n 's/^abs_top_srcdir = //p' /source/build/normal/Makefile)
	mkdir -p "$(dirname "$place")"
	ln -s /source "$place"
}

make_uninstall()
{
	make -s -C /source/build/normal uninstall "$@"
}

# installed: the product's files, of those that make install made.
installed()
{
	find /source/build/dest ! -type d -printf '/%P\n' | sort |
	    while read -r file; do
		[ ! -e "$file" ] || printf '%s\n' "$file"
	done
}

# refused ROW REASON: every file stays, and so does who is confined.
refused()
{
	local before
	before=$(installed)
	fails "$1: refused" make_uninstall
	like "$1: with the reason" "$output" "$2"
	is "$1: nothing is gone" "$(installed)" "$before"
}

plan 22
about "make uninstall"
source_ready
setting
like "control: it is installed" "$(installed | xargs)" \
    'bin/wardsh.*pam_ward.so.*ward/warden.*sbin/wardctl.*man8/wardctl.8'
succeeds "control: disable --check has its help" wardctl disable --help
like "which says what it is for" "$output" 'uninstalled'

refused "an open account" "agent could log in.*'wardctl account lock agent'"
like "and is inside as before" "$(su - agent -c 'cat /proc/1/comm')" ward-init
settled
cp -a /source/build/dest /root/dest
succeeds "a DESTDIR is not the machine's" make_uninstall DESTDIR=/root/dest
is "and is empty" "$(find /root/dest ! -type d)" ''

setting_do wardctl account lock agent
refused "a machine that is enabled" "'wardctl disable' first"
setting_do wardctl disable
echo '# Include /etc/ssh' >/etc/ssh/sshd_config.d/ward.conf
refused "a snippet that is there" 'sshd_config.d/ward.conf is there'
rm /etc/ssh/sshd_config.d/ward.conf

succeeds "disabled" wardctl disable --check
succeeds "and uninstalled" make_uninstall
is "nothing of it is left" "$(installed)" ''
is "the site's is" "$(find /etc/ward /var/lib/ward -type f -name '*agent*' -o \
    -name policy.db -o -name violations.db | sort | xargs)" "\
/etc/ward/authorized_keys/agent /etc/ward/profiles.d/agent.conf \
/var/lib/ward/policy.db /var/lib/ward/violations.db"
fails "the account that was locked stays out" su - agent -c true
is "people get in" "$(su - plain -c 'id -un')" plain
succeeds "a second time there is nothing to ask" make_uninstall
