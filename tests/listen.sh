#!/bin/bash
# SPDX-License-Identifier: MIT
# listen.sh RENDERD CLIENT: what a renderer does with what is at its socket's path already, and with a client whose
# memory is larger than files may be. Prints TAP.
set -eu
. "$(dirname "$0")/tap.sh"
renderd=$1
client=$2
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
	start_with true
}

# With what COMMAND sets for it.
start_with()
{
	(eval "$1" && exec "$renderd" --socket "$path" 2>"$dir/log") &
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

# It ends at once, and says what is wrong. is_refused WORDS OPTION...
is_refused()
{
	local words=$1
	shift
	! timeout "$patience" "$renderd" "$@" 2>"$dir/refusal" && grep -q "$words" "$dir/refusal"
}

# More connections than wait in line.
fill_line()
{
	kill -STOP "$pid"
	python3 - "$path" <<-END &
	import signal, socket, sys
	waiting = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for i in range(64)]
	for each in waiting:
	    each.setblocking(False)
	    try:
	        each.connect(sys.argv[1])
	    except BlockingIOError:
	        break
	open(sys.argv[1] + ".full", "w").close()
	signal.pause()
	END
	line=$!
	wait_until [ -e "$path.full" ]
}

survives_large_files()
{
	start_with "ulimit -f 0" || return 1
	SUNDOG_SOCKET=$path "$client" --png "$dir/none.png" >"$dir/client" 2>&1 || true
	sleep 0.1
	kill -0 "$pid"
}

echo 1..9
echo precious >"$path"
check "a file that is no socket is refused" is_refused "no socket" --socket "$path"
check "and left alone" grep -qs precious "$path"
rm -f "$path"
start
check "a socket that another renderer listens at is refused" is_refused "another renderer" --socket "$path"
check "one for the other kind of connections, too" is_refused "another renderer" --chardev "$path"
fill_line
check "and one where nobody gets through" is_refused "another renderer" --socket "$path"
kill "$line"
stop
check "a socket that was left behind is replaced" start
stop
check "nor can a renderer listen twice at one place" is_refused "another renderer" --socket "$path" --chardev "$path"
check "clients with more memory than files may have are no end" survives_large_files
check "nor is a device served at what is no socket" is_refused "no socket" --device-fd 0 </dev/null
