#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare sundog's Vulkan driver with lavapipe, without a VM; run by tools/bench-vulkan.sh inside the trixie tree.

As in bench.py all drivers run in turn, several rounds, each in the opposite order of the one before. A figure is
the median of its rounds, a ratio is sundog over the peer, of vkmark's scenes the geometric mean. Writes
report.json and table.md.
"""

import argparse
import json
import pathlib
import sys

import bench

DRIVERS = ["sundog", "installed", "lavapipe", "patched"]
INSTALLED = "/usr/share/vulkan/icd.d/lvp_icd.json"
GOALS = {"vkmark": 0.9, "vulkan": 0.7}


class Vulkan(bench.Native):
    """Drivers as vulkan.py's own programs and vkmark find them."""

    def __enter__(self):
        self.start_renderer("sundog", VK_DRIVER_FILES=self.args.lavapipe)
        self.start_renderer("installed")
        return self

    def sundog(self, renderer):
        before, env = super().sundog(renderer)
        return before, {**env, "VK_DRIVER_FILES": self.args.icd}

    def drivers(self):
        """name -> (words before the command, environment)"""
        return {
            # On our lavapipe, and on the one that is installed.
            "sundog": self.sundog("sundog"),
            "installed": self.sundog("installed"),
            # The peers: the lavapipe that is installed, and ours.
            "lavapipe": ([], {"VK_DRIVER_FILES": INSTALLED}),
            "patched": ([], {"VK_DRIVER_FILES": self.args.lavapipe}),
        }

    def vkmark(self, driver):
        return bench.figures(self.run(driver, ["vkmark", "--winsys", "headless", "-s", self.args.size,
                                               "-b", f":duration={self.args.seconds}"]), [])

    def rates(self, driver):
        output = self.run(driver, [f"{self.args.build}/bench/vk-rate", str(self.args.rate_seconds)])
        return {o["name"]: o["value"] for o in bench.objects(output)}


def measure(args):
    """A run of each group and driver, as in bench.py's report."""
    runs = []
    with Vulkan(args) as host:
        for group, figures in (("vkmark", host.vkmark), ("vulkan", host.rates)):
            rounds = {d: [] for d in args.drivers}
            for i in range(args.rounds):
                for driver in args.drivers if i % 2 == 0 else reversed(args.drivers):
                    rounds[driver].append(figures(driver))
                    bench.say(group, f"round {i + 1}/{args.rounds}", driver, rounds[driver][-1])
            runs += [{"group": group, "driver": d, "rounds": r, "median": bench.medians(r)} for d, r in rounds.items()]
    return runs


def compare(runs):
    """(group, peer) -> its ratio; and (group, peer) -> figure -> ratio, None if just the peer has the figure"""
    means, each = {}, {}
    medians = {(r["group"], r["driver"]): r["median"] for r in runs}
    for (group, driver), theirs in medians.items():
        ours = medians.get((group, "sundog"), {})
        if driver == "sundog" or not ours:
            continue
        means[group, driver] = bench.ratio(ours, theirs)
        each[group, driver] = {name: round(ours[name] / value, 3) if name in ours else None
                               for name, value in theirs.items() if value}
    return means, each


def table(runs, each):
    """Markdown: a row per figure, a column per driver and per ratio."""
    text = ""
    for group in dict.fromkeys(r["group"] for r in runs):
        part = {r["driver"]: r["median"] for r in runs if r["group"] == group}
        peers = [d for g, d in each if g == group]
        heads = [*part, *(f"sundog / {d}" for d in peers)]
        text += f"\n**{group}** ({'FPS' if group == 'vkmark' else 'a second'})\n\n"
        text += f"| {'scene' if group == 'vkmark' else 'what'} | " + " | ".join(heads) + " |\n|" + "-|" * (len(heads) + 1) + "\n"
        for name in dict.fromkeys(name for median in part.values() for name in median):
            cells = [f"{median[name]:.0f}" if name in median else "-" for median in part.values()]
            cells += [str(each[group, d].get(name) or "-") for d in peers]
            text += f"| {name} | " + " | ".join(cells) + " |\n"
    return text


def write_report(folder, runs):
    means, each = compare(runs)
    ratios = {f"{group}/{driver}": value for (group, driver), value in means.items()}
    figures = {f"{group}/{driver}": values for (group, driver), values in each.items()}
    slow = {name: value for name, value in each.get(("vulkan", "lavapipe"), {}).items()
            if value is None or value < GOALS["vulkan"]}
    report = {"ratios": ratios, "figures": figures, "goals": GOALS, "slower than the goal": slow, "runs": runs}
    (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    text = "| sundog / peer | ratio |\n|-|-|\n" + "".join(f"| {name} | {value} |\n" for name, value in ratios.items())
    text += table(runs, each)
    (folder / "table.md").write_text(text)
    print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--build", required=True, help="build folder of our own programs")
    parser.add_argument("--sundog-mesa", required=True)
    parser.add_argument("--icd", required=True, help="sundog's Vulkan driver, for VK_DRIVER_FILES")
    parser.add_argument("--lavapipe", required=True, help="ours, for VK_DRIVER_FILES")
    parser.add_argument("--size", default="800x600")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each scene of vkmark")
    parser.add_argument("--rate-seconds", type=float, default=1.0, help="of each figure of vk-rate")
    parser.add_argument("--drivers", type=lambda text: text.split(","), default=DRIVERS, help="compare just these")
    args = parser.parse_args()
    runs = measure(args)
    write_report(args.out, runs)
    return int(not all(r["median"] for r in runs))


if __name__ == "__main__":
    sys.exit(main())
