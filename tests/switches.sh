#!/bin/bash
# SPDX-License-Identifier: MIT
# switches.sh BUILD LAVAPIPE: with our lavapipe, whose description is LAVAPIPE, threads of a worker go to sleep
# less often than with the one that is installed. Each frame is waited for. Prints TAP.
set -eu
here=$(dirname "$0")
. "$here/tap.sh"
build=$1 lavapipe=$2

# switches: how many there are in ten frames.
switches()
{
	"$here/with-renderd.sh" "$build/renderer/sundog-renderd" "$build/tests/triangle-stream" \
		--frames 1001 --draws 20 --size 800x600 --in-flight 1 | sed -n 's/^switches \([0-9]*\)\.\([0-9]\)$/\1\2/p'
}

# are_fewer OURS THEIRS: they are 09 and 107.
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
# On a busy machine threads sleep more or less often for other reasons, so that is tried again.
check "a worker's threads sleep less often with our lavapipe" wait_until compare
