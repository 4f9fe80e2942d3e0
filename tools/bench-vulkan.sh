#!/bin/bash
# SPDX-License-Identifier: MIT
# `make bench-vulkan`: sundog's Vulkan driver against native lavapipe, Debian's and ours, without a VM; see
# bench/vulkan.py. Results in out/bench-vulkan: report.json, table.md. A scene of vkmark takes SCENE_SECONDS
# (default 3), each figure of bench/vk-rate RATE_SECONDS (default 1), all of it ROUNDS times (default 5);
# DRIVERS='sundog,lavapipe' measures just those.
set -eu
. "$(dirname "$0")/lib.sh"
preflight

OUT=$TOP/out/bench-vulkan

rm -rf "$OUT"
mkdir -p "$OUT"
"$TOP/tools/build.sh" tree native mesa lavapipe
in_tree python3 /sundog/bench/vulkan.py --out /sundog/out/bench-vulkan --build "$NATIVE" \
	--sundog-mesa "$MESA/bin/sundog-mesa" --icd "$MESA/share/vulkan/icd.d/sundog_icd.x86_64.json" \
	--lavapipe "$LAVAPIPE" --rounds "${ROUNDS:-5}" --seconds "${SCENE_SECONDS:-3}" \
	--rate-seconds "${RATE_SECONDS:-1}" ${DRIVERS:+--drivers "$DRIVERS"}
