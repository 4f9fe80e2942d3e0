#!/bin/bash
# SPDX-License-Identifier: MIT
# Inside the guest: has the screen this colour, in at least so many pixels?
# usage: screen-is.sh BUILD RRGGBB=PIXELS
name=screen-is
/sundog/tools/guest-ask screendump "$name" && "$1/tests/png-colours" "/out/$name.png" "$2"
