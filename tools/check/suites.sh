#!/bin/bash
# SPDX-License-Identifier: MIT
# The suites of `make check`, `make check-full`, `make check-busy`, `make check-hostile`, `make
# check-debug`, `make check-packages`, `make check-kvm` and `make fuzz`, one function each. A suite
# builds what it needs and prints TAP; pictures and logs go below OUT, a folder of the checkout.
# Suites run in parallel, so none may read what another one writes. If there is a suite_NAME_long,
# suite_NAME is a part of it, for `make check`.
# usage: tools/check/suites.sh SUITE | --list-TARGET
set -eu
. "$(dirname "$0")/../lib.sh"

OUT=${OUT:-$TOP/out/check}
TREE_OUT=/sundog/${OUT#"$TOP/"}		# the same as the tree sees it

# Scenes of glmark2 in the short form of a suite; the first has colours, for compare-frames.sh.
SOME_SCENES="jellyfish build ideas shadow"

# Half of the time of all programs of igt-tests is theirs. They wait most of it.
MEMORY_TESTS="sundog_eviction sundog_private sundog_wedged"

# few WORD...: prints the words that select the short form of a suite; nothing with LONG.
few()
{
	[ -n "${LONG:-}" ] || echo "$@"
}

# test_that NAME COMMAND...: runs a command and prints a TAP line; its output only if it failed.
test_that()
{
	local name=$1 output
	shift
	if output=$("$@" 2>&1); then
		printf 'ok - %s\n' "$name"
	else
		printf '%s\n' "$output" | sed 's/^/# /'
		printf 'not ok - %s\n' "$name"
	fi
}

# meson_tests DIR [OPTION...]: runs Meson's tests and prints its result file as TAP. Timeouts are
# multiplied, for machines that stall at times. The log has a name for this checkout, since another
# one may use the same build folder at the same time.
meson_tests()
{
	local log
	log=testlog-$(cksum <<<"$TOP" | cut -d ' ' -f 1)
	in_tree env ${LONG:+SUNDOG_LONG=1} sh -c "cd /sundog &&
		meson test -C $1 -t $(limit 10) --no-rebuild --print-errorlogs --logbase $log $2" |
		sed 's/^/# /' || true
	in_tree python3 - "$1/meson-logs/$log.json" <<-'END'
		import json, sys
		for line in open(sys.argv[1]):
		    test = json.loads(line)
		    ok = test["result"] in ("OK", "EXPECTEDFAIL", "SKIP")
		    skip = " # SKIP" if test["result"] == "SKIP" else ""
		    print(("ok" if ok else "not ok") + " - " + test["name"] + skip)
	END
}

every_file_has_a_licence()
{
	local missing
	missing=$(git -C "$TOP" ls-files -z |
		grep -zvE '(^|/)(\.gitignore|LICENSE|.*\.(md|png|json|golden|xz))$' |
		(cd "$TOP" && xargs -0 grep -L SPDX-License-Identifier) || true)
	[ -z "$missing" ] || { printf 'no SPDX line: %s\n' $missing; return 1; }
}

# Fails if a folder has more findings of tools/check/prose.py than before.
words_are_plain()
{
	git -C "$TOP" ls-files -z | in_tree python3 /sundog/tools/check/prose.py
}

# Checks the subjects of commits since docs/dev/style.md. A shallow clone may lack that commit.
subjects_are_plain()
{
	local since=11cea71
	if git -C "$TOP" cat-file -e "$since^{commit}" 2>/dev/null; then
		git -C "$TOP" log --no-merges --format=%s "$since..HEAD" |
			in_tree python3 /sundog/tools/check/prose.py --subjects
	fi
}

links_lead_somewhere()
{
	git -C "$TOP" ls-files -z | in_tree python3 /sundog/tools/check/links.py
}

suite_static()
{
	test_that "generated files are up to date" \
		in_tree python3 /sundog/protocol/generate.py --check
	test_that "the generator refuses limits that its validator does not check" \
		in_tree python3 /sundog/protocol/tests/test_generate.py
	test_that "every file has an SPDX line" every_file_has_a_licence
	test_that "kernel: W=1, sparse, checkpatch, kernel-doc and include circles report nothing" \
		"$TOP/tools/check/kernel.sh"
	test_that "every mutant of igt-tests/mutants.yaml applies to the kernel driver" \
		in_tree python3 /sundog/tools/check/mutants.py --check \
		/sundog/igt-tests/mutants.yaml /sundog
	test_that "each file of kernel/ belongs to one patch of the series" \
		in_tree python3 /sundog/tools/build/series.py --check /sundog
	test_that "tools/build/series.py finds planted mistakes" \
		in_tree python3 /sundog/tools/check/series-test.py
	test_that "each patch to Mesa and QEMU has a subject, a test and its state upstream" \
		in_tree python3 /sundog/tools/check/patches.py
	test_that "docs/dev/patches.md has the table of the patches" \
		in_tree python3 /sundog/tools/check/patches.py --page
	test_that "tools/check/patches.py finds planted mistakes" \
		in_tree python3 /sundog/tools/check/patches-test.py
	test_that "git reads the patches of tools/build/to-send.py" \
		in_tree python3 /sundog/tools/check/to-send-test.py
	test_that "no include circle in libdrm-ext/ and spirv/" \
		in_tree python3 /sundog/tools/check/include-circles.py \
		/sundog/libdrm-ext /sundog/spirv
	test_that "folders of renderer/ include only those below" in_tree \
		python3 /sundog/tools/check/include-circles.py --walls /sundog/renderer \
		ipc= host=ipc gate=host exec=gate,host,ipc worker=exec,ipc broker=ipc
	test_that "renderer/gate/check includes nothing of pass/" in_tree \
		python3 /sundog/tools/check/include-circles.py --walls /sundog/renderer/gate \
		check= pass=check
	test_that "docs/reference/refusals.tsv has all refusals and faults of the renderer" \
		in_tree python3 /sundog/tools/check/refusals.py
	test_that "tools/check/refusals.py finds planted mistakes" \
		in_tree python3 /sundog/tools/check/refusals-test.py
	test_that "docs/user/options.md has the options of the sources" \
		in_tree python3 /sundog/tools/check/options.py
	test_that "manual pages have the options of docs/user/options.md" \
		in_tree python3 /sundog/tools/docs/man.py --check
	test_that "docs/user/troubleshooting.md has the messages of the sources" \
		in_tree python3 /sundog/tools/check/messages.py
	test_that "documents have the figures of the newest results" \
		in_tree python3 /sundog/bench/results.py check
	test_that "documents have the counts of the newest test runs" \
		in_tree python3 /sundog/tools/docs/test_results.py check
	"$TOP/tools/check/updates-test.sh"
	test_that "targets of links exist" links_lead_somewhere
	test_that "comments and documents follow docs/dev/style.md" words_are_plain
	test_that "commit subjects follow docs/dev/style.md" subjects_are_plain
	test_that "the checks of words, links and code find planted mistakes" \
		in_tree python3 /sundog/tools/check/prose-test.py
	test_that "shell scripts parse" \
		bash -c "for f in $TOP/tools/*.sh $TOP/tools/*/*.sh; do bash -n \$f || exit 1; done"
}

# Tests that suite sanitize runs, too, and slow ones are only in the long form.
suite_unit()
{
	"$TOP/tools/build/native.sh"
	meson_tests "$NATIVE" "$(few --no-suite slow --no-suite sanitize)"
}

suite_sanitize()
{
	"$TOP/tools/build/native.sh" --asan
	meson_tests "$NATIVE_ASAN" "--suite sanitize"
}

# hostile_test NAME PROGRAM VARIABLE=VALUE...: runs a program of $NATIVE/tests/stream that prints
# TAP, with a renderer of its own. NAME is added to each result; a bad exit status is one more
# result.
hostile_test()
{
	local name=$1 program=$2
	shift 2
	with_label "$program, $name" env "$@" /sundog/tests/host/with-renderd.sh \
		"$NATIVE/renderer/sundog-renderd" "$NATIVE/tests/stream/$program"
}

# with_label LABEL COMMAND...: runs a command in the tree that prints TAP. LABEL is added to each
# result; a bad exit status is one more result.
with_label()
{
	local label=$1 status
	shift
	in_tree "$@" 2>&1 | sed -E "s/^((not )?ok\b.*)/\1 ($label)/"
	status=${PIPESTATUS[0]}
	[ "$status" = 0 ] || printf 'not ok - %s, ended with status %s\n' "$label" "$status"
}

# hostile_stream MIB PROGRAM: runs a program that sends hostile streams to the renderer, with that
# much VRAM.
hostile_stream()
{
	hostile_test "$1 MiB of VRAM" "$2" "SUNDOG_TEST_VRAM=$1"
}

# attacks LIST: prints the programs of a list that tests/stream/meson.build writes.
attacks()
{
	cat "$CACHE/${NATIVE#/cache/}/tests/stream/$1"
}

# Runs attacks by hostile programs and peers, in the short form of `make check`.
suite_hostile()
{
	local program
	"$TOP/tools/build/native.sh"
	for program in $(attacks small-attacks); do
		hostile_stream 256 "$program"
	done
	for program in $(attacks large-attacks); do
		hostile_stream 8192 "$program"
	done
}

# Runs the same attacks with all VRAM sizes, for `make check-hostile`.
suite_hostile_long()
{
	local vram program
	"$TOP/tools/build/parts.sh" native lavapipe
	for program in $(attacks attacks); do
		for vram in 256 4096 8192; do
			hostile_stream "$vram" "$program"
		done
		hostile_test "our lavapipe" "$program" VK_DRIVER_FILES="$LAVAPIPE"
	done
	hostile_test "our lavapipe" stream-addresses VK_DRIVER_FILES="$LAVAPIPE"
	hijack_interrupts "Linux before 5.19" SUNDOG_HIJACK_OLD_LINUX=1
	hijack_interrupts "this Linux"
}

# hijack_interrupts NAME [VARIABLE=VALUE]: runs a test whose worker interrupts the requests that add
# and remove guest pages, 1,000 times.
hijack_interrupts()
{
	with_label "hijack-test interrupts, $1" env "${@:2}" /sundog/tests/host/with-renderd.sh \
		"$NATIVE/tests/stream/sundog-renderd-hijacked" "$NATIVE/tests/stream/hijack-test" \
		interrupts 1000
}

# Fuzzes the renderer: for a short time, or with the full number of executions.
suite_fuzz()
{
	"$TOP/tools/check/fuzz.sh" --short "$OUT/fuzz"
}

suite_fuzz_long()
{
	"$TOP/tools/check/fuzz.sh" "$OUT/fuzz"
}

# Finds again if a guest boots with KVM, and returns true if the answer is an accelerator only.
an_accelerator_is_found()
{
	rm -rf "$CACHE"/kvm-????????????
	case "$("$TOP/tools/guest/guest.sh" --print-accel)" in
	kvm | tcg,thread=multi) ;;
	*) return 1 ;;
	esac
}

