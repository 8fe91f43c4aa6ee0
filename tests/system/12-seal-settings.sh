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

# Debian's kernel has no x32, and an ungoverned account's row says so.  A mount
# needs more than the seal's leave: Landlock refuses it to whoever it restricts.
table()
{
	cat <<-'TABLE'
	unshare -U|refused|refused|ok|refused|ok|ok
	unshare -Ur|refused|refused|ok|refused|ok|ok
	clone|EPERM|EPERM|ok|EPERM|ok|ok
	chroot inside|refused|refused|ok|refused|ok|ok
	mount inside|refused|refused|refused|refused|refused|ok
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
		if [ "$control" != "${row[-1]}" ] &&
		    { [ "$name" = 'int 0x80' ] || [ "$name" = x32 ]; }; then
			skip "$column: $name: $want" \
			    "to everybody this kernel says $control"
		else
			is "$column: $name: $want" \
			    "$(value_of "$column" "$name")" "$want"
		fi
	done
done < <(table)
