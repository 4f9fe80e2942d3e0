#!/bin/bash
# SPDX-License-Identifier: MIT
# Static checks of kernel/ and igt-tests/gate: the compiler with W=1, sparse, checkpatch.pl
# --strict, kernel-doc, include circles. Fails if any of them reports one of our files. Files that
# passed are not checked again.
set -eu
. "$(dirname "$0")/../lib.sh"

PASSED=$CACHE/kernel-passed-$(key "$TREE_KEY" "$LINUX_SERIES" "$TOP/tools/check/kernel.sh" \
	"$TOP/tools/check/include-circles.py" "$TOP/tools/build/kmod.sh" "$TOP/Kbuild" \
	"$TOP/kernel" "$TOP/igt-tests/gate" "$TOP/protocol/generated/sundog_hw.h")
[ ! -e "$PASSED" ] || {
	say "kernel: these files passed W=1, sparse, checkpatch and kernel-doc before"
	exit
}

# checkpatch.pl is not in the headers package, so it comes out of Debian's kernel source.
CHECKPATCH_DIR=$CACHE/checkpatch-$(key "$TREE_KEY" "$LINUX_SERIES")
fetch_once "$CHECKPATCH_DIR" checkpatch-source linux "$LINUX_SERIES" \
	scripts/{checkpatch.pl,spelling.txt,const_structs.checkpatch}

status=0

"$TOP/tools/build/kmod.sh" --check || status=1

# MACRO_ARG_UNUSED: macros of sundog_compat.h drop arguments that only newer kernels have.
in_tree sh -c "cd /sundog && perl /cache/${CHECKPATCH_DIR##*/}/scripts/checkpatch.pl --no-tree \
	--strict --terse --show-types --no-summary --max-line-length=100 \
	--ignore CONSTANT_COMPARISON,MACRO_ARG_UNUSED \
	--file kernel/*.[ch] kernel/*/*.[ch] igt-tests/gate/*.[ch]" >&2 || {
	say "kernel: checkpatch.pl reports the lines above"
	status=1
}
# The source must not test the kernel's version: kernel/probe.sh tests its headers for features.
if grep -rl LINUX_VERSION_CODE "$TOP/kernel" >&2; then
	say "kernel: the files above use LINUX_VERSION_CODE; use kernel/probe.sh instead"
	status=1
fi
if ! in_tree python3 /sundog/tools/check/include-circles.py /sundog/kernel >&2; then
	say "kernel: headers include each other, see the lines above"
	status=1
fi
if in_tree sh -c "cd /sundog && \
	perl /usr/src/linux-headers-$LINUX_SERIES.*-common/scripts/kernel-doc \
	-none -Wall kernel/*.[ch] kernel/*/*.[ch]" 2>&1 | grep . >&2; then
	say "kernel: kernel-doc reports the comments above"
	status=1
fi
[ "$status" = 0 ] || exit "$status"
say "kernel: W=1, sparse, checkpatch and kernel-doc report nothing"
rm -f "$CACHE"/kernel-passed-*
touch "$PASSED"