# Tests the device's registers with QEMU's qtest library, and the first start of a guest.
suite_qtest()
{
	"$TOP/tools/build/qemu.sh" --check
	test_that "guest.sh finds an accelerator, and prints no more" an_accelerator_is_found
}

# Tests guest pages as memory of the device, in a guest, whose kernel has udmabuf. Hijacked workers
# attack the descriptors of such pages there, too.
suite_udmabuf()
{
	"$TOP/tools/build/parts.sh" native qemu
	"$TOP/tools/guest/guest.sh" --out "$OUT/udmabuf" --device none --module none \
		"QTEST_QEMU_BINARY=$QEMU $QEMU_TEST --tap -k -p /x86_64/sundog/guest"
	"$TOP/tools/guest/guest.sh" --out "$OUT/udmabuf-hijack" --device none --module none \
		--timeout 3600 "/sundog/tests/guest/guest-hijack $NATIVE"
}

# Tests the sharing of memory with other drivers, in a nested guest, since the outer guest has
# udmabuf.
suite_nested()
{
	local dir=$OUT/nested
	"$TOP/tools/build/parts.sh" native kmod qemu
	mkdir -p "$dir"
	in_tree /sundog/tests/guest/nested-initramfs "$NATIVE" "$(in_tree_path "$KMOD")" \
		"$(kernel_release "$TREE")" "$TREE_OUT/nested/initramfs" \
		sundog_{export,kms,prime,quota}
	"$TOP/tools/guest/guest.sh" --out "$dir" --device none --module none --timeout 7200 \
		"/sundog/tests/guest/guest-nested $QEMU $(in_tree_path "$RENDERER") \
		sundog_export sundog_prime sundog_kms@shared-or-shown \
		sundog_quota@maps"
}

