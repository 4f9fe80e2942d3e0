#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare two commits. Run by tools/bench/base.sh.

compare.py OUT: OUT/base-N.json and OUT/new-N.json are the reports of round N. A figure is the
median of its rounds; a group's ratio is new over base, as geometric mean over its figures. Writes
OUT/report.json and prints a table. Exit status 1 if the ratio of a group is below SLOWEST.

compare.py --count LOG: write a report, LOG with .json for .log, from the output of resource-rate in
a guest whose clock counts instructions.
"""

import json
import math
import pathlib
import statistics
import sys

import bench

SLOWEST = 0.97


def medians(paths):
    """Return (group, figure) -> median over the rounds."""
    found = {}
    for path in paths:
        for run in json.loads(path.read_text())["runs"]:
            if run["driver"] == "sundog":
                for name, value in run["median"].items():
                    found.setdefault((run["group"], name), []).append(value)
    return {key: statistics.median(values) for key, values in found.items()}


def count(log):
    """Write the output of resource-rate as the report of a run. Return 1 if there is none."""
    runs = [{"driver": "sundog", "group": f"{group}, by instructions", "median": figures}
            for group, figures in bench.rates(log.read_text(errors="replace")).items()]
    log.with_suffix(".json").write_text(json.dumps({"runs": runs}) + "\n")
    return int(not runs)


def main():
    if sys.argv[1] == "--count":
        return count(pathlib.Path(sys.argv[2]))
    out = pathlib.Path(sys.argv[1])
    base, new = (medians(sorted(out.glob(f"{kind}-*.json"))) for kind in ("base", "new"))
    both = [key for key in base if base[key] and new.get(key)]
    ratios = {}
    print("| group | figure | base | new | ratio |\n|-|-|-|-|-|")
    for group in dict.fromkeys(g for g, _ in both):
        part = {name: new[g, name] / base[g, name] for g, name in both if g == group}
        ratios[group] = round(math.exp(statistics.fmean(map(math.log, part.values()))), 3)
        for name, value in part.items():
            print(f"| {group} | {name} | {base[group, name]:.0f} | {new[group, name]:.0f} | "
                  f"{value:.3f} |")
        print(f"| **{group}** | | | | **{ratios[group]}** |")
    report = {"ratios": ratios, "figures": [
        {"group": g, "name": n, "base": base[g, n], "new": new[g, n]} for g, n in both]}
    (out / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    return int(not ratios or min(ratios.values()) < SLOWEST)


if __name__ == "__main__":
    sys.exit(main())
