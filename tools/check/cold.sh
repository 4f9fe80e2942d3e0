#!/bin/bash
# SPDX-License-Identifier: MIT
# Checks a first build: a bare Debian 12 root with only git and make added, a fresh clone of HEAD,
# an empty cache folder; then `make TARGET` in it (default: check). With --user, a user who is not
# root runs make, and the root has what user namespaces need. Prints the CPU time of each target.
# Logs in out/cold; the root is removed at the end.
# usage: tools/check/cold.sh [--user] [TARGET...]
set -eu
. "$(dirname "$0")/../lib.sh"

OUT=$TOP/out/cold
COLD=$CACHE/cold.$$
user=
[ "${1:-}" != --user ] || {
	user=tester
	shift
}
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
	mmdebstrap --mode=root --variant=apt \
		--include="git,make,ca-certificates${user:+,uidmap,mmdebstrap,mount}" bookworm \
		"$COLD/root" $sources
	cp /etc/resolv.conf /etc/hosts "$COLD/root/etc/"
	git clone -q "$TOP" "$COLD/root/sundog"
	[ -z "$user" ] || {
		chroot "$COLD/root" useradd --create-home "$user"
		chroot "$COLD/root" chown -R "$user:" /sundog
		chown "$(stat -c %u:%g "$COLD/root/home/$user")" "$COLD/cache"
	}
}

run_target()
{
	# A mount namespace of its own, so that no mount outlives this script. A program whose root
	# is not the namespace's may not make user namespaces, hence no chroot.
	unshare --mount --propagation private bash -euc '
		root=$1 user=${4:-root}
		mount --bind "$root" "$root"	# a root must be a mount point to make namespaces in
		cd "$root"
		mount -t proc proc proc
		for d in dev sys; do mount --rbind "/$d" "$d"; done
		mkdir -p cache old
		mount --bind "$2" cache
		pivot_root . old
		# umount2() with MNT_DETACH, since a bare root has no umount.
		perl -e "\$old = q(/old); syscall(166, \$old, 2) == 0 or die"
		path=/usr/local/bin:/usr/bin:/bin	# as Debian has it
		[ "$user" != root ] || path=/usr/sbin:/usr/bin:/sbin:/bin
		exec setpriv --reuid="$user" --regid="$user" --init-groups \
			env -i HOME="$(getent passwd "$user" | cut -d: -f6)" PATH="$path" \
			SUNDOG_CACHE=/cache SUNDOG_ACCEL="$5" \
			make --no-print-directory -C /sundog "$3"' \
		bash "$COLD/root" "$COLD/cache" "$1" "$user" "${SUNDOG_ACCEL:-}"
}

command -v mmdebstrap >/dev/null || apt-get install -y --no-install-recommends mmdebstrap >/dev/null
step cold-root make_root
TIMEFORMAT='%U + %S'
for target in $targets; do
	start=$SECONDS rc=0
	say "cold: make $target, log in $OUT/$target.log"
	cpu=$({ time run_target "$target" >"$OUT/$target.log" 2>&1 </dev/null; } 2>&1) || rc=$?
	tail -n 3 "$OUT/$target.log"
	say "cold: make $target ended with status $rc after $((SECONDS - start)) s," \
		"$cpu s of CPU time in programs and in the kernel"
	rm -rf "$OUT/$target"
	cp -r "$COLD/root/sundog/out/$target" "$OUT/$target" 2>/dev/null || true
	[ "$rc" = 0 ] || exit "$rc"
done
