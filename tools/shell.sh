#!/bin/bash
# SPDX-License-Identifier: MIT
# `make shell`: an interactive guest with the driver loaded and our Mesa first in its path.
# out/shell is /out in the guest; everything else that is written is lost.
set -eu
. "$(dirname "$0")/lib.sh"
preflight

"$TOP/tools/build.sh"
exec "$TOP/tools/guest.sh" --lavapipe --shell --out "$TOP/out/shell" \
	"modprobe sundog; echo 'PATH=$MESA/bin:\$PATH' >>/root/.profile
	echo 'The driver is loaded. sundog-mesa PROGRAM runs a program with it, for example: sundog-mesa kmscube'"
