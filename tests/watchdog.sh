#!/bin/bash
# SPDX-License-Identifier: MIT
# with-renderd.sh RENDERD watchdog.sh TRIANGLE_STREAM PNG_COMPARE HANG...: programs with shaders that do not
# end, and one that takes a minute to compile, are ended, while three others draw what they should; and one
# that draws while its worker is kept from running is not. Prints TAP.
set -eu
. "$(dirname "$0")/tap.sh"
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
LIMIT=3			# seconds, of both kinds: our caller had the renderer given no more

# bystander NUMBER: draw, again and again, and look at what was drawn.
bystander()
{
	until [ -e "$dir/stop" ]; do
		"$triangle" --frames 20 --png "$dir/$1.png" >/dev/null &&
			"$compare" "$dir/$1.png" "$dir/reference.png" 0 >/dev/null || echo failed >>"$dir/wrong"
		echo >>"$dir/rounds.$1"
		sleep 0.1
	done
}

# is_ended PROGRAM: and the program hears why. How soon is up to what others leave it of the CPUs; without a watchdog
# it is never.
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

# bears_a_pause SECONDS: the worker that draws is stopped for that long, in the middle of a batch.
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
check "others drew what they should, all the time" eval 'each_drew && none_was_wrong'
# The second is longer than a worker may do nothing, ten times its limit.
for seconds in $((LIMIT + 2)) $((10 * LIMIT / 2 + 2)); do
	name="who is kept from running for $seconds s is not ended"
	if [ -n "${SUNDOG_RENDERD:-}" ]; then
		check "$name" bears_a_pause "$seconds"
	else
		echo "ok - $name # SKIP the workers are not here"
	fi
done
