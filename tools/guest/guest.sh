#!/bin/bash
# SPDX-License-Identifier: MIT
# Boots a guest from the trixie tree, runs a command in it, and exits with the command's status. See
# usage() below. tools/guest/vm runs QEMU, tools/guest/init is the guest's first program.
set -eu
. "$(dirname "$0")/../lib.sh"

usage()
{
	cat <<-END
	usage: tools/guest/guest.sh [OPTION...] [COMMAND]
	Boots a guest and runs COMMAND (bash) in it. In the guest the checkout is /sundog and the
	cache /cache, both read-only; the rest of the root may be written and is lost at the end.

	  --out DIR         shared folder, /out in the guest; in the checkout (default out/guest).
	                    It gets command.sh, serial.log and dmesg.txt, and timeout.txt with
	                    the registers of the CPUs if the guest is not done in time
	  --script FILE     run FILE instead of COMMAND
	  --timeout S       give up after S seconds (default 300)
	  --device DEV      a QEMU device; 'sundog', with options or without, is sundog with our
	                    renderer. Default: sundog. May be given more than once; 'none' for no
	                    device
	  --vram SIZE       VRAM of 'sundog' (default 1G)
	  --renderer FILE   renderer of 'sundog', a path in the checkout or the cache; 'none' for 2D
	                    only
	  --kernel DIR      kernel folder, see tools/lib.sh (default: the tree, with Debian's
	                    kernel)
	  --lavapipe        the renderer runs on the lavapipe of tools/build/lavapipe.sh, not on the
	                    tree's
	  --initramfs FILE  boot only that, a path in the checkout: there is no COMMAND, and no /out
	  --module FILE     sundog.ko, a path in the checkout or the cache; 'none' to leave it out.
	                    Default: the module of tools/build/kmod.sh for the kernel, none with
	                    Debian's QEMU
	  --layer NAME      a layer of tools/build/layers.sh over the guest's root
	  --installed       QEMU, renderer, module and Mesa of out/packages, from the layer
	                    \`installed', or that of --layer (tools/build/packages.sh --install)
	  --stock           Debian's QEMU instead of ours; no sundog device
	  --virgl           Debian's QEMU with virtio-gpu and virgl, on a display of its own
	  --memory SIZE, --cpus N   (default 2G, 2)
	  --accel ACCEL     QEMU's accelerator, or 'auto' (default, or SUNDOG_ACCEL): KVM if a
	                    guest boots with it, which is tried once, else tcg,thread=multi
	  --print-accel     only print what 'auto' stands for here
	  --append TEXT     more kernel parameters
	  --qemu ARGS       more QEMU options, one string; may be given more than once
	  --display ARGS    QEMU options that make a display, instead of none
	  --vnc HEADS       as many heads of the first device have windows, whose size
	                    tools/guest/ask changes
	  --allow-dmesg     do not fail when the kernel log has errors
	  --shell           interactive: the serial console here, the screen in a window if there is
	                    a display, else on a VNC socket; COMMAND runs first; Ctrl-A X ends it

	Status: COMMAND's; 124 time is over, 125 the guest ended early, 126 errors in the kernel
	log.
	END
}

out=$TOP/out/guest script= command= timeout=300 devices=() vram=1G renderer= kernel=$TREE module=
layer= initramfs= qemu= shell= memory=2G cpus=2 accel=${SUNDOG_ACCEL:-auto} vm=()

while [ $# -gt 0 ]; do
	case $1 in
	--lavapipe | --installed | --stock | --virgl | --allow-dmesg | --shell | --print-accel) ;;
	-h | --help) ;;
	--*) [ $# -gt 1 ] || { usage >&2; die "$1 needs a value, see the list above"; } ;;
	esac
	case $1 in
	--out) out=$2; shift ;;
	--script) script=$2; shift ;;
	--timeout) timeout=$2; shift ;;
	--device) devices+=("$2"); shift ;;
	--vram) vram=$2; shift ;;
	--renderer) renderer=$2; shift ;;
	--kernel) kernel=$2; shift ;;
	--lavapipe) vm+=(--env "VK_DRIVER_FILES=$LAVAPIPE") ;;
	--initramfs) initramfs=$2; shift ;;
	--module) module=$2; shift ;;
	--layer) layer=$2; shift ;;
	--installed) qemu=installed ;;
	--stock) qemu=stock ;;
	--virgl) qemu=virgl ;;
	--memory) memory=$2; shift ;;
	--cpus) cpus=$2; shift ;;
	--accel) accel=$2; shift ;;
	--print-accel) accel=print command=none ;;
	--append) vm+=(--append "$2"); shift ;;
	--qemu) vm+=("--qemu-arg=$2"); shift ;;
	--display) vm+=("--display=$2"); shift ;;
	--vnc) vm+=(--vnc "$2"); shift ;;
	--allow-dmesg) vm+=(--allow-dmesg) ;;
	--shell) vm+=(--shell); timeout=0; shell=1 ;;
	-h | --help) usage; exit ;;
	-*) usage >&2; die "unknown option $1, see the list above" ;;
	*) command=$1 ;;
	esac
	shift
done
[ -n "$command$script$shell$initramfs" ] || {
	usage >&2
	die "no COMMAND given, nor --script, --shell or --initramfs"
}
[ "$qemu" != installed ] || : "${layer:=installed}"
case $layer in
installed*)
	[ -e "$(layer_dir "$layer")/.complete" ] ||
		die "the packages are not installed, run" \
			"tools/build/packages.sh --install $layer"
	;;
esac
[ -z "$layer" ] || [ -e "$(layer_dir "$layer")/.complete" ] ||
	die "there is no layer $layer, run tools/build/layer.sh $layer"
preflight --user
[ -e "$TREE/.complete" ] || die "the trixie tree is not there, run tools/build/tree.sh"

release=$(kernel_release "$kernel")

# The initramfs: busybox, modules to mount the root unless the kernel has them built in, and
# tools/guest/initramfs.
GUEST=$CACHE/guest-$(key "$TREE_KEY" "${kernel##*/}" "$TOP/tools/guest/initramfs")
make_initramfs()
{
	in_tree bash -euc '
		rm -rf "$1" && mkdir -p "$1" && cd "$1"
		mkdir -p root/bin root/proc root/sys root/dev root/lower root/upper root/newroot \
			root/modules
		cp /bin/busybox root/bin/
		cp /sundog/tools/guest/initramfs root/init
		touch root/modules/order
		for module in netfs 9pnet 9pnet_virtio 9p overlay; do
			file=$(modinfo -b "$3" -k "$2" -n $module)
			case $file in
			"(builtin)") continue ;;
			*.xz) xz -dc "$file" >root/modules/$module.ko ;;
			*.zst) zstd -dcq "$file" >root/modules/$module.ko ;;
			*) cp "$file" root/modules/ ;;
			esac
			echo $module.ko >>root/modules/order
		done
		(cd root && find . | cpio -o -H newc --quiet | zstd -q) >initramfs
		rm -rf root' sh "/cache/${GUEST##*/}.tmp" "$release" "$(in_tree_path "$kernel")"
	finish "$GUEST.tmp" "$GUEST"
}

# make_modules PLACE MODULE GATE: makes the folder that becomes /lib/modules/RELEASE. It has the
# kernel's modules, bound in by name, and the module GATE of igt-tests/gate if it exists. If MODULE
# is not empty, it is in the folder PLACE, as sundog whatever its file is called. depmod reads all
# of them once, so that modprobe knows their dependencies.
make_modules()
{
	in_tree bash -euc '
		dir=$1/lib/modules/$2
		rm -rf "$1" && mkdir -p "$dir/kernel" "$dir/$4"
		name=${5##*/}
		[ -z "$5" ] || cp "$5" "$dir/$4/sundog.ko${name##*.ko}"
		[ ! -e "$6" ] || cp "$6" "$dir/$4/"
		cp "$3"/modules.builtin* "$3"/modules.order "$dir/"
		mount --bind "$3/kernel" "$dir/kernel"
		depmod -b "$1" "$2"' \
		sh "/cache/${MODULES##*/}.tmp" "$release" "$kernel_modules" "$@"
	finish "$MODULES.tmp" "$MODULES"
}

# probe_kvm: makes the folder KVM, with a file if a guest boots with KVM. An accessible /dev/kvm
# says nothing: in a VM, that of its host may lack instructions that kernels use.
probe_kvm()
{
	local status=0
	say "trying to boot a guest with KVM"
	mkdir -p "$KVM.tmp"
	"$0" --out "$KVM.tmp/guest" --accel kvm --device none --module none --timeout 30 true \
		>"$KVM.tmp/log" 2>&1 || status=$?
	if [ "$status" = 0 ]; then
		touch "$KVM.tmp/works"
	elif [ "$status" -ge 128 ]; then
		die "trying to boot a guest with KVM: ended by a signal"
	else
		say "no guest boots with KVM here: TCG is used, see $KVM/log"
	fi
	finish "$KVM.tmp" "$KVM"
}

# find_accel: prints KVM if a guest boots with it, else TCG, and nothing else.
find_accel()
{
	if [ -e /dev/kvm ] && ! { [ -r /dev/kvm ] && [ -w /dev/kvm ]; }; then
		say "this user may not open /dev/kvm: TCG is used" >&2
	elif [ -e /dev/kvm ] && [ -x "$CACHE/${QEMU#/cache/}" ]; then
		KVM=$CACHE/kvm-$(key "$TREE_KEY" "${QEMU_DIR##*/}" "$(uname -r)" \
			"$(kernel_release "$TREE")")
		once "$KVM" probe_kvm >&2 || exit
		[ ! -e "$KVM/works" ] || { echo kvm; return; }
	fi
	echo tcg,thread=multi
}
case $accel in
auto) accel=$(find_accel) ;;
print) find_accel; exit ;;
esac

once "$GUEST" make_initramfs
initramfs=${initramfs:+$(in_tree_path "$initramfs")}
: "${initramfs:=/cache/${GUEST##*/}/initramfs}"

place=extra
if [ "$qemu" = installed ]; then
	place=updates/dkms
	# DKMS may compress the module.
	installed=$(layer_dir "$layer")/files/usr/lib/modules/$release/$place
	installed=$(ls "$installed"/sundog.ko*) ||
		die "DKMS built no module for $release, see $LOGS/layer-$layer.log"
	: "${module:=$installed}" "${renderer:=auto}"
fi
[ -n "$module" ] || module=${qemu:+none}
[ -n "$module" ] || module=$(kmod_dir "$kernel")/sundog.ko
[ "$module" = none ] || [ -e "$module" ] ||
	die "there is no module $module; run tools/build/kmod.sh, or give --module FILE or none"
kernel_modules=$(in_tree_path "$kernel/lib/modules/$release")
extra= gate=
if [ "$module" != none ]; then
	extra=$(in_tree_path "$module")
	gate=$(dirname "$module")/gate/sundog_gate.ko
	[ -e "$gate" ] || gate=
fi
MODULES=$CACHE/modules-$(key "$TREE_KEY" "${kernel##*/}" ${extra:+"$module"} ${gate:+"$gate"})
once "$MODULES" make_modules "$place" "$extra" "${gate:+$(in_tree_path "$gate")}"
# Keeps the folders that were used last.
touch "$MODULES"
ls -dt "$CACHE"/modules-* | tail -n +9 | xargs -r -d '\n' rm -rf

# device NAME: prints QEMU's option for a device.
device()
{
	case $1 in
	sundog | sundog,*)
		[ "$renderer" = none ] || : "${renderer:=${RENDERER:-}}"
		[ -n "$renderer" ] ||
			die "no renderer was built; run tools/build/native.sh," \
				"or give --renderer FILE"
		case $renderer in
		none | auto) ;;
		*) set -- "$1" "$(in_tree_path "$renderer")" ;;
		esac
		printf 'sundog,vram=%s,renderer=%s%s\n' "$vram" "${2:-$renderer}" "${1#sundog}"
		;;
	*) printf '%s\n' "$1" ;;
	esac
}

case $qemu in
installed)
	QEMU=/usr/bin/qemu-system-sundog
	[ -n "${devices:-}" ] || devices=(sundog)
	;;
stock)
	QEMU=/usr/bin/qemu-system-x86_64
	[ -n "${devices:-}" ] || devices=(none)
	;;
virgl)
	QEMU=/usr/bin/qemu-system-x86_64
	[ -n "${devices:-}" ] || devices=(virtio-gpu-gl-pci)
	vm+=(--xvfb "--display=-display sdl,gl=on")
	;;
*)
	[ -x "$CACHE/${QEMU#/cache/}" ] ||
		die "QEMU was not built, run tools/build/qemu.sh (or give --stock)"
	[ -n "${devices:-}" ] || devices=(sundog)
	;;
esac
for name in "${devices[@]}"; do
	[ "$name" = none ] || vm+=("--device=$(device "$name")")
done

mkdir -p "$out"
out=$(realpath "$out")

# The screen of an interactive guest: a window if there is a display, otherwise VNC. The tree has
# its own /tmp, so the X server has to listen on its abstract socket too, as it does by default.
if [ -n "$shell" ] && [ -z "$qemu" ]; then
	if [ -n "${DISPLAY:-}" ]; then
		vm+=("--display=-display sdl" --env "DISPLAY=$DISPLAY")
		if [ -r "${XAUTHORITY:-$HOME/.Xauthority}" ]; then
			install -m 600 "${XAUTHORITY:-$HOME/.Xauthority}" "$CACHE/xauthority"
			vm+=(--env XAUTHORITY=/cache/xauthority)
		fi
	else
		vm+=("--display=-display vnc=unix:$(in_tree_path "$out/vnc.sock")")
		say "screen: connect a VNC viewer to $out/vnc.sock"
	fi
fi

rm -f "$out/dmesg.txt" "$out/serial.log"
if [ -n "$script" ]; then
	cp "$script" "$out/command.sh"
else
	printf '%s\n' "$command" >"$out/command.sh"
fi
out=$(in_tree_path "$out")

LAYER=${layer:+$(layer_dir "$layer")} in_tree python3 /sundog/tools/guest/vm --qemu "$QEMU" \
	--kernel "$(in_tree_path "$kernel/boot/vmlinuz-$release")" --release "$release" \
	--kernel-modules "$kernel_modules" --modules "/cache/${MODULES##*/}/lib/modules/$release" \
	--initrd "$initramfs" --out "$out" \
	--log "$out/serial.log" --timeout "$(limit "$timeout")" --memory "$memory" --cpus "$cpus" \
	--accel "$accel" "${vm[@]}"
