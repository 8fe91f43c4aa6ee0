#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# The egress program by itself, driven as the warden drives it: see the .py.
set -eu -o pipefail
exec python3 "$(dirname "$0")/35-egress-http.py"
