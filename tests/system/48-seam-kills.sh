#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# tools: tests/seam/seam tests/seam/inside
# A part of Ward is killed or stopped while a login is at one of its steps: nothing
# of the session lives a second longer, a login that comes while the warden stands
# still is refused in time or gets in, and the next one works.  At every call:
# 48-seam-kills-long.sh.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/43-dangling.bash
. "$(dirname "$0")/43-dangling.bash"
# shellcheck source=tests/system/48-seam.bash
. "$(dirname "$0")/48-seam.bash"

# The steps of a login, each by a call that nothing else in it is.
steps=(
    # what was inherited; the sandbox that lives, if one does; a warden of its own
    module:close_range module:connect module:flock module:clone module:recvmsg
    # who it is for; the way to it; the birth of init
    warden:recvmsg warden:listen warden:clone:2
    # the view's sources; the view; what of it may be written; all handed over
    init:open_tree init:move_mount init:pivot_root
    init:landlock_create_ruleset init:sendmsg
    # the answer; the sandbox's name; the opener is armed
    warden:sendmsg module:renameat module:setns
    # it forks, and the child enters, is sealed, and hands over its listener
    module:setns:2 enter:setns enter:landlock_restrict_self enter:seccomp
    enter:sendmsg
    # the connector's birth; the session is closed; its sandbox ends
    connector:setns connector:execveat module:setns:4
    warden:kill warden:unlinkat
)
victims=(warden init connector login)
# A stopped connector holds up the account's own connects, and nothing else.
stopped=(warden init login)

# accounts: some, so that what waits for a stopped warden does so side by side;
# all are governed as agent is.
accounts=(stop0 stop1 stop2 stop3)
make_accounts()
{
	local account
	for account in "${accounts[@]}"; do
		setting_do wardctl account add "$account"
		usermod -a -G tight "$account"
	done
}

# stopped_begin: each account's share of the steps.
stopped_begin()
{
	local n i victim
	local -a share
	for n in "${!accounts[@]}"; do
		share=()
		for ((i = n; i < ${#steps[@]}; i += ${#accounts[@]})); do
			share+=("${steps[i]}")
		done
		for victim in "${stopped[@]}"; do
			/tools/seam stop "${accounts[n]}" "$victim" \
			    "${share[@]}" \
			    >"/root/stop.$victim.$n" 2>&1 </dev/null || true
		done &
	done
	wait
}

# stopped_row VICTIM: what these came to, by the last line of each; together they
# are as many as there are steps.
stopped_row()
{
	local said counts
	said=$(cat "/root/stop.$1."*)
	counts=$(awk '/^[0-9]+ bad, / { bad += $1; refused += $3; in_ += $5
		nobody += $7 } END { print bad + 0, refused + in_ + nobody, \
		refused + 0, in_ + 0, nobody + 0 }' <<<"$said")
	if [[ $counts == "0 ${#steps[@]} "* ]]; then
		pass "$1 stopped, at each step: ${counts#* * } refused, inside, \
nobody there"
	else
		fail "$1 stopped, at each step: $counts" "$said"
	fi
}

plan $((${#victims[@]} + ${#stopped[@]} + 1))
setting
seam_ready
cd /
for victim in "${victims[@]}"; do
	seam_row "$victim killed, at each step" "${#steps[@]}" \
	    kill agent "$victim" "${steps[@]}"
done
make_accounts
stopped_begin
for victim in "${stopped[@]}"; do
	stopped_row "$victim"
done
seam_last_logins "${accounts[@]}"
dangles_nothing "nothing is left over"
