#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# With less and less processes, descriptors or memory to be had, ssh, su and
# sudo lead a governed account into its sandbox or nowhere, in time.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/40-faults.bash
. "$(dirname "$0")/40-faults.bash"
# shellcheck source=tests/system/49-scarce.bash
. "$(dirname "$0")/49-scarce.bash"

# Each is run with a number and a command.
few_pids=(python3 /tests/few-pids.py)
# shellcheck disable=SC2016 # the inner shell expands them
few_files=(sh -c 'ulimit -n "$0" && exec "$@"')
# shellcheck disable=SC2016
little_memory=(sh -c 'ulimit -v "$0" && exec "$@"')

# sweep ROW WAY NUMBER... ENOUGH: under "${few[@]}" with each of the numbers.
# The way's own program may be the one that fails, without a code.
sweep()
{
	local row="$1: $2" way=$2 number all=''
	shift 2
	for number in "${@:1:$#-1}"; do
		under "$way" "${few[@]}" "$number"
		all+="$number $(ended);"
	done
	unlike "$row: never outside, nor late" "$all" 'outside|late|succeeded'
	like "$row: refused, with a code, where it does not reach" "$all" \
	    'refused;'
	under "$way" "${few[@]}" "${@: -1}"
	like "$row: inside with enough" "$(ended); $said" '^inside;'
}

# least_memory WAY: the KiB that an ungoverned account needs to get in.
least_memory()
{
	local low=4096 high=131072 middle
	while [ $((high - low)) -gt 256 ]; do
		middle=$(((low + high) / 2))
		as_under plain "$1" "${little_memory[@]}" "$middle"
		if [ -s "$mark" ]; then
			high=$middle
		else
			low=$middle
		fi
	done
	echo "$high"
}

memory()
{
	local least
	least=$(least_memory "$1")
	few=("${little_memory[@]}")
	mapfile -t numbers < <(seq "$least" 64 $((least + 256)))
	sweep "no memory" "$1" "${numbers[@]}" 1048576
}

# A number space of its own is new; with the machine's, nothing else would run.
pids()
{
	local status=0
	few=("${few_pids[@]}")
	"${few[@]}" 100 true || status=$?
	if [ "$status" -eq 77 ]; then
		for row in "never outside" refused inside; do
			skip "no pids: $1: $row" "this needs Linux 6.14"
		done
	else
		sweep "no pids" "$1" {0..7} 100
	fi
}

plan 27
setting
cd /
for way in "${ways[@]}"; do
	pids "$way"
	few=("${few_files[@]}")
	sweep "no descriptors" "$way" 16 48 64 68 72 80 1024
	memory "$way"
done
