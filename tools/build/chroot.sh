#!/bin/bash
# SPDX-License-Identifier: MIT
# The second half of in_tree (tools/lib.sh), in a private mount namespace: binds what a program
# needs into the tree and runs it there. Expects TREE, TOP and CACHE. LAYER, a folder of
# tools/build/layer.sh, is mounted over the tree; writes are lost then, or go to the layer with
# LAYER_WRITE.
set -eu

# Only the first user namespace has all ids.
read -r _ _ n_ids </proc/self/uid_map
in_user_namespace()
{
	[ "$n_ids" != 4294967295 ]
}

add_layer()
{
	local lower=$LAYER/files:$TREE over=$LAYER/scratch marks=
	# In a user namespace, overlayfs keeps its marks in attributes that a user may set.
	! in_user_namespace || marks=,userxattr
	mkdir -p "$LAYER/root"
	if [ -n "${LAYER_WRITE:-}" ]; then
		lower=$TREE over=$LAYER
	else
		mkdir -p "$over"
		mount -t tmpfs tmpfs "$over"
	fi
	mkdir -p "$over/files" "$over/work"
	mount -t overlay overlay "$LAYER/root" \
		-o "lowerdir=$lower,upperdir=$over/files,workdir=$over/work$marks"
	TREE=$LAYER/root
}

[ -z "${LAYER:-}" ] || add_layer
mkdir -p "$TREE/sundog" "$TREE/cache"
for d in dev sys; do
	mount --rbind "/$d" "$TREE/$d"
done
# A user namespace may mount proc only in a process namespace of its own.
if in_user_namespace; then
	mount --rbind /proc "$TREE/proc"
else
	mount -t proc proc "$TREE/proc"
fi
mountpoint -q "$TREE/dev/shm" || mount -t tmpfs tmpfs "$TREE/dev/shm"
mount -t tmpfs tmpfs "$TREE/run"
mount --bind "$TOP" "$TREE/sundog"
mount --bind "$CACHE" "$TREE/cache"
# The tree has the name servers of the day on which it was made. Its programs get a copy of the
# host's, which they may write.
if [ -f /etc/resolv.conf ] && [ -f "$TREE/etc/resolv.conf" ]; then
	cp /etc/resolv.conf "$TREE/run/"
	mount --bind "$TREE/run/resolv.conf" "$TREE/etc/resolv.conf"
fi

# The environment of programs in the tree is the same everywhere, but for proxies.
for name in http_proxy https_proxy no_proxy; do
	[ -z "${!name:-}" ] || set -- "$name=${!name}" "$@"
done
exec chroot "$TREE" /usr/bin/env -i \
	HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 TZ=UTC DEBIAN_FRONTEND=noninteractive \
	PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin CCACHE_DIR=/cache/ccache \
	"$@"
