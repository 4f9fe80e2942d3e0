#!/bin/bash
# SPDX-License-Identifier: MIT
# `make bench`: compares sundog with llvmpipe, zink and virgl, and with itself on the installed
# lavapipe, natively and in a guest; see bench/bench.py. Results in out/bench: report.json,
# table.md, logs; `bench/results.py add out/bench/report.json` keeps them. ALL=1 takes every default
# scene. DRIVERS=sundog measures only that driver, without its peers and without idle guests. A
# scene takes SCENE_SECONDS (default 10).
set -eu
. "$(dirname "$0")/../lib.sh"
preflight

OUT=$TOP/out/bench
ROUNDS=${ROUNDS:-3}
SIZE=800x600	# virtio-gpu takes no other mode than the one it prefers
options="--out /sundog/out/bench --build $NATIVE
	--sundog-mesa $MESA/bin/sundog-mesa --pipe-rate $MESA_BENCH/pipe-rate
	--commit $(git -C "$TOP" describe --always --dirty 2>/dev/null || echo unknown)
	--rounds $ROUNDS --size $SIZE --seconds ${SCENE_SECONDS:-10} --lavapipe $LAVAPIPE"
[ "${ALL:-}" != 1 ] || options="$options --all"
[ -z "${DRIVERS:-}" ] || options="$options --drivers $DRIVERS"

rm -rf "$OUT"
mkdir -p "$OUT"
"$TOP/tools/build/parts.sh"
"$TOP/tools/build/mesa.sh" --bench

# run_guest ROUND KIND GUEST-OPTION...: runs the script of bench.py for KIND in a guest.
run_guest()
{
	local name=guest-$1-$2
	in_tree python3 /sundog/bench/bench.py $options --guest-script "$2" >"$OUT/$name.sh"
	say "bench: guest with $2, round $1 of $ROUNDS"
	"$TOP/tools/guest/guest.sh" --out "$OUT/$name" --timeout 900 --memory 4G \
		--script "$OUT/$name.sh" --lavapipe "${@:3}" \
		>"$OUT/$name.out" 2>"$OUT/$name.err" ||
		say "bench: $name ended with status $?, see $OUT/$name.err"
}

for round in $(seq "$ROUNDS"); do
	run_guest "$round" sundog
	# VRAM for a million pages that are never accessed; the same guest has a virtio-gpu.
	run_guest "$round" resources --vram 8G --device sundog --device virtio-gpu-pci
	[ -z "${DRIVERS:-}" ] || continue
	run_guest "$round" virgl --virgl --module none \
		--device "virtio-gpu-gl-pci,xres=${SIZE%x*},yres=${SIZE#*x}"
done
# Measures the CPU time of idle guests, and of screens without changes.
run_idle()
{
	say "bench: idle guests, output in $OUT/idle-*"
	"$TOP/tools/guest/guest.sh" --out "$OUT/idle-sundog" --vnc 1 \
		"/sundog/bench/guest-idle $NATIVE sundog $MESA/bin/sundog-mesa"
	"$TOP/tools/guest/guest.sh" --out "$OUT/idle-virtio-gpu" --vnc 1 \
		--device virtio-gpu-pci --module none \
		"/sundog/bench/guest-idle $NATIVE virtio_gpu env"
}
[ -n "${DRIVERS:-}" ] || run_idle
in_tree python3 /sundog/bench/bench.py $options
