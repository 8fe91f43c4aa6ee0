# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# What every system test is written with: rows in TAP, and a few things to
# wait for.  Sourced by tests/system/NN-*.sh, which run as root inside the box
# that their "# box:" line names (quick, booted, or none for the machine), with
# this directory read-only at /tests and tests/tables at /tables; files without
# a number are parts of them.
#
#	# box: quick
#	. "$(dirname "$0")/lib.sh"
#	plan 2
#	is "who we are" "$(id -un)" root
#	like "the kernel" "$(uname -s)" '^Linux$'
#
# A file that ends with another number of rows than its plan has failed.

tap_planned=0 tap_rows=0 tap_failed=0 tap_about=''

# plan N: how many rows this file will have; once, before the first.
plan()
{
	tap_planned=$1
	printf '1..%d\n' "$1"
}

# about [WORDS]: what the rows from here on are about, before their names.
about()
{
	tap_about=${1:+$1: }
}

# diag WORDS: a remark; every line of it is one.
diag()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

# pass NAME, fail NAME [REASON]: a row whose judgement is the caller's.
pass()
{
	tap_rows=$((tap_rows + 1))
	printf 'ok %d - %s%s\n' "$tap_rows" "$tap_about" "$1"
}

fail()
{
	tap_rows=$((tap_rows + 1))
	tap_failed=$((tap_failed + 1))
	printf 'not ok %d - %s%s\n' "$tap_rows" "$tap_about" "$1"
	diag "at ${BASH_SOURCE[-1]##*/}:$(tap_line)"
	[ $# -lt 2 ] || diag "$2"
}

# tap_line: the line of the test file that the row stands on.
tap_line()
{
	local depth=$((${#BASH_LINENO[@]} - 2))
	printf '%s\n' "${BASH_LINENO[$depth]}"
}

# skip NAME WHY: only for what truly cannot run here.
skip()
{
	tap_rows=$((tap_rows + 1))
	printf 'ok %d - %s%s # SKIP %s\n' "$tap_rows" "$tap_about" "$1" "$2"
}

# is NAME GOT WANT, isnt NAME GOT UNWANTED: the same text.
is()
{
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" "got:  $2"$'\n'"want: $3"
	fi
}

isnt()
{
	if [ "$2" != "$3" ]; then
		pass "$1"
	else
		fail "$1" "got, and must not: $2"
	fi
}

# like NAME GOT REGEX, unlike NAME GOT REGEX: bash's extended expressions.
like()
{
	if [[ $2 =~ $3 ]]; then
		pass "$1"
	else
		fail "$1" "got:  $2"$'\n'"want: $3"
	fi
}

unlike()
{
	if [[ $2 =~ $3 ]]; then
		fail "$1" "got:  $2"$'\n'"not:  $3"
	else
		pass "$1"
	fi
}

# exits NAME STATUS COMMAND...: the command's exit status; what it printed is
# shown when that is another, and is in $output either way.
exits()
{
	local name=$1 want=$2 got=0
	shift 2
	output=$("$@" 2>&1 </dev/null) || got=$?
	if [ "$got" -eq "$want" ]; then
		pass "$name"
	else
		fail "$name" "exit status $got, not $want"$'\n'"$output"
	fi
}

# succeeds NAME COMMAND..., fails NAME COMMAND...
succeeds()
{
	local name=$1
	shift
	exits "$name" 0 "$@"
}

fails()
{
	local name=$1 status=0
	shift
	output=$("$@" 2>&1 </dev/null) || status=$?
	if [ "$status" -ne 0 ]; then
		pass "$name"
	else
		fail "$name" "exit status 0"$'\n'"$output"
	fi
}

# wait_for SECONDS COMMAND...: until the command succeeds; 1 when it did not.
wait_for()
{
	local until=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$until" ] || return 1
		sleep 0.05
	done
}

# tap_end: says what is missing, also when set -e ended the file.
tap_end()
{
	local status=$?
	if [ "$tap_rows" -ne "$tap_planned" ]; then
		diag "ended with status $status after $tap_rows rows" \
		    "of $tap_planned"
		exit 1
	fi
	[ "$tap_failed" -eq 0 ] || exit 1
	exit "$status"
}
trap tap_end EXIT

# rows SQL [OPTION...]: of the store of violations, one a line, columns split by
# |; its writer is waited for.
rows()
{
	sqlite3 -cmd '.timeout 10000' -readonly "${@:2}" \
	    /var/lib/ward/violations.db "$1"
}

# oldest_warden: its pid; what a warden starts has its name until it has its own.
oldest_warden()
{
	pgrep -o -x warden
}
