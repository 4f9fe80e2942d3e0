#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plan runs of igt-gpu-tools in a guest, and report their results. Run by tools/check/igt.sh.

igt.py list TESTS OUT [PATTERN...]   write OUT/list: every subtest of the programs in TESTS that
                                     matches a PATTERN
igt.py plan OUT                      write OUT/todo for tests/guest/guest-igt, print `together` or
                                     `alone`, or nothing if no test is left
igt.py report OUT EXPECTED [KERNEL]  print TAP, write OUT/report.json

The state is in OUT/log, so an interrupted run can be continued. Subtests of a program run together,
which saves starting it. Failed subtests run once more, each alone, and the second result counts;
the report lists subtests that passed then. A program without subtests is one test.

EXPECTED is a folder with fails.txt, flakes.txt and skips.txt. A line has a test, or several by `*`,
then a tab and the reason. A test that fails and is in neither fails.txt nor flakes.txt is a
failure, and so is one in fails.txt that passes, and one that is skipped and not in skips.txt. For a
KERNEL that is not Debian's, KERNEL.txt has more flakes. A test that crashes, hangs, causes kernel
errors or does not run is always a failure. Without that folder (peers have none) any test may fail.
tests/igt/excluded.txt lists tests that our guests cannot run on any driver: they count as skipped.
"""

import collections
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

GROUP = 16
SECONDS_ALONE = 600
SECONDS_EACH = 60
TOP = pathlib.Path(__file__).resolve().parents[2]
CHECK_DMESG = TOP / "tools/guest/dmesg"
EXCLUDED = TOP / "tests/igt/excluded.txt"
# Not anchored at the beginning: a program may have left its last line without a newline.
RESULT = re.compile(r"Subtest (\S+): ([A-Z]+) \([0-9.]+s\)$")
WHOLE = re.compile(r"^([A-Z]+) \([0-9.]+s\)$")
MEANING = {"SUCCESS": "pass", "SKIP": "skip", "FAIL": "fail", "CRASH": "crash"}
STARTS = "Starting subtest: "
REQUIRES = "Test requirement: "
IGT_INVALID = 79
# Exit statuses of a program that has reported all of its subtests.
ENDS = ["0", "77", "98"]


def name(program, subtest):
    return f"{program}@{subtest}" if subtest else program


def list_tests(tests, out, patterns):
    found = []
    for path in sorted(pathlib.Path(tests).iterdir()):
        if path.suffix or not path.is_file():
            continue
        run = subprocess.run([path, "--list-subtests"], capture_output=True, text=True)
        if run.returncode not in (0, IGT_INVALID):
            sys.exit(f"igt.py: {path.name} --list-subtests: status {run.returncode}: {run.stderr}")
        subtests = run.stdout.split() if run.returncode != IGT_INVALID else [""]
        found += [name(path.name, subtest) for subtest in subtests]
    if patterns:
        found = [test for test in found
                 if matches(test, patterns) or matches(test.partition("@")[0], patterns)]
    if not found:
        sys.exit(f"igt.py: no test of {tests} matches {' '.join(patterns) or '*'}")
    (out / "list").write_text("".join(test + "\n" for test in found))


class Run:
    """One line of OUT/todo: a program with some of its subtests."""

    def __init__(self, path):
        lines = path.read_text(errors="replace").splitlines()
        _, self.program, *subtests = lines[0].split()
        self.subtests = subtests[0].split(",") if subtests else [""]
        self.status = lines.pop().rpartition(" ")[2] if lines[-1].startswith("== ended") else None
        self.results, self.reasons, self.started = {}, {}, set()
        reason = ""
        for line in lines:
            if line.startswith(STARTS):
                self.started.add(line[len(STARTS):])
                reason = ""
            elif line.startswith(REQUIRES):
                reason = line[len(REQUIRES):].strip()
            elif match := RESULT.search(line):
                self.results[match[1]] = MEANING.get(match[2], "fail")
                self.reasons[match[1]] = reason
            elif self.subtests == [""] and (match := WHOLE.match(line)):
                self.results[""] = MEANING.get(match[1], "fail")
                self.reasons[""] = reason
        if self.status not in ENDS and self.results.keys() >= set(self.subtests):
            self.results[self.subtests[-1]] = self.how_it_ended()
        self.read_kernel_log(path.with_suffix(".dmesg"))

    def read_kernel_log(self, path):
        text = path.read_text(errors="replace") if path.exists() else ""
        if not complaints(text):
            return
        before, *parts = re.split(r"\[IGT\] \S+: starting subtest ", text)
        bad = {part.split(None, 1)[0] for part in parts if complaints(part)}
        if complaints(before):
            bad.add(self.subtests[0])
        self.results.update((subtest, "dmesg-fail") for subtest in bad)

    def tests(self):
        return {name(self.program, subtest): subtest for subtest in self.subtests}

    def how_it_ended(self):
        return {None: "hang", "124": "timeout", "137": "timeout"}.get(self.status, "crash")


def complaints(text):
    return subprocess.run([CHECK_DMESG, "-"], input=text, capture_output=True, text=True).stdout


class Record:
    """Keeps the results of all runs: of each test the result in a group, and that of its run alone.
    """

    def __init__(self, out):
        self.out = out
        self.all = (out / "list").read_text().split()
        self.group, self.alone, self.logs, self.reasons = {}, {}, {}, {}
        self.excluded = read_list(EXCLUDED)
        for path in sorted((out / "log").glob("*.log")):
            self.add(Run(path), path)

    def add(self, run, path):
        one = len(run.subtests) == 1
        known = self.alone if one else self.group
        for test, subtest in run.tests().items():
            self.reasons[test] = run.reasons.get(subtest, "")
            if subtest in run.results:
                known[test] = run.results[subtest]
            elif one or subtest in run.started or not run.started:
                known[test] = run.how_it_ended()
            else:
                continue
            self.logs[test] = path.name

    def result(self, test):
        if matches(test, self.excluded):
            return "skip"
        # A pass in a run alone does not revoke a kernel error in a group.
        if self.group.get(test) == "dmesg-fail":
            return "dmesg-fail"
        return self.alone.get(test) or self.group.get(test)

    def untried(self):
        programs = collections.defaultdict(list)
        for test in self.all:
            if not self.result(test):
                program, _, subtest = test.partition("@")
                programs[program].append(subtest)
        for program, subtests in programs.items():
            for i in range(0, len(subtests), GROUP):
                part = subtests[i:i + GROUP]
                yield SECONDS_ALONE + SECONDS_EACH * len(part), program, ",".join(part)

    def failed_together(self):
        for test in self.all:
            if (test not in self.alone
                    and self.group.get(test, "pass") not in ("pass", "skip", "dmesg-fail")):
                program, _, subtest = test.partition("@")
                yield SECONDS_ALONE, program, subtest

    def plan(self):
        together = list(self.untried())
        todo = together or list(self.failed_together())
        (self.out / "todo").write_text("".join(f"{seconds} {program} {subtests}\n"
                                               for seconds, program, subtests in todo))
        return "together" if together else "alone" if todo else ""


class Expected:
    def __init__(self, folder, kernel=None):
        self.known = folder.exists()
        self.fails, self.flakes, self.skips = (read_list(folder / f"{kind}.txt")
                                               for kind in ("fails", "flakes", "skips"))
        if kernel:
            self.flakes += read_list(folder / f"{kernel}.txt")
        self.excluded = read_list(EXCLUDED)

    def wrong(self, test, result):
        """Return a description of an unexpected result, or None if the result is expected."""
        if not self.known:
            return None
        if result not in ("pass", "skip", "fail", "timeout"):
            return result
        if matches(test, self.flakes):
            return None
        if result == "pass":
            return "passes now" if matches(test, self.fails) else None
        if result == "skip":
            return None if matches(test, self.skips + self.excluded) else "is skipped"
        return None if matches(test, self.fails) else result


def read_list(path):
    if not path.exists():
        return []
    lines = path.read_text().splitlines()
    return [line.split("\t")[0] for line in lines if line and not line.startswith("#")]


def matches(test, patterns):
    return any(fnmatch.fnmatch(test, pattern) for pattern in patterns)


def report(record, expected):
    bad = False
    results = {test: record.result(test) or "not run" for test in record.all}
    for test, result in results.items():
        wrong = expected.wrong(test, result)
        bad |= wrong is not None
        skipped = (f" # SKIP {record.reasons.get(test, 'not run, see excluded.txt')}".rstrip()
                   if result == "skip" else "")
        print(f"not ok - {test}: {wrong}, see log/{record.logs.get(test)}"
              if wrong else f"ok - {test}{skipped}")
    counts = collections.Counter(results.values())
    second = sorted(test for test, result in record.alone.items()
                    if result == "pass" and record.group.get(test, "pass") != "pass")
    for test in second:
        print(f"# {test} failed together with others and passed alone")
    print("# " + ", ".join(f"{count} {result}" for result, count in sorted(counts.items())))
    failed = len(results) - counts["pass"] - counts["skip"]
    print(f"# {counts['pass']} passed, {failed} failed, {counts['skip']} skipped")
    (record.out / "report.json").write_text(json.dumps(
        {"counts": counts, "results": results, "passed alone": second}, indent=1) + "\n")
    return bad


def main():
    command = sys.argv[1]
    if command == "list":
        list_tests(sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4:])
        return 0
    record = Record(pathlib.Path(sys.argv[2]))
    if command == "plan":
        print(record.plan())
        return 0
    return 1 if report(record, Expected(pathlib.Path(sys.argv[3]), *sys.argv[4:])) else 0


sys.exit(main())
