#!/bin/bash
# SPDX-License-Identifier: MIT
# `make demo`: boot a guest, load the driver, draw with Debian's kmscube and glmark2 on its screen.
# Results in out/demo: serial.log, a screen dump for each scene, report.json. ALL=1 runs every
# default scene of glmark2.
set -eu
. "$(dirname "$0")/lib.sh"
preflight

OUT=$TOP/out/demo
SHORT_SCENES="build texture shading bump effect2d pulsar buffer jellyfish"

rm -rf "$OUT"
mkdir -p "$OUT"
"$TOP/tools/build.sh"

if [ "${ALL:-}" = 1 ]; then
	# "clear" is no default scene, and clears to black: there is nothing to see.
	scenes=$(in_tree glmark2-es2-drm --list-scenes | sed -n 's/^\[Scene\] //p' | grep -v clear | tr '\n' ' ')
else
	scenes=$SHORT_SCENES
fi
say "demo: booting a guest; its output follows, pictures go to $OUT"
rc=0
"$TOP/tools/guest.sh" --out "$OUT" --timeout 3000 \
	"SUNDOG_MESA=$MESA/bin/sundog-mesa SCENES='$scenes' /sundog/tools/demo-guest" || rc=$?
in_tree python3 /sundog/tools/demo-report.py /sundog/out/demo $scenes || rc=1
exit "$rc"
