#!/bin/bash
# SPDX-License-Identifier: MIT
# Fetches the newest kernel of BACKPORTS_SUITE, with its modules and headers. The result is a kernel
# folder (see tools/lib.sh), $BACKPORTS_KERNEL. Does nothing if it is there; --update looks for a
# newer one.
# usage: tools/build/backports-kernel.sh [--update]
set -eu
. "$(dirname "$0")/../lib.sh"

dir=/cache/${BACKPORTS_KERNEL##*/}	# BACKPORTS_KERNEL as the tree sees it
(
	flock 9
	[ "${1:-}" != --update ] || rm -rf "$BACKPORTS_KERNEL"
	cached "$BACKPORTS_KERNEL" && exit 0
	mkdir -p "$BACKPORTS_KERNEL.tmp"
	step backports-kernel fetch kernel "$dir.tmp" "$dir" "$ARCH" "$BACKPORTS_SUITE"
	finish "$BACKPORTS_KERNEL.tmp" "$BACKPORTS_KERNEL"
	say "backports kernel: $(cat "$BACKPORTS_KERNEL/version") in $BACKPORTS_KERNEL"
) 9>"$CACHE/backports-kernel.lock"
