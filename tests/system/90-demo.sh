#!/bin/bash
# SPDX-License-Identifier: ISC
# box: none
# What scripts/demo shows comes out as it must, and the README shows the same.
# With what scripts/check installed; the demo's own building is not tried.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source=tests/system/lib.sh
. "$here/lib.sh"
tree=$(cd "$here/../.." && pwd -P)
install=${WARD_INSTALLED:-$tree/build/dest}
work=$(mktemp -d)
trap 'status=$?; rm -rf "$work"; (exit "$status"); tap_end' EXIT

# same: lines without what differs from run to run.
same()
{
	sed -E 's/^ +//; s/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}/TIME/g
		s/[0-9a-f]{16}-[0-9]+/SESSION/g; s/\([0-9]+\)/(PID)/g
		s/uid [0-9]+/uid N/; s/^[0-9]+ /N /; s/ +/ /g; s/ $//'
}

plan 3
status=0
"$tree/tests/box" quick --install "$install" --bind "$tree/scripts/demo.d:/demo" \
    -- /bin/bash /demo/show.sh >"$work/shown" 2>&1 </dev/null || status=$?
if [ "$status" -eq 0 ]; then
	pass "every act comes out as it must"
else
	fail "every act comes out as it must" "status $status
$(tail -n 20 "$work/shown")"
fi

# shellcheck disable=SC2016 # the quotes are the README's
sed -n '/^What `scripts\/demo` shows/,/^Nobody else/s/^    //p' \
    "$tree/README.md" | grep -vx '\.\.\.' | same >"$work/readme"
if [ "$(wc -l <"$work/readme")" -gt 20 ]; then
	pass "the README shows it"
else
	fail "the README shows it"
fi
same <"$work/shown" | sort -u >"$work/lines"
sort -u "$work/readme" | comm -23 - "$work/lines" >"$work/stale"
is "the README says what the demo shows" "$(cat "$work/stale")" ''
