# SPDX-License-Identifier: MIT
# Shell functions that every build step shares: messages, the cache, the trixie tree.
# Sourced with `set -eu`; callers run from anywhere.

# Users, and root after "su", lack the folders of chroot and dpkg's programs.
export PATH=$PATH:/usr/sbin:/sbin

# Without symbolic links, as in_tree_path() compares paths.
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$TOP/tools/versions.sh"

CACHE=$(realpath -m "${SUNDOG_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/sundog}")
LOGS=$CACHE/logs

# Proxies that only apt knows also serve mmdebstrap and programs in the tree, but for the hosts that
# apt is to reach without.
take_proxies()
{
	local config name proxy direct
	config=$(apt-config dump 2>/dev/null | sed -nE 's/^Acquire::(https?::Proxy.*)/\1/p')
	[ -n "$config" ] || return 0
	for name in http https; do
		proxy=$(sed -n "s/^$name::Proxy \"\(.*\)\";/\1/p" <<<"$config")
		name+=_proxy
		[ -n "${!name+set}" ] || [[ $proxy != *://* ]] || export "$name=$proxy"
	done
	direct=$(sed -nE 's/^https?::Proxy::([^ ]+) "DIRECT";/\1/p' <<<"$config" | tr '\n' ,)
	[[ -z $direct || ${no_proxy:-} == "$direct"* ]] || export no_proxy="$direct${no_proxy:-}"
}
take_proxies

die()
{
	printf 'sundog: error: %s\n' "$*" >&2
	exit 1
}

say()
{
	printf 'sundog: %s\n' "$*"
}

# key FILE-OR-WORD...: a short hash of files' contents and of plain words. Comments of shell scripts
# do not count.
key()
{
	local item
	for item in "$@"; do
		if [ -d "$item" ]; then
			(cd "$item" && find . -type f -print0 | LC_ALL=C sort -z |
				xargs -0 sha256sum)
		elif [ -f "$item" ]; then
			case $item in
			*.sh) sed '/^[[:space:]]*#/d; /^$/d' "$item" | sha256sum ;;
			*) sha256sum <"$item" ;;
			esac
		else
			printf '%s\n' "$item"
		fi
	done | sha256sum | cut -c1-12
}

# limit SECONDS: prints a timeout that only broken code reaches, also beside busy loops
# (tools/check/check.sh).
limit()
{
	local busy=${SUNDOG_BUSY:-0}
	echo $(($1 * (busy > 0 ? 4 : 1)))
}

# step NAME COMMAND...: run a long command with its output in a log, showing how far it is.
# Progress is the last "[n/m]" that ninja printed, else the elapsed time.
step()
{
	local name=$1 log pid start rc=0 mark
	shift
	mkdir -p "$LOGS"
	log=$LOGS/$name.log
	start=$SECONDS
	say "$name: started, log in $log"
	# Jobs in the background ignore an interrupt from the keyboard by default.
	(trap - INT QUIT; "$@") >"$log" 2>&1 </dev/null &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
			sleep 1
			kill -0 "$pid" 2>/dev/null || break 2
		done
		mark=$(tail -c 4096 "$log" | grep -ao '\[[0-9]*/[0-9]*\]' | tail -n 1 || true)
		say "$name: $((SECONDS - start)) s $mark"
	done
	wait "$pid" || rc=$?
	if [ "$rc" -ne 0 ]; then
		tail -n 25 "$log" >&2
		die "$name failed with status $rc; the whole log is $log"
	fi
	say "$name: done in $((SECONDS - start)) s"
}

# cached DIR: true when DIR was finished by an earlier run; removes a broken leftover.
cached()
{
	[ -e "$1/.complete" ] && return 0
	rm -rf "$1" "$1.tmp"
	return 1
}

# finish TMP DIR: publish a finished folder under its final name, in one rename.
finish()
{
	touch "$1/.complete"
	mv -T "$1" "$2"
}

# The arguments of the script that sources this file, for preflight.
SCRIPT_ARGUMENTS=("$@")

