#!/bin/bash
# SPDX-License-Identifier: MIT
# with-xvfb.sh COMMAND...: runs a command with an X server of its own, DISPLAY, on software OpenGL.
# The screen has SUNDOG_SCREEN_DEPTH bits.
set -eu
dir=$(mktemp -d)
mkfifo "$dir/display"
Xvfb -noreset -displayfd 3 -screen 0 "1024x768x${SUNDOG_SCREEN_DEPTH:-24}" 3<>"$dir/display" \
	>/dev/null 2>&1 &
xvfb=$!
trap 'kill $xvfb; rm -r "$dir"' EXIT
read -r number <"$dir/display"
export DISPLAY=:$number LIBGL_ALWAYS_SOFTWARE=1
"$@"
