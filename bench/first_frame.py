#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measure the time to the first frame of twenty programs. Run by tools/bench/first-frame.sh inside
the trixie tree.

A program is a scene of glmark2 or vkmark that ends after its first frames: the time of the process
has its start, its shaders' compilation and a frame. Each program runs on sundog and on the native
driver of its API (llvmpipe, lavapipe) in turn, without a cache of shaders on disk. The report has
the medians and their ratio. Writes out/bench-first-frame/report.json. Exit status 1: the geometric
mean is above the goal.
"""

import json
import os
import statistics
import subprocess
import sys
import time

import bench

GOAL = 1.1
GL = ["build", "texture", "shading:shading=gouraud", "shading:shading=phong", "shading:shading=cel",
      "bump:bump-render=normals", "bump:bump-render=height", "effect2d", "pulsar", "desktop",
      "buffer", "ideas", "jellyfish", "terrain", "shadow", "refract",
      "conditionals:fragment-steps=5", "loop:fragment-steps=5"]
VULKAN = ["vertex", "effect2d"]
NO_CACHE = {"MESA_SHADER_CACHE_DISABLE": "true"}


def programs(args, native):
    """Yield (name, words and environment on sundog, words and environment on the native driver,
    name of the native driver) of each program."""
    sundog, renderer = native.sundog("sundog")
    icd = {"VK_DRIVER_FILES": f"{args.mesa}/share/vulkan/icd.d/sundog_icd.x86_64.json"}
    for scene in GL:
        words = ["glmark2", "--off-screen", "-s", "400x300", "-b", f"{scene}:duration=0.01"]
        yield (f"glmark2 {scene}", (sundog + words, renderer),
               (words, {"GALLIUM_DRIVER": "llvmpipe"}), "llvmpipe")
    for scene in VULKAN:
        words = ["vkmark", "--winsys", "headless", "-s", "400x300", "-b", f"{scene}:duration=0.01"]
        lavapipe = {"VK_DRIVER_FILES": args.native_icd}
        yield (f"vkmark {scene}", (sundog + words, {**renderer, **icd}),
               (words, lavapipe), "lavapipe")


def run(words, env):
    start = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, timeout=600,
                          env={**os.environ, **bench.SOFTWARE, **NO_CACHE, **env})
    took = time.monotonic() - start
    if done.returncode or not ("FPS" in done.stdout):
        raise RuntimeError(f"{' '.join(words)}: status {done.returncode}: "
                           f"{(done.stdout + done.stderr)[-300:]}")
    return took


def main():
    p = bench.parser(__doc__)
    p.add_argument("--mesa", required=True)
    p.add_argument("--native-icd", required=True)
    p.add_argument("--runs", type=int, default=5)
    args = p.parse_args()
    report = {}
    with bench.Native(args) as native:
        for name, ours, theirs, driver in programs(args, native):
            times = {"sundog": [], driver: []}
            for _ in range(args.runs):
                times["sundog"].append(run(*ours))
                times[driver].append(run(*theirs))
            ratio = statistics.median(times["sundog"]) / statistics.median(times[driver])
            report[name] = {"times": times, "ratio": ratio}
            print(f"{name}: {statistics.median(times['sundog']):.3f} s, {driver} "
                  f"{statistics.median(times[driver]):.3f} s, ratio {ratio:.2f}", flush=True)
    mean = statistics.geometric_mean(r["ratio"] for r in report.values())
    (args.out / "report.json").write_text(
        json.dumps({"programs": report, "ratio": mean, "goal": GOAL}, indent=1) + "\n")
    print(f"geometric mean of {len(report)} programs: {mean:.2f}, goal {GOAL}")
    sys.exit(mean > GOAL)


if __name__ == "__main__":
    main()
