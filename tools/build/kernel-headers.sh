#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the module against the headers of each kernel in Debian's suites. The headers are kept in
# $KERNEL_HEADERS, in usr/src/linux-headers-RELEASE.
# usage: tools/build/kernel-headers.sh --list | --build RELEASE | --update
set -eu
. "$(dirname "$0")/../lib.sh"

releases()
{
	local dir
	for dir in "$KERNEL_HEADERS"/usr/src/linux-headers-*-"$ARCH"; do
		printf '%s\n' "${dir##*/linux-headers-}"
	done
}

# Builds a copy, as tools/build/kmod.sh does, with the tree's compiler. The kernel may be built with
# a newer one, which has attributes that the tree's ignores.
build()
{
	dir=$CACHE/headers-build.$$
	trap 'rm -rf "$dir"' EXIT
	mkdir -p "$dir/protocol/generated"
	cp -r "$TOP/Kbuild" "$TOP/kernel" "$dir/"
	cp "$TOP/protocol/generated/sundog_hw.h" "$dir/protocol/generated/"
	in_tree sh -euc 'make -C "$1" M="$2" -j"$(nproc)" CC=gcc KCFLAGS=-Wno-attributes \
		W=1 modules 2>&1' sh "$headers/usr/src/linux-headers-$1" \
		"/cache/${dir##*/}" >"$dir/log" ||
		die "does not build: $(cat "$dir/log")"
	! grep -E '/sundog_[a-z_]+\.[ch]:[0-9]+:.*warning:' "$dir/log" >&2
}

headers=/cache/${KERNEL_HEADERS##*/}	# KERNEL_HEADERS as the tree sees it
[ "${1:-}" != --update ] || rm -rf "$KERNEL_HEADERS"
fetch_once "$KERNEL_HEADERS" kernel-headers headers "$headers" "$ARCH" $KERNEL_SUITES >&2
case ${1:-} in
--list) releases ;;
--build) build "$2" ;;
esac
