#!/bin/bash
# SPDX-License-Identifier: MIT
# listen.sh RENDERD: what a renderer does with what is at its socket's path already. Prints TAP.
set -eu
. "$(dirname "$0")/tap.sh"
renderd=$1
dir=$(mktemp -d)
path=$dir/socket
pid=
finish()
{
	[ -z "$pid" ] || kill "$pid" || true
	rm -rf "$dir"
}
trap finish EXIT

# Start one that listens. SIGKILL leaves its socket where it is.
start()
{
	"$renderd" --socket "$path" 2>"$dir/log" &
	pid=$!
	wait_until listens_or_is_gone && listens
}

listens()
{
	grep -q " 00010000 .*$path" /proc/net/unix
}

listens_or_is_gone()
{
	listens || ! kill -0 "$pid" 2>/dev/null
}

stop()
{
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null || true
	pid=
}

# It ends at once, and says what is wrong.
is_refused()
{
	! timeout "$patience" "$renderd" --socket "$path" 2>"$dir/refusal" && grep -q "$1" "$dir/refusal"
}

echo 1..4
echo precious >"$path"
check "a file that is no socket is refused" is_refused "no socket"
check "and left alone" grep -qs precious "$path"
rm -f "$path"
start
check "a socket that another renderer listens at is refused" is_refused "another renderer"
stop
check "a socket that was left behind is replaced" start
