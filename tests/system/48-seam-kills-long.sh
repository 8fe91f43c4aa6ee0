#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# tools: tests/seam/seam tests/seam/inside
# stage: long
# 48-seam-kills.sh at every system call of Ward's in a login, and, for who stands
# still, at every tenth, since each waits for the warden.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/43-dangling.bash
. "$(dirname "$0")/43-dangling.bash"
# shellcheck source=tests/system/48-seam.bash
. "$(dirname "$0")/48-seam.bash"

# Each is an account, so that they run side by side; all are governed as agent is.
killed=(warden init connector login) stopped=(warden init login)

# begin ACTION STRIDE VICTIM...
begin()
{
	local action=$1 stride=$2 victim
	shift 2
	for victim; do
		setting_do wardctl account add "$action$victim"
		usermod -a -G tight "$action$victim"
	done
	for victim; do
		/tools/seam "$action" "$action$victim" "$victim" 1 "$stride" \
		    >"/root/$action.$victim" 2>&1 </dev/null || true &
	done
	wait
}

# row_each ACTION AT-LEAST VICTIM...
row_each()
{
	local action=$1 least=$2 victim last
	shift 2
	for victim; do
		last=$(tail -n 1 "/root/$action.$victim")
		if [[ $last == "0 bad, "* ]] &&
		    [ "$(awk '{ print $3 + $5 + $7 }' <<<"$last")" -ge "$least" ]
		then
			pass "$victim, $action: $last"
		else
			fail "$victim, $action: $last" \
			    "$(head -c 20000 "/root/$action.$victim")"
		fi
	done
}

plan $((${#killed[@]} + ${#stopped[@]} + 1))
setting
seam_ready
cd /
begin kill 1 "${killed[@]}"
row_each kill 1000 "${killed[@]}"
begin stop 10 "${stopped[@]}"
row_each stop 100 "${stopped[@]}"
seam_last_logins "${killed[@]/#/kill}" "${stopped[@]/#/stop}"
dangles_nothing "nothing is left over"
