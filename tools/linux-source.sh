#!/bin/bash
# SPDX-License-Identifier: MIT
# Unpack Debian's kernel source of LINUX_SERIES, or only some of its files, into a folder of the
# cache, and write its Debian version to the file `version` there.
# usage: tools/linux-source.sh DIR [FILE...]
set -eu
. "$(dirname "$0")/lib.sh"

dir=$1
shift
mkdir -p "$dir"
package=linux-source-$LINUX_SERIES

# apt-get does not wait when another build script holds the lock of its lists.
in_tree bash -euc '
	package=$1
	cd "$2"
	shift 2
	flock /cache/apt.lock apt-get -o Acquire::Retries=3 download "$package" || {
		flock /cache/apt.lock apt-get -o Acquire::Retries=3 update
		apt-get -o Acquire::Retries=3 download "$package"
	}
	dpkg-deb --field "$package"_*.deb Version >version
	dpkg-deb --fsys-tarfile "$package"_*.deb | tar -xO "./usr/src/$package.tar.xz" |
		tar -xJ --strip-components=1 "${@/#/$package/}"
	rm "$package"_*.deb' sh "$package" "/cache/${dir#"$CACHE"/}" "$@"
