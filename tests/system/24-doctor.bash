# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# What the tests of wardctl doctor share: its report, files that are put back,
# programs that run.  Sourced by tests/system/2N-ctl-doctor*.sh after lib.sh.

keep=/root/keep

# report: what it says; lines about the machine's own kernel are not Ward's.
report()
{
	wardctl doctor 2>&1 </dev/null | grep -vE '^pass  kernel:' || true
}

# kept FILE, back FILE: as it was, with owner and mode.
kept()
{
	mkdir -p "$keep"
	cp -p "$1" "$keep/${1//\//_}"
}

back()
{
	cp -p "$keep/${1//\//_}" "$1"
}

# stays COMMAND...: in the background; end_it ends it.
stays()
{
	"$@" </dev/null >/dev/null 2>&1 &
	stayed=$!
}

end_it()
{
	kill "$stayed"
	wait "$stayed" 2>/dev/null || true
}

# named PROGRAM: a program of this name that runs.
named()
{
	cp /bin/sleep "/usr/local/sbin/$1"
	stays "/usr/local/sbin/$1" 600
	wait_for 10 sh -c "readlink /proc/$stayed/exe | grep -q '/$1\$'"
}