# port NUMBER: prints QEMU's option for a port from which a device can be unplugged.
port()
{
	echo "-device pcie-root-port,id=port$1,chassis=$1,pref64-reserve=1G"
}

# kernel_guest NAME OPTION...: runs a guest for tests of the kernel driver. It has a second device,
# another driver's device to share with, and so little VRAM that tests can use it up. With less
# memory the firmware assigns addresses to devices behind ports that the kernel does not hand out.
kernel_guest()
{
	local name=$1
	shift
	# Tests read the data that the driver wrote for the device through /dev/mem.
	"$TOP/tools/guest/guest.sh" --out "$OUT/$name" --memory 3G --vram 64M \
		--qemu "$(port 0)" --qemu "$(port 1)" \
		--device sundog,heads=4,bus=port0 --device sundog,bus=port1 \
		--device virtio-gpu-pci --vnc 4 --append iomem=relaxed "$@"
}

# Reboots while a blocking commit waits for a hung job. QEMU exits at a reboot, so the guest ends
# before its command does, which is status 125; if the driver blocks the reboot, its time is over.
reboot_guest()
{
	local status=0
	"$TOP/tools/guest/guest.sh" --out "$OUT/reboot" --vram 64M --device sundog,heads=2 \
		--timeout "$(limit 600)" "modprobe sundog && SUNDOG_REBOOT=1 \
		$NATIVE/igt-tests/sundog_hotunplug --run-subtest reboot-hung-commit" || status=$?
	test_that "a hung job that a commit waits for does not stop a reboot" [ "$status" = 125 ]
}

# Tests the kernel driver, and the console of a guest that boots with ramfb. The short form leaves
# MEMORY_TESTS to suite memory.
suite_kernel()
{
	"$TOP/tools/build/parts.sh" native kmod qemu
	kernel_guest kernel --timeout "$(limit 1800)" "/sundog/tests/guest/guest-kernel \
		${LONG:---without '$MEMORY_TESTS'} $NATIVE"
	reboot_guest
	# The kernel's number of SeaBIOS's mode of 1024x768 pixels with 32 bits.
	"$TOP/tools/guest/guest.sh" --out "$OUT/boot" --vram 64M --device sundog,ramfb=on \
		--append vga=0x344 "/sundog/tests/guest/guest-boot $NATIVE"
	test_that "the guest draws the stream as it is drawn directly" in_tree sh -c "
		/sundog/tests/host/with-renderd.sh $NATIVE/renderer/sundog-renderd \\
			$NATIVE/tests/stream/triangle-stream \\
			--frames 4 --draws 3 --size 320x240 --png $TREE_OUT/direct.png &&
		$NATIVE/tests/lib/png-compare $TREE_OUT/direct.png $TREE_OUT/kernel/stream.png 0"
}

# Tests what the kernel driver does about memory, in a guest beside the one of suite kernel.
suite_memory()
{
	"$TOP/tools/build/parts.sh" native kmod qemu
	kernel_guest memory --timeout "$(limit 1800)" \
		"modprobe sundog && /sundog/tests/guest/igt-tap $NATIVE/igt-tests $MEMORY_TESTS"
}

# Tests suspend to RAM and to disk while programs draw and present.
suite_sleep()
{
	local dir=$OUT/sleep
	"$TOP/tools/build/parts.sh" native kmod qemu mesa
	mkdir -p "$dir"
	cp -r "$TOP/tests/stays-on" "$dir/"
	in_tree make -C "/usr/src/linux-headers-$(kernel_release "$TREE")" \
		M="$TREE_OUT/sleep/stays-on" modules >"$dir/stays-on.log" 2>&1
	in_tree /sundog/tests/guest/sleep-initramfs "$NATIVE" "$MESA" "$(in_tree_path "$KMOD")" \
		"$(kernel_release "$TREE")" "$TREE_OUT/sleep/stays-on/stays_on.ko" \
		"$TREE_OUT/sleep/initramfs"
	truncate -s 2G "$dir/swap"
	"$TOP/tools/guest/guest.sh" --out "$dir" --initramfs "$dir/initramfs" \
		--device sundog,heads=2 --device virtio-blk-pci,drive=swap \
		--append no_console_suspend --timeout 1800 \
		--qemu "-drive if=none,id=swap,format=raw,cache=unsafe,file=$TREE_OUT/sleep/swap"
	rm "$dir/swap"
}

# Builds the module for all kernels of tools/build/kernel-headers.sh, and runs the kernel tests on
# the newest one of Debian's backports. `kernel-headers.sh --update` gets newer kernels.
suite_backports()
{
	local release major minor
	for release in $("$TOP/tools/build/kernel-headers.sh" --list | sort -V); do
		test_that "the module builds for $release" \
			"$TOP/tools/build/kernel-headers.sh" --build "$release"
	done
	IFS=. read -r major minor _ <<<"$release"
	minor=${minor%%[!0-9]*}
	test_that "DKMS builds for $major.$minor, and for no later series" \
		grep -qx "BUILD_EXCLUSIVE_KERNEL_MAX=\"$major.$((minor + 1))\"" \
		"$TOP/packaging/sundog/debian/sundog-dkms.dkms"
	"$TOP/tools/build/parts.sh" native qemu backports-kernel
	test_that "backports: W=1 and sparse report nothing" \
		"$TOP/tools/build/kmod.sh" --check "$BACKPORTS_KERNEL"
	kernel_guest backports --kernel "$BACKPORTS_KERNEL" --timeout 3600 \
		"/sundog/tests/guest/guest-kernel --long $NATIVE"
}

# Has a user who is not root build and run the demo on a bare system with an empty cache. Prints the
# CPU time.
suite_demo_user()
{
	local name="a user who is not root builds and runs the demo"
	"$TOP/tools/check/cold.sh" --user demo 2>&1 | sed 's/^/# /'
	if [ "${PIPESTATUS[0]}" = 0 ]; then
		echo "ok - $name"
	else
		echo "not ok - $name"
	fi
}

