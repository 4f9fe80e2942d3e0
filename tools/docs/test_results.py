#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keep the counts of long test runs, and write the tables that documents have of them.

tests/results/DATE.json has the runs of a day: machine, suite, driver and counts. docs/piglit.md,
docs/igt.md and docs/cts.md have the newest run of each suite and driver between two marks. Runs of
Khronos' tests, which no target starts, are entered by hand.

usage: test_results.py add SUITE DRIVER REPORT  keep the counts of REPORT, a report.json of `make
                                                piglit` or `make igt`, and write the documents
       test_results.py write                    write the documents
       test_results.py check                    exit status 1: a document differs from `write`
"""

import collections
import datetime
import json
import pathlib
import re
import sys

import documents
import machine

TOP = pathlib.Path(__file__).resolve().parents[2]
RESULTS = TOP / "tests" / "results"
PAGES = {TOP / "docs" / f"{word}.md": word for word in ("piglit", "igt", "cts")}
MARK = re.compile(r"(?<=<!-- results: begin -->\n).*?(?=<!-- results: end -->)", re.DOTALL)
# The results that a run may have, in the order of the columns.
COLUMNS = {"pass": ("pass", "warn"), "fail": ("fail", "lost", "dmesg-fail"), "crash": ("crash",),
           "time-out": ("timeout",), "skipped": ("skip", "notrun"),
           "not run": ("not run", "incomplete")}


def counts_of(report, suite):
    """Return result -> number, of a report.json of tools/check/piglit.py or tools/check/igt.py."""
    counts = report["counts"] if "counts" in report else report[suite.split()[-1]]
    return dict(sorted(counts.items()))


def add(suite, driver, report):
    today = datetime.date.today().isoformat()
    path = RESULTS / f"{today}.json"
    runs = json.loads(path.read_text()) if path.exists() else []
    runs = [run for run in runs if (run["suite"], run["driver"]) != (suite, driver)]
    runs.append({"suite": suite, "driver": driver, "machine": machine.describe(),
                 "counts": counts_of(json.loads(pathlib.Path(report).read_text()), suite)})
    path.write_text(json.dumps(sorted(runs, key=lambda run: (run["suite"], run["driver"])),
                               indent=1) + "\n")


def newest():
    """Return (suite, driver) -> date and run; later files replace earlier ones."""
    found = {}
    for path in sorted(RESULTS.glob("*.json")):
        for run in json.loads(path.read_text()):
            found[run["suite"], run["driver"]] = path.stem, run
    return dict(sorted(found.items()))


def table(runs):
    cells = []
    for (suite, driver), (date, run) in runs.items():
        counts = collections.Counter(run["counts"])
        sums = [sum(counts[name] for name in names) for names in COLUMNS.values()]
        note = f"; {run['note']}" if run.get("note") else ""
        cells.append([suite, driver, *(f"{n:,}" for n in sums), f"{sum(counts.values()):,}", date,
                      machine.text(run["machine"]) + note])
    head = ["suite", "driver", *COLUMNS, "of", "date", "machine"]
    # Leaves out columns in which all runs have 0.
    keep = [i for i in range(len(head)) if i not in range(3, 8) or
            any(row[i] != "0" for row in cells)]
    rows = [head, ["-"] * len(head), *cells]
    return "".join("| " + " | ".join(row[i] for i in keep) + " |\n" for row in rows).replace(
        "| - ", "|-").replace("- |", "-|")


def pages():
    runs = newest()
    return {page: MARK.sub(lambda _, word=word: table(
        {key: run for key, run in runs.items() if key[0].split()[0] == word}), page.read_text())
        for page, word in PAGES.items()}


def main():
    verb, args = (sys.argv[1:2] or [""])[0], sys.argv[2:]
    if verb == "add" and len(args) == 3:
        add(*args)
    elif verb not in ("write", "check") or args:
        sys.exit(__doc__)
    documents.write_or_check(pages(), verb == "check", "tools/docs/test_results.py write")


if __name__ == "__main__":
    main()
