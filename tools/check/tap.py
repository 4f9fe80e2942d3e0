#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Read TAP. Run by tools/check/check.sh and tools/check/suite.sh.

tap.py --line LOG             print a summary line of LOG, its failures and the output before each
tap.py --report DIR SUITE...  read DIR/SUITE.log of each suite, write DIR/report.json, print
                              failures and the sum

A suite that reported no test counts as one failure. Exit status of --report: 1 if a test failed.
"""

import json
import pathlib
import re
import sys

RESULT = re.compile(r"^\s*(not )?ok\b(?:\s+\d+)?(?:\s*-)?\s*(.*)$")


def read(path):
    passed, skipped, failures = 0, 0, []
    for line in path.read_text(errors="replace").splitlines():
        match = RESULT.match(line)
        if not match:
            continue
        if re.search(r"#\s*skip", match[2], re.IGNORECASE):
            skipped += 1
        elif match[1]:
            failures.append(match[2])
        else:
            passed += 1
    if not passed and not skipped and not failures:
        failures.append(f"{path.stem} printed no result")
    return passed, skipped, failures


def before_failures(lines):
    """Return lines that explain failures, of other programs too, and the last lines, where a suite
    may have ended."""
    said = set(range(len(lines) - 10, len(lines)))
    for i, line in enumerate(lines):
        if re.search(r"\bnot ok\b", line):
            said |= set(range(i - 12, i + 1))
    return [lines[i] for i in sorted(said) if i >= 0][:200]


def main():
    if sys.argv[1] == "--line":
        path = pathlib.Path(sys.argv[2])
        lines = path.read_text(errors="replace").splitlines()
        passed, skipped, failures = read(path)
        print(f"  {path.stem}: {passed} ok, {len(failures)} not ok, {skipped} skipped")
        for failure in failures:
            print(f"    not ok: {failure}")
        for line in lines:
            if re.search(r"^\s*ok\b.*#\s*skip", line, re.IGNORECASE):
                print(f"    {line.strip()}")
        if failures:
            print("\n".join("    | " + line for line in before_failures(lines)))
        return 0
    folder = pathlib.Path(sys.argv[2])
    suites = {}
    for name in sys.argv[3:]:
        passed, skipped, failures = read(folder / f"{name}.log")
        for failure in failures:
            print(f"not ok: {name}: {failure}")
        suites[name] = {"passed": passed, "failed": len(failures), "skipped": skipped}
    total = {k: sum(s[k] for s in suites.values()) for k in ("passed", "failed", "skipped")}
    (folder / "report.json").write_text(json.dumps({**total, "suites": suites}, indent=1) + "\n")
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
