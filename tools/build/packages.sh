#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds Debian packages of the last commit for SUITE, in the tree with the layer `packages`, and an
# apt repository of them in out/packages, signed with a key of the cache. The layer and Debian's
# sources have the updates of trixie-updates and trixie-security (tools/build/updates). A source is
# built anew if a later commit touches its files, if Debian has a later version of its source, or of
# a package that it is built with: its version has the dates of the commit and of the updates. Fails
# if lintian finds errors.
# usage: tools/build/packages.sh [--twice] [--only SOURCE] | --check | --install [LAYER]
#        --twice builds each source again, and fails if a package differs in any byte
#        --only builds this source and those that it needs, and has no others in the repository
#        --check fails if Debian has updates that the packages of out/packages were built without
#        --install makes a layer of tools/build/layers.sh with packages of out/packages, by
#        default `installed`
set -eu
. "$(dirname "$0")/../lib.sh"

OUT=$TOP/out/packages
UPDATES=$CACHE/packages-updates
SOURCES="sundog qemu-sundog sundog-mesa"

# inputs SOURCE: the files of the checkout that a source package has.
inputs()
{
	case $1 in
	sundog)
		echo Kbuild LICENSE NEWS.md SECURITY.md kernel libdrm-ext meson.build \
			meson_options.txt packaging/apparmor packaging/contact packaging/sundog \
			packaging/systemd protocol renderer spirv tools/sundog
		;;
	qemu-sundog)
		echo LICENSE packaging/contact packaging/qemu-sundog protocol/generated qemu-device
		;;
	sundog-mesa)
		echo LICENSE bench/gallium lavapipe mesa-driver packaging/contact \
			packaging/sundog-mesa spirv
		;;
	*) die "there is no source package '$1', but $SOURCES" ;;
	esac
}

# headers SOURCE: the files of the checkout that it is built with, by a package of `needs`.
headers()
{
	case $1 in
	sundog-mesa) echo protocol/generated libdrm-ext/sundog.h kernel/uapi ;;
	esac
}

# base SOURCE: Debian's source package that it is built from, if any.
base()
{
	case $1 in
	qemu-sundog) echo qemu ;;
	sundog-mesa) echo mesa ;;
	esac
}

# patches SOURCE: folders with patches to that.
patches()
{
	case $1 in
	qemu-sundog) echo qemu-device/patches ;;
	sundog-mesa) echo mesa-driver/patches lavapipe/patches ;;
	esac
}

# needs SOURCE: binary packages of the others that its build needs.
needs()
{
	case $1 in
	sundog-mesa) echo libdrm-sundog1 libdrm-sundog-dev ;;
	esac
}

release()
{
	git -C "$TOP" show HEAD:meson.build |
		sed -n "s/.*license: 'MIT', version: '\([^']*\)'.*/\1/p"
}

# commit SOURCE FORMAT: a property of the last commit that touches the files of a source.
commit()
{
	TZ=UTC git -C "$TOP" log -1 --date=format-local:%Y%m%d.%H%M%S --format="$2" -- \
		$(inputs "$1") $(headers "$1")
}

# folder SOURCE: where a source is built. Debian's source, if there is one, was fetched. See also
# is_current().
folder()
{
	local base layer
	base=$(base "$1")
	layer=$(layer_dir packages)
	printf '%s/package-%s-%s\n' "$CACHE" "$1" "$(key "$(commit "$1" %H)" \
		"${layer##*/}" "$TOP/tools/build/package-source.py" \
		${base:+"$CACHE/source-$base/version"})"
}

# look_for_updates DIR: in the layer `packages`, writes to DIR/newer the packages of the layer that
# have a newer version, and to DIR/NAME the newest version of Debian's source NAME.
look_for_updates()
{
	mkdir -p "$1"
	in_layer packages bash -euc '
		updates=/sundog/tools/build/updates dir=$1 names=$2
		shift 2
		$updates use "$@"
		$updates newer >$dir/newer
		for name in $names; do
			$updates source $name >$dir/$name
		done' sh "/cache/${1##*/}" "$(for name in $SOURCES; do base "$name"; done)" \
		$(suites "$SUITE")
}

# build_layer: makes the layer `packages`.
build_layer()
{
	make_layer packages $LAYER_PACKAGES
}

# upgrade_layer LAYER: upgrades all packages of a layer.
upgrade_layer()
{
	LAYER=$1 LAYER_WRITE=1 in_tree bash -euc '
		layer=$1
		shift
		/sundog/tools/build/updates use "$@"
		/sundog/tools/build/updates upgrade
		/sundog/tools/build/updates date >"$layer/date"
		apt-get clean' sh "/cache/${1##*/}" $(suites "$SUITE")
	rm -rf "$1/work" "$1/root"
}