# Makes and checks the patch series of the kernel driver.
suite_series()
{
	"$TOP/tools/check/series.sh" "$OUT/series"
}

# debug_guest NAME OPTIONS [PARAMETERS]: runs guest-debug on a kernel with debug options, with more
# kernel parameters.
debug_guest()
{
	"$TOP/tools/build/parts.sh" native qemu debug-kernel
	"$TOP/tools/build/kmod.sh" "$DEBUG_KERNEL"
	kernel_guest "$1" --kernel "$DEBUG_KERNEL" --append "iomem=relaxed ${3:-}" \
		--timeout 7200 "/sundog/tests/guest/guest-debug $2 $NATIVE"
}

# Runs the kernel tests on a kernel with debug options, and tests that need such a kernel; leaves
# MEMORY_TESTS to suite debug_memory.
suite_debug()
{
	debug_guest debug "--without '$MEMORY_TESTS'" kunit.enable=1
	panic_guest
}

suite_debug_memory()
{
	debug_guest debug-memory "--only '$MEMORY_TESTS'"
}

# Tests the panic screen. Its guest ends with the panic, so this function checks the screen dumps.
panic_guest()
{
	local head
	"$TOP/tools/guest/guest.sh" --out "$OUT/panic" --kernel "$DEBUG_KERNEL" --vram 64M \
		--device sundog,heads=2 --append panic=0 --allow-dmesg --timeout 1800 \
		"/sundog/tests/guest/guest-panic $NATIVE"
	for head in 0 1; do
		test_that "a panic is on the screen of head $head" \
			in_tree "$NATIVE/tests/lib/png-colours" \
			"$TREE_OUT/panic/panic$head.png" 000080=600000 ffffff=1000
	done
	test_that "the kernel log has no error but the panic" sh -c \
		"! '$TOP/tools/guest/dmesg' '$OUT/panic/serial.log' | grep -v 'Kernel panic'"
}

# Runs stress tests of the kernel driver: of the resource model, then of the rest.
suite_stress()
{
	"$TOP/tools/build/parts.sh" native kmod qemu
	"$TOP/tools/guest/guest.sh" --out "$OUT/stress" --timeout 3600 \
		"modprobe sundog && IGT_TIMEOUT=900 /sundog/tests/guest/igt-tap --long \
		$NATIVE/igt-tests sundog_{lifetime,race,scale}"
	kernel_guest stress-more --timeout 3600 \
		"modprobe sundog && IGT_TIMEOUT=900 /sundog/tests/guest/igt-tap --long \
		$NATIVE/igt-tests sundog_{alloc,context,eviction,module,private,quota}"
}

# Checks that each rule of the resource model has a test that fails if it is broken.
suite_mutants()
{
	"$TOP/tools/build/parts.sh" native kmod qemu
	"$TOP/tools/check/mutants.sh" "$OUT/mutants"
}

# Tests OpenGL without a VM.
suite_gl()
{
	"$TOP/tools/build/parts.sh" native mesa
	in_tree env ${LONG:+SUNDOG_LONG=1} /sundog/tests/host/with-xvfb.sh \
		/sundog/tests/gl/gl-direct "$NATIVE" "$MESA" "$TREE_OUT/gl"
	in_tree /sundog/tests/host/with-xvfb.sh /sundog/tests/gl/gl-scenes \
		"$NATIVE" "$MESA" "$TREE_OUT/gl" $(few $SOME_SCENES)
	test_that "sundog doctor finds renderer, EGL, GLX and Vulkan of the host" \
		with_sundog_command /sundog/tests/host/with-xvfb.sh \
		/sundog/tools/sundog/sundog doctor --host
	test_that "sundog run lets eglinfo find sundog" with_sundog_command sh -c \
		"/sundog/tools/sundog/sundog run -- eglinfo -B 2>&1 | grep 'renderer: sundog'"
}

# with_sundog_command COMMAND...: runs a command in the tree with what "sundog" needs.
with_sundog_command()
{
	in_tree env PATH="$NATIVE/tools/sundog:/usr/bin:/bin" \
		SUNDOG_RENDERER="$NATIVE/renderer/sundog-renderd" \
		SUNDOG_MESA="$MESA/bin/sundog-mesa" "$@"
}

# with_compile_limit DRIVER MS ARGUMENT: runs gl-compile with a renderer that gives an execution and
# a compilation MS each.
with_compile_limit()
{
	in_tree env VK_DRIVER_FILES="$1" \
		SUNDOG_RENDERD_OPTIONS="--timeout $2 --compile-timeout $2" \
		/sundog/tests/host/with-renderd.sh "$NATIVE/renderer/sundog-renderd" \
		"$MESA/bin/sundog-mesa" "$NATIVE/tests/gl/gl-compile" "$3"
}

# Tests limits of compilations with a DRIVER. Both limits together are 4 times what one shader of
# the test takes on this machine.
lavapipe_compile()
{
	local ms
	ms=$(with_compile_limit "$1" 0 cost | sed -n 's/^cost //p')
	ms=$((${ms:?} < 250 ? 500 : ms * 2))
	with_compile_limit "$1" "$ms" $((2 * ms))
}

