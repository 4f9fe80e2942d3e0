#!/bin/bash
# SPDX-License-Identifier: MIT
# Checks the patch series of tools/build/series.sh and prints TAP: each patch passes checkpatch.pl
# and compiles without a warning of gcc W=1 and sparse, the last one has the files of kernel/ and
# defines what it uses, and its documentation builds without a warning. OUT gets the patches and a
# log of each step.
# usage: tools/check/series.sh OUT
set -eu
. "$(dirname "$0")/../lib.sh"

out=$(realpath -m "$1")
linux=/cache/${SERIES_DIR##*/}/linux
build=/cache/${SERIES_DIR##*/}/build
sparse=/cache/${SERIES_DIR##*/}/sparse/usr/bin/sparse
driver=drivers/gpu/drm/sundog
document=Documentation/gpu/sundog-check		# a folder, as SPHINXDIRS needs one

# result NAME LOG COMMAND...: runs a command with its output in a log and prints a TAP line. The
# command fails, too, if it prints a warning.
result()
{
	local name=$1 log=$out/$2.log
	shift 2
	if "$@" >"$log" 2>&1 && ! grep -qiE '\b(warning|error|check):' "$log"; then
		echo "ok - series: $name"
	else
		tail -n 25 "$log" | sed 's/^/# /'
		echo "not ok - series: $name"
	fi
}

# in_linux SCRIPT [ARGUMENT...]: runs a script in the source; `kbuild` is make for the build folder.
in_linux()
{
	in_tree bash -euc '
		cd "$0"
		export KCONFIG_ALLCONFIG=/sundog/tools/check/series/config
		kbuild()
		{
			make -s -j"$(nproc)" O='"$build"' CHECK='"$sparse"' \
				KBUILD_KCONFIG='"$build"'/Kconfig.series "$@"
		}
		'"$1" "$linux" "${@:2}"
}

# The option must not come out as off, or nothing would be compiled.
configure()
{
	in_linux '
		mkdir -p '"$build"'
		cat Kconfig /sundog/tools/check/series/Kconfig >'"$build"'/Kconfig.series
		kbuild allnoconfig
		if [ -d '$driver' ]; then
			grep -qx CONFIG_DRM_SUNDOG=m '"$build"'/.config
		fi'
}

# With C=1, make only prints a line if sparse cannot read the kernel.
prepare()
{
	configure
	in_linux '
		kbuild prepare modules_prepare
		[ "$(scripts/checker-valid.sh '"$sparse"')" = 1 ]'
}

# The first patch has only the uAPI header.
compile()
{
	configure
	in_linux '
		if [ -d '$driver' ]; then
			kbuild W=1 C=1 '$driver'/
			test -e '"$build/$driver"'/sundog.o
		else
			gcc -std=c11 -Wall -Wextra -Werror -D__user= -D__EXPORTED_HEADERS__ \
				-Iinclude/uapi -Iinclude/uapi/drm -Iarch/x86/include/uapi \
				-I'"$build"'/arch/x86/include/generated/uapi \
				-fsyntax-only -x c include/uapi/drm/sundog_drm.h
		fi'
}

# Undefined symbols of the driver's own are a file that no patch has.
links()
{
	in_linux '! nm -u '"$build/$driver"'/sundog.o | grep sundog_'
}

# A Signed-off-by is left to the sender, and the last patch has the MAINTAINERS entry. 6.12 lacks
# kzalloc_obj(). sundog_hw.h is generated, also for programs that have no BIT(). The layer has a
# module of Python that scripts/spdxcheck.py needs.
checkpatch()
{
	in_layer series bash -euc '
		cd "$0"
		git show --format=email --stat --patch HEAD -- . ":!*/sundog_hw.h" |
			scripts/checkpatch.pl --strict --terse --show-types --no-summary \
				--no-signoff --ignore FILE_PATH_CHANGES,ALLOC_WITH_SIZEOF -' \
		"$linux"
}

equals()
{
	in_tree python3 /sundog/tools/build/series.py --compare /sundog "$linux"
}

# All of htmldocs takes too long.
html()
{
	in_layer series bash -euc '
		cd "$0"
		mkdir -p '$document'
		cp Documentation/gpu/sundog.rst '$document'/index.rst
		make -s O='"$build"' SPHINXDIRS='${document#Documentation/}' htmldocs' "$linux"
}

mkdir -p "$out"
"$TOP/tools/build/series.sh" "$out/patches" >"$out/make.log" 2>&1 || {
	tail -n 25 "$out/make.log" | sed 's/^/# /'
	echo "not ok - series: the series is made from kernel/"
	exit
}
echo "ok - series: the series is made from kernel/"
"$TOP/tools/build/layer.sh" series

(
	flock 9
	result "the source is prepared" prepare prepare
	number=0
	for commit in $(in_linux 'git rev-list --reverse debian..sundog'); do
		number=$((number + 1))
		name="patch $number, $(in_linux 'git checkout --quiet --force "$1"
			git log --format=%s -1' "$commit")"
		result "$name: checkpatch.pl --strict" "$number-checkpatch" checkpatch
		result "$name: W=1 and sparse" "$number-compile" compile
	done
	result "the last patch has the files of kernel/" equals equals
	result "the last patch defines each symbol that it uses" links links
	result "Documentation/gpu/sundog.rst builds" html html
	in_linux 'git checkout --quiet --force sundog; git clean --quiet -fdx Documentation'
) 9>"$CACHE/locks/series-branch"
