#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# tools: tests/seam/seam tests/seam/inside
# Each system call of init, which builds the view, and of ward-init fails, one a login: it
# is refused with a code, or inside and sealed all the same, and the next one
# works.  These are the even ones.
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
seam_row "init" 150 fail agent init 2 2 "${errors[@]}"
dangles_nothing "nothing is left over"
