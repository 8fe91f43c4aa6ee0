#!/bin/bash
# SPDX-License-Identifier: ISC
# stage: long
# box: quick
# tools: tests/seam/seam tests/seam/inside
# 48-seam-sshd.sh for every call of the module and of its fork handler in sshd:
# each fails, and at every seventh of Ward's the monitor is killed.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/48-seam-sshd.bash
. "$(dirname "$0")/48-seam-sshd.bash"

plan 4
seam_ssh_ready
seam_row "the module in sshd" 120 fail agent module 1 1 "${errors[@]}"
seam_row "the fork handler in sshd" 40 fail agent enter 1 1 "${errors[@]}"
seam_row "sshd's monitor killed" 100 kill agent login 1 7
dangles_nothing "nothing is left over"
