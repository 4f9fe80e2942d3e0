#!/bin/bash
# SPDX-License-Identifier: MIT
# units.sh RENDERD UNIT...: lets systemd check units of the renderer. Prints TAP.
set -eu
. "$(dirname "$0")/../lib/tap.sh"
renderd=$(realpath "$1")	# systemd takes absolute paths only
shift
dir=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$dir" "$log"' EXIT

# Returns true if systemd accepts all units. It reports unknown options, too, and then succeeds.
verify()
{
	! systemd-analyze verify --man=no "$dir"/* 2>&1 | sed 's/^/# /' | grep .
}

# Returns true if systemd rates the exposure of the service as low: at most 2.5 of 10.
is_confined()
{
	systemd-analyze security --offline=yes --threshold=25 --no-pager \
		"$dir/sundog-renderd.service" >"$log" 2>&1 || { sed 's/^/# /' "$log"; return 1; }
}

if ! command -v systemd-analyze >/dev/null; then
	echo "1..0 # SKIP there is no systemd-analyze"
	exit
fi
echo 1..2
for unit; do
	sed "s,^ExecStart=/usr/bin/sundog-renderd,ExecStart=$renderd," "$unit" \
		>"$dir/${unit##*/}"
done
check "systemd accepts the units" verify
check "systemd rates the exposure of the service as low" is_confined
