#!/bin/bash
# SPDX-License-Identifier: MIT
# `make bench-base BASE=COMMIT`: compares this checkout with COMMIT. Both are built, then measured
# at the same time, each in a cgroup with half of the CPU time, ROUNDS times (default 5). The speed
# and the load of the machine are the same for both then; figures of runs one after the other differ
# by a third on a virtual machine. The kernel's rates are also counted in instructions. Results in
# out/bench-base: a report of each round, report.json.
set -eu
. "$(dirname "$0")/../lib.sh"
preflight

commit=$(git -C "$TOP" rev-parse --verify "${BASE:?give a commit to compare with}^{commit}")
ROUNDS=${ROUNDS:-5}
OUT=$TOP/out/bench-base
dir=$CACHE/base-$(printf '%s' "$commit" | cut -c1-12)

# Prepares the base, which has a cache of its own, apart from the tree. It is measured with this
# checkout's bench.py, unless it is older than the folders of tools/, whose paths bench.py names.
# Old commits need patches to build with the present packages of Debian; the function applies those
# that apply.
prepare_base()
{
	local tree folder patch
	mkdir -p "$dir/cache"
	[ -e "$dir/src" ] || git clone -q "$TOP" "$dir/src"
	git -C "$dir/src" checkout -qf "$commit"
	[ ! -e "$dir/src/tools/docs" ] || {
		cp "$TOP/bench/bench.py" "$dir/src/bench/"
		cp "$TOP/tools/docs/machine.py" "$dir/src/tools/docs/"
	}
	for patch in "$TOP"/bench/base/*.patch; do
		git -C "$dir/src" apply -q "$patch" || true
	done
	# Hard links, not a symbolic link: files of the tree need a path in that cache.
	tree=$(SUNDOG_CACHE=$dir/cache bash -c '. "$0/tools/lib.sh"; echo "${TREE##*/}"' "$dir/src")
	for folder in "$tree" ccache; do
		[ -e "$dir/cache/$folder" ] || [ ! -e "$CACHE/$folder" ] ||
			cp -al "$CACHE/$folder" "$dir/cache/$folder"
	done
}

# share KIND COMMAND...: runs a command in a cgroup of its own, so that it gets as much CPU time as
# the command of the other kind, whatever their numbers of threads. Without cgroups it just runs.
share()
{
	local root=/sys/fs/cgroup group
	[ ! -e "$root/cpu/cpu.shares" ] || root=$root/cpu
	group=$root/sundog-bench-$1
	mkdir -p "$group" 2>/dev/null || group=
	bash -c '[ -z "$0" ] || echo $$ >"$0/cgroup.procs"; exec "$@"' "$group" "${@:2}"
}

# measure KIND CHECKOUT CACHE ROUND: runs `make bench` in a checkout, and keeps its report.
measure()
{
	share "$1" env SUNDOG_CACHE="$3" DRIVERS=sundog ROUNDS=1 make -C "$2" bench \
		>"$OUT/$1-$4.log" 2>&1 ||
		die "make bench of $1 failed in round $4 of $ROUNDS, see $OUT/$1-$4.log"
	cp "$2/out/bench/report.json" "$OUT/$1-$4.json"
}

# Builds both by a short run of the bench, whose figures do not count.
build()
{
	say "bench-base: building both"
	SCENE_SECONDS=1 measure base "$dir/src" "$dir/cache" build
	SCENE_SECONDS=1 measure new "$TOP" "$CACHE" build
	rm "$OUT"/*-build.json
}

# measure_both ROUND
measure_both()
{
	local base new
	say "bench-base: round $1 of $ROUNDS"
	measure base "$dir/src" "$dir/cache" "$1" & base=$!
	measure new "$TOP" "$CACHE" "$1" & new=$!
	wait "$base" && wait "$new"
	rmdir /sys/fs/cgroup/{,cpu/}sundog-bench-* 2>/dev/null || true
}

# count KIND CHECKOUT CACHE: measures the kernel's rates again in a guest whose clock counts
# executed instructions, so that results do not depend on the machine's load. It needs one CPU and
# no renderer.
count()
{
	say "bench-base: $1, counting instructions, log in $OUT/$1-count.log"
	SUNDOG_CACHE=$3 bash -euc '
		cd "$1"
		. tools/lib.sh
		mkdir -p out
		echo "modprobe sundog && for live in 0 10000; do" \
			"$NATIVE/bench/resource-rate sundog 1 \$live; done" >out/count.sh
		guest=tools/guest/guest.sh
		[ -e "$guest" ] || guest=tools/guest.sh	# commits before the folders of tools/
		"$guest" --out out/count --memory 4G --cpus 1 --accel tcg,thread=single \
			--qemu "-icount shift=0,sleep=off" --script out/count.sh' \
		count "$2" >"$OUT/$1-count.log" 2>&1 ||
		die "counting the instructions of $1 failed, see $OUT/$1-count.log"
	in_tree python3 /sundog/bench/compare.py --count "/sundog/out/bench-base/$1-count.log"
}

"$TOP/tools/build/tree.sh"
rm -rf "$OUT"
mkdir -p "$OUT"
prepare_base
build
for round in $(seq "$ROUNDS"); do
	measure_both "$round"
done
count base "$dir/src" "$dir/cache"
count new "$TOP" "$CACHE"
in_tree python3 /sundog/bench/compare.py /sundog/out/bench-base
