#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# The decision's table through every front of the egress: see the .py.
set -eu -o pipefail
exec python3 "$(dirname "$0")/35-egress-table.py" /tables/decision.table
