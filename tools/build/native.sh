#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds meson.build's targets in the trixie tree: protocol, libdrm_sundog, renderer, tests.
# usage: tools/build/native.sh [--asan | --demo]; the result is $NATIVE or $NATIVE_ASAN of
# tools/lib.sh. --demo builds only what `make demo` needs, a tenth of all.
set -eu
. "$(dirname "$0")/../lib.sh"

dir=$NATIVE name=native options= targets=all
case ${1:-} in
--demo) targets="renderer/sundog-renderd tests/lib/png-compare tests/gl/frame-grab.so" ;;
--asan)
	dir=$NATIVE_ASAN name=native-asan
	options="-Db_sanitize=address,undefined -Db_lundef=false"
	# Only the programs of Meson's tests: the others are half of all targets, and run without
	# sanitizers.
	targets=meson-test-prereq
	;;
esac

build()
{
	in_tree sh -c "{ [ -e $dir/build.ninja ] || meson setup $options $dir $dir-source; } &&
		ninja -C $dir $targets"
}

# Starts over, once, in an empty folder if Meson cannot read the build folder.
build_or_start_over()
{
	build && return
	in_tree ninja -C "$dir" -n >/dev/null 2>&1 && return 1
	in_tree rm -rf "$dir"
	build
}

mkdir -p "$CACHE/locks"
exec 9>"$CACHE/locks/$name"
flock 9
copy_sources "$dir-source"
step "$name" build_or_start_over