# newest_layer: makes the layer `packages`, and upgrades it if Debian has newer versions of what is
# in it. With SUNDOG_UPDATES=no it asks no mirror if the layer is there.
newest_layer()
{
	local layer
	layer=$(layer_dir packages)
	once "$layer" build_layer
	rm -rf "$UPDATES"
	mkdir "$UPDATES"
	[ "${SUNDOG_UPDATES:-}" != no ] || return 0
	step packages-updates look_for_updates "$UPDATES"
	[ -s "$UPDATES/newer" ] || return 0
	say "packages: Debian has updates, and the layer is upgraded"
	sed 's/^/sundog:   /' "$UPDATES/newer"
	rm "$layer/.complete"	# after a failure it is made anew
	step packages-upgrade upgrade_layer "$layer"
	touch "$layer/.complete"
}

# fetch_base BASE: fetches Debian's source, and again if there is a later version: it has fixes.
fetch_base()
{
	local dir=$CACHE/source-$1 newest
	newest=$(cat "$UPDATES/$1" 2>/dev/null || true)
	if [ -e "$dir/.complete" ] && [ -n "$newest" ] &&
		in_tree dpkg --compare-versions "$newest" gt "$(cat "$dir/version")"; then
		say "packages: $1 $newest follows $(cat "$dir/version")"
		rm -rf "$dir"
	fi
	fetch_once "$dir" "$1-source" source "$1" $(suites "$SUITE")
}

# built_with FOLDER...: prints the packages and versions that the packages in the folders were built
# with, except ours.
built_with()
{
	local dir
	for dir; do
		sed -n '/^Installed-Build-Depends:/,/^[^ ]/p' "$dir"/*.buildinfo
	done | sed -n 's/^ \([^ ]*\) (= \([^ ]*\)),\?$/\1 \2/p' | grep -v '^libdrm-sundog' |
		LC_ALL=C sort -u
}

# is_current DIR: returns true if the layer has the packages that those in DIR were built with, in
# the same versions.
is_current()
{
	in_layer packages dpkg-query -W -f '${Package} ${Version}\n' >"$UPDATES/layer"
	LC_ALL=C sort -u -o "$UPDATES/layer" "$UPDATES/layer"
	built_with "$1" >"$UPDATES/built-with"
	[ -s "$UPDATES/built-with" ] && [ -e "$1/updates" ] &&
		! LC_ALL=C comm -23 "$UPDATES/built-with" "$UPDATES/layer" | grep .
}

# check_updates: ends the script if Debian has an update of a package that those of the repository
# were built with, or of a source that they were built from.
check_updates()
{
	local missing name
	need_repository
	[ -e "$OUT/built-with" ] || die "there is no $OUT/built-with, run make packages"
	[ "${SUNDOG_UPDATES:-}" != no ] || return 0
	once "$(layer_dir packages)" build_layer
	step packages-updates look_for_updates "$UPDATES"
	missing=$(in_layer packages bash -euc '
		updates=/sundog/tools/build/updates
		export LC_ALL=C
		cut -d " " -f 1 "$2/built-with" | sort | comm -12 - "$1/newer"
		dpkg-query -W -f "\${Package} \${Version}\n" | sort -u |
			comm -13 - "$2/built-with" | cut -d " " -f 1
		while read -r name version; do
			[ ! -e "$1/$name" ] || dpkg --compare-versions "$version" ge \
				"$(cat "$1/$name")" || echo "$name"
		done <"$2/built-from"' sh "/cache/${UPDATES##*/}" "$(in_tree_path "$OUT")")
	[ -z "$missing" ] ||
		die "Debian has updates that $OUT was built without, run make packages:" \
			$(printf '%s\n' "$missing" | sort -u)
}

# export_files SOURCE DIR: writes the files of the last commit.
export_files()
{
	mkdir -p "$2"
	git -C "$TOP" archive HEAD -- $(inputs "$1") | tar -x -C "$2"
}

# make_source SOURCE DIR UPDATES: makes the source package in DIR/work/src.
make_source()
{
	local name=$1 dir=$2 updates=$3 base
	base=$(base "$name")
	in_layer packages python3 /sundog/tools/build/package-source.py --name "$name" \
		--checkout "/cache/${dir##*/}/files" --commit "$(commit "$name" %h)" \
		--date "$(commit "$name" %ct)" --suite "$SUITE" \
		--release "$(release)+git$(commit "$name" %cd)+u$updates" --updates "$updates" \
		${base:+--base "/cache/source-$base" --patches $(patches "$name") --} \
		"/cache/${dir##*/}/work/src"
}

