#!/bin/bash
# SPDX-License-Identifier: MIT
# `make demo`: boots a guest, loads the driver, and draws with Debian's kmscube and glmark2 on its
# screen. Results in out/demo: serial.log, a screen dump for each scene, report.json. ALL=1 runs
# every default scene of glmark2. Two frames of each scene are compared with those of llvmpipe
# without a guest: glmark2's own validation supports one size only, which DRM does not offer.
set -eu
. "$(dirname "$0")/../lib.sh"
preflight --user

OUT=$TOP/out/demo
SHORT_SCENES="buffer build bump effect2d jellyfish pulsar shading texture"

rm -rf "$OUT"
mkdir -p "$OUT"
"$TOP/tools/build/parts.sh" tree kmod
for part in qemu mesa native; do
	"$TOP/tools/build/$part.sh" --demo
done
# Debian's lavapipe draws the same, only slower. Ours takes a part of the first build's time, so it
# is used if another target has built it.
lavapipe=
! "$TOP/tools/build/lavapipe.sh" --built || lavapipe=--lavapipe

if [ "${ALL:-}" = 1 ]; then
	# "clear" is not a default scene, and clears to black, so that a dump cannot show whether it
	# works.
	scenes=$(in_tree glmark2-es2-drm --list-scenes | sed -n 's/^\[Scene\] //p' |
		grep -v clear | tr '\n' ' ')
else
	scenes=$SHORT_SCENES
fi
say "demo: booting a guest; its output follows, pictures go to $OUT"
rc=0
"$TOP/tools/guest/guest.sh" $lavapipe --out "$OUT" --timeout 3000 \
	"BUILD=$NATIVE SUNDOG_MESA=$MESA/bin/sundog-mesa SCENES='$scenes' \
	/sundog/tools/guest/demo-guest" || rc=$?
[ "$rc" -lt 128 ] || exit "$rc"		# by Ctrl-C
in_tree env GALLIUM_DRIVER=llvmpipe /sundog/tests/host/with-xvfb.sh \
	/sundog/tests/gl/grab-frames.sh "$NATIVE" /sundog/out/demo/reference \
	glmark2 400x300 $scenes || rc=1
in_tree /sundog/tests/gl/compare-frames.sh "$NATIVE/tests/lib/png-compare" frames \
	/sundog/out/demo/reference /sundog/out/demo/frames $scenes >"$OUT/frames.tap" || rc=1
in_tree python3 /sundog/tools/guest/demo-report.py /sundog/out/demo $scenes || rc=1
exit "$rc"
