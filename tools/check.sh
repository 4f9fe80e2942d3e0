#!/bin/bash
# SPDX-License-Identifier: MIT
# `make check`, `make check-full`, `make check-hostile`, `make check-debug`, `make fuzz` and `make apps`: build
# everything, run every suite, write out/TARGET/report.json. A suite is a command that prints TAP; what
# it prints is out/TARGET/SUITE.log. The full list has what takes too long for every change, the hostile list what
# attackers try, at length, the debug list what runs on a kernel that looks for mistakes, apps what people run.
# usage: tools/check.sh [--full | --hostile | --debug | --fuzz | --apps] [SUITE...]
set -eu
. "$(dirname "$0")/lib.sh"
preflight

target=check
case ${1:-} in
--full | --hostile | --debug)
	target=check-${1#--}
	shift
	;;
--fuzz | --apps)
	target=${1#--}
	shift
	;;
esac
OUT=$TOP/out/$target
suites=${*:-$("$TOP/tools/suites.sh" "--list-$target")}

"$TOP/tools/tree.sh"
rm -rf "$OUT"
mkdir -p "$OUT"
for suite in $suites; do
	start=$SECONDS rc=0
	say "suite $suite"
	OUT=$OUT "$TOP/tools/suites.sh" "$suite" >"$OUT/$suite.log" 2>&1 || rc=$?
	[ "$rc" = 0 ] || printf 'not ok - %s ended with status %s\n' "$suite" "$rc" >>"$OUT/$suite.log"
	in_tree python3 /sundog/tools/tap.py --line "/sundog/out/$target/$suite.log"
	say "suite $suite took $((SECONDS - start)) s"
done
# The last line is the one that counts: N passed, N failed, N skipped.
in_tree python3 /sundog/tools/tap.py --report "/sundog/out/$target" $suites
