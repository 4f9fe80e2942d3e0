# SPDX-License-Identifier: MIT
# The one place for what sundog is built from and against. Sourced by tools/lib.sh.

SUITE=trixie			# build root and guest root
ARCH=amd64
QEMU_SERIES=10.0		# Debian source package qemu
MESA_SERIES=25.0		# Debian source package mesa
LINUX_SERIES=6.12		# Debian kernel: guest kernel and headers
BACKPORTS_SUITE=trixie-backports	# the newest kernel, for `make check-full`
TESTING_SUITE=forky		# its guests run the packages of SUITE
KERNEL_SUITES="$SUITE $BACKPORTS_SUITE $TESTING_SUITE sid"	# all suites with kernels

# Of images that users get; what is built here comes from the mirror of this machine.
PUBLIC_MIRROR=http://deb.debian.org/debian

# Free space a cold run needs in the cache folder, in MiB.
NEED_MIB=14000

# Packages that build our own programs, QEMU and Mesa.
PACKAGES_BUILD="
	build-essential meson ninja-build ccache pkg-config git ca-certificates dpkg-dev
	python3 python3-mako python3-yaml python3-ply python3-venv python3-pip
	python3-setuptools python3-wheel python3-tomli python3-packaging
	bison flex cmake glslang-tools spirv-tools spirv-headers
	libvulkan-dev vulkan-utility-libraries-dev libdrm-dev libseccomp-dev libglib2.0-dev
	libpixman-1-dev
	libpng-dev zlib1g-dev libexpat1-dev libegl-dev libgles-dev libgl-dev libgbm-dev
	libcap-ng-dev libattr1-dev libslirp-dev libfdt-dev libsdl2-dev libspice-server-dev
	libx11-dev libx11-xcb-dev libxext-dev libxfixes-dev libxcb1-dev
	libxcb-dri2-0-dev libxcb-dri3-dev libxcb-present-dev libxcb-sync-dev
	libxcb-glx0-dev libxcb-shm0-dev libxcb-randr0-dev libxcb-xfixes0-dev
	libxcb-keysyms1-dev libxshmfence-dev libxxf86vm-dev libxrandr-dev
	libwayland-dev libwayland-egl-backend-dev wayland-protocols
	libzstd-dev libudev-dev libglvnd-dev libelf-dev x11proto-dev
	linux-headers-amd64 sparse clang-format perl bc rsync libssl-dev"

# Packages that run: the guest's kernel and programs, the peers, helpers of tests.
PACKAGES_RUN="
	linux-image-amd64 busybox-static kmod cpio zstd
	libgl1-mesa-dri mesa-vulkan-drivers libegl1 libgles2 libgl1 libgbm1 libopengl0
	libdrm-tests glmark2-es2-x11 glmark2-es2-drm glmark2-x11 glmark2-data
	vkmark vulkan-tools mesa-utils mesa-utils-bin kmscube drm-info
	intel-gpu-tools virgl-server xvfb qemu-system-x86 qemu-system-gui
	weston xwayland xserver-xorg-core seatd x11-utils fonts-dejavu-core
	glmark2-wayland glmark2-es2-wayland
	imagemagick strace gdb iproute2 procps psmisc"
