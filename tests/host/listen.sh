#!/bin/bash
# SPDX-License-Identifier: MIT
# listen.sh RENDERD CLIENT: tests a renderer whose socket's path exists already, and one with a
# client whose memory exceeds the limit on file sizes. Prints TAP.
set -eu
. "$(dirname "$0")/../lib/tap.sh"
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

# Starts a renderer that listens. SIGKILL leaves its socket in place.
start()
{
	start_with true
}

# start_with COMMAND: starts a renderer after COMMAND has changed its environment.
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

# is_refused WORDS OPTION...: returns true if the renderer ends at once with a message that has
# WORDS.
is_refused()
{
	local words=$1
	shift
	! timeout "$patience" "$renderd" "$@" 2>"$dir/refusal" && grep -q -e "$words" "$dir/refusal"
}

# Opens more connections than the backlog of the socket has.
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

# Returns true if the renderer still runs after a client has used more memory than the limit of the
# renderer on the size of files.
survives_large_files()
{
	start_with "ulimit -f 0" || return 1
	SUNDOG_SOCKET=$path "$client" --png "$dir/none.png" >"$dir/client" 2>&1 || true
	sleep 0.1
	kill -0 "$pid"
}

# Returns true if a renderer with a low limit of open files names that limit, and no option.
names_open_files()
{
	local words="at most 0; raise the limit of open files (ulimit -n)"
	stop
	start_with "ulimit -n 12" || return 1
	! SUNDOG_SOCKET=$path "$client" --frames 1 >"$dir/client" 2>&1 &&
		grep -q "the renderer says: .*$words" "$dir/client" &&
		! grep -q -e --max "$dir/client"
}

echo 1..13
echo precious >"$path"
check "a file that is no socket is refused" is_refused "no socket" --socket "$path"
check "a file that is no socket is unchanged" grep -qs precious "$path"
rm -f "$path"
start
check "a socket that another renderer listens at is refused" \
	is_refused "another renderer" --socket "$path"
check "such a socket is refused for devices, too" is_refused "another renderer" --chardev "$path"
fill_line
check "such a socket with a full backlog is refused" \
	is_refused "another renderer" --socket "$path"
kill "$line"
stop
check "a socket that was left behind is replaced" start
stop
check "one path for clients and for devices is refused" \
	is_refused "another renderer" --socket "$path" --chardev "$path"
check "a client whose memory exceeds the limit on file sizes does not end the renderer" \
	survives_large_files
check "a device descriptor that is no socket is refused" \
	is_refused "no Unix socket" --device-fd 0 </dev/null
check "a closed device descriptor is refused" \
	is_refused "--device-fd 77: no open descriptor has this number" --device-fd 77
check "VRAM of 0 MiB is refused, with the range" \
	is_refused "'0' is not a number from 16 to" --socket "$path" --max-vram 0
check "an unknown level is refused, with the levels" \
	is_refused "use error, warn, info or debug" --socket "$path" --log loud
check "too low a limit of open files is named as the cause" names_open_files
