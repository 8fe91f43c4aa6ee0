#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# What a profile's seal.* settings open and close, by real calls: each by itself
# and all at once, against a profile without any and an ungoverned account.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

# One profile for each column but the last, which is the ungoverned account.
columns=(default multilib userns undebugged all plain)

# seal_of COLUMN: its settings.
seal_of()
{
	case $1 in
	multilib) echo 'multilib = true;' ;;
	userns) echo 'allow_nested_userns = true;' ;;
	undebugged) echo 'debug = false;' ;;
	all) echo 'multilib = true; allow_nested_userns = true; debug = false;' ;;
	esac
}

# The last two are what a kernel says that has both; where this one does not, an
# ungoverned account's column shows it.  A mount needs more than the seal's leave:
# Landlock refuses it to whoever it restricts.
table()
{
	cat <<-'TABLE'
	unshare -U|refused|refused|ok|refused|ok|ok
	unshare -Ur|refused|refused|ok|refused|ok|ok
	clone|EPERM|EPERM|ok|EPERM|ok|ok
	chroot inside|refused|refused|ok|refused|ok|ok
	other namespaces|refused|refused|ok|refused|ok|ok
	unshare -m|refused|refused|ok|refused|ok|ok
	mount inside|refused|refused|refused|refused|refused|ok
	bind inside|refused|refused|refused|refused|refused|ok
	pivot_root inside|EPERM|EPERM|EPERM|EPERM|EPERM|EINVAL
	chroot|EPERM|EPERM|EFAULT|EPERM|EFAULT|EFAULT
	ptrace|ok|ok|ok|EPERM|EPERM|ok
	process_vm_readv|ok|ok|ok|EPERM|EPERM|ok
	strace|ok|ok|ok|refused|refused|ok
	gdb|ok|ok|ok|refused|refused|ok
	int 0x80|ENOSYS|ok|ENOSYS|ENOSYS|ok|ok
	x32|ENOSYS|ok|ENOSYS|ENOSYS|ok|ok
	TABLE
}

# tried COLUMN: what came of each.
tried()
{
	if [ "$1" = plain ]; then
		su plain -c 'python3 /usr/local/lib/seal-settings.py'
		return
	fi
	cat >/etc/ward/profiles.d/agent.conf <<-PROFILE
	profile:
	{
	  name    = "agent";
	  extends = ( "base" );
	  network: { mode = "none"; };
	  seal:    { $(seal_of "$1") };
	};
	PROFILE
	setting_do wardctl profile apply
	su agent -c 'python3 /usr/local/lib/seal-settings.py'
	settled
}

# value_of COLUMN NAME
value_of()
{
	sed -n "s/^$2: //p" <<<"${said[$1]}"
}

# no_wider COLUMN NAME CONTROL: a kernel that refuses it to everybody refuses it
# inside as it does outside, or the seal was first.
no_wider()
{
	like "$1: $2: no more than outside, where this kernel says $3" \
	    "$(value_of "$1" "$2")" "^(ENOSYS|$3)\$"
}

declare -A said=()
plan $(($(table | wc -l) * ${#columns[@]}))
setting
install -m 0644 /tests/seal-settings.py /usr/local/lib/
cd /
for column in "${columns[@]}"; do
	said[$column]=$(tried "$column" 2>&1) || true
done
while IFS='|' read -r -a row; do
	for i in "${!columns[@]}"; do
		column=${columns[i]} name=${row[0]} want=${row[i + 1]}
		control=$(value_of plain "$name")
		if [ -n "$control" ] && [ "$control" != "${row[-1]}" ] &&
		    { [ "$name" = 'int 0x80' ] || [ "$name" = x32 ]; }; then
			no_wider "$column" "$name" "$control"
		else
			is "$column: $name: $want" \
			    "$(value_of "$column" "$name")" "$want"
		fi
	done
done < <(table)
