#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the tests: for each change in igt-tests/mutants.yaml, which breaks one rule of the driver,
# builds the module with it and runs the subtests of that rule in a guest: all must fail. On the
# module without a change (the control) all must pass. A guest runs one module after the other until
# its kernel is unusable. Prints TAP. Logs of the guests are in OUT.
# usage: tools/check/mutants.sh OUT [NAME...]
set -eu
. "$(dirname "$0")/../lib.sh"

out=$1
shift
mutants()
{
	in_tree python3 /sundog/tools/check/mutants.py "$1" /sundog/igt-tests/mutants.yaml "${@:2}"
}
headers=$(in_tree_path "$TREE/usr/src/linux-headers-$(kernel_release "$TREE")")

# One folder for all mutants, so that only changed files are compiled.
dir=$CACHE/mutants-$(key "$TREE_KEY")

# build NAME: builds NAME.ko.
build()
{
	mutants --apply "$1" /sundog "/cache/${dir##*/}" && in_tree sh -euc '
		make -C "$1" M="$2" -j"$(nproc)" modules
		mv "$2/sundog.ko" "$2/$3.ko"' sh "$headers" "/cache/${dir##*/}" "$1"
}

# Runs as many mutants of $waiting as a guest can, with its output in $log.
guest()
{
	local name arguments= first=
	for name in $waiting; do
		: "${first:=$name}"
		arguments+=" $name=$(mutants --red "$name" | tr ' ' ,)"
	done
	# One subtest wants a second device.
	"$TOP/tools/guest/guest.sh" --out "$out" --allow-dmesg --timeout 1800 --vram 64M \
		--device sundog --device sundog \
		--append iomem=relaxed --module "$dir/$first.ko" \
		"/sundog/tests/guest/guest-mutants $NATIVE/igt-tests /cache/${dir##*/} $arguments" \
		>"$log" 2>&1 || true
}

# judge NAME: prints the result of a mutant from the guest's output. Returns 1 if the guest did not
# run it.
judge()
{
	local said subtest wanted="fail|dmesg-fail" survivors=
	[ "$1" != control ] || wanted=pass
	said=$(awk -v name="$1" '$1 == "mutant" { on = $2 == name } on' "$log")
	[ -n "$said" ] || return 1
	for subtest in $(mutants --red "$1"); do
		grep -qE "^($wanted) $subtest " <<<"$said" || survivors+=" $subtest"
	done
	if [ -z "$survivors" ]; then
		echo "ok - mutant $1"
	else
		sed 's/^/# /' <<<"$said"
		echo "not ok - mutant $1: these subtests do not ${wanted%%|*}:$survivors"
	fi
}

mkdir -p "$out" "$dir/protocol/generated" "$dir/kernel" "$dir/gate"
exec 9>"$CACHE/mutants.lock"
flock 9
cp -u "$TOP/Kbuild" "$dir/"
cp -u "$TOP/kernel/probe.sh" "$dir/kernel/"
cp -u "$TOP/protocol/generated/sundog_hw.h" "$dir/protocol/generated/"
cp -u "$KMOD_DIR/gate/sundog_gate.ko" "$dir/gate/"
waiting=
for name in ${*:-$(mutants --list)}; do
	if build "$name" >"$out/$name.build" 2>&1; then
		waiting+=" $name"
	else
		sed 's/^/# /' "$out/$name.build"
		echo "not ok - mutant $name: the module does not build, see $out/$name.build"
	fi
done
for (( n = 1; ${#waiting}; n++ )); do
	log=$out/guest-$n.log left=
	guest
	for name in $waiting; do
		judge "$name" || left+=" $name"
	done
	if [ "$left" = "$waiting" ]; then
		sed 's/^/# /' "$log"
		echo "not ok - mutants$left: the guest ran none of them, see $log"
		break
	fi
	waiting=$left
done
