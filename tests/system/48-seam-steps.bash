# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# What the tests 48 that kill and stop share: the steps of a login, and some
# accounts that go through them side by side, since whoever stands still is waited
# for.  Sourced by them after 48-seam.bash.
# shellcheck disable=SC2154 # of the files before it

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

# accounts: all are governed as agent is.
accounts=(beside0 beside1 beside2 beside3)
make_accounts()
{
	local account
	for account in "${accounts[@]}"; do
		setting_do wardctl account add "$account" --key "$key.pub"
		usermod -a -G tight "$account"
	done
}

# side_by_side ACTION VICTIM...: each account's share of the steps.
side_by_side()
{
	local action=$1 n i victim
	local -a share
	shift
	for n in "${!accounts[@]}"; do
		share=()
		for ((i = n; i < ${#steps[@]}; i += ${#accounts[@]})); do
			share+=("${steps[i]}")
		done
		for victim; do
			/tools/seam "${way[@]}" "$action" "${accounts[n]}" \
			    "$victim" "${share[@]}" \
			    >"/root/$action.$victim.$n" 2>&1 </dev/null || true
		done &
	done
	wait
}

# side_by_side_row ROW ACTION VICTIM: what these came to, by the last line of
# each; together they are as many as there are steps.
side_by_side_row()
{
	local said counts
	said=$(cat "/root/$2.$3."*)
	counts=$(awk '/^[0-9]+ bad, / { bad += $1; refused += $3; in_ += $5
		nobody += $7 } END { print bad + 0, refused + in_ + nobody, \
		refused + 0, in_ + 0, nobody + 0 }' <<<"$said")
	if [[ $counts == "0 ${#steps[@]} "* ]]; then
		pass "$1, at each step: ${counts#* * } refused, inside, \
nobody there"
	else
		fail "$1, at each step: $counts" "$said"
	fi
}
