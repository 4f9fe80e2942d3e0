#!/bin/bash
# SPDX-License-Identifier: MIT
# Boots systemd in namespaces of its own, over a copy of this root, and uses the units of the
# renderer there. With --install it installs and removes the package sundog-renderd, a file. Prints
# TAP.
# usage: boot-units.sh RENDERD CLIENT UNIT...
#        boot-units.sh --install DEB CLIENT
set -eu
. "$(dirname "$0")/../lib/tap.sh"
N_TESTS=6

skip()
{
	echo "1..0 # SKIP $1"
	exit
}

# inside: the tests, run by a unit of the new systemd.

draws()
{
	SUNDOG_SOCKET=/run/sundog/direct.sock "$client" --frames 1 >/run/said 2>&1 ||
		{ sed 's/^/# /' /run/said; return 1; }
}

# answered: prints the text of the renderer's first message to a device, which sends nothing.
answered()
{
	timeout 20 python3 - <<-'END'
		import socket
		with socket.socket(socket.AF_UNIX) as peer:
		    peer.connect("/run/sundog/device.sock")
		    print(peer.recv(300)[8:].split(b"\0")[0].decode())
	END
}

only_device_socket()
{
	systemctl start sundog-renderd-device.socket
	python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("/run/sundog/device.sock")'
	wait_until systemctl is-active --quiet sundog-renderd.service &&
		! systemctl is-active --quiet sundog-renderd.socket &&
		[ ! -e /run/sundog/direct.sock ]
}

says_why()
{
	local i
	for i in 1 2 3 4 5 6 7 8; do
		answered >/run/answer 2>&1
		grep -q 'vkCreateInstance failed' /run/answer && continue
		sed 's/^/# /' /run/answer
		return 1
	done
}

are_active()
{
	systemctl is-active --quiet sundog-renderd.socket sundog-renderd-device.socket
}

stop()
{
	systemctl stop sundog-renderd.socket sundog-renderd-device.socket sundog-renderd.service
}

tests()
{
	local more=/run/systemd/system/sundog-renderd.service.d
	mkdir -p "$more"
	printf '[Service]\nStandardError=append:/run/said-by-renderd\n' >"$more/log.conf"
	systemctl daemon-reload
	systemctl start sundog-renderd.socket sundog-renderd-device.socket
	check "a program draws through the socket of systemd" draws
	stop
	[ ! -e /run/sundog/direct.sock ] && [ ! -e /run/sundog/device.sock ]
	report $? "sockets that are stopped are gone"
	check "the socket for QEMU works without the one for programs" only_device_socket
	stop
	printf '[Service]\nEnvironment=VK_DRIVER_FILES=/nonexistent\n' >"$more/broken.conf"
	systemctl daemon-reload
	systemctl start sundog-renderd.socket sundog-renderd-device.socket
	check "without a Vulkan driver the renderer says so, to each of eight peers" says_why
	check "the sockets stay" are_active
	rm "$more/broken.conf"
	systemctl daemon-reload
	check "programs draw as soon as there is a driver" draws
	stop
	sort -u /run/said-by-renderd | sed 's/^/# /'
}

quietly()
{
	"$@" >/run/log 2>&1 || { sed 's/^/# /' /run/log; return 1; }
}

# dpkg_here: without what DKMS or others of the package's dependents need.
dpkg_here()
{
	quietly env DEBIAN_FRONTEND=noninteractive dpkg --force-depends "$@"
}

service_is_active()
{
	systemctl is-active --quiet sundog-renderd.service
}

service_pid()
{
	systemctl show -P MainPID sundog-renderd.service
}

keeps_service()
{
	local pid
	pid=$(service_pid) && [ "$pid" != 0 ] && dpkg_here --install "$deb" &&
		[ "$(service_pid)" = "$pid" ]
}

nothing_is_active()
{
	! systemctl is-active sundog-renderd.socket sundog-renderd-device.socket \
		sundog-renderd.service | grep -v '^inactive$' | sed 's/^/# /' | grep .
}

install_tests()
{
	dpkg_here --purge sundog-renderd
	check "the package can be installed" dpkg_here --install "$deb"
	check "the installation starts both sockets" are_active
	check "the installation starts no renderer" eval '! service_is_active'
	check "a program draws through the socket" draws
	check "an upgrade keeps the renderer" keeps_service
	dpkg_here --remove sundog-renderd
	check "removal stops the sockets and the renderer" nothing_is_active
}

