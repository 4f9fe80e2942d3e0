#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the tests of igt-gpu-tools that are not for the hardware of one vendor, for
# tools/check/igt.sh, since Debian's package has no tests. The source is Debian's, or IGT_SOURCE, an
# unpacked source in the checkout or the cache. The result is $IGT of tools/lib.sh, with the tests
# in tests/. Does nothing if nothing changed.
# usage: tools/build/igt-gpu-tools.sh
set -eu
. "$(dirname "$0")/../lib.sh"
. "$TOP/tools/build/source-package.sh"

dir=/cache/${IGT_DIR##*/}	# IGT_DIR as the tree sees it
stamp=${IGT_DIR##*-}
options="-Dbuildtype=release -Dlibdrm_drivers= -Dtests=enabled -Drunner=disabled
	-Dchamelium=disabled -Doverlay=disabled -Dman=disabled -Ddocs=disabled -Dtestplan=disabled"
tests='core_.*|drm_read|dumb_buffer|kms_.*|prime_.*|syncobj_.*|sw_sync'

# Tests for the hardware of one vendor have their sources in folders of their own.
build_igt()
{
	in_layer igt bash -euc '
		[ -e "$2/build.ninja" ] || meson setup '"$(echo $options)"' "$2" "$1"
		targets=
		for test in $(ninja -C "$2" -t targets all |
				sed -n "s,^tests/\([a-z0-9_]*\): c_LINKER.*,\1,p" |
				grep -xE "$3"); do
			[ ! -e "$1/tests/$test.c" ] || targets="$targets tests/$test"
		done
		ninja -C "$2" $targets' sh "$1" "$IGT" "$tests"
}

mkdir -p "$CACHE"
exec 9>"$CACHE/igt.lock"
flock 9
! is_built "$IGT_DIR" "$stamp" || exit 0
"$TOP/tools/build/layer.sh" igt
drop_broken igt "$IGT_DIR" "$stamp"
mkdir -p "$IGT_DIR"
if [ -n "${IGT_SOURCE:-}" ]; then
	source=$(in_tree_path "$IGT_SOURCE")
	mkdir -p "$IGT_DIR/src"
	echo "$IGT_SOURCE" >"$IGT_DIR/src/version"
else
	get_source intel-gpu-tools "$IGT_DIR"
	source=$dir/src/intel-gpu-tools
fi
compile_source "$IGT_DIR" "$stamp" step igt-build build_igt "$source"
built_source igt "$IGT_DIR" "$stamp"
