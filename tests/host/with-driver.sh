#!/bin/bash
# SPDX-License-Identifier: MIT
# with-driver.sh DRIVER BUILD MESA COMMAND...: runs a command with OpenGL, without a VM, on sundog
# (with a sundog-renderd of its own), on Debian's zink on our Vulkan driver (zink-sundog), or on a
# peer: llvmpipe, zink (on lavapipe) or virgl (with a virgl_test_server of its own).
set -eu
. "$(dirname "$0")/../lib/tap.sh"
driver=$1 build=$2 prefix=$3 mesa=$3/bin/sundog-mesa
shift 3

case $driver in
sundog)
	exec "$(dirname "$0")/with-renderd.sh" "$build/renderer/sundog-renderd" "$mesa" "$@"
	;;
zink-sundog)
	# The folder has only libdrm_sundog for the Vulkan driver, so that GL does not find our
	# Mesa.
	libraries=$(mktemp -d)
	trap 'rm -r "$libraries"' EXIT
	ln -s "$prefix/lib/libdrm_sundog.so.1" "$libraries/"
	env -u VK_DRIVER_FILES "$(dirname "$0")/with-renderd.sh" \
		"$build/renderer/sundog-renderd" env LD_LIBRARY_PATH="$libraries" \
		VK_DRIVER_FILES="$prefix/share/vulkan/icd.d/sundog_icd.x86_64.json" \
		GALLIUM_DRIVER=zink MESA_LOADER_DRIVER_OVERRIDE=zink "$@"
	;;
llvmpipe)
	exec env GALLIUM_DRIVER=llvmpipe "$@"
	;;
zink)
	exec env GALLIUM_DRIVER=zink MESA_LOADER_DRIVER_OVERRIDE=zink "$@"
	;;
virgl)
	dir=$(mktemp -d)
	virgl_test_server --use-egl-surfaceless --socket-path="$dir/vtest" >/dev/null 2>&1 &
	trap 'kill %1; rm -rf "$dir"' EXIT
	wait_until test -S "$dir/vtest"
	GALLIUM_DRIVER=virpipe VTEST_SOCKET_NAME=$dir/vtest "$@"
	;;
*)
	printf "with-driver.sh: unknown driver '%s'; use %s\n" "$driver" \
		"sundog, zink-sundog, llvmpipe, zink or virgl" >&2
	exit 1
	;;
esac
