#!/bin/bash
# SPDX-License-Identifier: MIT
# slow-driver.sh RENDERD DRIVER: tests a host driver that does not finish its start, and the clients
# that wait for it. Prints TAP.
set -eu
. "$(dirname "$0")/../lib/tap.sh"
renderd=$1
dir=$(mktemp -d)
pid=
finish()
{
	[ -z "$pid" ] || kill "$pid" || true
	rm -rf "$dir"
}
trap finish EXIT

says()
{
	grep -q "$1" "$dir/log"
}

is_there()
{
	kill -0 "$pid"
}

cat >"$dir/icd.json" <<-END
	{ "file_format_version": "1.0.0",
	  "ICD": { "library_path": "$(realpath "$2")", "api_version": "1.3.0" } }
END
VK_DRIVER_FILES=$dir/icd.json "$renderd" --socket "$dir/socket" --start-timeout 500 2>"$dir/log" &
pid=$!
echo 1..3
check "a worker that does not get ready is ended" wait_until says "not ready within 500 ms"
check "the broker logs that it cannot serve clients" wait_until says \
	"cannot serve clients: the first worker ended"
check "the broker goes on" is_there
