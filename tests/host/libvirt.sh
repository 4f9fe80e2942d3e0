#!/bin/bash
# SPDX-License-Identifier: MIT
# In a tree with the packages and libvirt: starts a guest as docs/user/libvirt.md says, under
# libvirt's default sandbox, and ends its renderer while it draws. With `apparmor`, in a guest whose
# kernel has it, all run under Debian's profiles and ours. Prints TAP.
# usage: libvirt.sh KERNEL INITRAMFS OUT [apparmor]
set -u
kernel=$1 initramfs=$2 out=$3 security=${4:-none}
patience=300
. /sundog/tests/lib/tap.sh
cmdline="console=ttyS0 quiet"
# Two emulations deep, as in tests/guest/guest-nested.
[ "$security" = none ] || {
	patience=3000
	cmdline="$cmdline no_timer_check rcupdate.rcu_cpu_stall_suppress=1 mitigations=off \
nokaslr cryptomgr.notests initcall_blacklist=jent_mod_init sundog.stop_timeout_ms=120000"
}
export LIBVIRT_DEFAULT_URI=qemu:///system
page=/sundog/docs/user/libvirt.md
socket=/run/sundog/device.sock
dir=/var/lib/libvirt/images

# start_renderer: as the units do, which need systemd.
start_renderer()
{
	if [ "$security" = apparmor ]; then
		rm -f $socket
		systemd-socket-activate -l $socket aa-exec -p sundog-renderd -- \
			/usr/bin/sundog-renderd 2>>"$out/renderer.log" &
		renderer=$!
		wait_until test -S $socket
		chgrp kvm $socket
		chmod 660 $socket
		return
	fi
	sundog-renderd --chardev $socket --socket-group kvm --socket-mode 660 \
		2>>"$out/renderer.log" &
	renderer=$!
	wait_until test -S $socket
}

start_libvirt()
{
	# There are no cgroups to manage. The sandbox is libvirt's default.
	printf 'cgroup_controllers = []\nsecurity_driver = "%s"\nremember_owner = 0\n' \
		"$security" >>/etc/libvirt/qemu.conf
	virtlogd -d
	restart_libvirt
}

restart_libvirt()
{
	local pid
	if pid=$(cat /run/libvirtd.pid 2>/dev/null) && kill "$pid" 2>/dev/null; then
		wait_until eval "! kill -0 $pid 2>/dev/null"
	fi
	libvirtd -d
	wait_until virsh -q list >/dev/null 2>&1
}

# load_profiles: as systemd does at boot.
load_profiles()
{
	mountpoint -q /sys/kernel/security ||
		mount -t securityfs securityfs /sys/kernel/security
	if [ ! -d /sys/kernel/security/apparmor ]; then
		echo "ok - libvirt with AppArmor # SKIP this kernel has no AppArmor"
		exit
	fi
	apparmor_parser -r /etc/apparmor.d/usr.sbin.libvirtd \
		/etc/apparmor.d/usr.lib.libvirt.virt-aa-helper /etc/apparmor.d/sundog-renderd \
		>"$out/parser.log" 2>&1
	report_log $? "the profiles can be loaded" "$out/parser.log"
	# As Debian's udev does.
	chgrp kvm /dev/udmabuf
	chmod 660 /dev/udmabuf
}

# denied: prints what the kernel has denied to QEMU and the renderer.
denied()
{
	sleep 2		# a thread of the kernel logs it
	dmesg | grep 'apparmor="DENIED".*profile="\(libvirt-\|sundog-renderd\)'
}

# block N: prints the Nth block of code of the page's part about shared buffers.
block()
{
	python3 - $page "$1" <<-'END'
		import re, sys, textwrap
		text = open(sys.argv[1]).read().split("## Buffers shared with other devices")[1]
		blocks = re.findall(r"(?:^    .*\n)+", text, re.M)
		print(textwrap.dedent(blocks[int(sys.argv[2]) - 1]), end="")
	END
}

# with_guest_memory: prints the domain with guest-memory=on, as the page says.
with_guest_memory()
{
	sed 's/sundog,chardev=sundog,/&guest-memory=on,/' "$out/demo.xml" |
		awk -v file="$out/backing.xml" '/<devices>/ {
			while ((getline line <file) > 0) print line } { print }'
}

# redefine FILE: defines and starts the domain anew.
redefine()
{
	virsh destroy demo >/dev/null 2>&1
	virsh undefine demo >/dev/null 2>&1
	virsh define "$1" && virsh start demo
}

