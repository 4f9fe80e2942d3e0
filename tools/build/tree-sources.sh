#!/bin/sh
# SPDX-License-Identifier: MIT
# The customize hook of mmdebstrap for the tree: adds source packages from the mirror of the binary
# ones.
# usage: tree-sources.sh ROOT
apt=$1/etc/apt
lines=$(cat "$apt/sources.list" "$apt"/sources.list.d/*.list 2>/dev/null |
	sed -n 's/^deb /deb-src /p')
printf '%s\n' "$lines" >"$apt/sources.list.d/source.list"
