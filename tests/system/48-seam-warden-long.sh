#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# tools: tests/seam/seam tests/seam/inside
# stage: long
# Every system call of the warden fails, one a login: the login is refused with a
# code, or inside and sealed all the same, and the next one works.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/43-dangling.bash
. "$(dirname "$0")/43-dangling.bash"
# shellcheck source=tests/system/48-seam.bash
. "$(dirname "$0")/48-seam.bash"

plan 4
setting
seam_ready
cd /
for third in 1 2 3; do
	seam_row "warden, $third of 3" 200 \
	    fail agent warden "$third" 3 "${errors[@]}"
done
dangles_nothing "nothing is left over"
