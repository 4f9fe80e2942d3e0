#!/bin/bash
# SPDX-License-Identifier: MIT
# `make build`: builds parts, each by tools/build/PART.sh; without arguments everything that a guest
# with sundog needs, in the order of their dependencies.
# usage: tools/build/parts.sh [PART...]
set -eu
. "$(dirname "$0")/../lib.sh"
preflight --user

for part in ${*:-tree native kmod qemu mesa lavapipe}; do
	"$TOP/tools/build/$part.sh"
done
