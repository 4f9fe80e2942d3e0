#!/bin/bash
# SPDX-License-Identifier: MIT
# `make features`: writes docs/features.md, the features that our drivers and their peers report,
# and docs/exercised.md, the tests that exercise each of our extensions and Vulkan features. Logs in
# out/features.
set -eu
. "$(dirname "$0")/../lib.sh"
preflight

drivers="sundog llvmpipe zink virgl"
icds=share/vulkan/icd.d
logs=$TOP/out/features
"$TOP/tools/build/parts.sh" tree native mesa kmod qemu
mkdir -p "$logs"
for driver in $drivers; do
	in_tree /sundog/tests/host/with-xvfb.sh /sundog/tests/host/with-driver.sh \
		"$driver" "$NATIVE" "$MESA" eglinfo -p surfaceless >"$logs/$driver.log" 2>&1 ||
		die "eglinfo on $driver failed, see out/features/$driver.log"
done
in_tree /sundog/tests/host/with-xvfb.sh /sundog/tests/host/with-driver.sh sundog "$NATIVE" "$MESA" \
	sh -c '
	eglinfo -p x11; glxinfo | sed -n "/^GLX version/,/^Extended renderer/p"' \
	>"$logs/windows.log" 2>&1 ||
	die "eglinfo or glxinfo on sundog failed, see out/features/windows.log"

in_tree /sundog/tests/host/with-renderd.sh "$NATIVE/renderer/sundog-renderd" env \
	VK_DRIVER_FILES="$MESA/$icds/sundog_icd.x86_64.json" "$MESA/bin/sundog-mesa" vulkaninfo \
	>"$logs/vulkan-sundog.log" 2>&1 ||
	die "vulkaninfo on sundog failed, see out/features/vulkan-sundog.log"
in_tree env VK_DRIVER_FILES="/usr/$icds/lvp_icd.json" vulkaninfo \
	>"$logs/vulkan-lavapipe.log" 2>&1 ||
	die "vulkaninfo on lavapipe failed, see out/features/vulkan-lavapipe.log"
"$TOP/tools/guest/guest.sh" --out "$logs/guest" "modprobe sundog
	$MESA/bin/sundog-mesa eglinfo -p gbm >/out/eglinfo.log
	VK_DRIVER_FILES=$MESA/$icds/sundog_icd.x86_64.json \
	$MESA/bin/sundog-mesa vulkaninfo >/out/vulkan.log" \
	>"$logs/guest.log" 2>&1 ||
	die "eglinfo or vulkaninfo failed in a guest, see out/features/guest.log"
# Venus has requirements that not every host meets; without it the page says so.
"$TOP/tools/guest/guest.sh" --out "$logs/guest-venus" --memory 4G --virgl --module none \
	--device virtio-gpu-gl-pci,venus=on,blob=on,hostmem=1G "modprobe virtio_gpu; sleep 1
	VK_DRIVER_FILES=/usr/$icds/virtio_icd.json vulkaninfo >/out/vulkan.log" \
	>"$logs/guest-venus.log" 2>&1 ||
	say "features: the guest with venus failed, skipping it:" \
		"see out/features/guest-venus.log"

{
	in_tree python3 /sundog/tools/docs/features.py /sundog/out/features $drivers
	in_tree python3 /sundog/tools/docs/features_vulkan.py /sundog/out/features
} >"$TOP/docs/features.md"

# Counts only tests that passed, if `make piglit` ran before.
"$TOP/tools/build/layer.sh" piglit
source=/cache/${MESA_DIR##*/}/src/mesa/src
{
	in_layer piglit python3 /sundog/tools/docs/exercised.py \
		"$source/mapi/glapi/registry/gl.xml,$source/egl/generate/egl.xml" \
		/usr/lib/x86_64-linux-gnu/piglit /sundog/out/piglit /sundog/tests \
		/sundog/out/features/sundog.log /sundog/out/features/windows.log \
		/sundog/out/features/guest/eglinfo.log
	in_tree python3 /sundog/tools/docs/exercised_vulkan.py "$source/vulkan/registry/vk.xml" \
		/usr/include/spirv/unified1/spirv.h /sundog/tests/vk "$NATIVE/tests/vk" \
		/sundog/out/features/vulkan-sundog.log /sundog/out/features/guest/vulkan.log
} >"$TOP/docs/exercised.md"
