#!/bin/bash
# SPDX-License-Identifier: MIT
# Get the newest kernel of BACKPORTS_SUITE that has an image, its modules and headers, without
# touching the tree. The result is a kernel folder (see tools/lib.sh), $BACKPORTS_KERNEL. Does
# nothing when it is there; --update looks for a newer one.
# usage: tools/backports-kernel.sh [--update]
set -eu
. "$(dirname "$0")/lib.sh"

# The tree's apt, with lists of its own that know only backports.
write_apt_conf()
{
	local uri	# the tree's, whoever chose it
	uri=$(cat "$TREE"/etc/apt/sources.list "$TREE"/etc/apt/sources.list.d/*.list 2>/dev/null |
		sed -n 's/^deb \([^ ]*\) .*/\1/p' | head -n 1)
	mkdir -p "$BACKPORTS_KERNEL.tmp/apt/lists/partial" "$BACKPORTS_KERNEL.tmp/apt/archives/partial"
	printf 'deb %s %s main\n' "$uri" "$BACKPORTS_SUITE" \
		>"$BACKPORTS_KERNEL.tmp/apt/sources.list"
	cat >"$BACKPORTS_KERNEL.tmp/apt/apt.conf" <<-END
		Dir::Etc::sourcelist "$tmp/apt/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::State::lists "$tmp/apt/lists";
		Dir::Cache "$tmp/apt";
		Acquire::Retries "3";
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
		image=$(apt-cache show --no-all-versions linux-image-"$3"/"$4" |
			sed -n "s/^Depends:.*\(linux-image-[0-9][^ ]*\).*/\1/p")
		packages=$(apt-cache depends --recurse --no-recommends --no-suggests --no-enhances \
			--no-conflicts --no-breaks --no-replaces "$image" "${image/image/headers}" |
			grep -E "^linux-(image|binary|base|modules|headers|kbuild)-[0-9]" | sort -u)
		apt-get download $packages
		for package in *.deb; do
			dpkg-deb -x "$package" .
			rm "$package"
		done
		[ -e lib ] || ln -s usr/lib lib
		[ -e boot ] || mkdir boot
		release=${image#linux-image-}
		[ -e "boot/vmlinuz-$release" ] ||
			ln -s "../lib/modules/$release/vmlinuz" "boot/vmlinuz-$release"
		depmod -b "$1" "$release"
		echo "$image" >version
		grep -rlE "/usr/(src|lib)/linux-" usr/src/linux-headers-*/Makefile |
			xargs sed -i "s,/usr/\(src\|lib\)/linux-,$2&,g"
		rm -r apt' sh "$tmp" "/cache/${BACKPORTS_KERNEL##*/}" "$ARCH" "$BACKPORTS_SUITE"
}

tmp=/cache/${BACKPORTS_KERNEL##*/}.tmp
(
	flock 9
	[ "${1:-}" != --update ] || rm -rf "$BACKPORTS_KERNEL"
	cached "$BACKPORTS_KERNEL" && exit 0
	step backports-kernel download
	finish "$BACKPORTS_KERNEL.tmp" "$BACKPORTS_KERNEL"
	say "backports kernel: $(cat "$BACKPORTS_KERNEL/version") in $BACKPORTS_KERNEL"
) 9>"$CACHE/backports-kernel.lock"
