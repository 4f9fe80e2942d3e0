#!/bin/bash
# SPDX-License-Identifier: MIT
# `make identity`: compares the identity, features and limits that programs query with those of
# peers, and updates docs/reference/identity.md. Fails if a difference has no decision in
# docs/reference/identity.yaml. Logs in out/identity.
# usage: identity.sh [--venus]
# --venus: also run venus in a guest; otherwise the log of its last run is used, if there is one
set -eu
. "$(dirname "$0")/../lib.sh"
preflight

icds=share/vulkan/icd.d
logs=$TOP/out/identity
"$TOP/tools/build/parts.sh" tree native mesa
mkdir -p "$logs"

# gl NAME DRIVER: runs eglinfo and glxinfo on a driver of tests/host/with-driver.sh.
gl()
{
	local name=$1 driver=$2
	in_tree /sundog/tests/host/with-xvfb.sh /sundog/tests/host/with-driver.sh \
		"$driver" "$NATIVE" "$MESA" eglinfo -p surfaceless >"$logs/$name.egl.log" 2>&1 ||
		die "eglinfo on $driver failed, see out/identity/$name.egl.log"
	in_tree /sundog/tests/host/with-xvfb.sh /sundog/tests/host/with-driver.sh \
		"$driver" "$NATIVE" "$MESA" glxinfo -l >"$logs/$name.glx.log" 2>&1 ||
		die "glxinfo on $driver failed, see out/identity/$name.glx.log"
}

gl sundog sundog
gl lavapipe llvmpipe
# VK_DRIVER_FILES is set for vulkaninfo only: the renderer loads the host's default driver.
in_tree /sundog/tests/host/with-renderd.sh "$NATIVE/renderer/sundog-renderd" env \
	VK_DRIVER_FILES="$MESA/$icds/sundog_icd.x86_64.json" "$MESA/bin/sundog-mesa" vulkaninfo \
	>"$logs/sundog.vulkan.log" 2>&1 ||
	die "vulkaninfo on sundog failed, see out/identity/sundog.vulkan.log"
in_tree env VK_DRIVER_FILES="/usr/$icds/lvp_icd.json" vulkaninfo \
	>"$logs/lavapipe.vulkan.log" 2>&1 ||
	die "vulkaninfo on lavapipe failed, see out/identity/lavapipe.vulkan.log"
if [ "${1:-}" = --venus ]; then
	"$TOP/tools/build/parts.sh" qemu
	"$TOP/tools/guest/guest.sh" --out "$logs/guest" --memory 4G --virgl --module none \
		--device virtio-gpu-gl-pci,venus=on,blob=on,hostmem=1G "modprobe virtio_gpu; sleep 1
		VK_DRIVER_FILES=/usr/$icds/virtio_icd.json vulkaninfo >/out/vulkan.log" \
		>"$logs/guest.log" 2>&1 && cp "$logs/guest/vulkan.log" "$logs/venus.vulkan.log" ||
		say "identity: the guest with venus failed, skipping it: see out/identity/guest.log"
fi
in_tree python3 /sundog/tools/docs/identity.py /sundog/docs/reference/identity.yaml \
	/sundog/out/identity /sundog/docs/reference/identity.md
