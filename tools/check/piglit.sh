#!/bin/bash
# SPDX-License-Identifier: MIT
# `make piglit`: runs piglit's quick profiles on our driver without a VM, or on a peer, and compares
# the failures with tests/piglit. PEER is zink, zink-sundog (on our Vulkan driver), virgl or
# llvmpipe; PROFILES selects profiles. Results in out/piglit, of a peer in out/piglit-PEER:
# report.json, and PROFILE-bad.txt with the tests that did not pass. Fails if a result is not as
# expected.
# usage: tools/check/piglit.sh [OPTION-OF-PIGLIT-RUN...]
set -eu
. "$(dirname "$0")/../lib.sh"
preflight

driver=${PEER:-sundog}
profiles=${PROFILES:-quick_gl quick_shader}
out=out/piglit${PEER:+-$PEER}
expected=/sundog/tests/piglit
[ "$driver" = sundog ] || expected=/nonexistent

"$TOP/tools/build/layer.sh" piglit
[ "${driver%sundog}" = "$driver" ] || "$TOP/tools/build/parts.sh" native mesa
mkdir -p "$TOP/$out"
for profile in $profiles; do
	say "piglit: $profile on $driver, results in $out/$profile"
	in_layer piglit /sundog/tests/host/with-xvfb.sh /sundog/tests/gl/piglit-direct \
		"$driver" "$NATIVE" "$MESA" "/sundog/$out" "$profile" "$@" \
		>"$TOP/$out/$profile.log" 2>&1 ||
		die "piglit run $profile on $driver failed, see $out/$profile.log"
done
rc=0
in_tree python3 /sundog/tools/check/piglit.py "/sundog/$out" "$expected" $profiles \
	>"$TOP/$out/tap" || rc=$?
grep -v '^ok ' "$TOP/$out/tap"
# Keeps the counts of complete runs.
[ $# -gt 0 ] || for profile in $profiles; do
	in_tree python3 /sundog/tools/docs/test_results.py add "piglit $profile" "$driver" \
		"/sundog/$out/report.json"
done
exit $rc
