#!/bin/bash
# SPDX-License-Identifier: MIT
# `make features`: write docs/features.md, what our driver and its peers say they can. Logs in out/features.
set -eu
. "$(dirname "$0")/lib.sh"
preflight

drivers="sundog llvmpipe zink virgl"
"$TOP/tools/build.sh" tree native mesa
mkdir -p "$TOP/out/features"
for driver in $drivers; do
	in_tree /sundog/tests/with-xvfb.sh /sundog/tests/with-driver.sh "$driver" "$NATIVE" "$MESA" \
		eglinfo -p surfaceless >"$TOP/out/features/$driver.log" 2>&1 ||
		die "eglinfo failed, see out/features/$driver.log"
done
in_tree python3 /sundog/tools/features.py /sundog/out/features $drivers >"$TOP/docs/features.md"
