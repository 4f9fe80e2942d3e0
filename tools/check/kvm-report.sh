#!/bin/bash
# SPDX-License-Identifier: MIT
# `make kvm-report`: for a machine where guests boot with KVM, which the project's own machines are
# not. Runs `make check-kvm` and `make bench`, and writes what is missing in the documents: the
# speed of a guest under KVM over the same program without a guest, and over llvmpipe in the guest.
# Results in out/kvm-report: report.json, table.md. Takes about half an hour; ROUNDS and
# SCENE_SECONDS as for `make bench`.
set -eu
. "$(dirname "$0")/../lib.sh"
preflight

OUT=$TOP/out/kvm-report
rm -rf "$OUT"
mkdir -p "$OUT"
"$TOP/tools/build/parts.sh" qemu
[ "$("$TOP/tools/guest/guest.sh" --print-accel)" = kvm ] ||
	die "no guest boots with KVM here: give this user access to /dev/kvm, and see" \
		"$CACHE/kvm-*/log"
status=0
"$TOP/tools/check/check.sh" --kvm || status=1
SUNDOG_ACCEL=kvm "$TOP/tools/bench/bench.sh"
in_tree python3 - /sundog/out <<'END'
import json, pathlib, sys

out = pathlib.Path(sys.argv[1])
bench = json.loads((out / "bench/report.json").read_text())
tests = json.loads((out / "check-kvm/report.json").read_text())
names = ["guest/direct-es", "guest/llvmpipe", "guest/virgl", "small, guest/llvmpipe",
         "resources/virtio_gpu"]
report = {"accelerator": "kvm", "date": bench["date"], "commit": bench["commit"],
          "machine": bench["machine"], "ratios": {n: bench["ratios"].get(n) for n in names},
          "passed": tests["passed"], "failed": tests["failed"], "skipped": tests["skipped"]}
(out / "kvm-report/report.json").write_text(json.dumps(report, indent=1) + "\n")
rows = [f"| {name} | {value} |" for name, value in report["ratios"].items()]
(out / "kvm-report/table.md").write_text("\n".join(["| ratio under KVM | |", "|-|-|", *rows, ""]))
END
cat "$OUT/table.md"
say "send $OUT/report.json to the project, or put table.md into docs/user/performance.md"
exit "$status"
