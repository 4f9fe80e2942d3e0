#!/bin/bash
# SPDX-License-Identifier: MIT
# `make check`, `make check-full`, `make check-busy`, `make check-hostile`, `make check-debug`,
# `make check-packages`, `make check-kvm`, `make fuzz` and `make apps`: build everything, run every
# suite, write out/TARGET/report.json. A suite is a command that prints TAP, to
# out/TARGET/SUITE.log. The full list has suites that take too long for every change, the busy list
# the suites of `make check` beside four busy loops, the hostile list long attacks, the debug list
# tests on a kernel with debug options, the packages list guests with Debian packages, the kvm list
# a guest under KVM, apps application programs. SUNDOG_BUSY=N runs the suites of any list beside N
# busy loops.
# usage: tools/check/check.sh
#        [--full | --busy | --hostile | --debug | --packages | --kvm | --fuzz | --apps] [SUITE...]
set -eu
. "$(dirname "$0")/../lib.sh"
preflight

# Suites that run at the same time. They wait at times, those of guests most; with four of them, two
# processors are idle for 4 % of the time.
AT_ONCE=4
[ "${1:-}" != --packages ] || AT_ONCE=1	# the first suite makes what the others install

target=check
case ${1:-} in
--full | --busy | --hostile | --debug | --packages | --kvm)
	target=check-${1#--}
	shift
	;;
--fuzz | --apps)
	target=${1#--}
	shift
	;;
esac
OUT=$TOP/out/$target
suites=${*:-$("$TOP/tools/check/suites.sh" "--list-$target")}
[ "$target" != check-busy ] || : "${SUNDOG_BUSY:=4}"
export SUNDOG_BUSY=${SUNDOG_BUSY:-0}
# The same on each machine; suite kvm is about KVM. SUNDOG_ACCEL=auto takes KVM where it works.
export SUNDOG_ACCEL=${SUNDOG_ACCEL:-tcg,thread=multi}

# start_busy_loops N: starts loops that end when this shell ends, for whatever reason.
start_busy_loops()
{
	local loops=() i
	for ((i = 0; i < $1; i++)); do
		setpriv --pdeathsig KILL sh -c 'while :; do :; done' </dev/null >/dev/null 2>&1 &
		loops+=($!)
	done
	trap "kill -KILL ${loops[*]}" EXIT
	say "$1 busy loops run beside the suites"
}

"$TOP/tools/build/tree.sh"
rm -rf "$OUT"
mkdir -p "$OUT"
# Build before the suites start, so that builds take no CPU time from them. Each suite reports parts
# that it needs and that were not built.
case $target:$# in
check:0 | check-full:0 | check-busy:0)
	"$TOP/tools/build/parts.sh" ||
		say "some parts were not built, see the lines above; their suites will fail"
	;;
esac
[ "$SUNDOG_BUSY" = 0 ] || start_busy_loops "$SUNDOG_BUSY"
# Suites run in parallel, so that the CPUs are used while some of them wait: a guest keeps at most
# one CPU busy.
printf '%s\n' $suites | OUT=$OUT xargs -P "$AT_ONCE" -n 1 "$TOP/tools/check/suite.sh"
# The last line is the result: N passed, N failed, N skipped.
in_tree python3 /sundog/tools/check/tap.py --report "/sundog/out/$target" $suites
