#!/bin/bash
# SPDX-License-Identifier: MIT
# Make the trixie tree: build root, guest root and home of the peers. Does nothing when it is there.
set -eu
. "$(dirname "$0")/lib.sh"

preflight
cached "$TREE" && exit 0
need_disk

command -v mmdebstrap >/dev/null && command -v mount >/dev/null || {
	step apt-update apt-get update
	step install-tools apt-get install -y --no-install-recommends mmdebstrap mount
}

# The mirror's own lines, or none: then mmdebstrap takes its default.
sources=$CACHE/sources.list
uri=$(mirror)
[ -z "$uri" ] || printf 'deb %s %s main\n' "$uri" "$SUITE" >"$sources"
[ -n "$uri" ] || sources=

packages=$(echo $PACKAGES_BUILD $PACKAGES_RUN | tr ' ' ,)
tmp=$TREE.tmp
step tree mmdebstrap --mode=root --variant=apt --include="$packages" \
	--aptopt='Acquire::Retries "3"' --dpkgopt='path-exclude=/usr/share/doc/*' \
	--dpkgopt='path-exclude=/usr/share/locale/*' \
	--customize-hook="$TOP/tools/tree-sources.sh" \
	"$SUITE" "$tmp" $sources
finish "$tmp" "$TREE"

# Older trees, and what was built in them, are of no use any more.
for old in "$CACHE"/tree-*; do
	[ "$old" = "$TREE" ] || rm -rf "$old"
done