# Tests OpenGL on our lavapipe, which bench uses, and runs attacks there. The short form has the
# tests of lavapipe/patches: samples, results, handles of texel buffers, compiling, numbers of
# patches, many primitives, many threads. Beside these it has rays, whose kernels loop over memory
# that the client can write.
suite_lavapipe()
{
	local program driver
	"$TOP/tools/build/parts.sh" native mesa lavapipe
	in_tree /sundog/tests/host/hardened-lavapipe "$NATIVE" "$LAVAPIPE" "$TREE_OUT/lavapipe"
	in_tree /sundog/tests/host/switches.sh "$NATIVE" "$LAVAPIPE"
	in_tree /sundog/tests/host/long-compilation.sh "$NATIVE" "$LAVAPIPE"
	for program in gl-remember "gl-multiview outlines" "gl-samplers many"; do
		in_tree env VK_DRIVER_FILES="$LAVAPIPE" /sundog/tests/host/with-renderd.sh \
			"$NATIVE/renderer/sundog-renderd" \
			"$MESA/bin/sundog-mesa" "$NATIVE/tests/gl/"$program
	done
	# As on a machine with many CPUs.
	for program in gl-many gl-hazards gl-query; do
		in_tree env VK_DRIVER_FILES="$LAVAPIPE" LP_NUM_THREADS=16 \
			/sundog/tests/host/with-renderd.sh "$NATIVE/renderer/sundog-renderd" \
			"$MESA/bin/sundog-mesa" "$NATIVE/tests/gl/$program"
	done
	for program in vk-frames vk-positions "vk-samples scissors"; do
		in_tree env VK_DRIVER_FILES="$LAVAPIPE" "$NATIVE/tests/vk/"$program
	done
	# Lavapipe alone crashes in vk-ycbcr, which copies descriptors.
	for program in vk-distances vk-helpers vk-ray-attacks vk-rays vk-residency vk-runs \
		       vk-sparse vk-stencil vk-strides vk-unwritten vk-ycbcr; do
		[ "$program" = vk-ycbcr ] ||
			in_tree env VK_DRIVER_FILES="$LAVAPIPE" "$NATIVE/tests/vk/$program"
		in_tree env VK_DRIVER_FILES="$LAVAPIPE" /sundog/tests/host/with-renderd.sh \
			"$NATIVE/renderer/sundog-renderd" \
			env VK_DRIVER_FILES="$MESA/share/vulkan/icd.d/sundog_icd.x86_64.json" \
			"$MESA/bin/sundog-mesa" "$NATIVE/tests/vk/$program"
	done
	for driver in "$LAVAPIPE" ${LONG:+"$DEBIAN_LAVAPIPE"}; do
		lavapipe_compile "$driver"
	done
	in_tree env VK_DRIVER_FILES="$LAVAPIPE" /sundog/tests/host/with-xvfb.sh \
		/sundog/tests/gl/gl-direct "$NATIVE" "$MESA" "$TREE_OUT/lavapipe" \
		$(few gl-guilty gl-many gl-query gl-recover gl-reset gl-samples gl-shaders gl-texel)
	# Our lavapipe counts finished work, by which the guest's kernel tells a slow worker from a
	# stuck one.
	"$TOP/tools/build/parts.sh" kmod qemu
	"$TOP/tools/guest/guest.sh" --lavapipe --out "$OUT/lavapipe-stop" \
		"modprobe sundog && \
		/sundog/tests/guest/igt-tap $NATIVE/igt-tests sundog_wedged@slow-stop"
	for program in compiler ends geometry views samples stores tess; do
		hostile_test "our lavapipe" "stream-$program" VK_DRIVER_FILES="$LAVAPIPE"
	done
}

# Tests Vulkan without a VM, and OpenGL by zink on our Vulkan driver.
suite_vulkan()
{
	"$TOP/tools/build/parts.sh" native mesa
	in_tree /sundog/tests/host/with-xvfb.sh /sundog/tests/vk/vk-direct \
		"$NATIVE" "$MESA" "$TREE_OUT/vulkan"
	in_tree /sundog/tests/host/with-xvfb.sh /sundog/tests/vk/vk-zink \
		"$NATIVE" "$MESA" "$TREE_OUT/vulkan" $(few $SOME_SCENES)
}

# Draws with SPIR-V of many compilers on sundog, and compares the results with native lavapipe. The
# short form has the small modules of the tree; the long form first makes a corpus of at least 2,000
# modules in the cache.
suite_corpus()
{
	local corpus=$OUT/corpus/modules steps="--steps small" inside=in_tree
	"$TOP/tools/build/parts.sh" native mesa
	if [ -n "${LONG:-}" ]; then
		"$TOP/tools/build/npm.sh"
		corpus=$CORPUS_DIR
		inside="in_layer webgpu"
		steps="--npm $NPM --at-least 2000"
	fi
	mkdir -p "$OUT/corpus"
	if [ ! -e "$corpus/index.tsv" ]; then
		test_that "the corpus is made" $inside env VK_DRIVER_FILES="$DEBIAN_LAVAPIPE" \
			/sundog/tests/host/with-xvfb.sh /sundog/tests/corpus/make \
			$steps "$(in_tree_path "$corpus")"
	fi
	in_tree /sundog/tests/vk/vk-corpus-direct "$NATIVE" "$MESA" "$TREE_OUT/corpus" \
		"$(in_tree_path "$corpus")"
	in_tree "$NATIVE/renderer/tests/test-mutants" ${LONG:+--all} "$(in_tree_path "$corpus")" ||
		echo "not ok - test-mutants, modules without a pass of the gate," \
			"ends with status $?"
}
suite_corpus_long() { LONG=--long suite_corpus; }

# Runs generated WGSL programs through Dawn and wgpu, and compares their values with a model in
# JavaScript. The renderer has its default limits and our lavapipe.
suite_webgpu()
{
	local deno=$NPM/node_modules/@deno/linux-x64-glibc/deno
	"$TOP/tools/build/parts.sh" native mesa lavapipe
	"$TOP/tools/build/npm.sh"
	with_webgpu()
	{
		in_layer webgpu env VK_DRIVER_FILES="$LAVAPIPE" /sundog/tests/host/with-renderd.sh \
			"$NATIVE/renderer/sundog-renderd" \
			env SUNDOG_ADAPTER=sundog SUNDOG_NPM="$NPM" DENO_DIR=/tmp/deno \
			DENO_WEBGPU_BACKEND=vulkan \
			VK_DRIVER_FILES="$MESA/share/vulkan/icd.d/sundog_icd.x86_64.json" \
			"$MESA/bin/sundog-mesa" "$@"
	}
	with_webgpu node /sundog/tests/wgsl/run-dawn.mjs --seed=1 --count="${WGSL_PROGRAMS:-200}" ||
		echo "not ok - programs through Dawn end with status $?"
	with_webgpu "$deno" run --unstable-webgpu -A /sundog/tests/wgsl/run-deno.mjs \
		--count="${WGSL_PROGRAMS:-200}" ||
		echo "not ok - programs through wgpu end with status $?"
}

