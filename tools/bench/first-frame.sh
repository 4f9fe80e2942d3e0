#!/bin/bash
# SPDX-License-Identifier: MIT
# `make bench-first-frame`: measures the time to the first frame of twenty programs, compared with
# llvmpipe and lavapipe. See bench/first_frame.py. Results in out/bench-first-frame: report.json.
# usage: tools/bench/first-frame.sh [OPTION OF bench/first_frame.py...]
set -eu
. "$(dirname "$0")/../lib.sh"
preflight

mkdir -p "$TOP/out/bench-first-frame"
"$TOP/tools/build/parts.sh" tree native mesa lavapipe
in_tree python3 /sundog/bench/first_frame.py --out /sundog/out/bench-first-frame \
	--build "$NATIVE" --mesa "$MESA" --sundog-mesa "$MESA/bin/sundog-mesa" \
	--lavapipe "$LAVAPIPE" --native-icd "$DEBIAN_LAVAPIPE" "$@"
