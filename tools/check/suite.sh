#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs one suite of tools/check/suites.sh for tools/check/check.sh, with its output in OUT/SUITE.log
# (OUT is a folder of the checkout), and prints a summary.
# usage: tools/check/suite.sh SUITE
set -eu
. "$(dirname "$0")/../lib.sh"

suite=$1 start=$SECONDS rc=0
log=$OUT/$suite.log
say "suite $suite: started, log in $log"
"$TOP/tools/check/suites.sh" "$suite" >"$log" 2>&1 || rc=$?
[ "$rc" = 0 ] || printf 'not ok - suite %s ended with status %s\n' "$suite" "$rc" >>"$log"
# CPU time of the programs that have ended, in seconds.
times >"$log.times"	# into a file, since a pipe would be a shell of its own
cpu=$(awk -F '[ms ]+' 'NR == 2 { printf "%.0f", $1 * 60 + $2 + $3 * 60 + $4 }' "$log.times")
rm "$log.times"
# In one write, since suites that run at the same time print summaries, too.
said=$(in_tree python3 /sundog/tools/check/tap.py --line "$(in_tree_path "$log")")
say "suite $suite took $((SECONDS - start)) s, $cpu s of CPU time
$said"
