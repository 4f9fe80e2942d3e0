#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds Mesa with the sundog drivers: Debian's source, mesa-driver/patches, the drivers in
# mesa-driver, and libdrm_sundog. The result is installed in $MESA of tools/lib.sh: bin/sundog-mesa
# runs a program with it. Does nothing if nothing changed. --bench also builds pipe-rate of
# bench/gallium, with the drivers that it compares, in $MESA_BENCH. --demo leaves out Vulkan and
# GLX.
# usage: tools/build/mesa.sh [--bench | --demo]
set -eu
. "$(dirname "$0")/../lib.sh"
. "$TOP/tools/build/source-package.sh"

dir=/cache/${MESA_DIR##*/}	# MESA_DIR as the tree sees it

# The key of the inputs for which a build is continued; MESA_DIR's name has that of the others.
stamp=$(key "$TOP/mesa-driver" "$TOP/spirv" "$TOP/libdrm-ext" "$TOP/kernel/uapi" \
	"$TOP/protocol/generated")

part=
[ "${1:-}" != --demo ] || part=demo

# -O2 as Debian; with -O3, which is the default of "release", compiling takes up to twice as long.
common="-Dbuildtype=release -Doptimization=2 -Dllvm=disabled -Dvideo-codecs= -Dlmsensors=disabled
	-Dvalgrind=disabled -Dlibunwind=disabled"

# Only the sundog drivers, with every way in which programs load them.
options="$common --libdir=lib -Dgallium-drivers=sundog -Dvulkan-drivers=sundog
	-Dplatforms=x11,wayland -Dglvnd=enabled
	-Dgallium-va=disabled -Dgallium-vdpau=disabled -Dgallium-xa=disabled"

# The bench has no API, just drivers.
bench_options="$common -Dgallium-drivers=sundog,virgl,softpipe -Dvulkan-drivers= -Dplatforms=
	-Dglx=disabled -Degl=disabled -Dgbm=disabled -Dglvnd=disabled
	-Dopengl=false -Dgles1=disabled -Dgles2=disabled"

up_to_date()
{
	is_built "$MESA_DIR" "$stamp" $part &&
		[ -x "$MESA_DIR/install/bin/sundog-mesa" ] &&
		[ -e "$MESA_DIR/install/lib/libEGL_mesa.so.0" ]
}

# mirror_folder FROM TO: makes TO hold FROM's files only. One that did not change keeps its time.
mirror_folder()
{
	local file
	mkdir -p "$2"
	for file in "$2"/*; do
		[ -e "$1/${file##*/}" ] || rm -rf "$file"
	done
	install -C -m 644 -t "$2" $(find "$1" -maxdepth 1 -type f)
}

copy_driver()
{
	local to=$MESA_DIR/src/mesa/src
	mirror_folder "$TOP/mesa-driver/common" "$to/sundog/common"
	mirror_folder "$TOP/mesa-driver/vulkan" "$to/sundog/vulkan"
	mirror_folder "$TOP/spirv" "$to/sundog/spirv"
	mirror_folder "$TOP/mesa-driver/gallium/drivers/sundog" "$to/gallium/drivers/sundog"
	mirror_folder "$TOP/mesa-driver/gallium/winsys/sundog/drm" "$to/gallium/winsys/sundog/drm"
	mirror_folder "$TOP/bench/gallium" "$to/gallium/tests/sundog"
}

# Mesa is linked with libdrm_sundog in its build folder; at run time the library is beside Mesa's.
build_libdrm()
{
	in_tree sh -eu -c "
		[ -e $dir/libdrm/build.ninja ] ||
			meson setup -Dbuildtype=release $dir/libdrm /sundog
		ninja -C $dir/libdrm libdrm-ext/libdrm_sundog.so.1.0.0
		install -d $dir/install/lib
		for so in libdrm_sundog.so libdrm_sundog.so.1 libdrm_sundog.so.1.0.0; do
			cp -P $dir/libdrm/libdrm-ext/\$so $dir/install/lib/
		done"
}

configure()
{
	[ -e "$MESA_DIR/build/build.ninja" ] ||
		in_tree env PKG_CONFIG_PATH="$dir/libdrm/meson-uninstalled" meson setup \
			--prefix="$dir/install" $options "$dir/build" "$dir/src/mesa"
}

# Builds and installs what programs need for GL or GLES by EGL and GBM. The rest of an earlier build
# goes, since it may be of another source.
build_for_demo()
{
	in_tree sh -eu -c "
		rm -rf $dir/install/lib/dri $dir/install/share
		rm -f $dir/install/lib/libvulkan_sundog.so $dir/install/lib/libGLX_mesa.so*
		cd $dir/build
		gallium=src/gallium/targets/dri/libgallium-\$(cat $dir/src/mesa/VERSION).so
		ninja \$gallium src/egl/libEGL_mesa.so.0.0.0 src/gbm/libgbm.so.1.0.0 \
			src/gbm/backends/dri/dri_gbm.so
		install -D -t $dir/install/lib \$gallium src/egl/libEGL_mesa.so.0.0.0 \
			src/gbm/libgbm.so.1.0.0
		install -D -t $dir/install/lib/gbm src/gbm/backends/dri/dri_gbm.so
		install -D -m 644 -t $dir/install/share/glvnd/egl_vendor.d src/egl/50_mesa.json
		ldconfig -n $dir/install/lib"
}

compile()
{
	step mesa-libdrm build_libdrm
	step mesa-configure configure
	if [ -n "$part" ]; then
		step mesa-build build_for_demo
	else
		step mesa-build in_tree ninja -C "$dir/build" install
	fi
	in_tree install -D /sundog/mesa-driver/sundog-mesa "$dir/install/bin/sundog-mesa"
}

build_bench()
{
	copy_driver
	step mesa-bench in_tree sh -eu -c "
		export PKG_CONFIG_PATH=$dir/libdrm/meson-uninstalled
		[ -e $dir/bench/build.ninja ] ||
			meson setup $(echo $bench_options) $dir/bench $dir/src/mesa
		ninja -C $dir/bench src/gallium/tests/sundog/pipe-rate"
}

mkdir -p "$CACHE"
exec 9>"$CACHE/mesa.lock"
flock 9
if ! up_to_date; then
	drop_broken mesa "$MESA_DIR" "$stamp $part"
	mkdir -p "$MESA_DIR"
	get_source mesa "$MESA_DIR" "$MESA_SERIES" "$TOP/mesa-driver/patches"
	copy_driver
	compile_source "$MESA_DIR" "$stamp $part" compile
	built_source mesa "$MESA_DIR" "$stamp" $part
fi
[ "${1:-}" != --bench ] || build_bench
