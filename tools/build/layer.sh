#!/bin/bash
# SPDX-License-Identifier: MIT
# Makes a layer of tools/build/layers.sh. Does nothing if it is there.
# usage: tools/build/layer.sh NAME
set -eu
. "$(dirname "$0")/../lib.sh"

name=$1
packages=LAYER_${name^^}
preflight
"$TOP/tools/build/tree.sh"
layer=$(layer_dir "$name")
mkdir -p "$CACHE/locks"
exec 9>"$CACHE/locks/layer-$name"
flock 9
cached "$layer" && exit 0
need_disk 4000

tmp=$layer.tmp
mkdir -p "$tmp/files"
install_packages()
{
	LAYER=$tmp LAYER_WRITE=1 in_tree sh -euc '
		apt-get update
		apt-get install -y --no-install-recommends "$@"
		apt-get clean' sh ${!packages}
}
step "layer-$name" install_packages
rm -rf "$tmp/work" "$tmp/root"
finish "$tmp" "$layer"

for old in "$CACHE/layer-$name"-*; do
	[ "$old" = "$layer" ] || rm -rf "$old"
done
