# SPDX-License-Identifier: MIT
# Shell functions, in the trixie tree: make an initramfs for a guest that has no other root. The
# scripts that define its contents source this file; the current folder is then its root, which is
# removed at exit.
root=$(mktemp -d)
# mktemp makes it for one user; other users of the guest have to get past it, too.
chmod 755 "$root"
trap 'rm -rf "$root"' EXIT
cd "$root"
mkdir -p bin dev proc run sys tmp lib64 usr/lib sundog/tests/{guest,lib} sundog/tools/guest
ln -s usr/lib lib
install /bin/busybox bin/

# add_libraries FILE...: adds the libraries that the files are linked with, at the paths where they
# look for them.
add_libraries()
{
	local library
	for library in $(ldd "$@" | grep -o '/[^ :]*\.so[^ :]*'); do
		[ -e "$root/$library" ] || install -D "$library" "$root/$library"
	done
}

# add PROGRAM FOLDER: adds a program and its libraries.
add()
{
	install -D "$1" "$root/$2/${1##*/}"
	add_libraries "$1"
}

# add_modules MODULE RELEASE NAME...: adds sundog.ko, the gate module beside it, modules of the
# kernel, and the modules that they need. They are uncompressed, because busybox cannot load
# compressed ones.
add_modules()
{
	local module=$1 release=$2 modules=$root/usr/lib/modules/$2 name how file
	local gate=${1%/*}/gate/sundog_gate.ko
	shift 2
	mkdir -p "$modules"
	cp "$module" "$modules/sundog.ko"
	[ ! -e "$gate" ] || cp "$gate" "$modules/"
	for name in "$@" $(modinfo -F depends "$module" | tr , ' '); do
		modprobe -S "$release" --show-depends "$name"
	done | sort -u | while read -r how file; do
		[ "$how" = insmod ] || continue
		case $file in
		*.xz) xz -dc "$file" >"$modules/$(basename "$file" .xz)" ;;
		*.zst) zstd -dcq "$file" >"$modules/$(basename "$file" .zst)" ;;
		*) cp "$file" "$modules/" ;;
		esac
	done
	cp "/lib/modules/$release/"modules.{order,builtin,builtin.modinfo} "$modules/"
	depmod -b "$root" "$release"
}

# pack TARGET: writes the archive uncompressed, since unpacking is slow in an emulated guest.
pack()
{
	find . | cpio -o -H newc --quiet >"$1"
}
