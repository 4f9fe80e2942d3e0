#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds sundog.ko in the trixie tree against a kernel's headers, with W=1 and sparse, and the
# module of igt-tests/gate, which its tests use. The result is in `kmod_dir KERNEL` of tools/lib.sh,
# with build.log. Does nothing if nothing changed. --check fails if the compiler or sparse printed a
# warning.
# usage: tools/build/kmod.sh [--check] [KERNEL]; a kernel folder, by default the tree.
set -eu
. "$(dirname "$0")/../lib.sh"

check=
if [ "${1:-}" = --check ]; then
	check=1
	shift
fi
kernel=${1:-$TREE}
headers=$(in_tree_path "$kernel/usr/src/linux-headers-$(kernel_release "$kernel")")
dir=$(kmod_dir "$kernel")

# Builds a copy, so that the checkout stays clean and may change during the build.
compile()
{
	mkdir -p "$dir.tmp/protocol/generated"
	cp -r "$TOP/Kbuild" "$TOP/kernel" "$TOP/igt-tests/gate" "$dir.tmp/"
	cp "$TOP/protocol/generated/sundog_hw.h" "$dir.tmp/protocol/generated/"
	# If the kernel has KUnit built in, which Debian's has not, the module has our KUnit tests.
	# For other kernels they are compiled only, as if the kernel had it.
	in_tree sh -euc '
		kunit=CONFIG_DRM_SUNDOG_KUNIT_TEST=y
		build="make -C $1 M=$2 -j$(nproc) W=1 C=2"
		if grep -q "^CONFIG_KUNIT=y" "$1/include/config/auto.conf"; then
			$build $kunit modules
		else
			$build modules
			cd "$2"
			$build $kunit KCFLAGS="-DCONFIG_KUNIT=1 -D${kunit%y}1" \
				$(ls kernel/tests/*.c | sed s/c$/o/)
		fi
		make -C "$1" M="$2/gate" W=1 C=2 modules' sh \
		"$headers" "/cache/${dir##*/}.tmp"
}

(
	flock 9
	cached "$dir" && touch "$dir" && exit 0
	compile_log=$LOGS/kmod.log
	step kmod compile
	cp "$compile_log" "$dir.tmp/build.log"
	finish "$dir.tmp" "$dir"
	# Keeps the folders that were used last.
	ls -dt "$CACHE"/kmod-* | tail -n +7 | xargs -r -d '\n' rm -rf
) 9>"$CACHE/kmod.lock"

if [ -n "$check" ] && grep -E '(warning|error):' <"$dir/build.log" >&2; then
	die "the compiler or sparse printed warnings for sundog.ko, see $dir/build.log"
fi
