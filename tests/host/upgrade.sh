#!/bin/bash
# SPDX-License-Identifier: MIT
# In a tree with the packages: upgrades all of them while a program draws, then installs another
# kernel. The newer packages have the same files. Prints TAP.
# usage: upgrade.sh BUILD BACKPORTS-SUITE
set -u
build=$1 backports=$2
. /sundog/tests/lib/tap.sh
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
export SUNDOG_SOCKET=$work/socket
# Not names that others only provide.
packages=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' '*sundog*' |
	sed -n 's/^ii *//p' | sort)

# newer PACKAGE: makes a package of a higher version from an installed one, in $work/debs.
newer()
{
	local dir=$work/$1 version deb
	deb=$(ls /sundog/out/packages/pool/"$1"_*.deb)
	dpkg-deb -R "$deb" "$dir" || return
	# Also in relations to other packages. The scripts of sundog-dkms name the folder of its
	# files, which stays.
	version=$(sed -n 's/^Version: //p' "$dir/DEBIAN/control")
	sed -i "s/$version/$version+upgrade1/g" "$dir/DEBIAN/control"
	dpkg-deb --root-owner-group -Zgzip -z1 -b "$dir" "$work/debs/" >/dev/null
	rm -rf "$dir"
}

time_of()
{
	awk '{ print $14 + $15 }' "/proc/$1/stat"
}

advances()
{
	kill -0 "$client" && [ "$(time_of "$client")" -gt "$then" ]
}

mkdir "$work/debs"
sundog-renderd --socket "$SUNDOG_SOCKET" &
renderer=$!
wait_until test -S "$SUNDOG_SOCKET"
"$build/tests/stream/triangle-stream" --frames 10000000 --draws 5 >/dev/null 2>"$work/client" &
client=$!
then=10
wait_until advances
report $? "a program draws with the installed packages"

for package in $packages; do
	newer "$package" || exit 1
done
apt-get install -y "$work"/debs/*.deb >"$work/upgrade" 2>&1
report_log $? "apt upgrades the packages" "$work/upgrade"
dpkg-query -W -f '${Version}\n' $packages >"$work/versions" && ! grep -v upgrade1 "$work/versions"
report $? "all of them are newer now"
then=$(($(time_of "$client") + 10))
wait_until advances
report_log $? "the program goes on drawing" "$work/client"
"$build/tests/stream/triangle-stream" --frames 4 >"$work/other" 2>&1
report_log $? "another program draws with the renderer that runs already" "$work/other"
kill $client $renderer
unset SUNDOG_SOCKET
sundog run -- eglinfo -B >"$work/eglinfo" 2>&1
grep -q 'renderer: sundog' "$work/eglinfo"
report $? "a program draws with the newer renderer"

# A newer kernel.
uri=$(grep -rho 'http[^ ]*/debian\b' /etc/apt | head -n 1)
echo "deb $uri $backports main" >/etc/apt/sources.list.d/backports.list
{
	apt-get update &&
		apt-get install -y --no-install-recommends -t "$backports" linux-image-amd64 \
			linux-headers-amd64
} >"$work/kernel" 2>&1
report_log $? "apt installs the newest kernel of $backports" "$work/kernel"
release=$(ls /lib/modules | sort -V | tail -n 1)
module=$(ls /lib/modules/"$release"/updates/dkms/sundog.ko* 2>/dev/null)
modinfo -F vermagic "$module" 2>/dev/null | grep -q "^$release "
report $? "DKMS builds the module for $release"
others=$(ls -d /lib/modules/*/updates/dkms/sundog.ko* | wc -l)
apt-get purge -y "linux-image-$release" >"$work/remove" 2>&1 &&
	[ "$(ls -d /lib/modules/*/updates/dkms/sundog.ko* | wc -l)" -lt "$others" ]
report $? "the module goes with that kernel"
