#!/bin/bash
# SPDX-License-Identifier: MIT
# Fetches SUITE's clang with its fuzzer and sanitizers. It is not in the tree, since only fuzz
# targets need it. The result is $CLANG of tools/lib.sh. Does nothing if it is there.
set -eu
. "$(dirname "$0")/../lib.sh"

fetch_once "$CLANG_DIR" clang clang
