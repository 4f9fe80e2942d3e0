#!/bin/bash
# SPDX-License-Identifier: MIT
# Get SUITE's clang with its fuzzer and sanitizers, beside the tree and not in it: nothing but
# `make fuzz` needs it. The result is $CLANG of tools/lib.sh. Does nothing when it is there.
set -eu
. "$(dirname "$0")/lib.sh"

# What the tree has already, and what is for other machines and languages, stays away.
download()
{
	in_tree bash -euc '
		apt=(apt-get -o Acquire::Retries=3)
		cd "$1"
		flock /cache/apt.lock "${apt[@]}" update
		compiler=$(apt-cache depends clang | sed -n "s/^ *Depends: \(clang-[0-9]*\)$/\1/p")
		for package in $(apt-cache depends --recurse --no-recommends --no-suggests --no-enhances \
			--no-conflicts --no-breaks --no-replaces "$compiler" "libclang-rt-${compiler#clang-}-dev" |
			grep -E "^(lib)?(clang|llvm)" | sort -u); do
			dpkg -s "$package" >/dev/null 2>&1 || "${apt[@]}" download "$package"
		done
		for package in *.deb; do
			dpkg-deb -x "$package" .
			rm "$package"
		done
		ln -s "usr/lib/llvm-${compiler#clang-}/bin" bin
		ln -s "usr/lib/$(gcc -print-multiarch)" lib' sh "$1"
}

mkdir -p "$CACHE"
(
	flock 9
	cached "$CLANG_DIR" && exit 0
	mkdir -p "$CLANG_DIR.tmp"
	step clang download "/cache/${CLANG_DIR##*/}.tmp"
	finish "$CLANG_DIR.tmp" "$CLANG_DIR"
) 9>"$CACHE/clang.lock"
