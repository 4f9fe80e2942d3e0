#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds QEMU with the sundog device: Debian's source, qemu-device/patches, qemu-device/. The
# results are $QEMU and $QEMU_TEST of tools/lib.sh. Does nothing if nothing changed. --check then
# runs the device's qtest; --fuzz runs its random accesses, a hundred times as many. --demo leaves
# out the qtest.
# usage: tools/build/qemu.sh [--check | --fuzz | --demo]
set -eu
. "$(dirname "$0")/../lib.sh"
. "$TOP/tools/build/source-package.sh"

dir=/cache/${QEMU_DIR##*/}	# QEMU_DIR as the tree sees it
headers="$TOP/protocol/generated/sundog_hw.h $TOP/protocol/generated/sundog_messages.h"

# The key of the inputs for which a build is continued; QEMU_DIR's name has that of the others.
stamp=$(key "$TOP/qemu-device" $headers)
targets="qemu-system-x86_64 tests/qtest/sundog-test" part=
[ "${1:-}" != --demo ] || targets=qemu-system-x86_64 part=demo

# Only what the guests, their 9p root, VNC, SPICE and the screen dumps use. Other devices would take
# a fifth of the build's time.
devices="Q35 I440FX HPET VMPORT VMMOUSE PCIE_PORT SUNDOG VGA_PCI VGA_CIRRUS E1000_PCI
	E1000E_PCI_EXPRESS USB_HID USB_XHCI_PCI VIRTIO_PCI VIRTIO_9P VIRTIO_BALLOON VIRTIO_BLK
	VIRTIO_GPU VIRTIO_INPUT VIRTIO_NET VIRTIO_RNG VIRTIO_SERIAL"
options="--target-list=x86_64-softmmu --without-default-features --without-default-devices
	--with-devices-x86_64=sundog --enable-system --enable-tcg
	--enable-kvm --enable-pixman --enable-attr --enable-cap-ng --enable-virtfs --enable-vnc
	--enable-spice --enable-spice-protocol --enable-png --enable-slirp --enable-seccomp
	--enable-sdl --disable-install-blobs --disable-docs --disable-werror --disable-debug-info
	--firmwarepath=/usr/share/qemu:/usr/share/seabios"

up_to_date()
{
	is_built "$QEMU_DIR" "$stamp" $part && in_tree "$QEMU" --version >/dev/null 2>&1
}

# mirror_files TO FILE...: makes TO hold these files only. One that did not change keeps its time.
mirror_files()
{
	local to=$1 old
	shift
	mkdir -p "$to"
	for old in "$to"/*; do
		case " $* " in *"/${old##*/} "*) ;; *) rm -f "$old" ;; esac
	done
	install -C -m 644 -t "$to" "$@"
}

copy_device()
{
	install -C -m 644 -t "$QEMU_DIR/src/qemu/tests/qtest" "$TOP"/qemu-device/tests/*
	mirror_files "$QEMU_DIR/src/qemu/hw/display/sundog" "$TOP"/qemu-device/*.[ch] \
		"$TOP"/qemu-device/{meson.build,Kconfig,trace-events} $headers
}

configure()
{
	[ -e "$QEMU_DIR/build/build.ninja" ] && return 0
	rm -rf "$QEMU_DIR/build" "$QEMU_DIR/src/qemu/subprojects/dtc"	# the tree has libfdt
	mkdir -p "$QEMU_DIR/build"
	printf 'CONFIG_%s=y\n' $devices \
		>"$QEMU_DIR/src/qemu/configs/devices/x86_64-softmmu/sundog.mak"
	step qemu-configure in_tree sh -c \
		"cd $dir/build && ../src/qemu/configure --cc='ccache gcc' $(echo $options)"
}

# Paths are relative to the folder, so that ccache also finds what was compiled in an earlier
# folder.
compile()
{
	step qemu-build in_tree env CCACHE_BASEDIR="$dir" CCACHE_NOHASHDIR=1 \
		ninja -C "$dir/build" $targets
}

# Installs outside of the build folder, where QEMU would look for its firmware beside itself. A
# running guest keeps its file.
publish()
{
	mkdir -p "$QEMU_DIR/bin"
	(cd "$QEMU_DIR/build" && install $targets "$QEMU_DIR/bin")
}

build()
{
	drop_broken qemu "$QEMU_DIR" "$stamp $part"
	mkdir -p "$QEMU_DIR"
	get_source qemu "$QEMU_DIR" "$QEMU_SERIES" "$TOP/qemu-device/patches"
	copy_device
	configure
	compile_source "$QEMU_DIR" "$stamp $part" compile
	publish
	built_source qemu "$QEMU_DIR" "$stamp" $part
}

# run_test SECONDS OPTION...: runs the qtest, for at most SECONDS.
run_test()
{
	in_tree env QTEST_QEMU_BINARY="$QEMU" timeout -k 10 "$1" "$QEMU_TEST" --tap -k "${@:2}"
}

mkdir -p "$CACHE"
exec 9>"$CACHE/qemu.lock"
flock 9
up_to_date || build
exec 9>&-

case ${1:-} in
--check) run_test 1800 ;;
--fuzz) run_test 14400 -m slow -p /x86_64/sundog/fuzz ;;
esac
