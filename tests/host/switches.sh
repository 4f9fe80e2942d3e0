#!/bin/bash
# SPDX-License-Identifier: MIT
# switches.sh BUILD LAVAPIPE: threads of a worker sleep less often with our lavapipe, whose
# description is LAVAPIPE, than with the installed one. The client waits for each frame. Prints TAP.
set -eu
here=$(dirname "$0")
. "$here/../lib/tap.sh"
build=$1 lavapipe=$2

# switches: prints the number of context switches in ten frames.
switches()
{
	"$here/with-renderd.sh" "$build/renderer/sundog-renderd" \
		"$build/tests/stream/triangle-stream" --frames 1001 --draws 20 --size 800x600 \
		--in-flight 1 | sed -n 's/^switches \([0-9]*\)\.\([0-9]\)$/\1\2/p'
}

# are_fewer OURS THEIRS: returns true if OURS is less than 40 % of THEIRS. Measured were 09 and 107.
are_fewer()
{
	[ -n "$1" ] && [ -n "$2" ] && [ $((5 * 10#$1)) -lt $((2 * 10#$2)) ]
}

compare()
{
	local ours theirs
	theirs=$(switches)
	ours=$(VK_DRIVER_FILES=$lavapipe switches)
	echo "# in ten frames: $ours with our lavapipe, $theirs with the installed one"
	are_fewer "$ours" "$theirs"
}

echo 1..1
# On a busy machine threads also sleep for other reasons, so the comparison is repeated until it
# succeeds.
check "a worker's threads sleep less often with our lavapipe" wait_until compare
