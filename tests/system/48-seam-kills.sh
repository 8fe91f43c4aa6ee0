#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# tools: tests/seam/seam tests/seam/inside
# A part of Ward is killed or stopped while a login is at its n-th system call:
# nothing of the session lives a second longer, a login that comes while the
# warden stands still is refused in time or gets in, and the next one works.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/43-dangling.bash
. "$(dirname "$0")/43-dangling.bash"
# shellcheck source=tests/system/48-seam.bash
. "$(dirname "$0")/48-seam.bash"

# Of a login's some 1,800 calls: every so many, and for who stands still, these.
kill_stride=100 stops=(40 500 950 1400)
victims=(warden init connector login)
# A stopped connector holds up the account's own connects, and nothing else.
stopped=(warden init login)

# accounts: one for each of the stops, all governed as agent is.
accounts()
{
	local n
	for n in "${stops[@]}"; do
		setting_do wardctl account add "stop$n"
		usermod -a -G tight "stop$n"
	done
}

# stopped_begin: a stopped warden is waited for, so that these run side by side.
stopped_begin()
{
	local n victim
	for n in "${stops[@]}"; do
		for victim in "${stopped[@]}"; do
			/tools/seam stop "stop$n" "$victim" "$n" 1000000 \
			    >"/root/stop.$victim.$n" 2>&1 </dev/null || true
		done &
	done
	wait
}

# stopped_row VICTIM: what these came to; a line for each, the last of its run.
stopped_row()
{
	local said
	said=$(cat "/root/stop.$1."*)
	if [ "$(grep -cE '^0 bad, .*[1-9]' <<<"$said")" -eq "${#stops[@]}" ]
	then
		pass "$1 stopped, at ${stops[*]}: $(xargs <<<"$said")"
	else
		fail "$1 stopped, at ${stops[*]}" "$said"
	fi
}

plan $((${#victims[@]} + ${#stopped[@]} + 1))
setting
seam_ready
cd /
for victim in "${victims[@]}"; do
	seam_row "$victim killed, every $kill_stride calls" 10 \
	    kill agent "$victim" 1 "$kill_stride"
done
accounts
stopped_begin
for victim in "${stopped[@]}"; do
	stopped_row "$victim"
done
dangles_nothing "nothing is left over"
