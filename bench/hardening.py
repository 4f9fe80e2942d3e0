#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cost of the hardening flags of our lavapipe. Run by tools/bench-hardening.sh inside the trixie tree.

A renderer runs on each build of lavapipe. The six scenes are drawn on all of them by turns, on one CPU, where the
frame rate is bounded by the CPU time of client and worker together. For each build and scene the report has the
median of the frame rates over those of the build without hardening, each of the same round; "mean" is their geometric mean.
Writes out/bench-hardening/report.json. Exit status 1: a set costs 2 % or more.
"""

import json
import statistics
import sys

import bench
import steady

REFERENCE = "none"  # "install" has all flags
COST = 0.02


class Renderers(bench.Native):
    """A renderer for each build of lavapipe."""

    def __enter__(self):
        super().__enter__()
        for build in self.args.builds:
            self.start_renderer(build, VK_DRIVER_FILES=self.icd(build))
        return self

    def icd(self, build):
        return f"{self.args.folder}/{build}/share/vulkan/icd.d/lvp_icd.x86_64.json"

    def drivers(self):
        return {build: self.sundog(build) for build in self.args.builds}


def draw(args):
    """Build -> a list of scene -> frames per second."""
    results = {build: [] for build in args.builds}
    with Renderers(args) as native, steady.one_cpu():
        for number in range(args.runs):
            # Whichever build is first in a round may find warmer caches.
            order = args.builds[number % len(args.builds):] + args.builds[:number % len(args.builds)]
            for build in order:
                scenes = native.glmark2(build, "glmark2")
                if len(scenes) != len(args.scenes):
                    raise RuntimeError(f"{build} drew {len(scenes)} of {len(args.scenes)} scenes")
                results[build].append(scenes)
            print(f"round {number}: " + ", ".join(
                f"{b} {statistics.geometric_mean(results[b][-1].values()):.0f}" for b in args.builds), flush=True)
    return results


def compare(args, results):
    """Build -> scene -> the median of its frame rate over the reference's."""
    ratios = {}
    for build in args.builds:
        ratios[build] = {scene: statistics.median(ours[scene] / reference[scene] for ours, reference
                                                  in zip(results[build], results[REFERENCE]))
                         for scene in args.scenes}
        ratios[build]["mean"] = statistics.geometric_mean(ratios[build].values())
    return ratios


def main():
    p = bench.parser(__doc__)
    p.add_argument("--folder", required=True, help="has a folder for each build of lavapipe")
    p.add_argument("--builds", nargs="+", required=True, help=f"{REFERENCE} and others to compare with it")
    p.add_argument("--size", default="800x600")
    p.add_argument("--seconds", type=float, default=1)
    p.add_argument("--runs", type=int, default=10)
    p.add_argument("--scenes", nargs="+", default=bench.SCENES)
    args = p.parse_args()
    if REFERENCE not in args.builds:
        p.error(f"--builds has no {REFERENCE}, which the others are compared with")
    results = draw(args)
    ratios = compare(args, results)
    (args.out / "report.json").write_text(json.dumps({"ratios": ratios, "runs": results}, indent=1) + "\n")
    for build, ratio in ratios.items():
        print(f"{build:12}" + "".join(f" {scene.split(':')[0]} {value:.3f}" for scene, value in ratio.items()))
    costly = [build for build in args.builds if ratios[build]["mean"] <= 1 - COST]
    print("\n".join(f"{build} costs {1 - ratios[build]['mean']:.1%}" for build in costly) or
          f"no set costs {COST:.0%}")
    sys.exit(bool(costly))


if __name__ == "__main__":
    main()
