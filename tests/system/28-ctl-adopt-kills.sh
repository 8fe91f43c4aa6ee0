#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# wardctl account adopt, killed at each of its steps, and each step failing.
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
points_of "${adopt[@]}"
"${release[@]}" >/dev/null

mapfile -t failing < <(printf '%s\n' "${points[@]}" |
    grep -E '^(rename|mkdir|symlink) ')
plan $((2 + ${#points[@]} * 3 + ${#points[@]} / 2 + ${#failing[@]} * 2))
if [ "${#points[@]}" -ge 18 ] && [ "${#failing[@]}" -ge 10 ]; then
	pass "its steps are seen"
else
	fail "its steps are seen" "$(cat /root/trace)"
fi
same_as_before "released, he is as he was"

way=back
for point in "${points[@]}"; do
	status=0
	at "$point" signal=KILL "${adopt[@]}" || status=$?
	is "killed at $point" "$status" 137
	like "$point: he is open or closed, not between" "$(state)" \
	    '^(as he was|inside|closed)$'
	if [ "$way" = on ]; then
		goes_on "$point: and goes on"
		way=back
	else
		way=on
	fi
	"${release[@]}" >/root/said 2>&1 || true
	same_as_before "$point: and can be as he was"
done
for point in "${failing[@]}"; do
	status=0
	at "$point" error=EIO "${adopt[@]}" || status=$?
	is "a failure of $point" "$status" 1
	same_as_before "$point: is undone"
done
