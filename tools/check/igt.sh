#!/bin/bash
# SPDX-License-Identifier: MIT
# `make igt`: runs the tests of igt-gpu-tools that need no vendor's hardware, in a guest on our
# driver or on a peer, and compares failed and skipped tests with tests/igt (docs/igt.md). PEER is
# virtio-gpu. KERNEL is debug, for the kernel of `make check-debug`. IGT_SOURCE is an unpacked
# source of igt-gpu-tools. Results in out/igt, out/igt-PEER, out/igt-debug: log, tap and
# report.json. --continue continues a run that was ended.
# usage: tools/check/igt.sh [--continue] [TEST[@SUBTEST]...]
set -eu
. "$(dirname "$0")/../lib.sh"
preflight

again=
if [ "${1:-}" = --continue ]; then
	again=1
	shift
fi
some=$*
out=$TOP/out/igt${PEER:+-$PEER}${KERNEL:+-$KERNEL}
expected=/sundog/tests/igt
case ${PEER:-sundog} in
sundog) driver=sundog guest=(--device sundog,heads=4) ;;
virtio-gpu) driver=virtio_gpu guest=(--stock --device virtio-gpu-pci,max_outputs=4) ;;
*) die "PEER=$PEER is unknown; use virtio-gpu, or none for sundog" ;;
esac
[ "$driver" = sundog ] || expected=/nonexistent
case ${KERNEL:-} in
'') kernel=$TREE ;;
debug) kernel=$DEBUG_KERNEL ;;
*) die "KERNEL=$KERNEL is unknown; use debug, or none for Debian's kernel" ;;
esac

# igt COMMAND...: runs tools/check/igt.py in the layer that has the tests.
igt()
{
	in_layer igt python3 /sundog/tools/check/igt.py "$@"
}

"$TOP/tools/build/igt-gpu-tools.sh"
"$TOP/tools/build/parts.sh" native qemu ${KERNEL:+debug-kernel}
"$TOP/tools/build/kmod.sh" "$kernel"
if [ -z "$again" ]; then
	rm -rf "$out"
	mkdir -p "$out/log"
	igt list "$IGT/tests" "$(in_tree_path "$out")" "$@"
fi
# The guest's clock counts executed instructions, and jumps to the next timer when the guest is
# idle, so that results do not depend on the machine's speed and load. Failed tests run again with a
# real-time clock: the device makes CRCs in real time.
counted=(--accel tcg,thread=single --qemu "-icount shift=1,sleep=off")

# A guest ends when a test hangs in the kernel; the next guest continues with the test after that.
while kind=$(igt plan "$(in_tree_path "$out")") && [ -n "$kind" ]; do
	say "igt: $(wc -l <"$out/todo") runs to do, tests $kind"
	before=$(ls "$out/log" | wc -l)
	clock=()
	[ "$kind" = alone ] || clock=("${counted[@]}")
	"$TOP/tools/guest/guest.sh" --out "$out" --timeout 14400 --memory 4G --layer igt \
		--allow-dmesg --kernel "$kernel" "${guest[@]}" "${clock[@]}" \
		"bash /sundog/tests/guest/guest-igt $IGT/tests $driver" || true
	[ "$(ls "$out/log" | wc -l)" -gt "$before" ] ||
		die "no test of $out/todo ran in the guest, see $out/serial.log"
done
rc=0
igt report "$(in_tree_path "$out")" "$expected" ${KERNEL:-} >"$out/tap" || rc=$?
grep -v '^ok ' "$out/tap"
# Keeps the counts of complete runs.
if [ -z "$some" ]; then
	release=$(sed -n "s/^ *version *: *'\([0-9.]*\)'.*/\1/p" "$IGT_DIR"/src/*/meson.build |
		head -1)
	in_tree python3 /sundog/tools/docs/test_results.py add \
		"igt ${release:-of IGT_SOURCE}${KERNEL:+, $KERNEL kernel}" \
		"$driver" "$(in_tree_path "$out")/report.json"
fi
exit $rc
