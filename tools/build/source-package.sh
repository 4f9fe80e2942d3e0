# SPDX-License-Identifier: MIT
# Shell functions for what is built from a Debian source package with patches of ours. Sourced after
# tools/lib.sh. FOLDER is a folder of the cache, whose name has the key of the inputs for which a
# build starts anew; STAMP is the key of the inputs for which it is continued.

# drop_broken NAME FOLDER STAMP: removes FOLDER if its build failed before with the same input,
# since the cache may be broken.
drop_broken()
{
	[ "$(cat "$2/failed" 2>/dev/null)" = "$3" ] || return 0
	say "$1: this build failed before with the same input, so it starts over in an empty $2"
	rm -rf "$2"
}

# get_source NAME FOLDER [SERIES PATCHES]: fetches the source package NAME to FOLDER/src/NAME, with
# Debian's security updates if the mirror has them, and applies all of PATCHES, which are for
# versions of SERIES. Removes FOLDER/build if the source is new.
get_source()
{
	local name=$1 folder=$2 series=${3:-} patches=${4:-} src patch version
	cached "$folder/src" && return 0
	rm -rf "$folder/build"
	mkdir -p "$folder/src.tmp"
	src=/cache/${folder##*/}/src.tmp
	step "$name-source" fetch source "$src" "$name" $(suites_there "$SUITE")
	version=$(cat "$folder/src.tmp/version")
	case $(printf '%s\n' "$version" | sed 's/^[0-9]*://') in
	${series:+"$series".}*) ;;
	*)
		die "$SUITE's $name is $version;" \
			"${patches#"$TOP/"} is for the series $series (tools/versions.sh)"
		;;
	esac
	for patch in ${patches:+"$patches"/*.patch}; do
		in_tree patch -d "$src/$name" -p1 <"$patch" >"$LOGS/$name-patch.log" 2>&1 ||
			die "${patch#"$TOP/"} no longer applies to $name $version," \
				"it has to be renewed; see $LOGS/$name-patch.log"
	done
	finish "$folder/src.tmp" "$folder/src"
}

# compile_source FOLDER STAMP COMMAND...: runs COMMAND, and ends the script if it fails. FOLDER is
# not up to date before built_source().
compile_source()
{
	local folder=$1 stamp=$2
	shift 2
	rm -f "$folder/built"
	("$@") || {
		echo "$stamp" >"$folder/failed"
		exit 1
	}
	rm -f "$folder/failed"
}

# is_built FOLDER STAMP [PART]: returns true if FOLDER, or that PART of it, is up to date.
is_built()
{
	case "$(cat "$1/built" 2>/dev/null)" in
	"$2" | "$2 ${3:-all}") ;;
	*) return 1 ;;
	esac
}

# built_source NAME FOLDER STAMP [PART]: marks FOLDER, or only PART of it, as up to date. Of other
# builds of NAME, keeps those that were made last, since another checkout may run them.
built_source()
{
	echo "$3${4:+ $4}" >"$2/built"
	say "$1: $(cat "$2/src/version") in $2"
	ls -t "$CACHE/$1"-????????????/built | tail -n +4 | while read -r old; do
		rm -rf "${old%/built}"
	done
}
