#!/bin/bash
# SPDX-License-Identifier: MIT
# long-compilation.sh BUILD LAVAPIPE: our lavapipe, whose description is LAVAPIPE, tells the
# watchdog which shader it compiles. A compilation over its limit ends the client, and the log says
# which shader it is, while batches have a much longer limit. Prints TAP.
set -eu
here=$(dirname "$0")
. "$here/../lib/tap.sh"
build=$1 lavapipe=$2

# ends_long_compilation LIMIT: the program has a shader that takes LLVM a minute.
ends_long_compilation()
{
	VK_DRIVER_FILES=$lavapipe SUNDOG_RENDERD_OPTIONS="--timeout 600000 --compile-timeout $1" \
		"$here/with-renderd.sh" "$build/renderer/sundog-renderd" \
		timeout "$patience" "$build/tests/stream/hang-compile" >"$log" 2>&1 || true
	sed 's/^/# /' "$log"
	grep -q "compilation of [a-z]* shader [0-9]* for submission [0-9]* took more than $1 ms" \
		"$log"
}

# The same limit is that of the checks, which take a part of that time. How long they take depends
# on the machine.
ends_one()
{
	ends_long_compilation 2000 || ends_long_compilation 8000 || ends_long_compilation 20000
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo 1..1
check "a compilation over its limit ends the client, and the log names the shader" \
	ends_one
