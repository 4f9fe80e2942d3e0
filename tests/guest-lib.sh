# SPDX-License-Identifier: MIT
# Shell functions of the tests that run inside a guest: TAP, and what debugfs counts.

counts=/sys/kernel/debug/dri/0/sundog_counts

# report STATUS NAME: a TAP line.
report()
{
	if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; fi
}

# The counts that are always the same when nobody uses the device.
idle_counts()
{
	grep -v '^jobs ' $counts
}

# back_to IDLE: the counts come back to what they were; closing files is not instant under TCG.
back_to()
{
	for _ in $(seq 100); do
		[ "$(idle_counts)" = "$1" ] && return
		sleep 0.1
	done
	diff <(printf '%s\n' "$1") <(idle_counts) | sed 's/^/# /'
	return 1
}