# build_packages SOURCE DIR: builds the source and binary packages in DIR/work. They are moved to
# DIR/result, and the rest is removed. For ccache, the build sees DIR/work under a fixed name.
build_packages()
{
	local name=$1 dir=$2 place=/build need debs=
	# The second build is in another place, so that the packages must not depend on it.
	[ "$dir" = "$(folder "$name").tmp" ] || place=/build-again
	for need in $(needs "$name"); do
		debs="$debs $(in_tree_path "$(ls "$(folder sundog)/$need"_*.deb)")"
	done
	in_layer packages bash -euc '
		[ -z "$3" ] || dpkg -i $3
		mkdir "$4"
		mount --bind "$1/work" "$4"
		cd "$4/src"
		cd */
		export SUNDOG_BUILD_FOLDER=$4
		export DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$(nproc)"
		export SOURCE_DATE_EPOCH=$2
		dpkg-buildpackage --unsigned-source --unsigned-changes
		cd /
		umount "$4"
		mkdir "$1/result"
		find "$1/work/src" -maxdepth 1 -type f -exec mv -t "$1/result" {} +
		rm -rf "$1/work" "$1/files"' sh \
		"/cache/${dir##*/}" "$(commit "$name" %ct)" "$debs" "$place"
}

# build SOURCE DIR UPDATES: makes the folder DIR with the packages of a source. UPDATES is the date
# of the updates that they are built with.
build()
{
	local name=$1 dir=$2 updates=$3
	need_disk 8000
	rm -rf "$dir.tmp"
	export_files "$name" "$dir.tmp/files"
	step "$name-source" make_source "$name" "$dir.tmp" "$updates"
	step "$name-packages" build_packages "$name" "$dir.tmp"
	echo "$updates" >"$dir.tmp/result/updates"
	finish "$dir.tmp/result" "$dir"
	rm -rf "$dir.tmp"
}

# build_again SOURCE: builds a source in another folder, and compares all packages.
build_again()
{
	local name=$1 dir again package differ=
	dir=$(folder "$name")
	again=$dir-again
	rm -rf "$again"
	build "$name" "$again" "$(cat "$dir/updates")"
	for package in "$dir"/*.deb "$dir"/*.dsc "$dir"/*.tar.*; do
		cmp "$package" "$again/${package##*/}" || differ="$differ ${package##*/}"
	done
	[ -z "$differ" ] || die "these differ between two builds, see $again:$differ"
	rm -rf "$again"
	say "$name: two builds have the same bytes"
}

# lint FOLDER...: runs lintian on packages, once for each folder; its findings are in
# OUT/lintian.txt.
lint()
{
	local dir
	for dir; do
		[ -e "$dir/lintian.txt" ] || step "lintian-${dir##*/}" lint_folder "$dir"
	done
	cat "${@/%//lintian.txt}" >"$OUT/lintian.txt"
}

