#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds Mesa with the sundog drivers: Debian's source, mesa-driver/patches, the drivers in
# mesa-driver, and libdrm_sundog. The result is installed in $MESA of tools/lib.sh: bin/sundog-mesa
# runs a program with it. Does nothing if nothing changed. --bench also builds pipe-rate of
# bench/gallium, with the drivers that it compares, in $MESA_BENCH.
# usage: tools/build/mesa.sh [--bench]
set -eu
. "$(dirname "$0")/../lib.sh"
. "$TOP/tools/build/source-package.sh"

dir=/cache/${MESA_DIR##*/}	# MESA_DIR as the tree sees it

# The key of the inputs for which a build is continued; MESA_DIR's name has that of the others.
stamp=$(key "$TOP/mesa-driver" "$TOP/spirv" "$TOP/libdrm-ext" "$TOP/kernel/uapi" \
	"$TOP/protocol/generated")

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
	[ "$(cat "$MESA_DIR/built" 2>/dev/null)" = "$stamp" ] &&
		[ -x "$MESA_DIR/install/bin/sundog-mesa" ] &&
		[ -e "$MESA_DIR/install/lib/libvulkan_sundog.so" ] &&
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

build_mesa()
{
	in_tree sh -eu -c "
		export PKG_CONFIG_PATH=$dir/libdrm/meson-uninstalled
		[ -e $dir/build/build.ninja ] ||
			meson setup --prefix=$dir/install $(echo $options) $dir/build $dir/src/mesa
		ninja -C $dir/build install
		install -D /sundog/mesa-driver/sundog-mesa $dir/install/bin/sundog-mesa"
}

compile()
{
	step mesa-libdrm build_libdrm
	step mesa-build build_mesa
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
	drop_broken mesa "$MESA_DIR" "$stamp"
	mkdir -p "$MESA_DIR"
	get_source mesa "$MESA_DIR" "$MESA_SERIES" "$TOP/mesa-driver/patches"
	copy_driver
	compile_source "$MESA_DIR" "$stamp" compile
	built_source mesa "$MESA_DIR" "$stamp"
fi
[ "${1:-}" != --bench ] || build_bench