# Checks the renderer's calls to the host's driver by Khronos' validation layers.
suite_validation()
{
	"$TOP/tools/build/parts.sh" native mesa
	"$TOP/tools/build/layer.sh" validation
	in_layer validation /sundog/tests/host/with-xvfb.sh /sundog/tests/host/validation \
		"$NATIVE" "$MESA" "$TREE_OUT/validation"
}

# Runs programs that draw with Vulkan, without a VM and in a guest whose desktop uses Vulkan, too.
suite_programs()
{
	"$TOP/tools/build/layer.sh" vulkan
	"$TOP/tools/build/parts.sh"
	mkdir -p "$OUT/programs"
	in_layer vulkan /sundog/tests/host/with-xvfb.sh /sundog/tests/vk/vk-programs \
		"$NATIVE" "$MESA" "$TREE_OUT/programs"
	"$TOP/tools/guest/guest.sh" --layer vulkan --out "$OUT/programs-guest" --memory 3G \
		--timeout 3600 "/sundog/tests/guest/guest-labwc $NATIVE $MESA"
}

# Runs tools that record or overlay what other programs draw.
suite_tracers()
{
	"$TOP/tools/build/layer.sh" tracers
	"$TOP/tools/build/parts.sh" native mesa
	in_layer tracers /sundog/tests/host/with-xvfb.sh /sundog/tests/host/tracers \
		"$NATIVE" "$MESA" "$TREE_OUT/tracers"
}

# Compares large programs with Mesa's software drivers, without a VM and in a guest. The renderer
# has its default limits and our lavapipe.
suite_large()
{
	"$TOP/tools/build/layer.sh" large
	"$TOP/tools/build/parts.sh" native kmod qemu mesa lavapipe
	"$TOP/tools/build/npm.sh"
	mkdir -p "$OUT/large"
	in_layer large env VK_DRIVER_FILES="$LAVAPIPE" /sundog/tests/host/with-xvfb.sh \
		/sundog/tests/host/large-programs "$NATIVE" "$MESA" "$TREE_OUT/large" "$NPM"
	"$TOP/tools/guest/guest.sh" --layer large --lavapipe --out "$OUT/large-guest" --memory 4G \
		--timeout 14400 "modprobe sundog && /sundog/tests/host/large-programs \
			--guest $TREE_OUT/large $NATIVE $MESA /out $NPM"
}

# Runs a part of piglit without a VM; `make piglit` runs all of it.
suite_piglit()
{
	"$TOP/tools/build/parts.sh" native mesa
	"$TOP/tools/build/layer.sh" piglit
	mkdir -p "$OUT/piglit"
	in_layer piglit /sundog/tests/host/with-xvfb.sh /sundog/tests/gl/piglit-direct \
		sundog "$NATIVE" "$MESA" "$TREE_OUT/piglit" \
		quick_gl --test-list /sundog/tests/piglit/check.txt >"$OUT/piglit/log" 2>&1
	in_tree python3 /sundog/tools/check/piglit.py "$TREE_OUT/piglit" /sundog/tests/piglit \
		quick_gl || true
}

# Tests OpenGL and Vulkan in a guest.
suite_guestgl()
{
	local out=$TREE_OUT/guestgl scenes=$(few jellyfish shadow)
	: "${scenes:=$(in_tree /sundog/tests/gl/scenes.sh)}"
	"$TOP/tools/build/parts.sh"
	in_tree /sundog/tests/host/with-xvfb.sh env GALLIUM_DRIVER=llvmpipe \
		/sundog/tests/gl/grab-frames.sh "$NATIVE" "$out/reference" glmark2 400x300 $scenes
	"$TOP/tools/guest/guest.sh" --out "$OUT/guestgl" --timeout 3600 \
		--device "sundog,renderer-options=--timeout 2000" \
		"/sundog/tests/guest/guest-gl ${LONG:-} $NATIVE $MESA $scenes"
	in_tree /sundog/tests/gl/compare-frames.sh "$NATIVE/tests/lib/png-compare" \
		"guest glmark2-es2-drm" "$out/reference" "$out/frames" $scenes
	"$TOP/tools/guest/guest.sh" --out "$OUT/no-renderer" --renderer none \
		"/sundog/tests/guest/guest-no-renderer $NATIVE $MESA
		/sundog/tests/guest/guest-none $MESA"
}

# Tests OpenGL in a guest, with three times as many textures as VRAM holds.
suite_overcommit()
{
	"$TOP/tools/build/parts.sh"
	"$TOP/tools/guest/guest.sh" --out "$OUT/overcommit" --timeout 3600 --vram 32M \
		"/sundog/tests/guest/guest-overcommit $NATIVE $MESA"
}

# Runs the same test with very little CPU time, so that waits for VRAM take long.
suite_overcommit_slow()
{
	local status=0
	"$TOP/tools/build/parts.sh"
	"$TOP/tools/check/with-quota.sh" 12 "$TOP/tools/guest/guest.sh" \
		--out "$OUT/overcommit-slow" --timeout 3600 --vram 32M \
		--append cryptomgr.notests=1 \
		"modprobe sundog && $MESA/bin/sundog-mesa $NATIVE/tests/host/overcommit-gl" ||
		status=$?
	case $status in
	0) ;;
	77) echo "ok - overcommit-gl with 12 % of a CPU # SKIP there are no cgroups with quotas" ;;
	*) echo "not ok - overcommit-gl with 12 % of a CPU ends with status $status" ;;
	esac
}

# Tests desktops in a guest: Weston with clients of Wayland and X, and Xorg. The renderer has the
# limits of watchdog.sh.
suite_compositors()
{
	local hasty="sundog,vram=1G,renderer=$NATIVE/renderer/sundog-renderd"
	hasty+=",renderer-options=--timeout 3000 --compile-timeout 3000"
	local test
	"$TOP/tools/build/parts.sh"
	for test in weston xorg; do
		"$TOP/tools/guest/guest.sh" --out "$OUT/compositors-$test" --timeout 3600 \
			--device "$hasty" --vnc 1 "/sundog/tests/guest/guest-$test $NATIVE $MESA"
	done
}

