#!/bin/bash
# SPDX-License-Identifier: MIT
# Inside the guest: does a head show these colours, each in at least so many pixels? What it shows is /out/NAME.png;
# prints what colours there are.
# usage: screen-is.sh BUILD NAME HEAD RRGGBB=PIXELS...
set -u
build=$1 name=$2 head=$3
shift 3
/sundog/tools/guest-ask screendump "$name" "$head" && "$build/tests/png-colours" "/out/$name.png" "$@"
