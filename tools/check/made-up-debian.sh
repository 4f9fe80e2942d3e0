# SPDX-License-Identifier: MIT
# Shell functions for tests of Debian's updates: a made-up mirror in two folders of $work, a folder
# of the cache, and a copy of the tree whose apt accepts it. Sourced after tools/lib.sh, in a
# private mount namespace.

# The mirror has the same path for the host's programs and for those of the tree.
main=file:$work/debian security=file:$work/debian-security

# copy_tree PATH: mounts a copy of the tree, and makes it TREE.
copy_tree()
{
	mkdir "$1" "$work/files" "$work/work"
	mount -t overlay overlay "$1" \
		-o "lowerdir=$TREE,upperdir=$work/files,workdir=$work/work" || return
	TREE=$1
	# The lists are not signed.
	printf '%s "true";\n' Acquire::AllowInsecureRepositories APT::Get::AllowUnauthenticated \
		>"$TREE/etc/apt/apt.conf.d/99made-up"
	mkdir "$work/debian" "$work/debian-security"
}

# list_packages FOLDER SUITE: writes the lists of a suite, of all that is in FOLDER/pool/SUITE.
list_packages()
{
	in_tree bash -euc '
		cd "$1"
		lists=dists/$2/main
		mkdir -p "$lists/binary-amd64" "$lists/source" "pool/$2"
		dpkg-scanpackages -m "pool/$2" >"$lists/binary-amd64/Packages" 2>/dev/null
		dpkg-scansources "pool/$2" >"$lists/source/Sources" 2>/dev/null
		cd "dists/$2"
		printf "%s\n" "Suite: $2" "Codename: $2" "Components: main" \
			"Date: $(date -u -R)" \
			"Architectures: amd64" "SHA256:" >Release
		for file in main/binary-amd64/Packages main/source/Sources; do
			echo " $(sha256sum <$file | cut -c 1-64) $(stat -c %s $file) $file"
		done >>Release' sh "$(in_tree_path "$work/$1")" "$2"
	# Layers are laid over the tree's files, not over its mounts.
	rm -rf "$TREE$work/debian"*
	mkdir -p "$TREE$work"
	cp -r "$work/debian" "$work/debian-security" "$TREE$work/"
}

# make_package FOLDER SUITE NAME VERSION: makes a source package and a binary package.
make_package()
{
	in_tree bash -euc '
		name=$2 version=$3
		mkdir -p "$1/root/DEBIAN" "$1/src/debian/source"
		cd "$1"
		printf "%s\n" "Package: $name" "Version: $version" "Architecture: all" \
			"Maintainer: nobody <nobody@example.org>" "Description: made up" \
			>root/DEBIAN/control
		dpkg-deb -b root "${name}_${version}_all.deb" >/dev/null
		printf "%s\n" "Source: $name" "Maintainer: nobody <nobody@example.org>" "" \
			"Package: $name" "Architecture: all" "Description: made up" \
			>src/debian/control
		printf "%s\n\n  * Made up.\n\n%s\n" "$name ($version) made-up; urgency=medium" \
			" -- nobody <nobody@example.org>  Mon, 30 Nov 2026 12:00:00 +0000" \
			>src/debian/changelog
		echo "3.0 (native)" >src/debian/source/format
		dpkg-source -b src >/dev/null 2>&1
		rm -r src root' sh "$(in_tree_path "$work/$1")/pool/$2/$3-$4" "$3" "$4"
	list_packages "$1" "$2"
}
