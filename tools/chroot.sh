#!/bin/bash
# SPDX-License-Identifier: MIT
# Second half of in_tree (tools/lib.sh): already in a private mount namespace, bind what a
# program needs into the tree and run it there. Expects TREE, TOP and CACHE.
set -eu

mkdir -p "$TREE/sundog" "$TREE/cache"
for d in dev sys; do
	mount --rbind "/$d" "$TREE/$d"
done
mount -t proc proc "$TREE/proc"
mountpoint -q "$TREE/dev/shm" || mount -t tmpfs tmpfs "$TREE/dev/shm"
mount -t tmpfs tmpfs "$TREE/run"
mount --bind "$TOP" "$TREE/sundog"
mount --bind "$CACHE" "$TREE/cache"

exec chroot "$TREE" /usr/bin/env -i \
	HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 TZ=UTC DEBIAN_FRONTEND=noninteractive \
	PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin CCACHE_DIR=/cache/ccache \
	"$@"
