#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests that packages and images get Debian's updates, with a made-up Debian whose mirror is two
# folders, in a private mount namespace, over a copy of the tree. Prints TAP. Suite static runs it.
# usage: tools/check/updates-test.sh
set -eu
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/lib/tap.sh"

if [ "${1:-}" != --inside ]; then
	work=$CACHE/updates-test.$$
	trap 'rm -rf "$work"' EXIT
	mkdir "$work"
	unshare --mount --propagation private "$0" --inside "$work"
	exit
fi
work=$2
set +e
. "$TOP/tools/check/made-up-debian.sh"

# fetched: prints the version of the source package made-up that tools/build/fetch takes.
fetched()
{
	rm -rf "$work/source"
	mkdir "$work/source"
	fetch source "/cache/${work##*/}/source" made-up $(suites trixie) >"$work/log" 2>&1 &&
		cat "$work/source/version"
}

# is EXPECTED COMMAND...: returns true if the command prints just that.
is()
{
	local expected=$1 printed
	shift
	printed=$("$@" 2>&1)
	[ "$printed" = "$expected" ] || {
		printf '%s\n' "got: $printed" | sed 's/^/# /'
		return 1
	}
}

# says EXPECTED COMMAND...: returns true if the command prints something like that, and prints a log
# otherwise.
says()
{
	local expected=$1
	shift
	("$@") >"$work/said" 2>&1
	grep -q "$expected" "$work/said" || { sed 's/^/# /' "$work/said"; return 1; }
}

# host_uses LINE...: makes apt-get of the host print these "URI LABEL" of its lists.
host_uses()
{
	mkdir -p "$work/bin"
	cat >"$work/bin/apt-get" <<-'END'
		#!/bin/sh
		case "$*" in *Label:\ Debian-Security*) label=Debian-Security ;; *) label=.* ;; esac
		sed -n "s/ $label\$//p" "${0%/*}/lists"
	END
	chmod +x "$work/bin/apt-get"
	printf '%s\n' "$@" >"$work/bin/lists"
}

# of_host COMMAND...: runs a function of tools/lib.sh with that apt-get, and without the mirror of
# this test.
of_host()
{
	(unset SUNDOG_MIRROR SUNDOG_SECURITY_MIRROR; PATH=$work/bin:$PATH; "$@")
}

export SUNDOG_MIRROR=https://a.example/debian/
unset SUNDOG_SECURITY_MIRROR SUNDOG_UPDATES
host_uses 'http://b.example/debian/ Debian' 'http://c.example/debian-security/ Debian-Security'
check "the security mirror is that of the host's apt" \
	is http://c.example/debian-security of_host security_mirror
host_uses 'http://b.example/debian/ Debian'
check "or the folder beside the host's mirror" \
	is http://b.example/debian-security of_host security_mirror
host_uses ''
check "or Debian's" is "$PUBLIC_MIRROR-security" of_host security_mirror
check "or the folder beside SUNDOG_MIRROR" \
	is https://a.example/debian-security security_mirror
check "or SUNDOG_SECURITY_MIRROR" is https://d.example/security \
	env SUNDOG_SECURITY_MIRROR=https://d.example/security/ \
	bash -c ". '$TOP/tools/lib.sh'; security_mirror"

copy_tree "$work/tree" || { echo "not ok - the tree can be copied"; exit 1; }
export SUNDOG_MIRROR=$main SUNDOG_SECURITY_MIRROR=$security
make_package debian trixie made-up 1.0
make_package debian trixie linux-image-amd64 1
make_package debian trixie-updates other 1.0
check "packages are not built if a mirror lacks the security suite" \
	says "debian-security has no suite trixie-security.*SUNDOG_UPDATES=no" need_updates trixie
check "SUNDOG_UPDATES=no builds them, and says so" eval \
	'says "without Debian.s security updates" env SUNDOG_UPDATES=no \
		bash -c ". $TOP/tools/lib.sh; need_updates trixie && suites trixie" &&
		is "$main trixie" tail -n 1 $work/said'
