#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare piglit's results with the expected ones. Run by tools/check/piglit.sh and suites.

piglit.py OUT EXPECTED NAME...  read OUT/NAME/results.json of each run, write OUT/report.json,
                                print TAP

A test with subtests counts as TEST@SUBTEST for each of them, as in piglit's own sums. A test that
passes although its context was lost is "lost". EXPECTED is a folder with fails.txt and flakes.txt:
a line has a test, then a tab and the reason. A test that fails and is in neither is a failure, and
so is one in fails.txt that passes. Without that folder (peers have none) no test is expected to
fail. Exit status 1 if a result is not as expected.
"""

import bz2
import collections
import json
import pathlib
import sys

PASS = {"pass", "warn"}
SKIP = {"skip", "notrun"}


def read_results(folder):
    packed = folder / "results.json.bz2"
    text = (bz2.decompress(packed.read_bytes()) if packed.exists() else
            (folder / "results.json").read_bytes())
    results = {}
    for name, test in json.loads(text)["tests"].items():
        result = test["result"]
        if result in PASS and "context is lost:" in test["err"]:
            result = "lost"
        results.update(split(name, result, test["subtests"]))
    return results


def split(name, result, subtests):
    """Return the results of the subtests, and the test's own if no subtest has the same."""
    results = {f"{name}@{sub}": value for sub, value in subtests.items() if sub != "__type__"}
    if result not in results.values():
        results[name] = result
    return results


def read_list(path):
    if not path.exists():
        return set()
    lines = path.read_text().splitlines()
    return {line.split("\t")[0] for line in lines if line and not line.startswith("#")}


def verdict(name, result, fails, flakes):
    """Return true if a result is as expected, None if the test was skipped."""
    if result in SKIP:
        return None
    return name in flakes or (result in PASS) != (name in fails)


def main():
    out, expected = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    fails, flakes = read_list(expected / "fails.txt"), read_list(expected / "flakes.txt")
    report = {}
    failed = False
    for run in sys.argv[3:]:
        results = read_results(out / run)
        report[run] = collections.Counter(results.values())
        for name, result in sorted(results.items()):
            ok = verdict(name, result, fails, flakes)
            if ok is not None:
                failed |= not ok
                print(f"{'ok' if ok else 'not ok'} - {run}: {name}{'' if ok else ': ' + result}")
        print(f"# {run}: "
              + ", ".join(f"{count} {result}" for result, count in sorted(report[run].items())))
        bad = {name: result for name, result in results.items() if result not in PASS | SKIP}
        (out / f"{run}-bad.txt").write_text("".join(f"{name}\t{result}\n"
                                                    for name, result in sorted(bad.items())))
    (out / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    return 1 if failed else 0


sys.exit(main())
