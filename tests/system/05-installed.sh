#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# source: yes
# What make install leaves: whose it is, who may write it, that nothing of it has
# a power of its own, and that it is what the tests of the build looked at.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"

# files: all that is Ward's on the machine, and the directories that are only
# its own.
files()
{
	find /source/build/dest ! -type d -printf '/%P\n'
	printf '%s\n' /usr/libexec/ward /usr/share/ward /usr/share/ward/profiles
}

# modes EXPRESSION: those of files whose names are like this, each once.
modes()
{
	files | grep -E "$1" | xargs -d '\n' stat -c '%a %U:%G' | sort -u |
	    paste -sd ' '
}

# powers: of files that have some; a capability is an attribute.
powers()
{
	files | xargs -d '\n' python3 -c 'import os, sys
for path in sys.argv[1:]:
    if os.stat(path).st_mode & 0o7000 or os.listxattr(path):
        print(path)'
}

# others: programs that are not those of the build.
others()
{
	local file built=/source/build/normal
	for file in /usr/libexec/ward/* /usr/bin/wardsh /usr/sbin/wardctl \
	    "$module"; do
		case $file in
		*/egress) cmp -s "$file" "$built/egress/egress" ;;
		*.so) cmp -s "$file" "$built/.libs/${file##*/}" ;;
		*) cmp -s "$file" "$built/${file##*/}" ;;
		esac || echo "$file"
	done
}

# writable_path FILE: who beside root could put another in its place.
writable_path()
{
	local at=$1
	while :; do
		find "$at" -maxdepth 0 \( ! -user root -o -perm /022 \) \
		    ! -type l -print
		[ "$at" != / ] || break
		at=$(dirname "$at")
	done
}

plan 12
module=$(find /usr/lib -name pam_ward.so)
is "the programs, who runs them" \
    "$(modes '^/usr/(s?bin|libexec/ward)/.')" '755 root:root'
is "there are nine" "$(files | grep -cE '^/usr/(s?bin|libexec/ward)/.')" 9
is "the module" "$(modes 'pam_ward.so$')" '755 root:root'
is "all else is only read" "$(files | grep -vE \
    '^/usr/(s?bin|libexec)/|/pam_ward.so$|^/usr/share/ward(/profiles)?$' |
    xargs -d '\n' stat -c '%a %U:%G' | sort -u)" '644 root:root'
is "its directories" "$(modes '^/usr/(libexec|share)/ward(/profiles)?$')" \
    '755 root:root'
is "nothing has a power of its own" "$(powers)" ''
chmod u+s /usr/bin/wardsh
is "control: a program that would run as root" "$(powers)" /usr/bin/wardsh
chmod u-s /usr/bin/wardsh
setcap cap_net_raw+ep /usr/sbin/wardctl
is "control: or with a capability" "$(powers)" /usr/sbin/wardctl
setcap -r /usr/sbin/wardctl
is "nobody else could put another in its place" "$(files |
    while read -r file; do writable_path "$file"; done | sort -u)" ''
chmod 0777 /usr/libexec/ward
is "control: somebody could" "$(files |
    while read -r file; do writable_path "$file"; done | sort -u)" \
    /usr/libexec/ward
chmod 0755 /usr/libexec/ward
is "it is what was built" "$(others)" ''
fails "no login is led to it yet" grep -rqE 'wardsh|pam_ward' /etc
