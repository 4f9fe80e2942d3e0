# SPDX-License-Identifier: MIT
# Common start of the tests of OpenGL and Vulkan without a VM; sourced with the arguments BUILD MESA
# OUT.
build=$1 mesa=$2/bin/sundog-mesa out=$3
here=$(dirname "$0")
tests=$(dirname "${BASH_SOURCE[0]}")/..
. "$tests/lib/tap.sh"
mkdir -p "$out"

with_sundog() { "$tests/host/with-renderd.sh" "$build/renderer/sundog-renderd" "$@" 2>&1; }
with_llvmpipe() { GALLIUM_DRIVER=llvmpipe "$@" 2>&1; }
