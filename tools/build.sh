#!/bin/bash
# SPDX-License-Identifier: MIT
# Build everything that a guest with sundog needs, in the order in which parts need each other.
set -eu
. "$(dirname "$0")/lib.sh"

for part in tree native kmod qemu mesa; do
	"$TOP/tools/$part.sh"
done
