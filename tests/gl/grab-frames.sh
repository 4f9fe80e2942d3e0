#!/bin/bash
# SPDX-License-Identifier: MIT
# Grabs frames 1 and 30 of glmark2 scenes with the driver that the environment selects.
# usage: grab-frames.sh BUILD OUT PROGRAM SIZE SCENE...; PROGRAM may be several words.
# Writes OUT/SCENE-1.png, OUT/SCENE-30.png and OUT/SCENE.log; a scene that fails leaves no pictures.
set -eu
build=$1 out=$2 program=$3 size=$4
shift 4
mkdir -p "$out"
for scene in "$@"; do
	FRAME_GRAB_PREFIX=$out/$scene FRAME_GRAB_FRAMES=1,30 \
		LD_PRELOAD=$build/tests/gl/frame-grab.so \
		timeout 1200 $program --off-screen --frame-end finish -s $size -b "$scene" \
		>"$out/$scene.log" 2>&1 || echo "# $scene ended with status $?"
done
