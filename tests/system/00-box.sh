#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# The quick box has what Ward and its tests need, and nothing of the machine.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"

# probe_rows: one row for each line of the probe.
probe_rows()
{
	local line
	while read -r line; do
		case $line in
		'ok '*) pass "kernel: ${line#ok }" ;;
		*) fail "kernel: ${line#not ok }" ;;
		esac
	done < <(python3 "$(dirname "$0")/box-probe.py")
}

# open_files: what a process of the box is born with.
open_files()
{
	python3 -c 'import os
print(*(f for f in sorted(os.listdir("/proc/self/fd"), key=int)
    if os.path.exists("/proc/self/fd/" + f)))'
}

plan $((13 + $(python3 "$(dirname "$0")/box-probe.py" --count)))

is "the kind of box" "$WARD_BOX" quick
is "the release" "$(. /etc/os-release && echo "$VERSION_CODENAME")" bookworm
is "its own host name" "$(hostname)" wardbox
is "pid 1 is the box's" "$(readlink /proc/1/exe)" /usr/bin/bash
is "no file but 0, 1 and 2 is open" "$(open_files)" '0 1 2'
is "the root is a file system of its own" \
    "$(stat -f -c %T /) $(awk '$5 == "/" { print $9 }' /proc/self/mountinfo)" \
    'overlayfs overlay'
is "no mount of the machine's is left" \
    "$(grep '^/' /proc/self/mounts | cut -d ' ' -f 2 | sort | xargs)" '/tables /tests'
is "the network is lo" "$(find /sys/class/net -mindepth 1 -printf '%f ')" 'lo '
fails "the machine's settings are out of reach" \
    sh -c 'echo box >/proc/sys/kernel/domainname'
succeeds "the network's settings are not" \
    sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
succeeds "an account can be made" useradd -m -s /bin/bash boxaccount
is "it can be entered through PAM" "$(su - boxaccount -c 'id -un; pwd' |
    tr '\n' ' ')" 'boxaccount /home/boxaccount '
is "it gets a terminal of its own" "$(su - boxaccount -c \
    "script -qec 'stat -c \"%a %G %U\" \$(tty)' /dev/null" </dev/null |
    tr -d '\r')" '620 tty boxaccount'
probe_rows