if [ "$1" = --inside ]; then
	client=$2 deb=${3:-}
	set +e
	if [ -n "$deb" ]; then install_tests; else tests; fi >/results 2>&1
	systemctl exit 0
	exit
fi

# in_namespaces: makes the new root from this one and becomes its systemd. Programs are bound, so
# that they need not be copied.
in_namespaces()
{
	local name
	mount -t overlay overlay "$dir/root" -o "lowerdir=/,upperdir=$dir/up,workdir=$dir/work"
	cd "$dir/root"
	mount -t tmpfs tmpfs dev
	for name in null zero full random urandom tty; do
		touch "dev/$name"
		mount --bind "/dev/$name" "dev/$name"
	done
	# PrivateDevices= needs all of these.
	mkdir dev/shm dev/pts dev/mqueue dev/hugepages
	mount -t tmpfs tmpfs dev/shm
	mount -t devpts devpts dev/pts -o newinstance,ptmxmode=666
	ln -s pts/ptmx dev/ptmx
	ln -s /proc/self/fd dev/fd
	mount -t proc proc proc
	mount -t sysfs sysfs sys
	mount -t cgroup2 cgroup2 sys/fs/cgroup
	mount -o remount,ro,bind sys
	mount -t tmpfs tmpfs run
	mount -t tmpfs tmpfs tmp
	mount --rbind /cache cache
	mount --rbind /sundog sundog
	: >results
	: >etc/machine-id
	printf '[Unit]\nDefaultDependencies=no\nWants=tests.service\n' \
		>etc/systemd/system/tests.target
	printf '[Unit]\nDefaultDependencies=no\n[Service]\nType=oneshot\nExecStart=%s\n' \
		"/bin/bash /sundog/tests/host/boot-units.sh --inside $client $deb" \
		>etc/systemd/system/tests.service
	# Not pivot_root, which fails in a chroot.
	mount --move . /
	exec chroot . env -i container=sundog PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		/usr/lib/systemd/systemd --system --unit=tests.target --log-target=null
}

if [ "$1" = --namespaces ]; then
	dir=$2 client=$3 deb=${4:-}
	in_namespaces
fi

deb=
if [ "$1" = --install ]; then
	deb=$(realpath "$2")
	shift
fi
renderd=$(realpath "$1") client=$(realpath "$2")
shift 2
[ -x /usr/lib/systemd/systemd ] || skip "there is no systemd"
dir=$(mktemp -d)
clean()
{
	local group=$dir/cgroup/sundog-units-$$
	umount -R "$dir/root" 2>/dev/null || true
	[ ! -d "$group" ] || find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
	umount "$dir/cgroup" 2>/dev/null || true
	umount "$dir" && rmdir "$dir"
}
mount -t tmpfs tmpfs "$dir" 2>/dev/null || { rmdir "$dir"; skip "nothing can be mounted"; }
trap clean EXIT
mkdir "$dir/root" "$dir/up" "$dir/work" "$dir/cgroup"
mount -t cgroup2 none "$dir/cgroup" 2>/dev/null &&
	mkdir "$dir/cgroup/sundog-units-$$" 2>/dev/null || skip "there is no cgroup2"
if [ -z "$deb" ]; then
	mkdir -p "$dir/up/usr/bin" "$dir/up/usr/lib/systemd/system"
	cp "$renderd" "$dir/up/usr/bin/sundog-renderd"
	cp "$@" "$dir/up/usr/lib/systemd/system/"
fi
timeout -k 5 "$patience" bash -c '
	echo $$ >"$1/cgroup/sundog-units-$2/cgroup.procs"
	exec unshare --cgroup --pid --fork --kill-child --ipc --uts --net \
		--mount --propagation unchanged bash "$0" --namespaces "${@:3}"
' "$0" "$dir" $$ "$dir" "$client" $deb >"$dir/log" 2>&1 || true
if [ ! -s "$dir/up/results" ]; then
	sed 's/^/# /' "$dir/log"
	skip "systemd does not boot in namespaces here"
fi
echo "1..$N_TESTS"
cat "$dir/up/results"
