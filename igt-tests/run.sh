#!/bin/bash
# SPDX-License-Identifier: MIT
# Run the tests of this folder, in a guest with the driver loaded:
#
#   run.sh BUILD [TEST[@SUBTEST]...]
#
# BUILD is where the test programs are. Prints a line for each subtest,
#   RESULT TEST@SUBTEST SECONDS	RESULT is pass, fail, skip or dmesg-fail
# at the end one for the counts in debugfs, which must be what they were, and "total PASS FAIL SKIP".
# What a failed subtest said goes to stderr. Status 1 if anything failed or the kernel complained.
# IGT_TIMEOUT is how long a subtest may take, in seconds (default 120).
build=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
bad_dmesg=$here/../tools/guest-dmesg
log=$(mktemp)
pass=0 fail=0 skip=0

tests()
{
	local test
	if [ $# -gt 0 ]; then
		printf '%s\n' "$@"
		return
	fi
	for test in "$build"/sundog_*; do
		[ -f "$test" ] && [ -x "$test" ] && basename "$test"
	done
}

# What the kernel said since the last "igt: " line; all of it should that line be gone.
dmesg_since()
{
	dmesg | awk -v mark="igt: $1" '{ log_ = log_ $0 "\n" } index($0, mark) { log_ = "" } END { printf "%s", log_ }'
}

run_one()
{
	local test=$1 subtest=$2 start=$EPOCHREALTIME result took
	echo "igt: $test@$subtest" >/dev/kmsg
	timeout -k 5 "${IGT_TIMEOUT:-120}" "$build/$test" --run-subtest "$subtest" >"$log" 2>&1
	case $? in
	0) result=pass pass=$((pass + 1)) ;;
	77) result=skip skip=$((skip + 1)) ;;
	*) result=fail fail=$((fail + 1)) ;;
	esac
	if ! dmesg_since "$test@$subtest" | "$bad_dmesg" - >>"$log"; then
		[ $result = fail ] || fail=$((fail + 1))
		[ $result != pass ] || pass=$((pass - 1))
		[ $result != skip ] || skip=$((skip - 1))
		result=dmesg-fail
	fi
	took=$(((${EPOCHREALTIME/./} - ${start/./}) / 1000))
	printf '%s %s@%s %d.%03d\n' $result "$test" "$subtest" $((took / 1000)) $((took % 1000))
	case $result in
	*fail) sed 's/^/    /' "$log" >&2 ;;
	esac
}

# What debugfs counts, on one line; all of it is back at its idle figure once nobody uses the device.
counts()
{
	cat /sys/kernel/debug/dri/*/sundog_counts 2>/dev/null | sort -u | tr '\n' ' '
}

check_counts()
{
	local try
	for try in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(counts)" = "$idle" ] && break
		sleep 0.5
	done
	if [ "$(counts)" = "$idle" ]; then
		pass=$((pass + 1))
		echo "pass debugfs@idle-counts 0"
	else
		fail=$((fail + 1))
		echo "fail debugfs@idle-counts 0"
		printf '    before: %s\n    after:  %s\n' "$idle" "$(counts)" >&2
	fi
}

idle=$(counts)
for item in $(tests "$@"); do
	test=${item%@*}
	case $item in
	*@*) subtests=${item#*@} ;;
	*) subtests=$("$build/$test" --list-subtests) ;;
	esac
	for subtest in $subtests; do
		run_one "$test" "$subtest"
	done
done

check_counts
echo "total $pass $fail $skip"
[ "$fail" = 0 ]
