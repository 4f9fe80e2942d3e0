#!/bin/bash
# SPDX-License-Identifier: MIT
# Build Mesa with the sundog driver: Debian's source, mesa-driver/patches, mesa-driver/gallium, on
# top of libdrm_sundog. The result is installed in $MESA of tools/lib.sh: bin/sundog-mesa runs a
# program with it. Does nothing when nothing changed.
set -eu
. "$(dirname "$0")/lib.sh"

dir=/cache/${MESA_DIR##*/}	# MESA_DIR as the tree sees it

# What a change rebuilds incrementally; the rest is part of MESA_DIR's name.
stamp=$(key "$TOP/mesa-driver" "$TOP/libdrm-ext" "$TOP/kernel/uapi" "$TOP/protocol/generated")

# Just the sundog driver, for every way that programs come to GL.
options="--libdir=lib -Dbuildtype=release -Dgallium-drivers=sundog -Dvulkan-drivers= -Dllvm=disabled
	-Dplatforms=x11,wayland -Dglvnd=enabled -Dvideo-codecs= -Dgallium-va=disabled
	-Dgallium-vdpau=disabled -Dgallium-xa=disabled -Dlmsensors=disabled -Dvalgrind=disabled
	-Dlibunwind=disabled"

up_to_date()
{
	[ "$(cat "$MESA_DIR/built" 2>/dev/null)" = "$stamp" ] &&
		[ -x "$MESA_DIR/install/bin/sundog-mesa" ] &&
		[ -e "$MESA_DIR/install/lib/libEGL_mesa.so.0" ]
}

# A build that failed twice with the same input is taken for a broken cache.
drop_broken()
{
	[ "$(cat "$MESA_DIR/failed" 2>/dev/null)" = "$stamp" ] || return 0
	say "mesa: this very build failed before, starting over in an empty $MESA_DIR"
	rm -rf "$MESA_DIR"
}

# apt-get does not wait when another build script holds the lock of its lists.
download()
{
	in_tree bash -eu -c "
		flock /cache/apt.lock apt-get -o Acquire::Retries=3 update
		cd $dir/src.tmp
		apt-get -o Acquire::Retries=3 source --download-only mesa
		sed -n 's/^Version: //p' mesa_*.dsc >$dir/version"
}

unpack()
{
	in_tree sh -eu -c "cd $dir/src.tmp && dpkg-source -x mesa_*.dsc mesa"
}

get_source()
{
	local patch
	cached "$MESA_DIR/src" && return 0
	rm -rf "$MESA_DIR/build"
	mkdir -p "$MESA_DIR/src.tmp"
	step mesa-download download
	case $(sed 's/^[0-9]*://' "$MESA_DIR/version") in
	"$MESA_SERIES".*) ;;
	*) die "$SUITE's Mesa is $(cat "$MESA_DIR/version"); mesa-driver/ is for the series" \
		"$MESA_SERIES (MESA_SERIES in tools/versions.sh)" ;;
	esac
	step mesa-unpack unpack
	for patch in "$TOP"/mesa-driver/patches/*.patch; do
		in_tree patch -d "$dir/src.tmp/mesa" -p1 <"$patch" >"$LOGS/mesa-patch.log" 2>&1 ||
			die "mesa-driver/patches/$(basename "$patch") no longer applies to Mesa" \
				"$(cat "$MESA_DIR/version"), it has to be renewed; see $LOGS/mesa-patch.log"
	done
	finish "$MESA_DIR/src.tmp" "$MESA_DIR/src"
}

# mirror_folder FROM TO: make TO hold just FROM's files; one that did not change keeps its time.
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
	local to=$MESA_DIR/src/mesa/src/gallium
	mirror_folder "$TOP/mesa-driver/gallium/drivers/sundog" "$to/drivers/sundog"
	mirror_folder "$TOP/mesa-driver/gallium/winsys/sundog/drm" "$to/winsys/sundog/drm"
}

# libdrm_sundog is used from where it is built, and lies beside Mesa's libraries at run time.
build_libdrm()
{
	in_tree sh -eu -c "
		[ -e $dir/libdrm/build.ninja ] || meson setup -Dbuildtype=release $dir/libdrm /sundog
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
	(step mesa-libdrm build_libdrm && step mesa-build build_mesa) || {
		echo "$stamp" >"$MESA_DIR/failed"
		exit 1
	}
	rm -f "$MESA_DIR/failed"
}

mkdir -p "$CACHE"
exec 9>"$CACHE/mesa.lock"
flock 9
up_to_date && exit 0
drop_broken
mkdir -p "$MESA_DIR"
get_source
copy_driver
compile
echo "$stamp" >"$MESA_DIR/built"
say "mesa: $(cat "$MESA_DIR/version") in $MESA_DIR/install"

# Builds of other patches or trees are of no use any more.
for old in "$CACHE"/mesa-????????????; do
	[ "$old" = "$MESA_DIR" ] || rm -rf "$old"
done
