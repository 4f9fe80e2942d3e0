#!/bin/bash
# SPDX-License-Identifier: MIT
# `make shell`: runs an interactive guest with the driver loaded and our Mesa first in its path.
# /out in the guest is out/shell; writes elsewhere are lost.
set -eu
. "$(dirname "$0")/../lib.sh"
preflight --user

"$TOP/tools/build/parts.sh"
exec "$TOP/tools/guest/guest.sh" --lavapipe --shell --out "$TOP/out/shell" \
	"modprobe sundog; echo 'PATH=$MESA/bin:\$PATH' >>/root/.profile
	echo 'The driver is loaded. sundog-mesa PROGRAM runs a program with it,' \
		'for example: sundog-mesa kmscube'"
