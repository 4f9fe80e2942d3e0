#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests which updates of Debian build packages again: builds the source package sundog of HEAD, in a
# clone and a cache of its own, with a made-up trixie-security. Prints TAP. Suite packages_updates
# runs it; it takes some 10 minutes.
# usage: tools/check/packages-updates-test.sh
set -eu
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/lib/tap.sh"

if [ "${1:-}" != --inside ]; then
	work=$CACHE/packages-updates-test.$$
	trap 'rm -rf "$work"' EXIT
	mkdir "$work"
	unshare --mount --propagation private "$0" --inside "$work"
	exit
fi
work=$2
set +e
. "$TOP/tools/check/made-up-debian.sh"
[ ! -d "$CACHE/ccache" ] || cp -al "$CACHE/ccache" "$work/ccache"
layer=$(layer_dir packages)
[ ! -e "$layer/.complete" ] || cp -a "$layer" "$work/"	# saves minutes
CACHE=$work
copy_tree "$work/${TREE##*/}" || { echo "not ok - the tree can be copied"; exit 1; }
git clone -q --shared "$TOP" "$work/clone" || { echo "not ok - git clones $TOP"; exit 1; }
unset SUNDOG_UPDATES
export SUNDOG_CACHE=$work SUNDOG_SECURITY_MIRROR=$security

# packages OPTION...: runs tools/build/packages.sh of the clone.
packages()
{
	"$work/clone/tools/build/packages.sh" "$@" >"$work/log" 2>&1
}

# field NAME: prints a field of the package sundog-renderd.
field()
{
	sed -n "/^Package: sundog-renderd\$/,/^\$/s/^$1: //p" \
		"$work/clone/${REPOSITORY#"$TOP/"}"
}

# update PACKAGE: puts a newer version of a package of Debian into trixie-security.
update()
{
	LAYER=$(echo "$work"/layer-packages-*) in_tree bash -euc '
		mkdir -p "$2"
		cd "$2"
		apt-get -o APT::Sandbox::User=root download "$1"
		dpkg-deb -R "$1"_*.deb root
		rm "$1"_*.deb
		sed -i "s/^Version: .*/&+made1/" root/DEBIAN/control
		dpkg-deb -b root "$1_made1.deb"
		rm -r root' sh "$1" "$(in_tree_path "$security_pool/$1")" >"$work/log" 2>&1
	report_log $? "$1 gets an update" "$work/log"
	list_packages debian-security trixie-security
}
security_pool=$work/debian-security/pool/trixie-security

# in_layer_version PACKAGE: prints the version that the layer of packages has.
in_layer_version()
{
	LAYER=$(echo "$work"/layer-packages-*) in_tree dpkg-query -W -f '${Version}\n' "$1"
}

make_package debian-security trixie-security made-up 1.0
packages --only sundog
report_log $? "packages are built without an update" "$work/log"
version=$(field Version)
check "--check finds no update" packages --check

update busybox-static
check "--check does not mind an update of a program that they are not built with" packages --check
packages --only sundog
report_log $? "make packages succeeds" "$work/log"
[[ $(in_layer_version busybox-static) == *+made1 ]]
report_log $? "the layer has the update" "$work/log"
[ -n "$version" ] && [ "$(field Version)" = "$version" ]
report_log $? "the packages are as before" "$work/log"

update spirv-tools
! packages --check && grep -q 'run make packages:.* spirv-tools' "$work/log"
report_log $? "--check names an update of a static library" "$work/log"
packages --only sundog
report_log $? "make packages succeeds" "$work/log"
[[ $(field Static-Built-Using) == *+made1* ]]
report_log $? "the renderer is built with the update" "$work/log"
dpkg --compare-versions "$(field Version)" gt "$version"
report_log $? "its version is higher, so that apt takes it" "$work/log"
version=$(field Version)
packages --only sundog
[ $? = 0 ] && [ "$(field Version)" = "$version" ]
report_log $? "another run builds nothing" "$work/log"
umount "$TREE"
