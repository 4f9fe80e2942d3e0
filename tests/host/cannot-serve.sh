#!/bin/bash
# SPDX-License-Identifier: MIT
# cannot-serve.sh RENDERD OF-NULL: tests a renderer that can use no Vulkan device: it says why, and
# ends with status 1. OF-NULL is one that was built for the host driver /dev/null. Prints TAP.
set -eu
. "$(dirname "$0")/../lib/tap.sh"
renderd=$1 of_null=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# ends COMMAND...: runs a renderer with these options and environment until it ends. Returns true
# if its status is 1. Its log is $dir/log.
ends()
{
	local status=0
	timeout "$patience" env "$@" --socket "$dir/socket" --chardev "$dir/device" \
		2>"$dir/log" || status=$?
	sed 's/^/# /' "$dir/log"
	[ "$status" = 1 ]
}

says()
{
	grep -q "$1" "$dir/log"
}

no_driver()
{
	ends "$@" && says VK_ERROR_INCOMPATIBLE_DRIVER
}

echo 1..7
check "a renderer without the device of --gpu ends with status 1" ends "$renderd" --gpu Radeon
check "its log has the names of the devices" \
	says "no Vulkan device has 'Radeon' in its name.*'llvmpipe"
check "a renderer without a Vulkan driver ends with status 1" \
	ends VK_DRIVER_FILES=/dev/null "$renderd"
check "its log names the VkResult" says "VK_ERROR_INCOMPATIBLE_DRIVER (-9)"
check "its log names the package" says mesa-vulkan-drivers
check "a renderer uses the host driver that it was built for" \
	no_driver env -u VK_DRIVER_FILES "$of_null"
check "--gpu has priority over that driver" ends -u VK_DRIVER_FILES "$of_null" --gpu Radeon
