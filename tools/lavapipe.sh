#!/bin/bash
# SPDX-License-Identifier: MIT
# Build the lavapipe that answers sooner, for renderers: Debian's source of Mesa with lavapipe/patches. The
# result is $LAVAPIPE of tools/lib.sh, a file that VK_DRIVER_FILES may name; Debian's own stays what it is.
# Does nothing when nothing changed.
# usage: tools/lavapipe.sh
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/tools/debian-source.sh"

dir=/cache/${LAVAPIPE_DIR##*/}	# LAVAPIPE_DIR as the tree sees it
stamp=${LAVAPIPE_DIR##*-}

# Each is one of the patches.
traits=submit-in-caller,samples-at-begin,no-handle-leak,no-final-wait,done-callback,wide-stores
traits=$traits,rasterize-in-caller,short-state,compile-beside,stay-awake,tasks-apart,patch-numbers,small-runs
traits=$traits,remember-code,rasterize-early,large-vbuf,views-apart,skip-empty-bins,say-compiling
traits=$traits,missing-inputs,share-tables,many-threads,tell-progress,tile-affinity

# Vulkan and nothing else.
options="-Dbuildtype=release --libdir=lib -Dvulkan-drivers=swrast -Dgallium-drivers=llvmpipe -Dllvm=enabled
	-Dshared-llvm=enabled -Dlavapipe-traits=$traits -Dplatforms= -Dglx=disabled -Degl=disabled -Dgbm=disabled
	-Dopengl=false -Dgles1=disabled -Dgles2=disabled -Dglvnd=disabled -Dgallium-va=disabled
	-Dgallium-vdpau=disabled -Dgallium-xa=disabled -Dvideo-codecs= -Dlmsensors=disabled -Dvalgrind=disabled
	-Dlibunwind=disabled"

up_to_date()
{
	[ "$(cat "$LAVAPIPE_DIR/built" 2>/dev/null)" = "$stamp" ] &&
		[ -e "$LAVAPIPE_DIR/${LAVAPIPE#"$dir"/}" ]
}

# LLVM's headers are not in the tree. The description names the library by where it lies from there, so that it
# holds outside of the tree, too.
build_lavapipe()
{
	in_layer llvm sh -eu -c "
		[ -e $dir/build/build.ninja ] ||
			meson setup --prefix=$dir/install $(echo $options) $dir/build $dir/src/mesa
		ninja -C $dir/build install
		sed -i 's,\"library_path\": \".*/lib/,\"library_path\": \"../../../lib/,' $LAVAPIPE"
}

mkdir -p "$CACHE"
exec 9>"$CACHE/lavapipe.lock"
flock 9
up_to_date && exit 0
"$TOP/tools/layer.sh" llvm
drop_broken lavapipe "$LAVAPIPE_DIR" "$stamp"
mkdir -p "$LAVAPIPE_DIR"
get_source mesa "$MESA_SERIES" "$LAVAPIPE_DIR" "$TOP/lavapipe/patches"
compile_source "$LAVAPIPE_DIR" "$stamp" step lavapipe-build build_lavapipe
built_source lavapipe "$LAVAPIPE_DIR" "$stamp"
