#!/bin/bash
# SPDX-License-Identifier: MIT
# `make patches`: writes the patches to Mesa and QEMU that upstream should get, in the form of git
# format-patch, to out/patches-to-send; its README.md has the reproducer of each.
set -eu
. "$(dirname "$0")/../lib.sh"
preflight

out=$TOP/out/patches-to-send
"$TOP/tools/build/tree.sh"
rm -rf "$out"
mkdir -p "$out"
in_tree python3 /sundog/tools/build/to-send.py "$(in_tree_path "$out")"
say "patches: see out/patches-to-send/README.md"
