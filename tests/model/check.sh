#!/bin/sh
# SPDX-License-Identifier: ISC
# Lets spin look at every state of tests/model/session.pml: the model must
# hold, and each mutant of it must not.  Run by make check; skipped where spin
# or a compiler for what it writes is not installed.
set -u

model=$(cd "${srcdir:-.}/tests/model" && pwd -P)/session.pml
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
rows=0
failed=0

for tool in spin cc; do
	command -v "$tool" >/dev/null ||
	    { echo "1..0 # SKIP no $tool"; exit 77; }
done

# errors MUTANT: how many spin finds; nothing where it did not look at all.
errors()
{
	spin -a ${1:+"-D$1"} "$model" >said 2>&1 &&
	    cc -O2 -w -DSAFETY -DMEMLIM=1024 -o pan pan.c >>said 2>&1 &&
	    ./pan -m100000 >>said 2>&1
	# a search that was cut short has found nothing out
	grep -qE 'max search depth|out of memory' said ||
	    sed -n 's/.*errors: \([0-9]*\)$/\1/p' said
}

# row NAME MUTANT WANTED: WANTED is a pattern of sed's for the errors.
row()
{
	rows=$((rows + 1))
	found=$(errors "$2")
	if [ -n "$(echo "$found" | sed -n "/^$3\$/p")" ]; then
		echo "ok $rows - $1"
	else
		echo "not ok $rows - $1: errors: $found"
		sed 's/^/# /' said
		failed=1
	fi
}

echo 1..5
row "no session has a dying sandbox, no two are current" '' 0
row "control: without the lock they are" NO_LOCK '[1-9][0-9]*'
row "control: a late warden that names itself" SELF_NAMED '[1-9][0-9]*'
row "control: an end that still answers" LATE_CHECK '[1-9][0-9]*'
row "control: a sandbox told to end that takes sessions" DEAF '[1-9][0-9]*'
exit "$failed"
