# SPDX-License-Identifier: MIT
# Shell functions of the tests inside a guest: TAP and waiting (tap.sh), and the counters in
# debugfs.

. /sundog/tests/lib/tap.sh

counts=/sys/kernel/debug/dri/0/sundog_counts

# Prints the counters that have fixed values while the device is idle.
idle_counts()
{
	grep -v '^jobs ' $counts
}

counts_are()
{
	[ "$(idle_counts)" = "$1" ]
}

# back_to IDLE: waits until the counters have their old values again, since closing files takes time
# under TCG.
back_to()
{
	wait_until counts_are "$1" && return
	diff <(printf '%s\n' "$1") <(idle_counts) | sed 's/^/# /'
	return 1
}
