#!/bin/bash
# SPDX-License-Identifier: MIT
# Writes out/image/sundog.raw, a disk image for guests: Debian SUITE with GNOME and the packages of
# out/packages. mkosi makes it in the tree, by packaging/image.
# usage: tools/build/image.sh
set -eu
. "$(dirname "$0")/../lib.sh"

OUT=$TOP/out/image
WORK=$CACHE/image-work

preflight
[ -e "$REPOSITORY" ] || die "there is no $REPOSITORY, run make packages"
"$TOP/tools/build/tree.sh"
"$TOP/tools/build/layer.sh" image
need_disk
rm -rf "$OUT" "$WORK"
mkdir -p "$OUT" "$WORK"

make_image()
{
	local uri
	uri=$(mirror)
	in_layer image mkosi --directory /sundog/packaging/image --force \
		--release "$SUITE" ${uri:+--mirror "$uri"} \
		--package-directory "$(in_tree_path "$TOP/out/packages/pool")" \
		--output-directory "$(in_tree_path "$OUT")" \
		--workspace-directory "/cache/${WORK##*/}" \
		--cache-directory "/cache/${WORK##*/}" build
}

step image make_image
rm -rf "$WORK"
say "image: $(du -m "$OUT/sundog.raw" | cut -f 1) MiB in $OUT/sundog.raw," \
	"see docs/user/install.md"
