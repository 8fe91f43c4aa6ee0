#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# wardctl account release, killed at each of its steps.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/27-before.bash
. "$(dirname "$0")/27-before.bash"
# shellcheck source=tests/system/28-kills.bash
. "$(dirname "$0")/28-kills.bash"

adopt=(wardctl account adopt bob --profile one)
release=(wardctl account release bob)
kills_setup
"${adopt[@]}" >/dev/null
points_of "${release[@]}"

plan $((2 + ${#points[@]} * 3 + (${#points[@]} + 1) / 2))
if [ "${#points[@]}" -ge 14 ]; then
	pass "its steps are seen"
else
	fail "its steps are seen" "$(cat /root/trace)"
fi
same_as_before "released, he is as he was"
"${adopt[@]}" >/dev/null

way=back
for point in "${points[@]}"; do
	status=0
	at "$point" signal=KILL "${release[@]}" || status=$?
	is "killed at $point" "$status" 137
	like "$point: he is open or closed, not between" "$(state)" \
	    '^(as he was|inside|closed)$'
	if [ "$way" = back ]; then
		"${release[@]}" >/root/said 2>&1 || true
		same_as_before "$point: and can be as he was"
		way=on
	else
		way=back
	fi
	goes_on "$point: and is adopted again"
done
