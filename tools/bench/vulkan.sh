#!/bin/bash
# SPDX-License-Identifier: MIT
# `make bench-vulkan`: compares sundog's Vulkan driver with native lavapipe, Debian's and ours,
# without a VM, and with venus (virtio-gpu) in guests; see bench/vulkan.py. Results in
# out/bench-vulkan: report.json, table.md. A scene of vkmark takes SCENE_SECONDS (default 3), a
# figure of bench/vk-rate RATE_SECONDS (default 1), in ROUNDS rounds (default 5).
# DRIVERS='sundog,lavapipe' measures only these, without guests.
set -eu
. "$(dirname "$0")/../lib.sh"
preflight

OUT=$TOP/out/bench-vulkan

rm -rf "$OUT"
mkdir -p "$OUT"
"$TOP/tools/build/parts.sh" tree native qemu kmod mesa lavapipe

# run_guest NAME SCRIPT GUEST-OPTION...: runs a script in a guest, with its output in OUT/NAME.out.
run_guest()
{
	local name=$1
	printf '%s\n' "$2" >"$OUT/$name.sh"
	say "bench: $name, of $ROUNDS rounds, output in $OUT/$name.out"
	"$TOP/tools/guest/guest.sh" --out "$OUT/$name" --timeout 600 --memory 4G \
		--script "$OUT/$name.sh" "${@:3}" >"$OUT/$name.out" 2>"$OUT/$name.err" ||
		say "bench: $name ended with status $?, see $OUT/$name.err"
}

ROUNDS=${ROUNDS:-5}
rate="$NATIVE/bench/vk-rate ${RATE_SECONDS:-1}"
for round in $(seq "$ROUNDS"); do
	[ -z "${DRIVERS:-}" ] || break
	run_guest "guest-$round-sundog" "modprobe sundog; sleep 1
		VK_DRIVER_FILES=$MESA/share/vulkan/icd.d/sundog_icd.x86_64.json \
		$MESA/bin/sundog-mesa $rate" --lavapipe
	run_guest "guest-$round-venus" "modprobe virtio_gpu; sleep 1
		VK_DRIVER_FILES=/usr/share/vulkan/icd.d/virtio_icd.json $rate" \
		--virgl --module none --device virtio-gpu-gl-pci,venus=on,blob=on,hostmem=1G
done
in_tree python3 /sundog/bench/vulkan.py --out /sundog/out/bench-vulkan --build "$NATIVE" \
	--sundog-mesa "$MESA/bin/sundog-mesa" \
	--icd "$MESA/share/vulkan/icd.d/sundog_icd.x86_64.json" \
	--lavapipe "$LAVAPIPE" --rounds "$ROUNDS" --seconds "${SCENE_SECONDS:-3}" \
	--rate-seconds "${RATE_SECONDS:-1}" ${DRIVERS:+--drivers "$DRIVERS"}