# preflight [--user]: ends the script if the machine or the user cannot run it. With --user a script
# of a user who is not root starts again in a user namespace.
preflight()
{
	local machine
	if [ "$(id -u)" != 0 ]; then
		[ "${1:-}" = --user ] ||
			die "must run as root (it makes a Debian tree and mounts into it)"
		exec "$TOP/tools/build/userns.sh" "$(realpath "$0")" "${SCRIPT_ARGUMENTS[@]}"
	fi
	machine=$(dpkg --print-architecture 2>/dev/null || uname -m)
	[ "$machine" = "$ARCH" ] || die "needs a Debian $ARCH machine, this one is '$machine'"
	# They go into options of mount and of QEMU, and into lists of words.
	[[ $CACHE$TOP != *[[:space:],:]* ]] ||
		die "no spaces, commas or colons may be in the paths $CACHE and $TOP"
	mkdir -p "$CACHE" && [ -w "$CACHE" ] ||
		die "cannot make the cache folder $CACHE; set SUNDOG_CACHE to a writable one"
}

# need_disk [MIB]: ends the script if the cache's disk has less free than that; by default what the
# tree and all that is built in it need.
need_disk()
{
	local free need=${1:-$NEED_MIB}
	free=$(df --output=avail -m "$CACHE" | tail -n 1)
	[ "$free" -ge "$need" ] ||
		die "$CACHE has $free MiB free, this build needs $need MiB;" \
			"free some or set SUNDOG_CACHE"
}

# The Debian mirror: SUNDOG_MIRROR, else what the host's own apt uses, else mmdebstrap's default.
mirror()
{
	local uri
	if [ -n "${SUNDOG_MIRROR:-}" ]; then
		printf '%s\n' "$SUNDOG_MIRROR"
		return
	fi
	uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' \
		'Component: main' 2>/dev/null | grep -E '/debian/?$' | head -n 1 || true)
	printf '%s\n' "${uri%/}"
}

# The mirror of Debian's security updates: SUNDOG_SECURITY_MIRROR, else what the host's own apt uses
# beside mirror(), else the folder debian-security beside that.
security_mirror()
{
	local uri=${SUNDOG_SECURITY_MIRROR:-} main
	[ -n "$uri${SUNDOG_MIRROR:-}" ] ||
		uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
			'Origin: Debian' 'Label: Debian-Security' 'Component: main' 2>/dev/null |
			head -n 1 || true)
	main=$(mirror)
	: "${main:=$PUBLIC_MIRROR}"
	uri=${uri:-${main%/}-security}
	printf '%s\n' "${uri%/}"
}

# suites SUITE: prints a line "URI SUITE" for SUITE, and for each of the suites with its updates.
# SUNDOG_UPDATES=no leaves these out.
suites()
{
	local uri
	uri=$(mirror)
	: "${uri:=$PUBLIC_MIRROR}"
	printf '%s %s\n' "$uri" "$1"
	case $1:${SUNDOG_UPDATES:-} in
	*:no | sid:* | unstable:*) ;;
	*) printf '%s %s\n' "$uri" "$1-updates" "$(security_mirror)" "$1-security" ;;
	esac
}

# has_suite URI SUITE: returns true if a mirror has a suite. The host's apt need not have its lists.
has_suite()
{
	local dir name rc=1
	dir=$(mktemp -d)
	for name in InRelease Release; do
		[ $rc = 0 ] || ! /usr/lib/apt/apt-helper -o Acquire::Retries=3 download-file \
			"$1/dists/$2/$name" "$dir/$name" >/dev/null 2>&1 || rc=0
	done
	rm -r "$dir"
	return $rc
}

# need_updates SUITE: ends the script if the mirror lacks one of suites(): packages and images must
# not lack Debian's security updates by mistake.
need_updates()
{
	local uri suite
	if [ "${SUNDOG_UPDATES:-}" = no ]; then
		say "SUNDOG_UPDATES=no: made without Debian's security updates"
		return
	fi
	while read -r uri suite; do
		has_suite "$uri" "$suite" ||
			die "$uri has no suite $suite, or does not answer; packages and images" \
				"would lack Debian's security updates: name mirrors with" \
				"SUNDOG_MIRROR and SUNDOG_SECURITY_MIRROR," \
				"or go without by SUNDOG_UPDATES=no"
	done < <(suites "$1")
}

# suites_there SUITE: prints the lines of suites() that the mirror has. SUITE itself is one of them
# in any case.
suites_there()
{
	local uri suite
	suites "$1" | while read -r uri suite; do
		if [ "$suite" = "$1" ] || has_suite "$uri" "$suite"; then
			printf '%s %s\n' "$uri" "$suite"
		else
			say "$uri has no suite $suite, or does not answer: going on without it" >&2
		fi
	done
}

