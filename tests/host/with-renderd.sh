#!/bin/bash
# SPDX-License-Identifier: MIT
# with-renderd.sh RENDERD COMMAND...: runs a command with a sundog-renderd of its own, process
# SUNDOG_RENDERD. Direct clients connect to SUNDOG_SOCKET, devices to SUNDOG_DEVICE_SOCKET.
# SUNDOG_RENDERD_OPTIONS has more options for it, SUNDOG_RENDERD_FILES its limit of open files. Its
# timeouts are the defaults; tests of hangs set their own.
set -eu
. "$(dirname "$0")/../lib/tap.sh"
renderd=$1
shift
dir=$(mktemp -d)
export SUNDOG_SOCKET=$dir/renderd.sock SUNDOG_DEVICE_SOCKET=$dir/device.sock
# The host driver and its loader do not free all their memory, so leaks are ignored; our own errors
# count.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

(
	[ -z "${SUNDOG_RENDERD_FILES:-}" ] || ulimit -n "$SUNDOG_RENDERD_FILES"
	exec "$renderd" --socket "$SUNDOG_SOCKET" --chardev "$SUNDOG_DEVICE_SOCKET" \
		--max-vram 8192 ${SUNDOG_RENDERD_OPTIONS:-}
) 2>"$dir/log" &
pid=$!
export SUNDOG_RENDERD=$pid
finish()
{
	kill "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
	sed 's/^/# /' "$dir/log"
	rm -rf "$dir"
}
trap finish EXIT
listens_or_is_gone()
{
	[ -S "$SUNDOG_DEVICE_SOCKET" ] || ! kill -0 "$pid" 2>/dev/null
}
wait_until listens_or_is_gone
"$@"
if grep -qE 'AddressSanitizer|runtime error' "$dir/log"; then
	exit 1
fi
