#!/bin/bash
# SPDX-License-Identifier: MIT
# Build sundog.ko in the trixie tree against Debian's kernel headers, with W=1 and sparse.
# The result is $KMOD of tools/lib.sh, with build.log beside it. Does nothing when nothing changed.
set -eu
. "$(dirname "$0")/lib.sh"

# A copy is built, so that the checkout stays clean and can change meanwhile.
compile()
{
	mkdir -p "$KMOD_DIR.tmp/protocol/generated"
	cp -r "$TOP/Kbuild" "$TOP/kernel" "$KMOD_DIR.tmp/"
	cp "$TOP/protocol/generated/sundog_hw.h" "$KMOD_DIR.tmp/protocol/generated/"
	in_tree sh -euc "
		headers=\$(ls -d /usr/src/linux-headers-$LINUX_SERIES.*-$ARCH)
		make -C \$headers M=/cache/${KMOD_DIR##*/}.tmp -j\$(nproc) W=1 C=2 modules"
}

(
	flock 9
	cached "$KMOD_DIR" && exit 0
	compile_log=$LOGS/kmod.log
	step kmod compile
	cp "$compile_log" "$KMOD_DIR.tmp/build.log"
	finish "$KMOD_DIR.tmp" "$KMOD_DIR"
	# Only the newest few are of use.
	ls -dt "$CACHE"/kmod-* | tail -n +4 | xargs -r rm -rf
) 9>"$CACHE/kmod.lock"
