#!/bin/bash
# SPDX-License-Identifier: MIT
# In a tree with the packages and libvirt: starts a guest as docs/user/libvirt.md says, under
# libvirt's default sandbox, and ends its renderer while it draws. Prints TAP.
# usage: libvirt.sh KERNEL INITRAMFS OUT
set -u
kernel=$1 initramfs=$2 out=$3
patience=300
. /sundog/tests/lib/tap.sh
export LIBVIRT_DEFAULT_URI=qemu:///system
page=/sundog/docs/user/libvirt.md
socket=/run/sundog/device.sock
dir=/var/lib/libvirt/images

# start_renderer: as the units do, which need systemd.
start_renderer()
{
	sundog-renderd --chardev $socket --socket-group kvm --socket-mode 660 \
		2>>"$out/renderer.log" &
	renderer=$!
	wait_until test -S $socket
}

start_libvirt()
{
	# There are no cgroups to manage, and no AppArmor. The sandbox is libvirt's default.
	printf 'cgroup_controllers = []\nsecurity_driver = "none"\nremember_owner = 0\n' \
		>>/etc/libvirt/qemu.conf
	virtlogd -d
	libvirtd -d
	wait_until virsh -q list >/dev/null 2>&1
}

# xml NAME: prints the domain of the page, with what a guest without a disk needs.
xml()
{
	python3 - $page "$1" "$dir" <<-'END'
		import re, sys, textwrap
		page, name, folder = sys.argv[1:]
		text = open(page).read()
		text = re.search(r"^    <domain.*?^    </domain>", text, re.M | re.S)[0]
		text = textwrap.dedent(text).replace("type='kvm'", "type='qemu'")
		for more in (f"""<name>{name}</name><memory unit='MiB'>1024</memory><vcpu>2</vcpu>
		             <os><type arch='x86_64' machine='q35'>hvm</type>
		             <kernel>{folder}/kernel</kernel><initrd>{folder}/initramfs</initrd>
		             <cmdline>console=ttyS0 quiet</cmdline></os>""",
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
