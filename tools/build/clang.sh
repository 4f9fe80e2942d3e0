#!/bin/bash
# SPDX-License-Identifier: MIT
# Fetches SUITE's clang with its fuzzer and sanitizers. It is not in the tree, since only fuzz
# targets need it. The result is $CLANG of tools/lib.sh. Does nothing if it is there.
set -eu
. "$(dirname "$0")/../lib.sh"

mkdir -p "$CACHE"
(
	flock 9
	cached "$CLANG_DIR" && exit 0
	mkdir -p "$CLANG_DIR.tmp"
	step clang fetch clang "/cache/${CLANG_DIR##*/}.tmp"
	finish "$CLANG_DIR.tmp" "$CLANG_DIR"
) 9>"$CACHE/clang.lock"
