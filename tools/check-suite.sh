#!/bin/bash
# SPDX-License-Identifier: MIT
# Run one suite of tools/suites.sh for tools/check.sh: what it prints is OUT/SUITE.log, a folder of the checkout;
# then say how it went.
# usage: tools/check-suite.sh SUITE
set -eu
. "$(dirname "$0")/lib.sh"

suite=$1 start=$SECONDS rc=0
log=$OUT/$suite.log
say "suite $suite"
"$TOP/tools/suites.sh" "$suite" >"$log" 2>&1 || rc=$?
[ "$rc" = 0 ] || printf 'not ok - %s ended with status %s\n' "$suite" "$rc" >>"$log"
# In one piece: other suites say how they went, too.
said=$(in_tree python3 /sundog/tools/tap.py --line "$(in_tree_path "$log")")
say "suite $suite took $((SECONDS - start)) s
$said"
