#!/bin/bash
# SPDX-License-Identifier: MIT
# Writes out/image/sundog.raw, a disk image for guests: Debian with GNOME and the packages of
# out/packages. mkosi makes it in the tree, by packaging/image.
# usage: tools/build/image.sh [SUITE]
#        SUITE is one of Debian's, by default that of the packages; others get out/image-SUITE
set -eu
. "$(dirname "$0")/../lib.sh"

suite=${1:-$SUITE}
OUT=$TOP/out/image
[ "$suite" = "$SUITE" ] || OUT=$OUT-$suite
WORK=$CACHE/image-work

preflight
"$TOP/tools/build/packages.sh" --check
[ "$suite" = "$SUITE" ] || need_updates "$suite"
"$TOP/tools/build/layer.sh" image
need_disk 12000
rm -rf "$OUT" "$WORK"
mkdir -p "$OUT" "$WORK/sandbox/etc/apt/sources.list.d"

# The suites of the packages, where mkosi would also want those for debuggers.
printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n\n' \
	$(suites "$suite" | sed 's,$, /usr/share/keyrings/debian-archive-keyring.gpg,') \
	>"$WORK/sandbox/etc/apt/sources.list.d/mkosi.sources"

make_image()
{
	in_layer image mkosi --directory /sundog/packaging/image --force \
		--release "$suite" --sandbox-tree "/cache/${WORK##*/}/sandbox" \
		--package-directory "$(in_tree_path "$TOP/out/packages/pool")" \
		--output-directory "$(in_tree_path "$OUT")" \
		--workspace-directory "/cache/${WORK##*/}" \
		--cache-directory "/cache/${WORK##*/}" build
}

step image make_image
rm -rf "$WORK"
say "image: $(du -m "$OUT/sundog.raw" | cut -f 1) MiB in $OUT/sundog.raw," \
	"see docs/user/install.md"
