#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# tools: tests/seam/seam tests/seam/inside
# Each system call of the module fails, one a login, and each of the fork
# handler in what becomes the session: the login is refused with a code, or it
# is inside and sealed all the same, and the next one works.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/43-dangling.bash
. "$(dirname "$0")/43-dangling.bash"
# shellcheck source=tests/system/48-seam.bash
. "$(dirname "$0")/48-seam.bash"

controls()
{
	local left
	left=/run/ward/$(id -u agent)/left
	seam_says "control: a session outside is seen" \
	    'OUTSIDE: mnt net ipc uts pid CapBnd NoNewPrivs Seccomp' \
	    fail plain module 1 1 EIO
	touch "$left"
	seam_says "control: so is what is left over" 'left is left' \
	    fail agent module 100000 1 EIO
	rm "$left"
	mv /usr/libexec/ward/warden /root/warden
	seam_says "control: and a next login that does not work" \
	    'the next login: .*W010' fail agent module 100000 1 EIO
	mv /root/warden /usr/libexec/ward/warden
	gpasswd -d agent tight >/dev/null
	seam_says "control: and a profile that is another's" \
	    'inside, but not as it should be' fail agent module 100000 1 EIO
	usermod -a -G tight agent
	seam_says "control: nothing fails, nothing is bad" '^0 bad' \
	    fail agent module 100000 1 EIO
}

plan 10
setting
seam_ready
cd /
controls
seam_row "the module" 120 fail agent module 1 1 "${errors[@]}"
seam_row "the fork handler" 40 fail agent enter 1 1 "${errors[@]}"
setting_do wardctl account lock agent
seam_row "the module, of a locked account" 25 \
    refuse agent module 1 1 "${errors[@]}"
seam_row "the same, with other errors" 25 \
    refuse agent module 1 1 "${errors[@]:1}"
setting_do wardctl account unlock agent
dangles_nothing "nothing is left over"