# Kills workers while programs draw in a guest, a hundred times each.
suite_recover()
{
	local what
	"$TOP/tools/build/layer.sh" apps
	"$TOP/tools/build/parts.sh"
	for what in glmark2 weston "extremetuxracer 6699cc~2=700000 172e70~8=8000"; do
		"$TOP/tools/guest/guest.sh" --layer apps --out "$OUT/recover-${what%% *}" \
			--memory 4G --timeout 3600 \
			"/sundog/tests/guest/guest-recover $NATIVE $MESA 100 $what"
	done
}

# Runs the part of piglit of suite piglit as an unprivileged user of a guest. Fails if the kernel,
# QEMU or the renderer log anything.
suite_piglitguest()
{
	local rc=0
	"$TOP/tools/build/layer.sh" piglit
	"$TOP/tools/build/parts.sh"
	"$TOP/tools/guest/guest.sh" --layer piglit --out "$OUT/piglitguest" --memory 4G \
		--timeout 3600 "/sundog/tests/guest/guest-piglit $NATIVE $MESA" \
		2>"$OUT/piglitguest.host" || rc=$?
	cat "$OUT/piglitguest.host" >&2
	if grep -q 'qemu\|sundog-renderd' "$OUT/piglitguest.host"; then
		echo "not ok - QEMU and the renderer log nothing, see $OUT/piglitguest.host"
	else
		echo "ok - QEMU and the renderer log nothing"
	fi
	in_tree python3 /sundog/tools/check/piglit.py "$TREE_OUT/piglitguest" \
		/sundog/tests/piglit piglit || true
	return $rc
}

# Runs application programs in a guest; APPS selects some.
suite_apps()
{
	"$TOP/tools/build/layer.sh" apps
	"$TOP/tools/build/parts.sh"
	"$TOP/tools/guest/guest.sh" --layer apps --out "$OUT" --memory 6G --timeout 7200 \
		"/sundog/tests/guest/guest-apps $NATIVE $MESA ${APPS:-}"
}

