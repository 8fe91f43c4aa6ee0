#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# tools: tests/seam/seam tests/seam/inside
# sshd's monitor, in which the module runs, is killed or stopped while a login by
# ssh is at one of its steps: nothing of the session lives a second longer, and the
# next login by ssh works, also while the monitor stands still.  Then calls of the
# module fail in it, some of them: 48-seam-sshd-long.sh has them all.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/48-seam-sshd.bash
. "$(dirname "$0")/48-seam-sshd.bash"
# shellcheck source=tests/system/48-seam-steps.bash
. "$(dirname "$0")/48-seam-steps.bash"

# A sandbox that outlives the session keeps what the session has left in it.
control_lingers()
{
	local file=/etc/ward/profiles.d/agent.conf
	local inside=/usr/local/lib/ward-seam/inside
	cp -a "$file" /root/agent.conf
	sed -i 's/extends = .*/& session: { linger = 3; };/' "$file"
	setting_do wardctl profile apply
	mv "$inside" "$inside.real"
	printf '#!/bin/sh\n%s\nexec %s\n' \
	    'setsid sleep 60 </dev/null >/dev/null 2>&1 &' "$inside.real" \
	    >"$inside"
	chmod 0755 "$inside"
	seam_says "control: a session that goes on is seen" \
	    'KILL: the session lives a second longer' \
	    kill agent login module:setns:4
	mv "$inside.real" "$inside"
	cp -a /root/agent.conf "$file"
	setting_do wardctl profile apply
	settled
}

controls()
{
	local left
	left=/run/ward/$(id -u agent)/left
	seam_says "control: so is one that is outside" \
	    'OUTSIDE: mnt net ipc uts pid' fail plain module 1 1 EIO
	touch "$left"
	seam_says "control: and what is left over" 'left is left' \
	    kill agent login module:clone
	rm "$left"
	mv /usr/libexec/ward/warden /root/warden
	seam_says "control: and a next login that does not work" \
	    'the next login: .*W010' kill agent login module:clone
	mv /root/warden /usr/libexec/ward/warden
	seam_says "control: and a step that is none of this login's" \
	    'the login never comes to that call' \
	    kill agent login module:clone:9
}

plan 10
seam_ssh_ready
control_lingers
controls
make_accounts
side_by_side kill login
side_by_side_row "sshd's monitor killed" kill login
side_by_side stop login
side_by_side_row "sshd's monitor stopped" stop login
seam_row "the module in sshd, 1 of 15" 8 \
    fail agent module 1 15 "${errors[@]}"
seam_row "the fork handler in sshd, 1 of 15" 3 \
    fail agent enter 1 15 "${errors[@]}"
seam_last_logins "${accounts[@]}"
dangles_nothing "nothing is left over"