# test_apparmor: the domain `demo` is running.
test_apparmor()
{
	virsh dominfo demo >"$out/dominfo.log"
	grep -q '^Security label: *libvirt-.*(enforcing)' "$out/dominfo.log"
	report_log $? "libvirt's profile of the guest is enforced" "$out/dominfo.log"
	block 2 >"$out/backing.xml"
	with_guest_memory >"$out/memory.xml"
	redefine "$out/memory.xml" >"$out/memory.log" 2>&1
	[ $? != 0 ] && grep -rqh 'guest-memory=on cannot open /dev/udmabuf' "$out/memory.log" \
		/var/log/libvirt/qemu/
	report_log $? "guest-memory=on needs /dev/udmabuf in QEMU's /dev, and QEMU says so" \
		"$out/memory.log"
	block 1 >>/etc/libvirt/qemu.conf
	restart_libvirt
	dmesg -C
	rm -f $dir/demo.log
	redefine "$out/memory.xml" >"$out/memory.log" 2>&1
	report_log $? "it starts as the page says" "$out/memory.log"
	wait_until said_after 0 drew
	report $? "that guest draws"
	denied >"$out/denied-memory.log"
	[ ! -s "$out/denied-memory.log" ]
	report_log $? "the profiles deny it nothing" "$out/denied-memory.log"
	cp $dir/demo.log "$out/serial.log"
	virsh destroy demo >/dev/null
	report $? "it ends"
}

# xml NAME: prints the domain of the page, with what a guest without a disk needs.
xml()
{
	python3 - $page "$1" "$dir" "$cmdline" <<-'END'
		import re, sys, textwrap
		page, name, folder, cmdline = sys.argv[1:]
		text = open(page).read()
		text = re.search(r"^    <domain.*?^    </domain>", text, re.M | re.S)[0]
		text = textwrap.dedent(text).replace("type='kvm'", "type='qemu'")
		for more in (f"""<name>{name}</name><memory unit='MiB'>1024</memory><vcpu>2</vcpu>
		             <os><type arch='x86_64' machine='q35'>hvm</type>
		             <kernel>{folder}/kernel</kernel><initrd>{folder}/initramfs</initrd>
		             <cmdline>{cmdline}</cmdline></os>""",
		             f"<serial type='file'><source path='{folder}/{name}.log'/></serial>"):
		    text = text.replace("...", more, 1)
		print(text)
	END
}

# said_after N WORD: returns true if a line of the guest after its Nth one begins with the word.
said_after()
{
	tail -n "+$(($1 + 1))" $dir/demo.log 2>/dev/null | grep -q "^$2 "
}

lines()
{
	wc -l <$dir/demo.log
}

mkdir -p $dir ${socket%/*}
cp "$kernel" $dir/kernel
cp "$initramfs" $dir/initramfs
[ "$security" = none ] || load_profiles
start_renderer
start_libvirt
report $? "libvirt runs"

xml demo >"$out/demo.xml"
virt-xml-validate "$out/demo.xml" domain >"$out/validate.log" 2>&1
report $? "the domain of docs/user/libvirt.md is valid"
virsh define "$out/demo.xml" >"$out/define.log" 2>&1 &&
	virsh start demo >"$out/start.log" 2>&1
status=$?
report_log $status "it starts" "$out/start.log"
[ $status = 0 ] || exit
ps -C qemu-system-sundog -o user=,args= >"$out/ps.log"
grep -q '^libvirt.*-sandbox on.*spawn=deny' "$out/ps.log"
report $? "as libvirt's user, in a sandbox that starts no program"
wait_until said_after 0 drew
report $? "the guest draws"
if [ "$security" = apparmor ]; then
	denied >"$out/denied.log"
	[ ! -s "$out/denied.log" ]
	report_log $? "the profiles deny QEMU and the renderer nothing" "$out/denied.log"
	test_apparmor
	kill $renderer
	exit
fi

before=$(lines)
kill -9 $renderer
wait $renderer 2>/dev/null
wait_until said_after "$before" failed
report $? "the guest cannot draw without the renderer"
before=$(lines)
start_renderer
wait_until said_after "$before" drew
report $? "it draws again with a new renderer"
cp $dir/demo.log "$out/serial.log"
virsh destroy demo >/dev/null
report $? "it ends"

sed 's/sundog,chardev=sundog,/sundog,renderer=auto,/' "$out/demo.xml" >"$out/auto.xml"
virsh undefine demo >/dev/null
virsh define "$out/auto.xml" >/dev/null
virsh start demo >"$out/auto.log" 2>&1
grep -rh 'spawn=deny' "$out/auto.log" /var/log/libvirt/qemu/ 2>/dev/null | grep -q 'chardev'
report $? "with renderer=auto QEMU says that the sandbox forbids it, and what to do"
virsh destroy demo >/dev/null 2>&1

# The command of the page, which must make the same device.
truncate -s 64M $dir/demo.qcow2
sed -n '/^    virt-install/,/[^\\]$/p' $page | sed 's/^    //
	s/^virt-install /&--print-xml --dry-run --virt-type qemu --noautoconsole /' \
	>"$out/install.sh"
sh "$out/install.sh" >"$out/install.xml" 2>"$out/install.log"
grep -q '<qemu:arg value="sundog,chardev=sundog,ramfb=on,addr=0x10"/>' "$out/install.xml" &&
	grep -q '<emulator>/usr/bin/qemu-system-sundog</emulator>' "$out/install.xml"
report $? "virt-install makes a domain with the device"
kill $renderer
