# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# The same act by both accounts; sourced by the tests 5*, after lib.sh.

# as_plain NAME WANT COMMAND...: the command's output and status, {} in it
# being the account, are the same for both; and WANT is what they are.
as_plain()
{
	local name=$1 want=$2 account status
	local -A got=()
	shift 2
	for account in plain agent; do
		status=0
		got[$account]=$("${@//\{\}/$account}" 2>&1 </dev/null |
		    sed "s/\\b$account\\b/ACCOUNT/g; s/ [0-9]* Killed/ PID Killed/"
		    exit "${PIPESTATUS[0]}") || status=$?
		got[$account]+="[$status]"
	done
	if ! [[ ${got[plain]} =~ $want ]]; then
		fail "$name" "control: ${got[plain]}"$'\n'"want: $want"
	elif [ "${got[agent]}" != "${got[plain]}" ]; then
		fail "$name" "agent: ${got[agent]}"$'\n'"plain: ${got[plain]}"
	else
		pass "$name"
	fi
}
