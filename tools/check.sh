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

AT_ONCE=3	# Two wait at times, and leave a processor idle; of more, tests that look at clocks would suffer.

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
# What builds would take the time of what runs beside it. The suites say what could not be built.
case $target:$# in check:0 | check-full:0) "$TOP/tools/build.sh" || say "not everything could be built" ;; esac
# Side by side, so that suites that wait leave the processors to others: a guest keeps one busy at most.
printf '%s\n' $suites | OUT=$OUT xargs -P "$AT_ONCE" -n 1 "$TOP/tools/check-suite.sh"
# The last line is the one that counts: N passed, N failed, N skipped.
in_tree python3 /sundog/tools/tap.py --report "/sundog/out/$target" $suites
