#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs a command with a CPU quota of PERCENT of one CPU, as if others kept the machine busy.
# usage: tools/check/with-quota.sh PERCENT COMMAND...; exit status 77: there are no CPU cgroups here
set -u
percent=$1
shift
if [ -e /sys/fs/cgroup/cpu/cpu.cfs_quota_us ]; then
	group=/sys/fs/cgroup/cpu/sundog-quota-$$
	mkdir "$group" 2>/dev/null || exit 77
	echo 100000 >"$group/cpu.cfs_period_us"
	echo $((percent * 1000)) >"$group/cpu.cfs_quota_us" || exit 77
elif grep -qw cpu /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
	group=/sys/fs/cgroup/sundog-quota-$$
	mkdir "$group" 2>/dev/null || exit 77
	echo "$((percent * 1000)) 100000" >"$group/cpu.max" || exit 77
else
	exit 77
fi
trap 'rmdir "$group"' EXIT
# In a shell of its own, since the cgroup has to be empty at the end.
bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"
