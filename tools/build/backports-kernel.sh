#!/bin/bash
# SPDX-License-Identifier: MIT
# Fetches the newest kernel of BACKPORTS_SUITE, with its modules and headers. The result is a kernel
# folder (see tools/lib.sh), $BACKPORTS_KERNEL. Does nothing if it is there; --update looks for a
# newer one.
# usage: tools/build/backports-kernel.sh [--update]
set -eu
. "$(dirname "$0")/../lib.sh"

[ "${1:-}" != --update ] || rm -rf "$BACKPORTS_KERNEL"
fetch_once "$BACKPORTS_KERNEL" backports-kernel kernel "/cache/${BACKPORTS_KERNEL##*/}" "$ARCH" \
	"$BACKPORTS_SUITE"
