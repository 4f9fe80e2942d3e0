#!/bin/bash
# SPDX-License-Identifier: MIT
# Every kernel whose headers some of Debian's suites offer: does the module build against them? The
# headers are kept in $KERNEL_HEADERS, in usr/src/linux-headers-RELEASE.
# usage: tools/kernel-headers.sh --list | --build RELEASE | --update
set -eu
. "$(dirname "$0")/lib.sh"

HEADERS_SUITES="$SUITE $BACKPORTS_SUITE forky sid"

# The tree's apt, with lists of its own. Suites that nobody updates any more will do.
write_apt_conf()
{
	local uri suite	# the tree's, whoever chose it
	uri=$(cat "$TREE"/etc/apt/sources.list "$TREE"/etc/apt/sources.list.d/*.list 2>/dev/null |
		sed -n 's/^deb \([^ ]*\) .*/\1/p' | head -n 1)
	mkdir -p "$KERNEL_HEADERS.tmp/apt/lists/partial" "$KERNEL_HEADERS.tmp/apt/archives/partial"
	for suite in $HEADERS_SUITES; do
		printf 'deb %s %s main\n' "$uri" "$suite"
	done >"$KERNEL_HEADERS.tmp/apt/sources.list"
	cat >"$KERNEL_HEADERS.tmp/apt/apt.conf" <<-END
		Dir::Etc::sourcelist "$tmp/apt/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::State::lists "$tmp/apt/lists";
		Dir::Cache "$tmp/apt";
		Acquire::Retries "3";
		Acquire::Check-Valid-Until "false";
		Acquire::Languages "none";
	END
}

# Headers name their common part and the build tools by absolute path: those are in the cache now.
download()
{
	write_apt_conf
	in_tree bash -euc '
		export APT_CONFIG=$1/apt/apt.conf
		cd "$1"
		apt-get update
		headers=$(apt-cache pkgnames linux-headers- | grep -E "^linux-headers-[0-9][^-]*-$3\$")
		packages=$(apt-cache depends --recurse --no-recommends --no-suggests --no-enhances \
			--no-conflicts --no-breaks --no-replaces $headers |
			grep -E "^linux-(headers|kbuild)-[0-9]" | sort -u)
		apt-get download $packages
		for package in *.deb; do
			dpkg-deb -x "$package" .
			rm "$package"
		done
		grep -rlE "/usr/(src|lib)/linux-" usr/src/linux-headers-*/Makefile |
			xargs sed -i "s,/usr/\(src\|lib\)/linux-,$2&,g"
		rm -r apt' sh "$tmp" "/cache/${KERNEL_HEADERS##*/}" "$ARCH"
}

releases()
{
	local dir
	for dir in "$KERNEL_HEADERS"/usr/src/linux-headers-*-"$ARCH"; do
		printf '%s\n' "${dir##*/linux-headers-}"
	done
}

# A copy is built, as in tools/kmod.sh; with the tree's compiler, whichever the kernel was built with:
# attributes of newer ones it does not know.
build()
{
	dir=$CACHE/headers-build.$$
	trap 'rm -rf "$dir"' EXIT
	mkdir -p "$dir/protocol/generated"
	cp -r "$TOP/Kbuild" "$TOP/kernel" "$dir/"
	cp "$TOP/protocol/generated/sundog_hw.h" "$dir/protocol/generated/"
	in_tree sh -euc 'make -C "$1" M="$2" -j"$(nproc)" CC=gcc KCFLAGS=-Wno-attributes \
		W=1 modules 2>&1' sh \
		"/cache/${KERNEL_HEADERS##*/}/usr/src/linux-headers-$1" "/cache/${dir##*/}" >"$dir/log" ||
		die "does not build: $(cat "$dir/log")"
	! grep -E '/sundog_[a-z_]+\.[ch]:[0-9]+:.*warning:' "$dir/log" >&2
}

tmp=/cache/${KERNEL_HEADERS##*/}.tmp
(
	flock 9
	[ "${1:-}" != --update ] || rm -rf "$KERNEL_HEADERS"
	cached "$KERNEL_HEADERS" && exit 0
	step kernel-headers download
	finish "$KERNEL_HEADERS.tmp" "$KERNEL_HEADERS"
) 9>"$CACHE/kernel-headers.lock" >&2
case ${1:-} in
--list) releases ;;
--build) build "$2" ;;
esac
