#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# tools: tests/seam/seam tests/seam/inside
# System calls of the warden fail, one a login: the login is refused with a code,
# or inside and sealed all the same, and the next one works.  Every seventh one,
# since all of them take six minutes: 48-seam-warden-long.sh does.
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
seam_row "warden, 1 of 7" 80 fail agent warden 1 7 "${errors[@]}"
dangles_nothing "nothing is left over"
