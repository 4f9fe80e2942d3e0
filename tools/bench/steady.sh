#!/bin/bash
# SPDX-License-Identifier: MIT
# `make bench-steady`: measures how much the speed varies between runs, on an idle machine, on one
# CPU, under a CPU quota and on a busy machine. See bench/steady.py. Results in out/bench-steady:
# report.json.
# usage: tools/bench/steady.sh [OPTION OF bench/steady.py...]
set -eu
. "$(dirname "$0")/../lib.sh"
preflight

mkdir -p "$TOP/out/bench-steady"
"$TOP/tools/build/parts.sh" tree native mesa lavapipe
in_tree python3 /sundog/bench/steady.py --out /sundog/out/bench-steady --build "$NATIVE" \
	--sundog-mesa "$MESA/bin/sundog-mesa" --lavapipe "$LAVAPIPE" "$@"
