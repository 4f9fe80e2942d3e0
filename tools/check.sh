#!/bin/bash
# SPDX-License-Identifier: MIT
# `make check`: build everything, run every suite, write out/check/report.json.
# A suite is a command that prints TAP; what it prints is out/check/SUITE.log.
# usage: tools/check.sh [SUITE...]
set -eu
. "$(dirname "$0")/lib.sh"
preflight

OUT=$TOP/out/check
suites=${*:-$("$TOP/tools/suites.sh" --list)}

"$TOP/tools/tree.sh"
rm -rf "$OUT"
mkdir -p "$OUT"
for suite in $suites; do
	start=$SECONDS rc=0
	say "suite $suite"
	"$TOP/tools/suites.sh" "$suite" >"$OUT/$suite.log" 2>&1 || rc=$?
	[ "$rc" = 0 ] || printf 'not ok - %s ended with status %s\n' "$suite" "$rc" >>"$OUT/$suite.log"
	in_tree python3 /sundog/tools/tap.py --line "/sundog/out/check/$suite.log"
	say "suite $suite took $((SECONDS - start)) s"
done
# The last line is the one that counts: N passed, N failed, N skipped.
in_tree python3 /sundog/tools/tap.py --report /sundog/out/check $suites
