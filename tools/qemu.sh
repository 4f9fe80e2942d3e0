#!/bin/bash
# SPDX-License-Identifier: MIT
# Build QEMU with the sundog device: Debian's source, qemu-device/patches, qemu-device/.
# The results are $QEMU and $QEMU_TEST of tools/lib.sh. Does nothing when nothing changed.
# With --check it then runs the device's qtest.
set -eu
. "$(dirname "$0")/lib.sh"

dir=/cache/${QEMU_DIR##*/}	# QEMU_DIR as the tree sees it
headers="$TOP/protocol/generated/sundog_hw.h $TOP/protocol/generated/sundog_messages.h"

# What a change rebuilds incrementally; the rest is part of QEMU_DIR's name.
stamp=$(key "$TOP/qemu-device" $headers)

# Only what the guests, their 9p root, VNC and the screen dumps use.
options="--target-list=x86_64-softmmu --without-default-features --enable-system --enable-tcg
	--enable-kvm --enable-pixman --enable-attr --enable-cap-ng --enable-virtfs --enable-vnc
	--enable-png --enable-slirp --enable-seccomp --enable-sdl
	--disable-install-blobs --disable-docs --disable-werror --disable-debug-info
	--firmwarepath=/usr/share/qemu:/usr/share/seabios"

up_to_date()
{
	[ "$(cat "$QEMU_DIR/built" 2>/dev/null)" = "$stamp" ] &&
		in_tree "$QEMU" --version >/dev/null 2>&1
}

# A build that failed twice with the same input is taken for a broken cache.
drop_broken()
{
	[ "$(cat "$QEMU_DIR/failed" 2>/dev/null)" = "$stamp" ] || return 0
	say "qemu: this very build failed before, starting over in an empty $QEMU_DIR"
	rm -rf "$QEMU_DIR"
}

# apt-get does not wait when another build script holds the lock of its lists.
download()
{
	in_tree bash -eu -c "
		flock /cache/apt.lock apt-get -o Acquire::Retries=3 update
		cd $dir/src.tmp
		apt-get -o Acquire::Retries=3 source --download-only qemu
		sed -n 's/^Version: //p' qemu_*.dsc >$dir/version"
}

unpack()
{
	in_tree bash -eu -c "
		cd $dir/src.tmp
		dpkg-source -x qemu_*.dsc qemu
		rm -rf qemu/subprojects/dtc"
}

get_source()
{
	local patch
	cached "$QEMU_DIR/src" && return 0
	rm -rf "$QEMU_DIR/build"
	mkdir -p "$QEMU_DIR/src.tmp"
	step qemu-download download
	case $(sed 's/^[0-9]*://' "$QEMU_DIR/version") in
	"$QEMU_SERIES".*) ;;
	*) die "$SUITE's QEMU is $(cat "$QEMU_DIR/version"); qemu-device/ is for the series" \
		"$QEMU_SERIES (QEMU_SERIES in tools/versions.sh)" ;;
	esac
	step qemu-unpack unpack
	for patch in "$TOP"/qemu-device/patches/*.patch; do
		in_tree patch -d "$dir/src.tmp/qemu" -p1 <"$patch" >"$LOGS/qemu-patch.log" 2>&1 ||
			die "qemu-device/patches/$(basename "$patch") no longer applies to QEMU" \
				"$(cat "$QEMU_DIR/version"), it has to be renewed; see $LOGS/qemu-patch.log"
	done
	finish "$QEMU_DIR/src.tmp" "$QEMU_DIR/src"
}

# mirror_files TO FILE...: make TO hold just these files; one that did not change keeps its time.
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
	local file files=""
	for file in "$TOP"/qemu-device/*; do
		case ${file##*/} in
		sundog-test*) install -C -m 644 -t "$QEMU_DIR/src/qemu/tests/qtest" "$file" ;;
		*.c | *.h | meson.build | Kconfig | trace-events) files="$files $file" ;;
		esac
	done
	mirror_files "$QEMU_DIR/src/qemu/hw/display/sundog" $files $headers
}

configure()
{
	[ -e "$QEMU_DIR/build/build.ninja" ] && return 0
	rm -rf "$QEMU_DIR/build"
	mkdir -p "$QEMU_DIR/build"
	step qemu-configure in_tree sh -c \
		"cd $dir/build && ../src/qemu/configure --cc='ccache gcc' $(echo $options)"
}

compile()
{
	# With paths taken relative to it, an earlier folder's compilations count here too.
	(step qemu-build in_tree env CCACHE_BASEDIR="$dir" CCACHE_NOHASHDIR=1 \
		ninja -C "$dir/build" qemu-system-x86_64 tests/qtest/sundog-test) || {
		echo "$stamp" >"$QEMU_DIR/failed"
		exit 1
	}
	rm -f "$QEMU_DIR/failed"
}

# Out of the build folder: there QEMU would look for its firmware beside itself, and a running
# guest keeps its file.
publish()
{
	mkdir -p "$QEMU_DIR/bin"
	install "$QEMU_DIR/build/qemu-system-x86_64" "$QEMU_DIR/build/tests/qtest/sundog-test" \
		"$QEMU_DIR/bin"
	echo "$stamp" >"$QEMU_DIR/built"
}

build()
{
	drop_broken
	mkdir -p "$QEMU_DIR"
	get_source
	copy_device
	configure
	compile
	publish
	say "qemu: $(cat "$QEMU_DIR/version") in $QEMU_DIR/bin"
	# Builds of other options, patches or trees are of no use any more.
	for old in "$CACHE"/qemu-*; do
		[ "$old" = "$QEMU_DIR" ] || rm -rf "$old"
	done
}

mkdir -p "$CACHE"
exec 9>"$CACHE/qemu.lock"
flock 9
up_to_date || build
exec 9>&-

[ "${1:-}" != --check ] ||
	in_tree env QTEST_QEMU_BINARY="$QEMU" "$QEMU_TEST" --tap -k
