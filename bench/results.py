#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keep the results of `make bench` and write the documents that have them.

bench/results/DATE.json is a report of `make bench` without its single rounds. This script makes
docs/user/performance.md and the table of README.md from the newest report.

usage: results.py add REPORT     keep REPORT, usually out/bench/report.json, and write the documents
       results.py write          write the documents
       results.py check          exit status 1: a document differs from the output of `write`
"""

import json
import pathlib
import re
import sys

import bench
from bench import machine  # sets the path to tools/docs/
import documents

TOP = pathlib.Path(__file__).resolve().parent.parent
RESULTS = TOP / "bench" / "results"
README = TOP / "README.md"
PERFORMANCE = TOP / "docs" / "user" / "performance.md"
ROWS = [
    ("desktop OpenGL, no VM", "llvmpipe", "direct/llvmpipe"),
    ("desktop OpenGL, no VM", "virgl over vtest", "direct/virgl"),
    ("OpenGL ES, no VM", "llvmpipe", "direct-es/llvmpipe"),
    ("OpenGL ES in a guest under TCG", "llvmpipe in the guest", "guest/llvmpipe"),
    ("OpenGL ES in a guest under TCG", "virtio-gpu with virgl", "guest/virgl"),
    ("resources created and destroyed in that guest", "virtio-gpu", "resources/virtio_gpu"),
]
MARK = re.compile(r"(?<=<!-- performance: begin -->\n).*?(?=<!-- performance: end -->)", re.DOTALL)
TEXT = """<!-- SPDX-License-Identifier: MIT -->
<!-- Written by bench/results.py from bench/results/{date}.json. -->
# Performance

This page is for users. It has the results of `make bench` of {date}: \
{rounds} of {seconds:g} s a scene, on {machine}.

Each ratio is sundog's rate over that of a peer in the same run; above 1 sundog is faster. \
Absolute numbers differ between
machines and between days on a virtual machine. Compare ratios.

| group | what is measured |
|-|-|
| `direct` | glmark2 (desktop OpenGL) at 800x600 off-screen, without a VM |
| `direct-es` | glmark2-es2 (OpenGL ES), the same |
| `small` | single operations in a loop, without a VM; \
transfers are of pictures of 4 MiB if no size is given |
| `guest` | glmark2-es2-drm in a guest under TCG |
| `small, guest` | as `small`, in that guest |
| `new objects` | pipe_resources that the Mesa driver creates, then destroys |
| `objects again` | one pipe_resource that the Mesa driver creates and destroys again and again |
| `resources` | resources of the kernel driver, by ioctl |

| peer | what it is |
|-|-|
| `installed` | sundog on Debian's lavapipe instead of its own |
| `llvmpipe`, `zink` | Mesa's software rasterizer, and OpenGL over Vulkan on lavapipe, \
in the same process |
| `virgl` | virglrenderer: over vtest without a VM, by virtio-gpu in a guest |
| `softpipe` | Mesa's reference driver, whose resources are malloc() |
| `memcpy` | a copy of as many bytes by the CPU |

## Ratios

| sundog over peer | ratio |
|-|-|
{ratios}
## Rates
{table}{more}
## Measure it yourself

    make bench                      the tables above, results in out/bench
    make bench-vulkan               Vulkan against native lavapipe
    make bench-first-frame          the time to the first frame of twenty programs
    make bench-steady               the same speed in each run, \
on a busy machine and with a CPU quota
    make bench-base BASE=COMMIT     this tree against another commit
"""


def newest():
    return json.loads(max(RESULTS.glob("*.json")).read_text())


def machine_text(result):
    return machine.text(result["machine"]) + ", no GPU"


def rounds(result):
    return f"{result['rounds']} rounds" if result["rounds"] > 1 else "one round"


def performance(result):
    more = ""
    if result["bytes_per_resource"]:
        more += (f"\nA resource with one page takes {result['bytes_per_resource']} bytes "
                 "of the guest's kernel memory.\n")
    if result["idle_cpu_percent"]:
        more += ("\nCPU time of an idle guest, in per cent of one CPU:\n\n"
                 "| device, screen | CPU |\n|-|-|\n") + "".join(
            f"| {what} | {value} |\n" for what, value in result["idle_cpu_percent"].items())
    return TEXT.format(date=result["date"], rounds=rounds(result), seconds=result["seconds"],
                       machine=machine_text(result),
                       table=bench.table(result["runs"]), more=more,
                       ratios="".join(f"| {name} | {value} |\n"
                                      for name, value in result["ratios"].items() if value))


def readme(result):
    rows = "".join(f"| {what} | {peer} | {result['ratios'][name]:.2f} |\n"
                   for what, peer, name in ROWS
                   if result["ratios"].get(name))
    return MARK.sub(f"| what | sundog over | ratio |\n|-|-|-|\n{rows}\n"
                    f"`make bench` of {result['date']} on {machine_text(result)}; "
                    "[all figures](docs/user/performance.md).\n",
                    README.read_text())


def pages():
    return {PERFORMANCE: performance(newest()), README: readme(newest())}


def add(path):
    report = json.loads(pathlib.Path(path).read_text())
    for run in report["runs"]:
        run.pop("rounds", None)
    RESULTS.joinpath(f"{report['date']}.json").write_text(json.dumps(report, indent=1) + "\n")


def main():
    command = sys.argv[1:]
    if command[:1] == ["add"] and len(command) == 2:
        add(command[1])
    elif command not in (["write"], ["check"]):
        sys.exit(__doc__)
    documents.write_or_check(pages(), command == ["check"], "bench/results.py write")


if __name__ == "__main__":
    main()
