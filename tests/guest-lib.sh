# SPDX-License-Identifier: MIT
# Shell functions of the tests that run inside a guest: TAP (tap.sh), waiting, and what debugfs counts.

. /sundog/tests/tap.sh

counts=/sys/kernel/debug/dri/0/sundog_counts

# wait_until SECONDS COMMAND...: poll until the command succeeds; status 1 if it does not in time.
wait_until()
{
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.2
	done
}

# The counts that are always the same when nobody uses the device.
idle_counts()
{
	grep -v '^jobs ' $counts
}

counts_are()
{
	[ "$(idle_counts)" = "$1" ]
}

# back_to IDLE: the counts come back to what they were; closing files is not instant under TCG.
back_to()
{
	wait_until 20 counts_are "$1" && return
	diff <(printf '%s\n' "$1") <(idle_counts) | sed 's/^/# /'
	return 1
}
