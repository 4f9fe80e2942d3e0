#!/bin/bash
# SPDX-License-Identifier: MIT
# Draw the triangle scene as a hand-written stream through sundog-renderd, and with OpenGL ES on
# llvmpipe; the pictures must agree. Then break the stream's picture: the comparison must see it.
# usage: tests/triangle.sh BUILD OUT (inside the tree); prints TAP.
set -eu
build=$1 out=$2
mkdir -p "$out"
export SUNDOG_SOCKET=$out/renderd.sock GALLIUM_DRIVER=llvmpipe LIBGL_ALWAYS_SOFTWARE=1

"$build/renderer/sundog-renderd" --socket "$SUNDOG_SOCKET" 2>"$out/renderd.log" &
trap 'kill $! 2>/dev/null; wait 2>/dev/null' EXIT
for _ in $(seq 100); do [ -S "$SUNDOG_SOCKET" ] && break; sleep 0.1; done

check()
{
	local name=$1
	shift
	if "$@" >>"$out/log" 2>&1; then echo "ok - $name"; else echo "not ok - $name"; sed 's/^/# /' "$out/log"; fi
}

# Rasterisation is the same code on both sides: edges may round differently, nothing else.
agree() { "$build/tests/png-compare" "$out/stream.png" "$out/gl.png" 8 64; }
disagree() { ! "$build/tests/png-compare" "$1" "$out/gl.png" 8 64; }

scene="--frames 4 --draws 3 --size 320x240"
check "hand-written stream draws" "$build/tests/triangle-stream" $scene --png "$out/stream.png"
check "OpenGL twin draws" "$build/tests/triangle-gl" $scene --png "$out/gl.png"
check "pictures agree" agree
convert "$out/stream.png" -channel RGB -separate -swap 0,2 -combine "$out/swapped.png"
check "swapped channels are seen" disagree "$out/swapped.png"
"$build/tests/triangle-stream" --frames 4 --draws 2 --size 320x240 --png "$out/missing.png" >>"$out/log"
check "a missing triangle is seen" disagree "$out/missing.png"
