# SPDX-License-Identifier: MIT
# Common start of the tests of OpenGL and Vulkan without a VM; sourced with the arguments BUILD MESA
# OUT.
build=$1 mesa=$2/bin/sundog-mesa out=$3
here=$(dirname "$0")
. "$here/tap.sh"
mkdir -p "$out"

with_sundog() { "$here/with-renderd.sh" "$build/renderer/sundog-renderd" "$@" 2>&1; }
with_llvmpipe() { GALLIUM_DRIVER=llvmpipe "$@" 2>&1; }
