#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# With a part of Ward missing or broken, no way into a governed account leads
# anywhere: nothing runs, the log says why, and so does the entry where it can
# print.  Whoever is not governed does not notice.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/40-entries.bash
. "$(dirname "$0")/40-entries.bash"
# shellcheck source=tests/system/40-faults.bash
. "$(dirname "$0")/40-faults.bash"

warden=/usr/libexec/ward/warden
policy=/var/lib/ward/policy.db
module=$(dirname "$(find /usr/lib -name pam_unix.so)")/pam_ward.so

# What is broken, and the code that says so; a module that libpam cannot load
# has none.
faults=(
    warden-missing:W010 warden-not-executable:W010
    policy-missing:W020 policy-no-database:W020 policy-not-private:W020
    module-missing: module-broken:
)

# break_it FAULT: what it breaks is kept in /root/kept.
break_it()
{
	local file
	case $1 in
	warden-*) file=$warden ;;
	policy-*) file=$policy ;;
	module-*) file=$module ;;
	esac
	cp -a "$file" /root/kept
	echo "$file" >/root/kept.name
	case $1 in
	*-missing) rm "$file" ;;
	warden-not-executable) chmod 0644 "$file" ;;
	policy-no-database) echo nonsense >"$file" ;;
	policy-not-private) chmod 0644 "$file" ;;
	module-broken)
		# by rename, as a file that others have mapped
		echo nonsense >"$file.new"
		mv "$file.new" "$file"
		;;
	esac
}

# mend: takes back what break_it did.
mend()
{
	mv /root/kept "$(cat /root/kept.name)"
}

plan $((4 * ${#entries[@]} + 2 + ${#faults[@]} * (${#entries[@]} + 7)))
setting
entries_ready
cd /
for name in "${entries[@]}"; do
	opens "$name" plain "control: $name, ungoverned"
	opens "$name" agent "control: $name, governed"
done
succeeds "control: a forward of an ungoverned account" forwards plain
fails "control: a forward of the governed one does not lead out" forwards agent
for fault in "${faults[@]}"; do
	settled
	code=${fault#*:} fault=${fault%:*}
	break_it "$fault"
	for name in "${entries[@]}"; do
		refuses "$name" "$code" "$fault: $name is refused"
	done
	fails "$fault: a forward leads nowhere" forwards agent
	ungoverned "$fault"
	mend
	opens su agent "$fault: mended, it opens again"
done
settled
break_it module-missing
for name in "${entries[@]}"; do
	opens "$name" plain "module-missing: $name, ungoverned"
done
mend
break_it module-broken
for name in "${entries[@]}"; do
	opens "$name" plain "module-broken: $name, ungoverned"
done
mend
