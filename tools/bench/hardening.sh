#!/bin/bash
# SPDX-License-Identifier: MIT
# `make bench-hardening`: measures the cost of the hardening flags of our lavapipe, see
# bench/hardening.py. First builds lavapipe without them, and with each set of them alone that SETS
# names: SETS='bounds unreachable'. Results in out/bench-hardening: report.json.
# usage: tools/bench/hardening.sh [OPTION OF bench/hardening.py...]
set -eu
. "$(dirname "$0")/../lib.sh"
preflight

mkdir -p "$TOP/out/bench-hardening"
"$TOP/tools/build/parts.sh" tree native mesa
"$TOP/tools/build/lavapipe.sh" --bench ${SETS:-}
in_tree python3 /sundog/bench/hardening.py --out /sundog/out/bench-hardening --build "$NATIVE" \
	--sundog-mesa "$MESA/bin/sundog-mesa" --folder "/cache/${LAVAPIPE_DIR##*/}" \
	--builds none install ${SETS:-} "$@"
