#!/bin/bash
# SPDX-License-Identifier: MIT
# Inside the guest: returns true if a head shows these colours, each in at least so many pixels.
# Writes the picture of the head to /out/NAME.png, and prints its colours.
# usage: screen-is.sh BUILD NAME HEAD RRGGBB=PIXELS...
set -u
build=$1 name=$2 head=$3
shift 3
/sundog/tools/guest/ask screendump "$name" "$head" &&
	"$build/tests/lib/png-colours" "/out/$name.png" "$@"