lint_folder()
{
	in_layer packages lintian --allow-root --fail-on error --suppress-tags \
		bad-distribution-in-changes-file \
		"$(in_tree_path "$(ls "$1"/*.changes)")" >"$1/lintian.tmp" || {
		cat "$1/lintian.tmp"
		return 1
	}
	mv "$1/lintian.tmp" "$1/lintian.txt"
}

# make_repository FOLDER...: writes an apt repository.
make_repository()
{
	local dir
	rm -rf "$OUT/pool" "$OUT/dists"
	mkdir -p "$OUT/pool" "$OUT/dists/$SUITE/main/binary-$ARCH" "$OUT/dists/$SUITE/main/source"
	for dir; do
		cp "$dir"/*.deb "$dir"/*.dsc "$dir"/*.tar.* "$OUT/pool/"
	done
	in_layer packages bash -euc '
		export GNUPGHOME=/cache/packages-key
		[ -e $GNUPGHOME/made ] || {
			mkdir -p -m 700 $GNUPGHOME
			gpg --batch --quiet --passphrase "" --quick-generate-key \
				"sundog packages of this cache folder" ed25519 sign never
			touch $GNUPGHOME/made
		}
		cd "$1"
		lists=dists/$2/main
		apt-ftparchive packages pool >$lists/binary-$3/Packages
		# -qq leaves out that sources have no override entries, and keeps errors.
		apt-ftparchive -qq sources pool >$lists/source/Sources
		xz -k $lists/binary-$3/Packages $lists/source/Sources
		apt-ftparchive -o APT::FTPArchive::Release::Suite="$2" \
			-o APT::FTPArchive::Release::Codename="$2" \
			-o APT::FTPArchive::Release::Origin=sundog \
			-o APT::FTPArchive::Release::Label=sundog \
			-o APT::FTPArchive::Release::Architectures="$3" \
			-o APT::FTPArchive::Release::Components=main release "dists/$2" >Release
		mv Release "dists/$2/"
		gpg --batch --yes --clearsign --output "dists/$2/InRelease" "dists/$2/Release"
		gpg --batch --yes --armor --export >sundog.asc
		gpgconf --kill all' sh "$(in_tree_path "$OUT")" "$SUITE" "$ARCH"
}

# make_layer NAME PACKAGE...: makes a layer with Debian's updates. Layers `installed*` take packages
# from the repository, too, as a user does; LAYER/before lists the files of `installed` before that.
make_layer()
{
	local name=$1 layer old
	shift
	layer=$(layer_dir "$name")
	mkdir -p "$layer.tmp/files"
	step "layer-$name" fill_layer "$name" "$layer.tmp" "$@"
	rm -rf "$layer.tmp/work" "$layer.tmp/root"
	finish "$layer.tmp" "$layer"
	for old in "$CACHE/layer-$name"-*; do
		[ "$old" = "$layer" ] || rm -rf "$old"
	done
}

fill_layer()
{
	local name=$1 layer=$2
	shift 2
	LAYER=$layer LAYER_WRITE=1 in_tree bash -euc '
		name=$1 layer=$2 suite=$3 repository=$4 suites=$5
		shift 5
		/sundog/tools/build/updates use $suites
		/sundog/tools/build/updates date >"$layer/date"
		/sundog/tools/build/updates upgrade
		[ "$name" != installed ] || /sundog/tests/host/purged --list >"$layer/before"
		case $name in
		installed*)
			cp "$repository/sundog.asc" /etc/apt/keyrings/sundog.asc
			cat >/etc/apt/sources.list.d/sundog.sources <<-END
				Types: deb
				URIs: file:$repository
				Suites: $suite
				Components: main
				Signed-By: /etc/apt/keyrings/sundog.asc
			END
			apt-get update
			;;
		esac
		apt-get install -y --no-install-recommends "$@"
		apt-get clean' sh "$name" "/cache/${layer##*/}" "$SUITE" "$(in_tree_path "$OUT")" \
		"$(suites "$SUITE")" "$@"
}

install_layer()
{
	local packages=LAYER_${1^^}
	need_repository
	need_updates "$SUITE"
	make_layer "$1" ${!packages}
}

twice='' only=
preflight
"$TOP/tools/build/tree.sh"
if [ "${1:-}" = --install ]; then
	once "$(layer_dir "${2:-installed}")" install_layer "${2:-installed}"
	exit
fi
# Another run would replace the layer, and folders, that this one builds in.
mkdir -p "$CACHE/locks"
exec 8>"$CACHE/locks/packages"
flock 8
need_updates "$SUITE"
if [ "${1:-}" = --check ]; then
	check_updates
	exit
fi
while [ $# -gt 0 ]; do
	case $1 in
	--twice) twice=1 ;;
	--only) only=$2; shift ;;
	*) die "unknown option $1" ;;
	esac
	shift
done
git -C "$TOP" rev-parse HEAD >/dev/null || die "git cannot read the checkout, see the line above"
[ -n "$(release)" ] || die "meson.build of the last commit has no version"
[ -z "$(git -C "$TOP" status --porcelain -- $(for name in $SOURCES; do inputs $name; done))" ] ||
	say "packages: changes that are not committed are left out"
newest_layer
mkdir -p "$OUT"

case $only in
'') names=$SOURCES ;;
sundog-mesa) names="sundog sundog-mesa" ;;
*) names=$only ;;
esac
folders=
for name in $names; do
	inputs "$name" >/dev/null
	base=$(base "$name")
	[ -z "$base" ] || fetch_base "$base"
	dir=$(folder "$name")
	if [ -e "$dir/.complete" ] && ! is_current "$dir"; then
		say "packages: $name is built again with these updates"
		rm -rf "$dir"
	fi
	once "$dir" build "$name" "$dir" "$(cat "$(layer_dir packages)/date")"
	[ -z "$twice" ] || build_again "$name"
	folders="$folders $dir"
done
# Removes what older commits built.
for name in $names; do
	for old in "$CACHE/package-$name"-????????????; do
		case " $folders " in *" $old "*) ;; *) rm -rf "$old" ;; esac
	done
done
lint $folders
make_repository $folders
built_with $folders >"$OUT/built-with"
[ -s "$OUT/built-with" ] || die "no .buildinfo says with what the packages were built"
: >"$OUT/built-from"
for name in $names; do
	base=$(base "$name")
	[ -z "$base" ] || echo "$base $(cat "$CACHE/source-$base/version")" >>"$OUT/built-from"
done
say "packages: $(ls "$OUT/pool" | grep -c '\.deb$') packages in $OUT, see docs/user/install.md"
