#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes ./configure from configure.ac; needs autoconf, automake and libtool.
set -eu
cd "$(dirname "$0")"
exec autoreconf --install --warnings=all "$@"
