#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the tests of this folder, in a guest with the driver loaded:
#
#   run.sh [--long] [--without TESTS] BUILD [TEST[@SUBTEST]...]
#
# BUILD is the folder of the test programs; --long sets higher numbers of iterations. Without a list
# all programs run but those of TESTS, which are separated by spaces. Each program runs once with
# all of its subtests. A subtest runs by itself if the program ended before it, or if it failed
# after another subtest had failed. It runs again, at most IGT_TRIES times (default 5), if its gate
# timed out. Prints a line for each subtest,
#   RESULT TEST@SUBTEST SECONDS	RESULT is pass, fail, skip or dmesg-fail
# then one for the counts in debugfs, which must return to their values before the tests, and
# "total PASS FAIL SKIP". The output of failed subtests goes to stderr. Exit status 1: a subtest
# failed or the kernel logged a problem.
# IGT_TIMEOUT is the limit for a subtest in seconds (default 600), SUNDOG_PATIENCE the timeout of
# its waits in seconds (default 120).
without=
while :; do
	case $1 in
	--long) export SUNDOG_LONG=1 ;;
	--without)
		without=$2
		shift
		;;
	*) break ;;
	esac
	shift
done
build=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
bad_dmesg=$here/../tools/guest/dmesg
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
	local path test
	if [ $# -gt 0 ]; then
		printf '%s\n' "$@"
		return
	fi
	for path in "$build"/sundog_*; do
		test=${path##*/}
		case " $without " in *" $test "*) continue ;; esac
		[ -f "$path" ] && [ -x "$path" ] && echo "$test"
	done
}

# dmesg_since MARK: prints the kernel's log since that mark, or all of it if the log lost the mark.
dmesg_since()
{
	dmesg | awk -v mark="igt: $1" '{ log_ = log_ $0 "\n" }
		(at = index($0, mark)) && substr($0, at) == mark { log_ = "" }
		END { printf "%s", log_ }'
}

# said SUBTEST, kernel_said TEST SUBTEST: prints the part of $log or of $kernel_log of a subtest.
said()
{
	awk -v start="Starting subtest: " -v name="$1" '
		index($0, start) == 1 { on = substr($0, length(start) + 1) == name } on' "$log"
}

kernel_said()
{
	awk -v start="[IGT] $1: starting subtest " -v name="$2" '
		at = index($0, start) { on = substr($0, at + length(start)) == name }
		on' "$kernel_log"
}

# read_results: stores the results of all subtests of the last run in $results, their names in $ran.
# Parses the log once for all, since a process takes long to start in an emulated guest.
read_results()
{
	local subtest result
	results=() ran=
	while read -r subtest result; do
		# A child of the subtest that failed may have printed this line, too.
		[ -n "${results[$subtest]:-}" ] || ran="$ran $subtest"
		results[$subtest]=$result
	done < <(sed -n 's/^Subtest \([^ ]*\): \([A-Z]*\) (\(.*\)s)$/\1 \2 \3/p' "$log")
	complained=
	"$bad_dmesg" "$kernel_log" >/dev/null || complained=1
}

# report TEST SUBTEST: prints and counts the result. Returns 1 if the program printed none.
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

# run TEST SECONDS [OPTION...]: runs a program. Leaves its output in $log and $kernel_log, the
# results in $results, the names of these subtests in $ran, and the exit status in $status.
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

# gate_expired SUBTEST: returns true if the subtest failed and was so slow that its gate may have
# timed out before.
gate_expired()
{
	local result took
	read -r result took <<<"${results[$1]:-}"
	[ "$result" = FAIL ] && [ "${took%.*}" -ge "$GATE_SECONDS" ] &&
		said "$1" | grep -q 'a gate is shut'
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

# has_failed SUBTEST: returns true if the subtest failed in the last run.
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
	# A program that was killed has not printed the names of all subtests.
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

# Prints the counts of debugfs on one line. They return to their idle values when no client is left.
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
