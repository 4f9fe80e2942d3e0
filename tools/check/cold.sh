#!/bin/bash
# SPDX-License-Identifier: MIT
# Checks a first build: a bare Debian 12 root with only git and make added, a fresh clone of HEAD,
# an empty cache folder; then `make TARGET` in it (default: check). Logs in out/cold; the root is
# removed at the end.
# usage: tools/check/cold.sh [TARGET...]
set -eu
. "$(dirname "$0")/../lib.sh"

OUT=$TOP/out/cold
COLD=$CACHE/cold.$$
targets=${*:-check}

preflight
need_disk
mkdir -p "$OUT" "$COLD/cache"
trap 'rm -rf "$COLD"' EXIT

make_root()
{
	local uri sources=
	uri=$(mirror)
	if [ -n "$uri" ]; then
		sources=$COLD/sources.list
		printf 'deb %s bookworm main\n' "$uri" >"$sources"
	fi
	mmdebstrap --mode=root --variant=apt --include=git,make,ca-certificates bookworm \
		"$COLD/root" $sources
	cp /etc/resolv.conf /etc/hosts "$COLD/root/etc/"
	git clone -q "$TOP" "$COLD/root/sundog"
}

run_target()
{
	# A mount namespace of its own, so that no mount outlives this script.
	unshare --mount --propagation private bash -euc '
		root=$1
		mount --bind "$root" "$root"	# a root must be a mount point to make namespaces in
		mount -t proc proc "$root/proc"
		for d in dev sys; do mount --rbind "/$d" "$root/$d"; done
		mkdir -p "$root/cache"
		mount --bind "$2" "$root/cache"
		exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
			SUNDOG_CACHE=/cache make --no-print-directory -C /sundog "$3"' \
		bash "$COLD/root" "$COLD/cache" "$1"
}

command -v mmdebstrap >/dev/null || apt-get install -y --no-install-recommends mmdebstrap >/dev/null
step cold-root make_root
for target in $targets; do
	start=$SECONDS rc=0
	say "cold: make $target, log in $OUT/$target.log"
	run_target "$target" >"$OUT/$target.log" 2>&1 </dev/null || rc=$?
	tail -n 3 "$OUT/$target.log"
	say "cold: make $target ended with status $rc after $((SECONDS - start)) s"
	rm -rf "$OUT/$target"
	cp -r "$COLD/root/sundog/out/$target" "$OUT/$target" 2>/dev/null || true
	[ "$rc" = 0 ] || exit "$rc"
done