TREE_KEY=$(key "$SUITE $ARCH" $PACKAGES_BUILD $PACKAGES_RUN "$TOP/tools/build/tree.sh")
TREE=$CACHE/tree-$TREE_KEY
. "$TOP/tools/build/layers.sh"

# QEMU with the sundog device, and its qtest, as paths inside the tree; tools/build/qemu.sh builds
# them.
QEMU_DIR=$CACHE/qemu-$(key "$TREE_KEY" "$QEMU_SERIES" "$TOP/tools/build/qemu.sh" \
	"$TOP/qemu-device/patches")
QEMU=/cache/${QEMU_DIR##*/}/bin/qemu-system-x86_64
QEMU_TEST=/cache/${QEMU_DIR##*/}/bin/sundog-test

# Build folders of tools/build/native.sh, as paths inside the tree.
NATIVE=/cache/native-$TREE_KEY
NATIVE_ASAN=/cache/native-asan-$TREE_KEY
RENDERER=$CACHE/${NATIVE#/cache/}/renderer/sundog-renderd

# Clang, as a path inside the tree, and what it builds; tools/build/clang.sh and
# tools/check/fuzz.sh.
CLANG_DIR=$CACHE/clang-$(key "$TREE_KEY" "$TOP/tools/build/clang.sh")
CLANG=/cache/${CLANG_DIR##*/}
FUZZ=/cache/fuzz-$TREE_KEY

# Mesa with our driver, and its programs for the bench, as paths inside the tree;
# tools/build/mesa.sh builds them.
MESA_DIR=$CACHE/mesa-$(key "$TREE_KEY" "$MESA_SERIES" "$TOP/tools/build/mesa.sh" \
	"$TOP/mesa-driver/patches")
MESA=/cache/${MESA_DIR##*/}/install
MESA_BENCH=/cache/${MESA_DIR##*/}/bench/src/gallium/tests/sundog

# npm packages; tools/build/npm.sh installs them.
NPM_DIR=$CACHE/npm-$(key "$TOP/tools/build/npm.sh" "$TOP/tools/build/npm-lock.json")
NPM=/cache/${NPM_DIR##*/}

# SPIR-V modules by many compilers; suite corpus_long makes them.
CORPUS_DIR=$CACHE/corpus-$(key "$TREE_KEY" "$TOP/tests/corpus" "$TOP/tests/wgsl" \
	"$TOP/tests/shaders" "$TOP/tests/lib/sha1.c" $LAYER_WEBGPU $PACKAGES_NPM)

# Lavapipe with our patches, as VK_DRIVER_FILES names it inside the tree; tools/build/lavapipe.sh
# builds it.
LAVAPIPE_DIR=$CACHE/lavapipe-$(key "$TREE_KEY" "$MESA_SERIES" "$TOP/lavapipe/options.sh" \
	"$TOP/lavapipe/patches")
LAVAPIPE=/cache/${LAVAPIPE_DIR##*/}/install/share/vulkan/icd.d/lvp_icd.x86_64.json

# The same with AddressSanitizer, which tools/build/lavapipe.sh --asan builds.
LAVAPIPE_ASAN=/cache/${LAVAPIPE_DIR##*/}/asan/share/vulkan/icd.d/lvp_icd.x86_64.json

# Debian's lavapipe, for VK_DRIVER_FILES inside the tree.
DEBIAN_LAVAPIPE=/usr/share/vulkan/icd.d/lvp_icd.json

# Tests of igt-gpu-tools, as a path inside the tree; tools/build/igt-gpu-tools.sh builds them.
IGT_DIR=$CACHE/igt-$(key "$TREE_KEY" "$TOP/tools/build/igt-gpu-tools.sh" "source ${IGT_SOURCE:-}")
IGT=/cache/${IGT_DIR##*/}/build

# A kernel folder has boot/vmlinuz-RELEASE, lib/modules/RELEASE and usr/src/linux-headers-RELEASE.
# The tree is one, with Debian's kernel; tools/build/debug-kernel.sh and
# tools/build/backports-kernel.sh make others.
DEBUG_KERNEL=$CACHE/debug-kernel-$(key "$TOP/tools/build/debug-kernel" \
	"$TOP/tools/build/debug-kernel.sh" \
	"$(cd "$TREE/usr/src" 2>/dev/null && echo linux-headers-*)")
BACKPORTS_KERNEL=$CACHE/backports-kernel-$(key "$BACKPORTS_SUITE" \
	"$TOP/tools/build/backports-kernel.sh")

# Headers only, of every kernel that tools/build/kernel-headers.sh finds.
KERNEL_HEADERS=$CACHE/kernel-headers-$(key "$KERNEL_SUITES" "$TOP/tools/build/kernel-headers.sh")

# The source of Debian's newest kernel, with the patch series of the driver; tools/build/series.sh
# makes them.
SERIES_DIR=$CACHE/series-$(key "$KERNEL_SUITES")

# kernel_release KERNEL: prints the release that `uname -r` has there.
kernel_release()
{
	local release
	release=$(ls "$1/lib/modules" 2>/dev/null) && [ "$release" = "${release#*[[:space:]]}" ] ||
		die "$1/lib/modules does not have just one kernel; delete $1 to have it made again"
	printf '%s\n' "$release"
}

# kmod_dir KERNEL: where tools/build/kmod.sh builds the module for it.
kmod_dir()
{
	printf '%s/kmod-%s\n' "$CACHE" "$(key "$TREE_KEY" "${1##*/}" "$TOP/tools/build/kmod.sh" \
		"$TOP/Kbuild" "$TOP/kernel" "$TOP/igt-tests/gate" \
		"$TOP/protocol/generated/sundog_hw.h")"
}

# The module for the tree's kernel.
KMOD_DIR=$(kmod_dir "$TREE")
KMOD=$KMOD_DIR/sundog.ko

# in_tree_path FILE: the same file as the tree sees it.
in_tree_path()
{
	local path
	path=$(realpath -m "$1")
	case $path in
	"$TOP"/*) printf '/sundog/%s\n' "${path#"$TOP"/}" ;;
	"$TREE") printf '/\n' ;;
	"$TREE"/*) printf '%s\n' "${path#"$TREE"}" ;;
	"$CACHE"/*) printf '/cache/%s\n' "${path#"$CACHE"/}" ;;
	*) die "$1 must lie in the checkout ($TOP) or in the cache ($CACHE)" ;;
	esac
}

# copy_sources DIR: makes DIR, a path in the tree, hold the files of the checkout that meson.build
# builds from. A file whose contents did not change keeps its time and the others get a new one,
# since Ninja compares times, and those of a fresh clone are all new.
copy_sources()
{
	in_tree sh -c 'cd /sundog && mkdir -p "$1" &&
		rsync -rlpcR --delete --delete-excluded --exclude __pycache__ \
			meson.build meson_options.txt bench igt-tests kernel libdrm-ext protocol \
			packaging qemu-device renderer spirv tests tools/sundog "$1"' sh "$1"
}

# once FOLDER COMMAND...: runs the command that makes a cache folder, unless the folder is finished.
# Each folder has its own lock, so that programs that start at the same time make it once.
once()
{
	local folder=$1
	shift
	mkdir -p "$CACHE/locks"
	(
		flock 9
		cached "$folder" || "$@"
	) 9>"$CACHE/locks/${folder##*/}"
}

# fetch WHAT DIR...: runs tools/build/fetch; DIR is a path in the tree.
fetch()
{
	in_tree /sundog/tools/build/fetch "$@"
}

# fetch_once FOLDER NAME WHAT [ARGUMENT...]: makes a cache folder of what tools/build/fetch fetches,
# unless it is finished. NAME is that of the step.
fetch_once()
{
	once "$1" fetch_folder "$@"
}

fetch_folder()
{
	local folder=$1 name=$2 what=$3
	shift 3
	mkdir -p "$folder.tmp"
	step "$name" fetch "$what" "/cache/${folder##*/}.tmp" "$@"
	finish "$folder.tmp" "$folder"
	say "$name: $(head -n 1 "$folder/version") in $folder"
}

# in_tree COMMAND...: run inside the trixie tree, in a private mount namespace, so that a killed
# run leaves no mounts behind. The checkout is /sundog there and the cache is /cache.
in_tree()
{
	TREE="$TREE" TOP="$TOP" CACHE="$CACHE" unshare --mount --propagation private \
		"$TOP/tools/build/chroot.sh" "$@"
}
