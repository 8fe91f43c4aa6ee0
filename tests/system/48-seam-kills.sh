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
# shellcheck source=tests/system/48-seam-steps.bash
. "$(dirname "$0")/48-seam-steps.bash"

victims=(warden init connector login)
# A stopped connector holds up the account's own connects, and nothing else.
stopped=(warden init login)

plan $((${#victims[@]} + ${#stopped[@]} + 1))
setting
seam_ready
cd /
for victim in "${victims[@]}"; do
	seam_row "$victim killed, at each step" "${#steps[@]}" \
	    kill agent "$victim" "${steps[@]}"
done
make_accounts
side_by_side stop "${stopped[@]}"
for victim in "${stopped[@]}"; do
	side_by_side_row "$victim stopped" stop "$victim"
done
seam_last_logins "${accounts[@]}"
dangles_nothing "nothing is left over"
