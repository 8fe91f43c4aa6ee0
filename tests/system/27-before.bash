# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# What an account is, to be held against what it was: for the tests of wardctl
# account adopt and release.

# files DIRECTORY: all that a copy, or somebody who walks it, would change.
files()
{
	find "$1" -printf '%P %i %T@ %m %U %G %n %l\n' | sort
}

# account NAME: its lines, and its home.
account()
{
	grep "^$1:" /etc/passwd /etc/shadow /etc/group /etc/gshadow /etc/subuid \
	    /etc/subgid
	grep ward-agents: /etc/group /etc/gshadow
	stat -c '%n %i %a %u' "/home/$1"
	files "/home/$1"
}

# left NAME: what Ward has of it.
left()
{
	grep -o "{ name = \"$1\".*}" /etc/ward/assignments.conf || true
	find /etc/ward/authorized_keys /etc/ward/adopted /home/.ward \
	    -name "$1*" 2>/dev/null || true
	readlink "/etc/systemd/system/user@$(id -u "$1").service" || true
}
