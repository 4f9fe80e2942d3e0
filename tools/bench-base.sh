#!/bin/bash
# SPDX-License-Identifier: MIT
# `make bench-base BASE=COMMIT`: is anything slower than it was at COMMIT? Both are built, then measured
# in turn, ROUNDS times (default 5), so that what the machine does beside hits both. Results in
# out/bench-base: a report of each round, report.json.
set -eu
. "$(dirname "$0")/lib.sh"
preflight

commit=$(git -C "$TOP" rev-parse --verify "${BASE:?name a commit to compare with}^{commit}")
ROUNDS=${ROUNDS:-5}
OUT=$TOP/out/bench-base
dir=$CACHE/base-$(printf '%s' "$commit" | cut -c1-12)

# The base has a cache of its own, but for the tree; it is measured with this bench.
prepare_base()
{
	mkdir -p "$dir/cache"
	[ -e "$dir/src" ] || git clone -q "$TOP" "$dir/src"
	git -C "$dir/src" checkout -qf "$commit"
	rm -rf "$dir/src/bench/bench.py" "$dir/src/tools/bench.sh"
	cp "$TOP/bench/bench.py" "$dir/src/bench/"
	cp "$TOP/tools/bench.sh" "$dir/src/tools/"
	# Not a symbolic link: what lies in the tree must have a path in that cache.
	[ -e "$dir/cache/${TREE##*/}" ] || cp -al "$TREE" "$dir/cache/${TREE##*/}"
}

# measure KIND CHECKOUT CACHE ROUND
measure()
{
	say "bench-base: $1, round $4 of $ROUNDS"
	SUNDOG_CACHE=$3 DRIVERS=sundog ROUNDS=1 "$2/tools/bench.sh" >"$OUT/$1-$4.log" 2>&1 ||
		die "the bench failed, see $OUT/$1-$4.log"
	cp "$2/out/bench/report.json" "$OUT/$1-$4.json"
}

"$TOP/tools/tree.sh"
rm -rf "$OUT"
mkdir -p "$OUT"
prepare_base
for round in $(seq "$ROUNDS"); do
	measure base "$dir/src" "$dir/cache" "$round"
	measure new "$TOP" "$CACHE" "$round"
done
in_tree python3 /sundog/bench/compare.py /sundog/out/bench-base
