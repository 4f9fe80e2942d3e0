#!/bin/bash
# SPDX-License-Identifier: MIT
# Run the tests of this folder, in a guest with the driver loaded:
#
#   run.sh [--long] BUILD [TEST[@SUBTEST]...]
#
# BUILD is where the test programs are; --long does everything more often. Each program is run once
# with all of its subtests. Subtests run by themselves if the program did not come to them or if they
# failed after another one had; and again, at most IGT_TRIES (5) times, if their gates opened too
# early. Prints a line for each,
#   RESULT TEST@SUBTEST SECONDS	RESULT is pass, fail, skip or dmesg-fail
# at the end one for the counts in debugfs, which must be what they were, and "total PASS FAIL SKIP".
# What a failed subtest said goes to stderr. Status 1 if anything failed or the kernel complained.
# IGT_TIMEOUT is how long a subtest may take, in seconds (default 600); SUNDOG_PATIENCE, how
# long to wait for what should come (default 120).
if [ "$1" = --long ]; then
	export SUNDOG_LONG=1
	shift
fi
build=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
bad_dmesg=$here/../tools/guest-dmesg
log=$(mktemp)
kernel_log=$(mktemp)
limit=${IGT_TIMEOUT:-600}
pass=0 fail=0 skip=0
declare -A results
IGT_EXIT_SKIP=77 IGT_EXIT_FAILURE=98
GATE_SECONDS=9	# lib/sundog_gate.h: no fence of vgem holds anything back for longer than 10 s
tries=${IGT_TRIES:-5}

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

# What the kernel said since that mark; all of it should the mark be gone.
dmesg_since()
{
	dmesg | awk -v mark="igt: $1" '{ log_ = log_ $0 "\n" }
		(at = index($0, mark)) && substr($0, at) == mark { log_ = "" }
		END { printf "%s", log_ }'
}

# The part of $log or of $kernel_log that is about a subtest.
said()
{
	awk -v start="Starting subtest: " -v name="$1" '
		index($0, start) == 1 { on = substr($0, length(start) + 1) == name } on' "$log"
}

kernel_said()
{
	awk -v start="[IGT] $1: starting subtest " -v name="$2" '
		at = index($0, start) { on = substr($0, at + length(start)) == name } on' "$kernel_log"
}

# read_results: what the last run said, once and for all of its subtests: a process takes long to start in an
# emulated guest.
read_results()
{
	local subtest result
	results=() ran=
	while read -r subtest result; do
		# So may have a child of it that failed.
		[ -n "${results[$subtest]:-}" ] || ran="$ran $subtest"
		results[$subtest]=$result
	done < <(sed -n 's/^Subtest \([^ ]*\): \([A-Z]*\) (\(.*\)s)$/\1 \2 \3/p' "$log")
	complained=
	"$bad_dmesg" "$kernel_log" >/dev/null || complained=1
}

# report TEST SUBTEST: print and count how it ended; status 1 if the program did not say.
report()
{
	local test=$1 subtest=$2 result took
	read -r result took <<<"${results[$subtest]:-}"
	case $result in
	SUCCESS) result=pass ;;
	SKIP) result=skip ;;
	FAIL) result=fail ;;
	*) return 1 ;;
	esac
	if [ -n "$complained" ] && ! kernel_said "$test" "$subtest" | "$bad_dmesg" - >&2; then
		result=dmesg-fail
	fi
	case $result in
	pass) pass=$((pass + 1)) ;;
	skip) skip=$((skip + 1)) ;;
	*)
		fail=$((fail + 1))
		said "$subtest" | sed 's/^/    /' >&2
		;;
	esac
	printf '%s %s@%s %s\n' "$result" "$test" "$subtest" "$took"
}

# run TEST SECONDS [OPTION...]: leaves what was said in $log, $kernel_log and $results, whose names are in $ran, and
# $status, how it ended.
run()
{
	local test=$1 seconds=$2 mark
	shift 2
	mark="$test $*"
	echo "igt: $mark" >/dev/kmsg
	timeout -k 5 "$seconds" "$build/$test" "$@" >"$log" 2>&1
	status=$?
	dmesg_since "$mark" >"$kernel_log"
	read_results
}

# gate_expired SUBTEST: it failed, after what it held back may have gone on: it was not quick enough.
gate_expired()
{
	local result took
	read -r result took <<<"${results[$1]:-}"
	[ "$result" = FAIL ] && [ "${took%.*}" -ge "$GATE_SECONDS" ] && said "$1" | grep -q 'a gate is shut'
}

run_one()
{
	local try
	for ((try = 1; try <= tries; try++)); do
		run "$1" "$limit" --run-subtest "$2"
		gate_expired "$2" || break
	done
	report "$1" "$2" && return
	fail=$((fail + 1))
	echo "fail $1@$2 0"
	sed 's/^/    /' "$log" >&2
	"$bad_dmesg" "$kernel_log" >&2
}

# has_failed SUBTEST: in the last run.
has_failed()
{
	case ${results[$1]:-} in
	FAIL*) ;;
	*) return 1 ;;
	esac
}

# A subtest that fails leaves its BOs, contexts and DRM master to the process. Another subtest that
# fails after it in the same process is run by itself, and only that result counts.
run_all()
{
	local test=$1 subtest missing= failed=
	run "$test" $((5 * limit))
	# A program that was ended before it was through has not named all.
	case $ran:$status in
	?*:0 | ?*:"$IGT_EXIT_SKIP" | ?*:"$IGT_EXIT_FAILURE") ;;
	*) ran=$("$build/$test" --list-subtests) ;;
	esac
	for subtest in $ran; do
		if has_failed "$subtest" && { [ -n "$failed" ] || gate_expired "$subtest"; }; then
			missing="$missing $subtest"
		elif ! report "$test" "$subtest"; then
			missing="$missing $subtest"
		fi
		! has_failed "$subtest" || failed=1
	done
	for subtest in $missing; do
		run_one "$test" "$subtest"
	done
}

# What debugfs counts, on one line; all of it is back at its idle figure once nobody uses the device.
counts()
{
	cat /sys/kernel/debug/dri/*/sundog_counts 2>/dev/null | sort -u | tr '\n' ' '
}

check_counts()
{
	local end=$((SECONDS + ${SUNDOG_PATIENCE:-120}))
	until [ "$(counts)" = "$idle" ] || [ "$SECONDS" -ge "$end" ]; do
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
	case $item in
	*@*) run_one "${item%@*}" "${item#*@}" ;;
	*) run_all "$item" ;;
	esac
done

check_counts
echo "total $pass $fail $skip"
[ "$fail" = 0 ]
