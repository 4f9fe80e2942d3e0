#!/bin/bash
# SPDX-License-Identifier: MIT
# with-renderd.sh RENDERD watchdog.sh TRIANGLE_STREAM PNG_COMPARE HANG...: the watchdog ends
# programs with shaders that do not end, and one with a shader that takes a minute to compile, while
# three others draw correctly. It does not end a program whose worker is stopped while it draws.
# Prints TAP.
set -eu
. "$(dirname "$0")/../lib/tap.sh"
triangle=$1 compare=$2
shift 2
dir=$(mktemp -d)
bystanders=
finish()
{
	touch "$dir/stop"
	wait
	rm -rf "$dir"
}
trap finish EXIT

TIMEOUT=15		# fault code
LIMIT=3			# seconds; the callers start the renderer with lower or equal timeouts

# bystander NUMBER: draws again and again, and compares the picture.
bystander()
{
	until [ -e "$dir/stop" ]; do
		"$triangle" --frames 20 --png "$dir/$1.png" >/dev/null &&
			"$compare" "$dir/$1.png" "$dir/reference.png" 0 >/dev/null ||
			echo failed >>"$dir/wrong"
		echo >>"$dir/rounds.$1"
		sleep 0.1
	done
}

# is_ended PROGRAM: returns true if the watchdog ends the program and the program gets the reason.
# The delay depends on the load of the CPUs.
is_ended()
{
	local status=0
	timeout "$patience" "$1" 2>"$dir/said" || status=$?
	sed 's/^/# /' "$dir/said"
	[ "$status" = 1 ] && grep -q "fault $TIMEOUT after" "$dir/said"
}

each_drew()
{
	[ -s "$dir/rounds.1" ] && [ -s "$dir/rounds.2" ] && [ -s "$dir/rounds.3" ]
}

none_was_wrong()
{
	[ ! -e "$dir/wrong" ]
}

workers()
{
	cat /proc/"$SUNDOG_RENDERD"/task/*/children
}

# bears_a_pause SECONDS: stops the workers for that long while a program draws. Returns true if the
# program still runs afterwards.
bears_a_pause()
{
	local client pid status=0
	"$triangle" --frames 2000 --draws 100 --size 800x600 >/dev/null &
	client=$!
	sleep 1
	for pid in $(workers); do
		kill -STOP "$pid"
	done
	sleep "$1"
	for pid in $(workers); do
		kill -CONT "$pid"
	done
	sleep 1
	kill "$client" 2>/dev/null || status=1
	wait "$client" 2>/dev/null || true
	return $status
}

echo "1..$(($# + 3))"
"$triangle" --frames 20 --png "$dir/reference.png" >/dev/null
for i in 1 2 3; do
	bystander "$i" &
done
for program; do
	check "${program##*/} is ended" is_ended "$program"
done
wait_until each_drew
touch "$dir/stop"
wait
check "three other programs drew the right picture each time" eval 'each_drew && none_was_wrong'
# The second pause is longer than the time without progress that ends a worker, which is ten times
# its limit.
for seconds in $((LIMIT + 2)) $((10 * LIMIT / 2 + 2)); do
	name="a program whose worker is stopped for $seconds s is not ended"
	if [ -n "${SUNDOG_RENDERD:-}" ]; then
		check "$name" bears_a_pause "$seconds"
	else
		echo "ok - $name # SKIP the workers run on another machine"
	fi
done
