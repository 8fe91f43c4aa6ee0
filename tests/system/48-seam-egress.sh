#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# tools: tests/seam/seam tests/seam/inside
# System calls of egress and of its resolver fail, one a login: the session is
# inside, an allowed host answers within four seconds and another does not, and
# the next login works.  Every eleventh call; 48-seam-egress-long.sh has them all.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/48-seam-egress.bash
. "$(dirname "$0")/48-seam-egress.bash"

plan 2
seam_egress_ready
seam_row "egress, 1 of 11" 20 fail agent egress 1 11 "${errors[@]}"
dangles_nothing "nothing is left over"
