#!/bin/bash
# SPDX-License-Identifier: MIT
# Draws the triangle scene as a hand-written stream, and with OpenGL ES on llvmpipe: the pictures
# must agree. Then changes the stream's picture: the comparison must fail. Prints TAP.
# usage: with-renderd.sh RENDERD triangle.sh TRIANGLE_STREAM TRIANGLE_GL PNG_COMPARE
set -eu
stream=$1 gl=$2 compare=$3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export GALLIUM_DRIVER=llvmpipe LIBGL_ALWAYS_SOFTWARE=1
scene="--frames 4 --size 320x240"

check()
{
	local name=$1
	shift
	if "$@" >>"$out/log" 2>&1; then
		echo "ok - $name"
	else
		sed 's/^/# /' "$out/log"
		echo "not ok - $name"
	fi
}

# Both sides rasterise with the same code, so only the rounding of edges may differ.
agree() { "$compare" "$out/$1.png" "$out/gl.png" 8 64; }
disagree() { ! agree "$1"; }

check "hand-written stream draws" "$stream" $scene --draws 3 --png "$out/stream.png"
check "OpenGL twin draws" "$gl" $scene --draws 3 --png "$out/gl.png"
check "pictures agree" agree stream
check "channels can be swapped" \
	convert "$out/stream.png" -channel RGB -separate -swap 0,2 -combine "$out/swapped.png"
check "swapped channels are seen" disagree swapped
check "stream draws a triangle less" "$stream" $scene --draws 2 --png "$out/missing.png"
check "a missing triangle is seen" disagree missing
echo 1..7
