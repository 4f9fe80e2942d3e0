#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles a compute shader with derivatives to a C header. glslang only knows the extension by its
# old name, SPV_NV_compute_shader_derivatives, which this script replaces.
# usage: derivatives.sh GLSLANG SPIRV-AS INPUT OUTPUT NAME [OPTION]...
set -eu
glslang=$1 as=$2 in=$3 out=$4 name=$5
shift 5
"$glslang" -V --target-env vulkan1.1 --quiet -S comp "$@" "$in" -o "$out.old.spv"
spirv-dis "$out.old.spv" |
	sed s/SPV_NV_compute_shader_derivatives/SPV_KHR_compute_shader_derivatives/ >"$out.spvasm"
"$(dirname "$0")/assemble.sh" "$as" "$out.spvasm" "$out" "$name"