check "tests take the suites that are there" \
	is "$main trixie $main trixie-updates" eval 'echo $(suites_there trixie 2>/dev/null)'
check "tests name the suite that is not there" \
	says "has no suite trixie-security, or does not answer" suites_there trixie
check "no source is fetched without one of the suites" eval '! fetched >/dev/null'

make_package debian-security trixie-security made-up 1.0+deb13u1
make_package debian-security trixie-security linux-image-amd64 2
check "packages are built if all suites are there" need_updates trixie
check "sid has no suites with updates" is "$main sid" suites sid
check "a source comes from the security suite" is 1.0+deb13u1 fetched

# in_test_layer COMMAND...: runs tools/build/updates in a layer that keeps what is written.
in_test_layer()
{
	mkdir -p "$work/layer/files"
	LAYER=$work/layer LAYER_WRITE=1 in_tree "$@"
}

install_main()
{
	in_test_layer sh -euc '
		/sundog/tools/build/updates use $1
		dpkg --purge --force-depends linux-image-amd64
		apt-get install -y made-up linux-image-amd64' sh "$main trixie" >"$work/log" 2>&1
}

version_of()
{
	in_test_layer dpkg-query -W -f '${Version}\n' "$1"
}

install_main
report_log $? "a layer has packages of the main suite" "$work/log"
in_test_layer /sundog/tools/build/updates use $(suites trixie) >"$work/log" 2>&1
report_log $? "it gets lists of all suites" "$work/log"
check "its update is found, but no other kernel" \
	is made-up in_test_layer /sundog/tools/build/updates newer
check "that of a source is found" \
	is 1.0+deb13u1 in_test_layer /sundog/tools/build/updates source made-up
date=$(sed -n 's/^Date: //p' "$work/debian-security/dists/trixie-security/Release")
check "versions get the date of the newest list" is "$(date -u -d "$date" +%Y%m%d.%H%M%S)" \
	in_test_layer /sundog/tools/build/updates date
# with_broken_apt ARGUMENT...: runs tools/build/updates with an apt-get that fails.
with_broken_apt()
{
	in_test_layer bash -c '
		mkdir -p /tmp/bin
		printf "%s\n" "#!/bin/sh" "exit 100" >/tmp/bin/apt-get
		chmod +x /tmp/bin/apt-get
		PATH=/tmp/bin:$PATH exec /sundog/tools/build/updates "$@"' sh "$@"
}
cp "$work/layer/files/var/lib/dpkg/status" "$work/status"
check "newer fails if apt-get fails" eval '! with_broken_apt newer'
check "missing fails if apt-get fails" \
	eval '! with_broken_apt missing "/cache/${work##*/}/status"'
check "upgrade fails if apt-get fails" eval '! with_broken_apt upgrade'
check "then no package is held" is "" in_test_layer apt-mark showhold
check "date fails without lists" says "no list in /var/lib/apt/lists has a date" \
	in_test_layer unshare --mount sh -euc '
		mount -t tmpfs tmpfs /var/lib/apt/lists
		echo Suite: trixie >/var/lib/apt/lists/made-up_Release
		/sundog/tools/build/updates date'
in_test_layer /sundog/tools/build/updates upgrade >"$work/log" 2>&1
report_log $? "the layer is upgraded" "$work/log"
check "the package comes from the security suite" is 1.0+deb13u1 version_of made-up
check "the kernel stays" is 1 version_of linux-image-amd64
check "then there is no update" is "" in_test_layer /sundog/tools/build/updates newer
check "an image without the updates is found, by its list of packages" \
	is "$(printf 'linux-image-amd64\nmade-up')" \
	in_test_layer /sundog/tools/build/updates missing "/cache/${work##*/}/status"

make_package debian trixie made-up 1.1
check "a point release that is later than the security update is taken" is 1.1 fetched
rm -r "$TREE$work/debian-security/dists" "$work/debian-security/dists"
in_test_layer /sundog/tools/build/updates use $(suites trixie) >"$work/log" 2>&1
[ $? != 0 ]
report_log $? "a layer is not made without the security suite" "$work/log"
umount "$TREE"
