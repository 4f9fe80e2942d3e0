#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keep the counts of long test runs, and write the tables that documents have of them.

tests/results/DATE.json has the runs of a day: machine, suite, driver and counts. docs/piglit.md,
docs/igt.md and docs/cts.md have the newest run of each suite and driver between two marks. Runs of
Khronos' tests, which no target starts, are entered by hand. tests/results/cts-vulkan.tsv.xz has the
result of each case of Vulkan that was run, so that work goes on where it stopped.

usage: test_results.py add SUITE DRIVER REPORT  keep the counts of REPORT, a report.json of `make
                                                piglit` or `make igt`, and write the documents
       test_results.py vulkan COMMIT OURS THEIRS  keep the results of Khronos' Vulkan cases, of
                                                sundog at COMMIT and of lavapipe: two files with a
                                                line for each case, CASE<tab>RESULT<tab>...<tab>WHY
       test_results.py write                    write the documents
       test_results.py check                    exit status 1: a document differs from `write`
"""

import collections
import datetime
import json
import lzma
import pathlib
import re
import sys

import documents
import machine

TOP = pathlib.Path(__file__).resolve().parents[2]
RESULTS = TOP / "tests" / "results"
PAGES = {TOP / "docs" / f"{word}.md": word for word in ("piglit", "igt", "cts")}
MARK = re.compile(r"(?<=<!-- results: begin -->\n).*?(?=<!-- results: end -->)", re.DOTALL)
VULKAN = RESULTS / "cts-vulkan.tsv.xz"
VULKAN_MARK = re.compile(r"(?<=<!-- vulkan: begin -->\n).*?(?=<!-- vulkan: end -->)", re.DOTALL)
# pass, not supported, crash or time limit; others fail. "l" is a lost device.
VULKAN_RESULTS = {"Pass": "p", "QualityWarning": "p", "CompatibilityWarning": "p", "Waiver": "p",
                  "NotSupported": "n", "Crash": "c", "Timeout": "c", "Missing": "c"}
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


def read_cases(path):
    """Return case -> letter of its result, see VULKAN_RESULTS."""
    cases = {}
    for line in pathlib.Path(path).read_text().splitlines():
        case, result, *more = line.split("\t")
        lost = "DEVICE_LOST" in "".join(more)
        cases[case] = "l" if lost else VULKAN_RESULTS.get(result, "f")
    return cases


def keep_vulkan(commit, ours, theirs):
    ours, theirs = read_cases(ours), read_cases(theirs)
    head = {"date": datetime.date.today().isoformat(), "commit": commit,
            "machine": machine.describe()}
    lines = [json.dumps(head)] + [f"{ours[case]}{theirs[case]}\t{case}"
                                  for case in sorted(ours.keys() & theirs.keys())]
    VULKAN.write_bytes(lzma.compress("\n".join(lines).encode() + b"\n", preset=9))


def vulkan_table():
    """Return the table of the cases that lavapipe passes, by group."""
    if not VULKAN.exists():
        return ""
    head, *lines = lzma.decompress(VULKAN.read_bytes()).decode().splitlines()
    head = json.loads(head)
    groups = collections.defaultdict(collections.Counter)
    for line in lines:
        (mine, peer), case = line.split("\t")
        for group in (case.split(".")[1], "all"):
            groups[group]["cases"] += 1
            groups[group]["peer"] += peer == "p"
            groups[group][mine] += peer == "p"
    names = ["cases", "peer", "p", "n", "f", "c", "l"]
    rows = ["| group | cases | lavapipe passes | sundog passes of these | not supported | fail | "
            "crash | device lost |", "|-" * 8 + "|"]
    rows += [f"| {group} | " + " | ".join(f"{counts[name]:,}" for name in names) + " |"
             for group, counts in sorted(groups.items(), key=lambda item: (item[0] == "all", item))]
    return (f"Commit {head['commit']}, {head['date']}, {machine.text(head['machine'])}.\n\n" +
            "\n".join(rows) + "\n")


def pages():
    runs = newest()
    written = {page: MARK.sub(lambda _, word=word: table(
        {key: run for key, run in runs.items() if key[0].split()[0] == word}), page.read_text())
        for page, word in PAGES.items()}
    page = TOP / "docs" / "cts.md"
    written[page] = VULKAN_MARK.sub(lambda _: vulkan_table(), written[page])
    return written


def main():
    verb, args = (sys.argv[1:2] or [""])[0], sys.argv[2:]
    if verb == "add" and len(args) == 3:
        add(*args)
    elif verb == "vulkan" and len(args) == 3:
        keep_vulkan(*args)
    elif verb not in ("write", "check") or args:
        sys.exit(__doc__)
    documents.write_or_check(pages(), verb == "check", "tools/docs/test_results.py write")


if __name__ == "__main__":
    main()