# lacks_no_update STATUS SUITE: returns true if Debian has no newer version of a package that is
# installed according to STATUS, a copy of a root's /var/lib/dpkg/status.
lacks_no_update()
{
	local missing dates
	# A mirror that is kept as it was on some day has lists that are no longer valid.
	dates=$(apt-config dump | grep '^Acquire::Check-Valid-Until ' || true)
	missing=$(in_layer packages bash -euc '
		test -s "$1"
		echo "$2" >/etc/apt/apt.conf.d/80dates
		/sundog/tools/build/updates use "${@:3}" >&2
		/sundog/tools/build/updates missing "$1"' sh "$1" "$dates" $(suites "$2")) || return
	[ -z "$missing" ] || { printf 'newer in Debian: %s\n' $missing; return 1; }
}

# Builds the packages, installs them, and runs guests with them: with a renderer, without one, and
# without a device.
suite_packages()
{
	test_that "the packages are built, and lintian is content" "$TOP/tools/build/packages.sh"
	test_that "the repository is made without a word about override entries" bash -c \
		"said=\$($TOP/tools/build/packages.sh 2>&1) && ! grep override <<<\"\$said\""
	test_that "the packages can be installed" "$TOP/tools/build/packages.sh" --install
	"$TOP/tools/build/native.sh"
	mkdir -p "$OUT/packages"
	cp "$(layer_dir installed)/before" "$OUT/packages/files"
	in_layer installed /sundog/tests/host/purged "$TREE_OUT/packages/files"
	in_layer installed /sundog/tests/host/boot-units.sh --install \
		"$(in_tree_path "$(ls "$TOP"/out/packages/pool/sundog-renderd_*.deb)")" \
		"$NATIVE/tests/stream/triangle-stream"
	test_that "sundog doctor finds renderer, EGL and Vulkan of a host with the packages" \
		in_layer installed sundog doctor --host
	installed_guest sundog sundog
	installed_guest no-renderer distribution --renderer none
	installed_guest no-device distribution --device none
}

# Builds packages again for updates of Debian.
suite_packages_updates()
{
	"$TOP/tools/check/packages-updates-test.sh"
}

# Upgrades the packages under a running program, and the kernel.
suite_packages_upgrade()
{
	"$TOP/tools/build/parts.sh" native
	"$TOP/tools/build/packages.sh" --install
	in_layer installed /sundog/tests/host/upgrade.sh "$NATIVE" "$BACKPORTS_SUITE"
}

# Runs programs that people use in a guest with the packages and nothing set.
suite_packages_apps()
{
	"$TOP/tools/build/packages.sh" --install installed_apps
	"$TOP/tools/guest/guest.sh" --installed --layer installed_apps \
		--out "$OUT/packages-apps" --memory 6G --timeout 7200 \
		"/sundog/tests/guest/guest-apps $NATIVE installed ${APPS:-gtk4 gtk4_vulkan qtquick \
		qtquick_vulkan firefox_default chromium_default}"
}

# libvirt_initramfs FOLDER: makes the initramfs of the guest of libvirt, in a folder below OUT.
libvirt_initramfs()
{
	mkdir -p "$OUT/$1"
	in_tree /sundog/tests/guest/libvirt-initramfs "$NATIVE" "$(in_tree_path "$KMOD")" \
		"$(kernel_release "$TREE")" "$TREE_OUT/$1/initramfs"
}

# Runs a guest under libvirt, with the packages of a host.
suite_packages_libvirt()
{
	local dir=$OUT/packages-libvirt release
	"$TOP/tools/build/parts.sh" native kmod
	"$TOP/tools/build/packages.sh" --install installed_libvirt
	release=$(kernel_release "$TREE")
	libvirt_initramfs packages-libvirt
	in_layer installed_libvirt /sundog/tests/host/libvirt.sh "/boot/vmlinuz-$release" \
		"$TREE_OUT/packages-libvirt/initramfs" "$TREE_OUT/packages-libvirt"
	rm "$dir/initramfs"
}

# Runs the renderer under its AppArmor profile, then libvirt with its profiles, each in a guest,
# since the machine's kernel may lack AppArmor.
suite_packages_apparmor()
{
	"$TOP/tools/build/parts.sh" native kmod qemu
	"$TOP/tools/build/packages.sh" --install installed_libvirt
	"$TOP/tools/guest/guest.sh" --layer installed_libvirt --device none --module none \
		--memory 4G --out "$OUT/packages-apparmor" --timeout 1800 \
		"/sundog/tests/guest/guest-apparmor $NATIVE"
	libvirt_initramfs packages-apparmor-libvirt
	"$TOP/tools/guest/guest.sh" --layer installed_libvirt --device none --module none \
		--memory 4G --out "$OUT/packages-apparmor-libvirt" --timeout 7200 \
		"/sundog/tests/host/libvirt.sh /boot/vmlinuz-\$(uname -r) /out/initramfs /out \
		apparmor"
	rm "$OUT/packages-apparmor-libvirt/initramfs"
}

# Makes the OCI image, and runs programs and the steps of the GitHub action in it.
suite_packages_oci()
{
	mkdir -p "$OUT/packages-oci"
	test_that "the OCI image is made" "$TOP/tools/build/oci.sh"
	in_layer containers /sundog/tests/host/oci.sh "$(in_tree_path "$TOP/out/oci/sundog.tar")" \
		"$TREE_OUT/packages-oci"
	test_that "the OCI image lacks no update of Debian" \
		lacks_no_update "$TREE_OUT/packages-oci/status" "$SUITE"
}

# boot_image IMAGE NAME SUITE: boots a disk image of SUITE: firmware, systemd, GDM, GNOME.
boot_image()
{
	"$TOP/tools/build/packages.sh" --install installed_image
	mkdir -p "$OUT/packages-$2"
	in_layer installed_image /sundog/tests/host/image.py "$(in_tree_path "$1")" \
		"$TREE_OUT/packages-$2"
	test_that "the disk image lacks no update of Debian" \
		lacks_no_update "$TREE_OUT/packages-$2/share/status" "$3"
}

# Makes and boots the disk image.
suite_packages_image()
{
	test_that "the disk image is made" "$TOP/tools/build/image.sh"
	boot_image "$TOP/out/image/sundog.raw" image "$SUITE"
}

# The same for the next suite of Debian, which has another Mesa.
suite_packages_testing()
{
	test_that "the disk image of $TESTING_SUITE is made" \
		"$TOP/tools/build/image.sh" "$TESTING_SUITE"
	boot_image "$TOP/out/image-$TESTING_SUITE/sundog.raw" testing "$TESTING_SUITE"
}

# Tests a guest under KVM. Its memory, interrupts and doorbells take other ways through QEMU than
# with TCG: memory slots, ioeventfd, irqfd, the log of dirty pages. KVM_ACCEL is for tests of this
# suite on a machine without KVM.
suite_kvm()
{
	local accel=${KVM_ACCEL:-} status=0
	if [ -z "$accel" ]; then
		"$TOP/tools/build/parts.sh" qemu
		accel=$("$TOP/tools/guest/guest.sh" --print-accel)
		[ "$accel" = kvm ] || {
			echo "ok - a guest under KVM # SKIP no guest boots with KVM here"
			return
		}
	fi
	"$TOP/tools/build/parts.sh"
	mkdir -p "$OUT/kvm"
	in_tree /sundog/tests/host/with-renderd.sh "$NATIVE/renderer/sundog-renderd" \
		"$NATIVE/tests/stream/triangle-stream" --frames 4 --draws 3 --size 320x240 \
		--png "$TREE_OUT/kvm-direct.png"
	"$TOP/tools/guest/guest.sh" --out "$OUT/kvm" --accel "$accel" --vram 64M \
		--timeout 1800 "/sundog/tests/guest/guest-kvm $NATIVE $MESA $accel" || status=$?
	[ "$status" = 0 ] || echo "not ok - the guest ends with status $status"
	test_that "the guest draws the stream as it is drawn directly" \
		in_tree "$NATIVE/tests/lib/png-compare" "$TREE_OUT/kvm-direct.png" \
		"$TREE_OUT/kvm/stream.png" 0
}

# Builds each package a second time.
suite_reproducible()
{
	test_that "two builds of the packages have the same bytes" \
		"$TOP/tools/build/packages.sh" --twice
}

# installed_guest NAME MODE [OPTION...]: boots a guest of the packages and runs guest-installed.
installed_guest()
{
	"$TOP/tools/guest/guest.sh" --installed --out "$OUT/packages-$1" --timeout 3600 \
		--memory 4G "${@:3}" "/sundog/tests/guest/guest-installed $NATIVE $2" |
		sed -E "s/^((not )?ok\b.*)/\1 ($1)/"
	[ "${PIPESTATUS[0]}" = 0 ] ||
		printf 'not ok - the guest ends well (%s)\n' "$1"
}

# The long forms.
suite_unit_long() { LONG=--long suite_unit; }
suite_sanitize_long() { LONG=--long suite_sanitize; }
suite_kernel_long() { LONG=--long suite_kernel; }
suite_gl_long() { LONG=--long suite_gl; }
suite_vulkan_long() { LONG=--long suite_vulkan; }
suite_lavapipe_long() { LONG=--long suite_lavapipe; }
suite_guestgl_long() { LONG=--long suite_guestgl; }

case ${1:-} in
--list-check | --list-check-busy)
	echo static kernel memory guestgl gl unit sanitize vulkan lavapipe qtest overcommit fuzz \
		hostile corpus	# the longest first
	;;
--list-check-full)
	echo static kernel_long unit_long sanitize_long guestgl_long gl_long fuzz vulkan_long \
		piglit qtest overcommit overcommit_slow lavapipe_long hostile corpus_long webgpu \
		validation programs tracers large compositors recover piglitguest udmabuf nested \
		sleep backports stress series mutants kvm demo_user
	;;
--list-check-hostile)
	echo hostile_long
	;;
--list-check-debug)
	echo debug debug_memory
	;;
--list-check-packages)
	echo packages packages_updates packages_upgrade packages_apps packages_libvirt \
		packages_apparmor packages_oci packages_image packages_testing reproducible
	;;
--list-check-kvm)
	echo kvm
	;;
--list-fuzz)
	echo fuzz_long
	;;
--list-apps)
	echo apps
	;;
*)
	declare -F "suite_${1:-}" >/dev/null || die "unknown suite '${1:-}'; use one of:" \
		$(declare -F | sed -n 's/^declare -f suite_//p')
	mkdir -p "$OUT"
	"suite_$1"
	;;
esac
