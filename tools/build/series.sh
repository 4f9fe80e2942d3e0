#!/bin/bash
# SPDX-License-Identifier: MIT
# Makes the patch series of the kernel driver, by kernel/series, on the source of Debian's newest
# kernel: branch `sundog` of the git repository $SERIES_DIR/linux, on its branch `debian`. Writes
# the patches and a cover letter to OUT, a folder of the checkout, by default out/series.
# usage: tools/build/series.sh [--update] [OUT]; --update looks for a newer kernel.
set -eu
. "$(dirname "$0")/../lib.sh"

if [ "${1:-}" = --update ]; then
	shift
	rm -rf "$SERIES_DIR"
fi
out=${1:-$TOP/out/series}

# import_source LINUX VERSION: makes a git repository of a source.
import_source()
{
	in_tree sh -euc '
		cd "$1"
		git init --quiet --initial-branch debian
		git config user.name sundog
		git config user.email sundog@localhost
		git config gc.auto 0
		git config core.compression 1
		git add --all --force
		git commit --quiet --message "Source of Debian, linux $2"' sh "$1" "$2"
}

make_source()
{
	local tmp=$SERIES_DIR.tmp
	need_disk 4000
	mkdir -p "$tmp"
	step series-source fetch newest-linux "/cache/${tmp##*/}" $KERNEL_SUITES
	step series-import import_source "/cache/${tmp##*/}/linux" "$(cat "$tmp/version")"
	finish "$tmp" "$SERIES_DIR"
}

make_series()
{
	in_tree sh -euc '
		cd "$1"
		git checkout --quiet --force -B sundog debian
		git clean --quiet -fdx
		python3 /sundog/tools/build/series.py --commit /sundog "$1"
		git config branch.sundog.description \
			"$(python3 /sundog/tools/build/series.py --cover /sundog)"
		rm -rf "$2"
		git format-patch --quiet --cover-letter --cover-from-description=subject \
			--output-directory "$2" debian..sundog' \
		sh "/cache/${SERIES_DIR##*/}/linux" "$(in_tree_path "$out")"
}

once "$SERIES_DIR" make_source
mkdir -p "$out"
(
	flock 9
	make_series
) 9>"$CACHE/locks/series-branch"
say "series: branch sundog of $SERIES_DIR/linux, $(cat "$SERIES_DIR/version"), patches in $out"
