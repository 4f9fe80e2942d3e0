# SPDX-License-Identifier: MIT
# Shell functions of the tests that run inside a guest: TAP and waiting (tap.sh), and what debugfs counts.

. /sundog/tests/tap.sh

counts=/sys/kernel/debug/dri/0/sundog_counts

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
	wait_until counts_are "$1" && return
	diff <(printf '%s\n' "$1") <(idle_counts) | sed 's/^/# /'
	return 1
}
