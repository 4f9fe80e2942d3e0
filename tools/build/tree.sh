#!/bin/bash
# SPDX-License-Identifier: MIT
# Makes the trixie tree: build root, guest root and home of the peers. Does nothing if it is there.
# usage: tools/build/tree.sh
set -eu
. "$(dirname "$0")/../lib.sh"

preflight
cached "$TREE" && exit 0
need_disk

command -v mmdebstrap >/dev/null && command -v mount >/dev/null || {
	step apt-update apt-get -o DPkg::Lock::Timeout=600 update
	step install-tools apt-get -o DPkg::Lock::Timeout=600 install -y \
		--no-install-recommends mmdebstrap mount
}

# Without a mirror, mmdebstrap takes its default.
sources=$CACHE/sources.list
uri=$(mirror)
[ -z "$uri" ] || printf 'deb %s %s main\n' "$uri" "$SUITE" >"$sources"
[ -n "$uri" ] || sources=

packages=$(echo $PACKAGES_BUILD $PACKAGES_RUN | tr ' ' ,)
tmp=$TREE.tmp
step tree mmdebstrap --mode=root --variant=apt --include="$packages" \
	--aptopt='Acquire::Retries "3"' --dpkgopt='path-exclude=/usr/share/doc/*' \
	--dpkgopt='path-exclude=/usr/share/locale/*' \
	--customize-hook="$TOP/tools/build/tree-sources.sh" \
	"$SUITE" "$tmp" ${sources:+"$sources"}
finish "$tmp" "$TREE"

# Removes older trees and what was built in them.
for old in "$CACHE"/tree-*; do
	[ "$old" = "$TREE" ] ||
		rm -rf "$old" "$CACHE"/{native,native-asan,fuzz}-"${old##*-}"{,-source}
done
