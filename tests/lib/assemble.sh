#!/bin/sh
# SPDX-License-Identifier: MIT
# Assembles SPIR-V to a C header with the array NAME, in the format that glslang writes.
# usage: assemble.sh SPIRV-AS INPUT OUTPUT NAME [ENVIRONMENT]
set -eu
"$1" --target-env "${5:-spv1.3}" "$2" -o "$3.spv"
{
	echo "static const uint32_t $4[] = {"
	od -An -v -tx4 "$3.spv" | sed 's/ *\([0-9a-f]\{8\}\)/0x\1, /g'
	echo "};"
} >"$3"
