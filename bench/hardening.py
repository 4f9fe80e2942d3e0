#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measure the cost of the hardening flags of our lavapipe. Run by tools/bench/hardening.sh inside
the trixie tree.

Two renderers on two builds of lavapipe draw the same scene at the same time on one CPU, each with
its client in a cgroup of its own, so that each has half of the CPU's time. The ratio of the frame
rates is that of the CPU time of a frame. The load of the machine and the speed of its CPU are the
same for both, while runs one after the other differ by a third on a virtual machine. One of the two
is always the build without hardening; for "none" both are, which shows the noise.

For each build and scene the report has the median of the ratios. A build's "mean" is the median of
the geometric means of its rounds, "error" their standard error. Writes
out/bench-hardening/report.json. Exit status 1: a set costs 2 % or more.
"""

import concurrent.futures
import json
import statistics
import sys

import bench
import steady

REFERENCE = "none"  # "install" has all flags
COST = 0.02
# Scene that a side draws while the other one finishes its last scene; not counted.
TAIL = ["-b", ":duration=1", "-b", "build"]


class Renderers(bench.Native):
    """Runs two sides with half of a CPU each: the reference on the left, any build on the right."""

    def __init__(self, args, left, right):
        super().__init__(args)
        self.groups = {"left": left, "right": right}
        self.side = None

    def __enter__(self):
        super().__enter__()
        self.start_side("left", REFERENCE)
        for build in self.args.builds:
            self.start_side("right", build)
        return self

    def start_side(self, side, build):
        self.side = side
        self.start_renderer(f"{side}-{build}", VK_DRIVER_FILES=(
            f"{self.args.folder}/{build}/share/vulkan/icd.d/lvp_icd.x86_64.json"))
        self.side = None

    def start(self, words, *fds, **env):
        super().start(self.joining(self.side, words) if self.side else words, *fds, **env)

    def joining(self, side, words):
        return ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"',
                str(self.groups[side])] + words

    def drivers(self):
        return {f"left-{REFERENCE}": self.sundog(f"left-{REFERENCE}"),
                **{f"right-{build}": self.sundog(f"right-{build}") for build in self.args.builds}}

    def glmark2(self, driver, program):
        words = bench.command(program, self.args, self.args.size) + TAIL
        return bench.figures(self.run(driver, self.joining(driver.split("-")[0], words)),
                             self.args.scenes)

    def ratios(self, build):
        """Return scene -> frame rate of BUILD over the frame rate of the reference."""
        names = [f"left-{REFERENCE}", f"right-{build}"]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            left, right = pool.map(lambda name: self.glmark2(name, "glmark2"), names)
        for name, run in zip(names, (left, right)):
            if len(run) != len(self.args.scenes):
                raise RuntimeError(f"{name} drew {len(run)} of {len(self.args.scenes)} scenes")
        return {scene: right[scene] / left[scene] for scene in self.args.scenes}


def draw(args):
    """Draw all rounds. Return build -> a list of scene -> ratio."""
    results = {build: [] for build in args.builds}
    with steady.cpu_group("sundog-bench-left") as left, \
            steady.cpu_group("sundog-bench-right") as right, \
            steady.one_cpu(), Renderers(args, left, right) as renderers:
        for number in range(args.runs):
            for build in args.builds:
                results[build].append(renderers.ratios(build))
            print(f"round {number}: "
                  + ", ".join(f"{b} {mean(results[b][-1]):.3f}" for b in args.builds), flush=True)
    return results


def mean(scenes):
    return statistics.geometric_mean(scenes.values())


def summary(args, results):
    """Return build -> scene, "mean" and "error" -> number."""
    table = {}
    for build, rounds in results.items():
        means = [mean(scenes) for scenes in rounds]
        table[build] = {scene: statistics.median(r[scene] for r in rounds) for scene in args.scenes}
        table[build]["mean"] = statistics.median(means)
        table[build]["error"] = (statistics.stdev(means) / len(means) ** 0.5
                                 if len(means) > 1 else None)
    return table


def main():
    p = bench.parser(__doc__)
    p.add_argument("--folder", required=True, help="has a folder for each build of lavapipe")
    p.add_argument("--builds", nargs="+", required=True,
                   help=f"{REFERENCE} and others to compare with it")
    p.add_argument("--size", default="800x600")
    p.add_argument("--seconds", type=float, default=1)
    p.add_argument("--runs", type=int, default=10)
    p.add_argument("--scenes", nargs="+", default=bench.SCENES)
    args = p.parse_args()
    if REFERENCE not in args.builds:
        p.error(f"--builds has no {REFERENCE}, which the others are compared with")
    try:
        results = draw(args)
    except steady.Unsupported as error:
        sys.exit(f"skipped, {error}")
    table = summary(args, results)
    (args.out / "report.json").write_text(
        json.dumps({"ratios": table, "runs": results}, indent=1) + "\n")
    for build, row in table.items():
        print(f"{build:12}"
              + "".join(f" {scene.split(':')[0]} {value:.3f}" for scene, value in row.items()
                        if value is not None))
    costly = [build for build in args.builds if table[build]["mean"] <= 1 - COST]
    print("\n".join(f"{build} costs {1 - table[build]['mean']:.1%}" for build in costly) or
          f"no set costs {COST:.0%}")
    sys.exit(bool(costly))


if __name__ == "__main__":
    main()
