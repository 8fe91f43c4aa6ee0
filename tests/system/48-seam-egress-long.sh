#!/bin/bash
# SPDX-License-Identifier: ISC
# stage: long
# box: quick
# tools: tests/seam/seam tests/seam/inside
# 48-seam-egress.sh for every system call.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/48-seam-egress.bash
. "$(dirname "$0")/48-seam-egress.bash"

plan 2
seam_egress_ready
seam_row "egress" 200 fail agent egress 1 1 "${errors[@]}"
dangles_nothing "nothing is left over"
