#!/bin/bash
# SPDX-License-Identifier: MIT
# with-renderd.sh RENDERD COMMAND...: run a command with a sundog-renderd of its own at SUNDOG_SOCKET,
# process SUNDOG_RENDERD. Options for it are in SUNDOG_RENDERD_OPTIONS.
set -eu
renderd=$1
shift
dir=$(mktemp -d)
export SUNDOG_SOCKET=$dir/renderd.sock
# The host driver and its loader keep what they allocated; only our own errors count.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

"$renderd" --socket "$SUNDOG_SOCKET" --max-vram 8192 ${SUNDOG_RENDERD_OPTIONS:-} 2>"$dir/log" &
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
for _ in $(seq 200); do
	[ -S "$SUNDOG_SOCKET" ] && break
	sleep 0.1
done
"$@"
if grep -qE 'AddressSanitizer|runtime error' "$dir/log"; then
	exit 1
fi
