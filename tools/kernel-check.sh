#!/bin/bash
# SPDX-License-Identifier: MIT
# Static checks of kernel/: the compiler with W=1, sparse, checkpatch.pl --strict, kernel-doc.
# None may have anything to say about our files.
set -eu
. "$(dirname "$0")/lib.sh"

# checkpatch.pl is not in the headers package, so it comes out of Debian's kernel source.
CHECKPATCH_DIR=$CACHE/checkpatch-$(key "$TREE_KEY" "$LINUX_SERIES")
checkpatch_files="scripts/checkpatch.pl scripts/spelling.txt scripts/const_structs.checkpatch"

get_checkpatch()
{
	local dir=/cache/${CHECKPATCH_DIR##*/}.tmp
	mkdir -p "$CHECKPATCH_DIR.tmp"
	in_tree bash -euc "
		cd $dir
		package=linux-source-$LINUX_SERIES
		flock /cache/apt.lock apt-get -o Acquire::Retries=3 download \$package || {
			flock /cache/apt.lock apt-get -o Acquire::Retries=3 update
			apt-get -o Acquire::Retries=3 download \$package
		}
		dpkg-deb --field \$package*.deb Version >version
		dpkg-deb --fsys-tarfile \$package*.deb |
			tar -xO ./usr/src/\$package.tar.xz |
			tar -xJ --strip-components=1 \$(printf \"\$package/%s \" $checkpatch_files)
		rm \$package*.deb"
}

(
	flock 9
	cached "$CHECKPATCH_DIR" && exit 0
	step checkpatch-download get_checkpatch
	finish "$CHECKPATCH_DIR.tmp" "$CHECKPATCH_DIR"
) 9>"$CACHE/checkpatch.lock"

status=0

"$TOP/tools/kmod.sh"
if grep -E '(warning|error):' <"$KMOD_DIR/build.log" >&2; then
	say "kernel: the compiler or sparse has something to say, see $KMOD_DIR/build.log"
	status=1
fi

in_tree sh -c "cd /sundog && perl /cache/${CHECKPATCH_DIR##*/}/scripts/checkpatch.pl --no-tree --strict \
	--terse --show-types --no-summary --max-line-length=100 --file kernel/*.[ch] kernel/uapi/*.h" >&2 || {
	say "kernel: checkpatch.pl has something to say"
	status=1
}
if in_tree sh -c "cd /sundog && perl /usr/src/linux-headers-$LINUX_SERIES.*-common/scripts/kernel-doc \
	-none -Wall kernel/*.[ch] kernel/uapi/*.h" 2>&1 | grep . >&2; then
	say "kernel: kernel-doc has something to say"
	status=1
fi
[ "$status" -ne 0 ] || say "kernel: W=1, sparse, checkpatch and kernel-doc are silent"
exit "$status"
