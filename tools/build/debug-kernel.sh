#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the kernel of `make check-debug`: Debian's source with the options of
# tools/build/debug-kernel. The result is a kernel folder (see tools/lib.sh), $DEBUG_KERNEL. Does
# nothing if it is there.
set -eu
. "$(dirname "$0")/../lib.sh"

# Kconfig drops an option silently if another one that it depends on is off.
check_config()
{
	local missing
	missing=$(grep -E '^(# )?CONFIG_' "$TOP/tools/build/debug-kernel/config" |
		grep -vxFf "$DEBUG_KERNEL.tmp/source/.config" || true)
	[ -z "$missing" ] || die "the debug kernel's configuration came out without: $missing"
}

# in_source SCRIPT: runs a script in the source; $1 is the folder of the result. The source has the
# same path in each run, for ccache.
in_source()
{
	in_tree bash -euc '
		mkdir /run/linux
		mount --bind "$1/source" /run/linux
		cd /run/linux
		export KBUILD_BUILD_TIMESTAMP=@0 KBUILD_BUILD_USER=sundog KBUILD_BUILD_HOST=sundog
		'"$1" sh "/cache/${DEBUG_KERNEL##*/}.tmp"
}

configure()
{
	in_source '
		cat /sundog/tools/build/debug-kernel/Kconfig >>drivers/gpu/drm/Kconfig
		make KCONFIG_ALLCONFIG=/sundog/tools/build/debug-kernel/config allnoconfig'
	check_config
}

# Keeps the image, the modules, and the files that building a module needs.
compile()
{
	configure
	in_source '
		make -j"$(nproc)" bzImage modules
		release=$(make -s kernelrelease)
		make INSTALL_MOD_PATH="$1" modules_install
		rm -f "$1/lib/modules/$release/build"
		install -D -m 644 arch/x86/boot/bzImage "$1/boot/vmlinuz-$release"
		install -m 644 .config "$1/boot/config-$release"
		builder="\$(srctree)/scripts/package/install-extmod-build"
		make run-command KBUILD_RUN_COMMAND="$builder $1/usr/src/linux-headers-$release"'
}

(
	flock 9
	cached "$DEBUG_KERNEL" && exit 0
	need_disk 8000
	mkdir -p "$DEBUG_KERNEL.tmp/source"
	step debug-kernel-source fetch linux "/cache/${DEBUG_KERNEL##*/}.tmp/source" "$LINUX_SERIES"
	step debug-kernel compile
	mv "$DEBUG_KERNEL.tmp/source/version" "$DEBUG_KERNEL.tmp/version"
	rm -rf "$DEBUG_KERNEL.tmp/source"
	finish "$DEBUG_KERNEL.tmp" "$DEBUG_KERNEL"
	# Removes kernels of other versions and options.
	for old in "$CACHE"/debug-kernel-*; do
		[ "$old" = "$DEBUG_KERNEL" ] || rm -rf "$old"
	done
	say "debug kernel: Debian's source $(cat "$DEBUG_KERNEL/version") in $DEBUG_KERNEL"
) 9>"$CACHE/debug-kernel.lock"
