#!/bin/bash
# SPDX-License-Identifier: MIT
# Compares the frames that grab-frames.sh left in two folders. Prints TAP.
# usage: compare-frames.sh PNG_COMPARE NAME REFERENCE OTHER SCENE...
#
# A channel may differ by 24 of 255 in 0.5% of the 400x300 pixels, and by 6 in all of them: that
# allows for rounding and edges. A wrong texture, a missing triangle or swapped channels differ by
# more, in more pixels. The last tests verify this with a picture of another scene, and with red and
# blue of the first scene swapped, which needs a scene with colours.
set -eu
compare=$1 name=$2 reference=$3 other=$4
shift 4

agree()
{
	"$compare" "$1" "$2" 24 60 && "$compare" "$1" "$2" 6 600
}

result()
{
	local text
	if text=$("${@:2}" 2>&1); then
		echo "ok - $1"
	else
		printf '%s\n' "$text" | sed 's/^/# /'
		echo "not ok - $1"
	fi
}

disagree()
{
	! agree "$@"
}

swap_channels()
{
	convert "$1" -channel RGB -separate -swap 0,2 -combine "$2"
}

for scene in "$@"; do
	for frame in 1 30; do
		result "$name: $scene, frame $frame" \
			agree "$reference/$scene-$frame.png" "$other/$scene-$frame.png"
	done
done
swap_channels "$other/$1-30.png" "$other/swapped.png"
result "$name: another scene is seen" disagree "$reference/$1-30.png" "$other/$2-30.png"
result "$name: swapped channels are seen" disagree "$reference/$1-30.png" "$other/swapped.png"
