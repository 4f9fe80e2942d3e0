#!/bin/sh
# SPDX-License-Identifier: MIT
# mmdebstrap's customize hook for the tree: source packages from where the binary ones came from.
# usage: tree-sources.sh ROOT
apt=$1/etc/apt
lines=$(cat "$apt/sources.list" "$apt"/sources.list.d/*.list 2>/dev/null | sed -n 's/^deb /deb-src /p')
printf '%s\n' "$lines" >"$apt/sources.list.d/source.list"
