#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measure how much the speed varies between runs. Run by tools/bench/steady.sh in the trixie tree.

Alternates runs of the six scenes on sundog and on llvmpipe, in each of four settings: an idle
machine, one CPU, a quota of 1.5 CPUs (cgroup), and two busy loops beside. A run is the geometric
mean of the scenes' frames per second. For each setting and driver the report has the runs, their
median and the slowest over the median; and the median of sundog over llvmpipe.
Writes out/bench-steady/report.json. Exit status 1: a goal is missed.
"""

import contextlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

import bench

SLOWEST = 0.9  # of the median, in each setting
RATIO = 1.0  # median over llvmpipe's, on two CPUs
DRIVERS = ["sundog", "llvmpipe"]
CGROUPS = pathlib.Path("/sys/fs/cgroup")
SETTINGS = ["idle", "one-cpu", "quota", "busy"]


class Unsupported(Exception):
    """Raised if the machine does not meet the requirements of a setting."""


@contextlib.contextmanager
def one_cpu():
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def cpu_group(name):
    """Make a cgroup of the CPU controller, v1 or v2, and yield its folder. The processes in the
    cgroup have to end before the context does."""
    root = cpu_root()
    group = root / name
    try:
        group.mkdir(exist_ok=True)
        if not list(group.glob("cpu.*")):
            raise Unsupported(f"{root} has no CPU controller")
    except OSError as error:
        raise Unsupported(error) from error
    try:
        yield group
    finally:
        end = time.monotonic() + 10
        while (group / "cgroup.procs").read_text() and time.monotonic() < end:
            time.sleep(0.01)
        group.rmdir()


def cpu_root():
    v1 = CGROUPS / "cpu"
    return v1 if v1.is_dir() else CGROUPS


@contextlib.contextmanager
def quota():
    """Limit this process and its children to 1.5 CPUs."""
    root = cpu_root()
    own = re.search(r"^0::/(.*)$" if root == CGROUPS else r"^\d+:(?:.*,)?cpu(?:,.*)?:/(.*)$",
                    pathlib.Path("/proc/self/cgroup").read_text(), re.MULTILINE)
    before = root / own[1] if own else root
    with cpu_group("sundog-bench-steady") as group:
        try:
            if root == CGROUPS:
                (group / "cpu.max").write_text("150000 100000")
            else:
                (group / "cpu.cfs_period_us").write_text("100000")
                (group / "cpu.cfs_quota_us").write_text("150000")
            (group / "cgroup.procs").write_text(str(os.getpid()))
        except OSError as error:
            raise Unsupported(error) from error
        try:
            yield
        finally:
            (before / "cgroup.procs").write_text(str(os.getpid()))


@contextlib.contextmanager
def busy():
    """Run two loops in sessions of their own, which is how other users' programs run."""
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"], start_new_session=True)
             for _ in range(2)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


CONTEXTS = {"idle": contextlib.nullcontext, "one-cpu": one_cpu, "quota": quota, "busy": busy}


def measure(args, setting):
    scenes = {driver: [] for driver in DRIVERS}
    with CONTEXTS[setting](), bench.Native(args) as native:
        for number in range(args.runs):
            for driver in DRIVERS:
                run = native.glmark2(driver, "glmark2")
                if len(run) != len(args.scenes):
                    raise RuntimeError(f"{driver} drew {len(run)} of {len(args.scenes)} scenes")
                scenes[driver].append(run)
            print(f"{setting} {number}: "
                  + ", ".join(f"{d} {statistics.geometric_mean(scenes[d][-1].values()):.0f}"
                              for d in DRIVERS), flush=True)
    runs = {driver: [statistics.geometric_mean(run.values()) for run in scenes[driver]]
            for driver in DRIVERS}
    ratios = [a / b for a, b in zip(runs["sundog"], runs["llvmpipe"])]
    result = {"scenes": scenes, "runs": runs, "ratio": statistics.median(ratios)}
    for driver in DRIVERS:
        result[f"{driver} slowest"] = min(runs[driver]) / statistics.median(runs[driver])
    result["sundog slowest by scene"] = {
        scene: min(r[scene] for r in scenes["sundog"])
               / statistics.median(r[scene] for r in scenes["sundog"])
        for scene in args.scenes}
    return result


def main():
    p = bench.parser(__doc__)
    p.add_argument("--size", default="800x600")
    p.add_argument("--seconds", type=float, default=1)
    p.add_argument("--runs", type=int, default=20)
    p.add_argument("--settings", nargs="+", choices=SETTINGS, default=SETTINGS)
    p.add_argument("--scenes", nargs="+", default=bench.SCENES)
    args = p.parse_args()
    report, missed = {}, []
    for setting in args.settings:
        try:
            result = report[setting] = measure(args, setting)
        except Unsupported as error:
            print(f"{setting}: skipped, {error}")
            continue
        print(f"{setting}: slowest over median {result['sundog slowest']:.2f} "
              f"(llvmpipe {result['llvmpipe slowest']:.2f}), ratio {result['ratio']:.2f}")
        if result["sundog slowest"] < SLOWEST:
            missed.append(f"{setting}: the slowest run is {result['sundog slowest']:.2f} "
                          f"of the median, less than {SLOWEST}")
        if setting != "one-cpu" and result["ratio"] < RATIO:
            missed.append(f"{setting}: the median ratio is {result['ratio']:.2f}, "
                          f"less than {RATIO}")
        (args.out / "report.json").write_text(
            json.dumps({"settings": report, "missed": missed}, indent=1) + "\n")
    print("\n".join(missed) or "no goal is missed")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
