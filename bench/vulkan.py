#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare sundog's Vulkan driver with lavapipe, without a VM. Run inside the trixie tree by
tools/bench/vulkan.sh, which has run the guests that compare with venus before.

As in bench.py all drivers run in turn, several rounds, each in the opposite order of the round
before. A figure is the median of its rounds, a ratio is sundog over the peer, of a group the
geometric mean over the figures that both have. Writes report.json and table.md; exit status 1 if
sundog lacks a figure that a peer has.
"""

import argparse
import json
import pathlib
import sys

import bench

DRIVERS = ["sundog", "installed", "lavapipe", "patched"]
GUEST = ["sundog", "venus"]
# Drivers that are compared, each with its peer. The first pair is the comparison for programs; the
# others show the cost of sundog on the same host driver.
PAIRS = [("sundog", "lavapipe"), ("sundog", "patched"), ("installed", "lavapipe"),
         ("sundog", "venus")]
GOALS = {"vkmark": 0.9, "vulkan": 0.7}
INSTALLED = "/usr/share/vulkan/icd.d/lvp_icd.json"


class Vulkan(bench.Native):
    """Runs vkmark and our own programs on the Vulkan drivers."""

    def __enter__(self):
        self.start_renderer("sundog", VK_DRIVER_FILES=self.args.lavapipe)
        self.start_renderer("installed")
        return self

    def sundog(self, renderer):
        before, env = super().sundog(renderer)
        return before, {**env, "VK_DRIVER_FILES": self.args.icd}

    def drivers(self):
        """Return driver -> (words before the command, environment)."""
        return {
            # sundog on our lavapipe, and on the installed one.
            "sundog": self.sundog("sundog"),
            "installed": self.sundog("installed"),
            # Peers: the installed lavapipe, and ours.
            "lavapipe": ([], {"VK_DRIVER_FILES": INSTALLED}),
            "patched": ([], {"VK_DRIVER_FILES": self.args.lavapipe}),
        }

    def vkmark(self, driver):
        # vkmark requires surfaces, which our lavapipe is built without.
        if driver == "patched":
            return {}
        return bench.figures(self.run(driver,
                                      ["vkmark", "--winsys", "headless", "-s", self.args.size,
                                       "-b", f":duration={self.args.seconds}"]), [])

    def rates(self, driver):
        output = self.run(driver, [f"{self.args.build}/bench/vk-rate", str(self.args.rate_seconds)])
        return {o["name"]: o["value"] for o in bench.objects(output)}


def measure(args):
    """Return a run of each group and driver, in the format of bench.py's report."""
    runs = []
    with Vulkan(args) as host:
        for group, figures in (("vkmark", host.vkmark), ("vulkan", host.rates)):
            rounds = {d: [] for d in args.drivers}
            for i in range(args.rounds):
                for driver in args.drivers if i % 2 == 0 else reversed(args.drivers):
                    rounds[driver].append(figures(driver))
                    bench.say(group, f"round {i + 1}/{args.rounds}", driver, rounds[driver][-1])
            runs += [{"group": group, "driver": d, "rounds": r, "median": bench.medians(r)}
                     for d, r in rounds.items()]
    return runs


def in_guests(args):
    """Return the results of vk-rate in guests with sundog and with virtio-gpu by turns, which
    tools/bench/vulkan.sh ran before."""
    runs = []
    for driver in GUEST:
        outputs = [path.read_text() for path in sorted(args.out.glob(f"guest-*-{driver}.out"))]
        rounds = [{o["name"]: o["value"] for o in bench.objects(output)} for output in outputs]
        runs.append({"group": "guest", "driver": driver, "rounds": rounds,
                     "median": bench.medians(rounds)})
    return runs


def compare(runs):
    """Return (group, ours, peer) -> figure -> ratio, None if only the peer has the figure."""
    medians = {(r["group"], r["driver"]): r["median"] for r in runs}
    return {(group, ours, peer): {name: round(medians[group, ours].get(name, 0) / value, 3) or None
                                  for name, value in medians[group, peer].items() if value}
            for group in dict.fromkeys(r["group"] for r in runs) for ours, peer in PAIRS
            if (group, ours) in medians and medians.get((group, peer))}


def table(runs, ratios):
    """Return Markdown with a row per figure, and a column per driver and per ratio."""
    text = ""
    for group in dict.fromkeys(r["group"] for r in runs):
        part = {r["driver"]: r["median"] for r in runs if r["group"] == group and r["median"]}
        pairs = {f"{ours} / {peer}": each for (g, ours, peer), each in ratios.items() if g == group}
        text += f"\n**{group}** ({'FPS' if group == 'vkmark' else 'a second'})\n\n"
        text += ("| what | " + " | ".join([*part, *pairs]) + " |\n|-|"
                 + "-|" * len([*part, *pairs]) + "\n")
        names = [name for r in runs if r["group"] == group for names in r["rounds"]
                 for name in names]
        for name in dict.fromkeys(names):
            cells = [f"{median[name]:.0f}" if name in median else "-" for median in part.values()]
            cells += [str(each.get(name) or "-") for each in pairs.values()]
            text += f"| {name} | " + " | ".join(cells) + " |\n"
    return text


def write_report(folder, runs):
    medians = {(r["group"], r["driver"]): r["median"] for r in runs}
    ratios = compare(runs)
    means = {f"{group}, {ours}/{peer}": bench.ratio(medians[group, ours], medians[group, peer])
             for group, ours, peer in ratios}
    goal = ratios.get(("vulkan", "sundog", "lavapipe"), {})
    report = {"ratios": means,
              "figures": {f"{g}, {ours}/{peer}": each for (g, ours, peer), each in ratios.items()},
              "below the goal": {name: r
                                 for name, r in goal.items() if not r or r < GOALS["vulkan"]},
              "goals": GOALS, "runs": runs}
    (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    text = "| sundog / peer | ratio |\n|-|-|\n" + "".join(f"| {name} | {value} |\n"
                                                          for name, value in means.items())
    text += table(runs, ratios)
    (folder / "table.md").write_text(text)
    print(text)
    return all(value for each in ratios.values() for value in each.values()) and bool(ratios)


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
    parser.add_argument("--drivers", type=lambda text: text.split(","), default=DRIVERS,
                        help="compare just these")
    args = parser.parse_args()
    return int(not write_report(args.out, measure(args) + in_guests(args)))


if __name__ == "__main__":
    sys.exit(main())
