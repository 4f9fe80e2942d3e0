#!/bin/bash
# SPDX-License-Identifier: MIT
# `make features`: write docs/features.md, what our driver and its peers say they can, and docs/exercised.md, what
# exercises each extension of ours. Logs in out/features.
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

# Of what passed, if `make piglit` was there before.
"$TOP/tools/layer.sh" piglit
in_tree /sundog/tests/with-xvfb.sh /sundog/tests/with-driver.sh sundog "$NATIVE" "$MESA" sh -c '
	eglinfo -p x11; glxinfo | sed -n "/^GLX version/,/^Extended renderer/p"' >"$TOP/out/features/windows.log" 2>&1 ||
	die "eglinfo or glxinfo failed, see out/features/windows.log"
"$TOP/tools/build.sh" kmod qemu
"$TOP/tools/guest.sh" --out "$TOP/out/features/guest" "modprobe sundog; $MESA/bin/sundog-mesa eglinfo -p gbm >/out/eglinfo.log" \
	>"$TOP/out/features/guest.log" 2>&1 || die "no eglinfo in a guest, see out/features/guest.log"
source=/cache/${MESA_DIR##*/}/src/mesa/src
in_layer piglit python3 /sundog/tools/exercised.py \
	"$source/mapi/glapi/registry/gl.xml,$source/egl/generate/egl.xml" /usr/lib/x86_64-linux-gnu/piglit \
	/sundog/out/piglit /sundog/tests /sundog/out/features/sundog.log /sundog/out/features/windows.log \
	/sundog/out/features/guest/eglinfo.log \
	>"$TOP/docs/exercised.md"
