#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# tools: tests/seam/seam tests/seam/inside
# Each system call of init fails, one a login, from its birth on, so while it
# builds the view: the login is refused with a code, or inside and sealed all the
# same, and the next one works.  This is part 2 of 2.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/43-dangling.bash
. "$(dirname "$0")/43-dangling.bash"
# shellcheck source=tests/system/48-seam.bash
. "$(dirname "$0")/48-seam.bash"

plan 2
setting
seam_ready
cd /
seam_row "init, 2 of 2" 150 fail agent init 2 2 "${errors[@]}"
dangles_nothing "nothing is left over"
