#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds our lavapipe, with lower latency, for renderers: Debian's source of Mesa with
# lavapipe/patches. The result is $LAVAPIPE of tools/lib.sh, a file for VK_DRIVER_FILES; Debian's
# own lavapipe is not changed. Does nothing if nothing changed.
#
# --bench also builds it without hardening, and with each SET of hardening flags alone, for
# bench/hardening.py, as $LAVAPIPE_DIR/none and $LAVAPIPE_DIR/SET. --asan also builds it with
# AddressSanitizer, for tools/check/fuzz.sh, as $LAVAPIPE_DIR/asan.
# --built builds nothing, and fails if something changed.
# usage: tools/build/lavapipe.sh [--asan | --bench [SET...] | --built]
set -eu
. "$(dirname "$0")/../lib.sh"
. "$TOP/tools/build/source-package.sh"

dir=/cache/${LAVAPIPE_DIR##*/}	# LAVAPIPE_DIR as the tree sees it
stamp=${LAVAPIPE_DIR##*-}

. "$TOP/lavapipe/options.sh"

up_to_date()
{
	is_built "$LAVAPIPE_DIR" "$stamp" &&
		[ -e "$LAVAPIPE_DIR/${LAVAPIPE#"$dir"/}" ]
}

# build_lavapipe BUILD INSTALL [FLAG...]: builds in the layer with LLVM's headers, which the tree
# lacks. The ICD file has a relative path to the library, so that it is valid outside of the tree,
# too.
build_lavapipe()
{
	local build=$dir/$1 install=$dir/$2 flags
	shift 2
	flags=$(echo $*)
	in_layer llvm sh -eu -c "
		[ -e $build/build.ninja ] || meson setup --prefix=$install $(echo $options) \
			-Dc_args='$flags' -Dcpp_args='$flags' -Dc_link_args=$linking \
			-Dcpp_link_args=$linking $build $dir/src/mesa
		ninja -C $build install
		sed -i 's,\"library_path\": \".*/lib/,\"library_path\": \"../../../lib/,' \
			$install/${LAVAPIPE#"$dir"/install/}"
}

build_variants()
{
	local name
	step lavapipe-none build_lavapipe build-none none
	for name; do
		[ -n "${hardening[$name]:-}" ] ||
			die "$name is no set of hardening flags; there are ${!hardening[*]}"
		step "lavapipe-$name" build_lavapipe "build-$name" "$name" ${hardening[$name]}
	done
}

# Uses the compiler of the fuzz targets, since Clang's sanitizers are not GCC's.
build_asan()
{
	"$TOP/tools/build/clang.sh"
	in_layer llvm env PATH="$CLANG/bin:/usr/bin:/bin" LD_LIBRARY_PATH="$CLANG/lib" \
		CC=clang CXX=clang++ sh -eu -c "
		[ -e $dir/build-asan/build.ninja ] ||
			meson setup --prefix=$dir/asan $(echo $options) -Db_sanitize=address \
				-Db_lundef=false $dir/build-asan $dir/src/mesa
		ninja -C $dir/build-asan install"
}

if [ "${1:-}" = --built ]; then
	up_to_date
	exit
fi
mkdir -p "$CACHE"
exec 9>"$CACHE/lavapipe.lock"
flock 9
if ! up_to_date; then
	"$TOP/tools/build/layer.sh" llvm
	drop_broken lavapipe "$LAVAPIPE_DIR" "$stamp"
	mkdir -p "$LAVAPIPE_DIR"
	get_source mesa "$LAVAPIPE_DIR" "$MESA_SERIES" "$TOP/lavapipe/patches"
	compile_source "$LAVAPIPE_DIR" "$stamp" step lavapipe-build \
		build_lavapipe build install ${hardening[*]}
	built_source lavapipe "$LAVAPIPE_DIR" "$stamp"
fi
case ${1:-} in
--bench) build_variants "${@:2}" ;;
--asan) step lavapipe-asan build_asan ;;
esac
