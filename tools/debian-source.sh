# SPDX-License-Identifier: MIT
# Shell functions for what is built from a Debian source package with patches of ours. Sourced after
# tools/lib.sh. FOLDER is a folder of the cache, its name made from what a rebuild must start anew
# for; STAMP is the key of what is rebuilt incrementally.

# drop_broken NAME FOLDER STAMP: a build that failed twice with the same input is taken for a broken
# cache.
drop_broken()
{
	[ "$(cat "$2/failed" 2>/dev/null)" = "$3" ] || return 0
	say "$1: this very build failed before, starting over in an empty $2"
	rm -rf "$2"
}

# download_source NAME DIR: into DIR, a path inside the tree. apt-get does not wait when another
# build script holds the lock of its lists.
download_source()
{
	in_tree bash -euc '
		flock /cache/apt.lock apt-get -o Acquire::Retries=3 update
		cd "$2"
		apt-get -o Acquire::Retries=3 source --download-only "$1"
		sed -n "s/^Version: //p" "$1"_*.dsc >version' sh "$1" "$2"
}

unpack_source()
{
	in_tree bash -euc 'cd "$2" && dpkg-source -x "$1"_*.dsc "$1"' sh "$1" "$2"
}

# get_source NAME SERIES FOLDER PATCHES: the source package NAME with all of PATCHES applied, as
# FOLDER/src/NAME. FOLDER/build goes when the source is new.
get_source()
{
	local name=$1 series=$2 folder=$3 patches=$4 src patch version
	cached "$folder/src" && return 0
	rm -rf "$folder/build"
	mkdir -p "$folder/src.tmp"
	src=/cache/${folder##*/}/src.tmp
	step "$name-download" download_source "$name" "$src"
	version=$(cat "$folder/src.tmp/version")
	case $(printf '%s\n' "$version" | sed 's/^[0-9]*://') in
	"$series".*) ;;
	*) die "$SUITE's $name is $version; ${patches#"$TOP/"} is for the series $series (tools/versions.sh)" ;;
	esac
	step "$name-unpack" unpack_source "$name" "$src"
	for patch in "$patches"/*.patch; do
		in_tree patch -d "$src/$name" -p1 <"$patch" >"$LOGS/$name-patch.log" 2>&1 ||
			die "${patch#"$TOP/"} no longer applies to $name $version, it has to be renewed;" \
				"see $LOGS/$name-patch.log"
	done
	finish "$folder/src.tmp" "$folder/src"
}

# compile_source FOLDER STAMP COMMAND...: run COMMAND, which ends the script if it fails.
compile_source()
{
	local folder=$1 stamp=$2
	shift 2
	("$@") || {
		echo "$stamp" >"$folder/failed"
		exit 1
	}
	rm -f "$folder/failed"
}

# built_source NAME FOLDER STAMP: what is in FOLDER is up to date. Of others' builds, of other options, patches or trees,
# those stay that were made last: another checkout may be running them.
built_source()
{
	echo "$3" >"$2/built"
	say "$1: $(cat "$2/src/version") in $2"
	ls -t "$CACHE/$1"-????????????/built | tail -n +4 | while read -r old; do
		rm -rf "${old%/built}"
	done
}
