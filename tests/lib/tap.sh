# SPDX-License-Identifier: MIT
# Shell functions that print results as TAP, and that wait for a condition.

# Timeout in seconds. It is long, because a machine may stall at times; it measures nothing.
patience=180

# report STATUS NAME: prints the result of an action.
report()
{
	if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; fi
}

# report_log STATUS NAME LOG: the same, and prints the file LOG if the action failed.
report_log()
{
	[ "$1" = 0 ] || sed 's/^/# /' "$3"
	report "$1" "$2"
}

# check NAME COMMAND...: runs the command, and reports its result.
check()
{
	local name=$1 status=0
	shift
	"$@" || status=$?
	report "$status" "$name"
}

# wait_until COMMAND...: polls until the command succeeds; returns 1 on a timeout.
wait_until()
{
	local end=$((SECONDS + patience))
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.2
	done
}
