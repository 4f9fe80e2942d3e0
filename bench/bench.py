#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare sundog with its peers; run by tools/bench/bench.sh inside the trixie tree.

Every comparison runs all its drivers in turn, several rounds, on the same machine at the same time
of day; a figure is the median of its rounds, a ratio is sundog over the peer, geometric mean over
the scenes. Writes out/bench/report.json and out/bench/table.md.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools" / "docs"))

import machine  # noqa: E402, of tools/docs/

SCENES = ["build", "texture", "shading:shading=phong", "bump:bump-render=normals",
          "buffer:update-method=subdata", "terrain"]
FPS = re.compile(r"^\[(\w+)\] (.*?):? ?FPS: ([\d.]+) FrameTime: ([\d.]+) ms", re.MULTILINE)
WARM_UP = 1  # seconds of each scene before it is measured
SOFTWARE = {"LIBGL_ALWAYS_SOFTWARE": "1"}
# Numbers of kernel resources that are alive while others are created and destroyed.
LIVE = {"sundog": [0, 10000, 1000000], "virtio_gpu": [0, 10000]}
DRIVERS = ["sundog", "installed", "llvmpipe", "zink", "virgl", "virtio_gpu"]
PIPE_KINDS = ["texture", "renderbuffer", "buffer"]
SMALL_SECONDS = 1
RATE_SECONDS = 3  # of pipe-rate and resource-rate
# Figures of the small benchmarks that are in no ratio: less is better for context switches, and
# transfers are compared with the CPU's own copies.
SWITCHES = "context switches a frame"
MEMCPY = "MB by memcpy"
MEMCPY_IN_TURNS = "MB by memcpy to two places"


def say(*words):
    print("bench:", *words, flush=True)


def command(program, args, size):
    words = [program, "--off-screen", "-s", size]
    for scene in args.scenes:
        words += [part for seconds in (WARM_UP, args.seconds)
                  for part in ("-b", f":duration={seconds}", "-b", scene)]
    return words if args.scenes else words + ["-b", f":duration={args.seconds}"]


def figures(output, scenes):
    """Return FPS by scene, in the order of the command. Integer FPS are exact enough only from 100
    on; below that they are computed from the frame time."""
    found = [float(m[3]) if float(m[3]) >= 100 else 1000 / float(m[4])
             for m in FPS.finditer(output)]
    if scenes:
        found = found[1::2]
    names = scenes or [f"{m[1]} {m[2]}" for m in FPS.finditer(output)]
    return dict(zip(names, found))


def parser(description):
    """Return a parser for the options of Native and for the folder of the results."""
    p = argparse.ArgumentParser(description=description,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", type=pathlib.Path, required=True)
    p.add_argument("--build", required=True, help="build folder of our own programs")
    p.add_argument("--sundog-mesa", required=True)
    p.add_argument("--lavapipe", help="the Vulkan driver that sundog runs on, for VK_DRIVER_FILES")
    return p


class Native:
    """Runs programs on the drivers of the build root, without a VM."""

    def __init__(self, args):
        self.args = args
        self.servers = []
        self.dir = tempfile.mkdtemp(prefix="bench-")

    def __enter__(self):
        self.start_renderer("sundog", **({"VK_DRIVER_FILES": self.args.lavapipe}
                                         if self.args.lavapipe else {}))
        self.start_renderer("installed")
        self.start(["virgl_test_server", "--use-egl-surfaceless",
                    f"--socket-path={self.dir}/vtest"])
        number_read, number_write = os.pipe()
        self.start(["Xvfb", "-noreset", "-displayfd", str(number_write), "-screen", "0",
                    "1024x768x24"], number_write)
        os.environ["DISPLAY"] = ":" + os.read(number_read, 16).decode().strip()
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.terminate()
            server.wait()

    def start(self, words, *fds, **env):
        self.servers.append(subprocess.Popen(words, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL,
                                             pass_fds=fds, env={**os.environ, **env}))

    def start_renderer(self, name, **env):
        socket = pathlib.Path(self.dir, f"{name}.sock")
        self.start([f"{self.args.build}/renderer/sundog-renderd", "--socket", str(socket)], **env)
        for _ in range(1000):
            if socket.exists():
                return
            time.sleep(0.01)
        raise RuntimeError(f"the renderer for {name} makes no socket")

    def sundog(self, renderer):
        return [self.args.sundog_mesa], {"SUNDOG_SOCKET": f"{self.dir}/{renderer}.sock",
                                         "GALLIUM_DRIVER": "sundogpipe"}

    def drivers(self):
        """Return driver -> (words before the command, environment)."""
        return {
            "sundog": self.sundog("sundog"),
            # On the installed lavapipe, which lacks our patches.
            "installed": self.sundog("installed"),
            "llvmpipe": ([], {"GALLIUM_DRIVER": "llvmpipe"}),
            "zink": ([], {"GALLIUM_DRIVER": "zink", "MESA_LOADER_DRIVER_OVERRIDE": "zink"}),
            "virgl": ([], {"GALLIUM_DRIVER": "virpipe", "VTEST_SOCKET_NAME": f"{self.dir}/vtest"}),
        }

    def run(self, driver, words):
        before, env = self.drivers()[driver]
        return subprocess.run(before + words, capture_output=True, text=True, timeout=1800,
                              env={**os.environ, **SOFTWARE, **env}).stdout

    def glmark2(self, driver, program):
        return figures(self.run(driver, command(program, self.args, self.args.size)),
                       self.args.scenes)

    def small(self, driver):
        return small_figures(self.run(driver, gl_rate(self.args)))


def gl_rate(args):
    return [f"{args.build}/bench/gl-rate", str(SMALL_SECONDS)]


def pipe_script(args, driver, device):
    """Return the commands that measure pipe_resources of one driver, opened by DEVICE."""
    return [f"echo @driver {driver}"] + [f"{args.pipe_rate} {device} {kind} {RATE_SECONDS}"
                                         for kind in PIPE_KINDS]


def guest_script(args, drivers):
    """Return the script of a guest: for each driver a line with its name, then the benchmark."""
    drivers = [d for d in drivers if d in args.drivers]
    lines = [f"/sundog/tools/guest/mode {args.size}",
             f"modprobe {'virtio_gpu' if 'virgl' in drivers else 'sundog'}", "sleep 1"]
    # On DRM glmark2 draws in the size of the mode, and fails if that size is requested.
    words = shlex.join(command("glmark2-es2-drm", args, "1x1"))
    for driver in drivers:
        # Without a screen, LIBGL_ALWAYS_SOFTWARE selects llvmpipe even if there is a device.
        before = {"sundog": args.sundog_mesa,
                  "llvmpipe": "env LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe",
                  "virgl": ""}[driver]
        lines += [f"echo @driver {driver}", f"{before} {words} 2>&1",
                  f"{before} {shlex.join(gl_rate(args))}"]
    lines += pipe_script(args, drivers[0], "/dev/dri/renderD128")
    if "llvmpipe" in drivers:
        lines += pipe_script(args, "softpipe", "softpipe")
    return "\n".join(lines) + "\n"


def resource_script(args):
    """Return the script of the guest with both devices: it runs the drivers by turns, for each
    number of live resources in ascending order."""
    # A resource and its allocation are two objects, of which the module allows a program a million
    # by default.
    lines = ["modprobe sundog max_objects=4194304,4194304", "modprobe virtio_gpu", "sleep 1"]
    for live in sorted({n for counts in LIVE.values() for n in counts}):
        lines += [f"echo @driver {driver}; "
                  f"{args.build}/bench/resource-rate {driver} {RATE_SECONDS} {live}"
                  for driver, counts in LIVE.items() if live in counts and driver in args.drivers]
    return "\n".join(lines) + "\n"


def objects(output):
    """Return the JSON objects that the programs beside glmark2 print."""
    return [json.loads(line) for line in output.splitlines() if line.startswith('{"')]


def small_figures(output):
    """Return the figures of gl-rate: name -> rate per second."""
    return {o["name"]: o["value"] for o in objects(output) if o["group"] == "small"}


def rates(output):
    """Return group -> name of a figure -> rate per second, of the programs beside glmark2."""
    small = small_figures(output)
    groups = {"small, guest": small} if small else {}
    for o in objects(output):
        if o["group"] == "small":
            continue
        groups.setdefault(o["group"], {}).update({
            f"{key.removesuffix('_per_second')}, {o['live']} live": value
            for key, value in o.items() if key.endswith("_per_second")})
    return groups


def split_guest(output):
    """Return (driver, its output) pairs."""
    parts = re.split(r"^@driver ([\w-]+)\s*$", output, flags=re.MULTILINE)
    return zip(parts[1::2], parts[2::2])


def medians(rounds):
    scenes = {s for r in rounds for s in r}
    return {s: statistics.median(r[s] for r in rounds if s in r) for s in scenes}


def ratio(ours, theirs):
    """Return the geometric mean over the scenes that both have; None if there are none."""
    both = [ours[s] / theirs[s]
            for s in ours if theirs.get(s) and s != SWITCHES and not s.startswith(MEMCPY)]
    return round(math.exp(statistics.fmean(map(math.log, both))), 3) if both else None


def rate(value):
    """Return a rate with three significant digits, but without a fraction from 100 on."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def table(runs):
    """Return Markdown with one part per comparison, a row per scene and a column per driver."""
    text = ""
    for group in dict.fromkeys(r["group"] for r in runs):
        part = {r["driver"]: r["median"] for r in runs if r["group"] == group}
        scenes = list(dict.fromkeys(s for m in part.values() for s in m))
        what = {"new objects": "pipe_resources a second: so many made, then destroyed, in a guest",
                "objects again": "pipe_resources a second: one made and destroyed over and over, "
                                 "in a guest",
                "resources": "a second, by the kernel's ioctls",
                "small": "a second, but for the switches",
                "small, guest": "the same"}.get(group, "FPS, off-screen")
        text += f"\n**{group}** ({what})\n\n| scene | " + " | ".join(part) + " |\n"
        text += "|-|" + "-|" * len(part) + "\n"
        for scene in sorted(scenes):
            text += f"| {scene} | " + " | ".join(
                rate(part[d][scene]) if scene in part[d] else "-" for d in part) + " |\n"
    return text


def idle(folder):
    """Return the CPU time of idle guests in per cent of one CPU: see bench/guest-idle."""
    result = {}
    for path in sorted(folder.glob("idle-*/idle")):
        for line in path.read_text().splitlines():
            seconds, before, after, what = line.split(maxsplit=3)
            result[f"{path.parent.name[5:]}, {what}"] = round(
                (float(after) - float(before)) / float(seconds) * 100, 2)
    return result


def write_report(args, runs):
    folder, ratios = args.out, {}
    for group in dict.fromkeys(r["group"] for r in runs):
        part = {r["driver"]: r["median"] for r in runs if r["group"] == group}
        for driver in part:
            if driver != "sundog" and "sundog" in part:
                ratios[f"{group}/{driver}"] = ratio(part["sundog"], part[driver])
    ratios["resources, a million live/none"] = with_many(runs)
    ratios.update(over_native(runs))
    ratios.update(over_memcpy(runs))
    report = {"date": datetime.date.today().isoformat(), "commit": args.commit,
              "machine": machine.describe(), "rounds": args.rounds, "seconds": args.seconds,
              "ratios": ratios, "bytes_per_resource": bytes_each(folder),
              "idle_cpu_percent": idle(folder), "runs": runs}
    (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    lines = "".join(f"| {name} | {value} |\n" for name, value in ratios.items())
    text = "| sundog / peer | ratio |\n|-|-|\n" + lines + table(runs)
    if report["bytes_per_resource"]:
        text += (f"\nA resource with one page takes {report['bytes_per_resource']} bytes "
                 "of kernel memory.\n")
    text += "\n| idle guest | CPU, per cent of a core |\n|-|-|\n" + \
        "".join(f"| {what} | {value} |\n" for what, value in report["idle_cpu_percent"].items())
    (folder / "table.md").write_text(text)
    print(text)


def native(args, runs):
    with Native(args) as host:
        for group, measure in (("direct", lambda d: host.glmark2(d, "glmark2")),
                               ("direct-es", lambda d: host.glmark2(d, "glmark2-es2")),
                               ("small", host.small)):
            rounds = {d: [] for d in host.drivers() if d in args.drivers}
            for i in range(args.rounds):
                for driver in rounds:
                    rounds[driver].append(measure(driver))
                    say(group, f"round {i + 1}/{args.rounds}", driver, rounds[driver][-1])
            runs += [{"group": group, "driver": d, "rounds": r, "median": medians(r)}
                     for d, r in rounds.items()]


def add_figures(rounds, result):
    """Add figures to the last round if it lacks all of them, otherwise begin a new round."""
    if rounds and not rounds[-1].keys() & result.keys():
        rounds[-1].update(result)
    else:
        rounds.append(result)


def with_many(runs):
    """Return the rate with the most resources alive over the rate with none."""
    ours = next((r["median"] for r in runs if (r["group"], r["driver"]) == ("resources", "sundog")),
                {})
    few, many = (ours.get(f"pairs, {n} live") for n in (LIVE["sundog"][0], LIVE["sundog"][-1]))
    return round(many / few, 3) if few and many else None


def over_native(runs):
    """Return the frame rate of a guest over the native one, and the native rate over that of virgl,
    which is the ratio to virgl if a VM had no cost."""
    of = {(r["group"], r["driver"]): r["median"] for r in runs}
    natively = of.get(("direct-es", "sundog"), {})
    return {"guest/direct-es": ratio(of.get(("guest", "sundog"), {}), natively),
            "direct-es/guest with virgl": ratio(natively, of.get(("guest", "virgl"), {}))}


def over_memcpy(runs):
    """Return the rates of sundog's transfers over the rates of memcpy of the same size in the same
    runs, to one place and to two by turns."""
    ours = next((r["median"] for r in runs if (r["group"], r["driver"]) == ("small", "sundog")), {})
    transfers = {name: value for name, value in ours.items()
                 if name.startswith("MB ") and not name.startswith(MEMCPY)}
    return {f"{name}/{memcpy.removeprefix('MB by ')}":
                round(value / ours[memcpy + picture(name)], 3)
            for memcpy in (MEMCPY, MEMCPY_IN_TURNS)
            for name, value in transfers.items() if memcpy + picture(name) in ours}


def picture(name):
    """Return the suffix of a transfer's name that says its size, if it has one."""
    return "".join(name.partition(",")[1:])


def bytes_each(folder):
    """Return the kernel memory of a resource with one page, from the run with the most of them."""
    found = [o for path in folder.glob("guest-*-resources.out")
             for o in objects(path.read_text(errors="replace"))
             if o.get("driver") == "sundog" and "bytes_each" in o]
    return max(found, key=lambda o: o["live"])["bytes_each"] if found else None


def guest(args, runs):
    """Add the results of the guests of tools/bench/bench.sh, from files guest-ROUND-KIND.out."""
    rounds = {}
    for path in sorted(args.out.glob("guest-*.out")):
        for driver, text in split_guest(path.read_text(errors="replace")):
            for group, result in {"guest": figures(text, args.scenes), **rates(text)}.items():
                if result:
                    add_figures(rounds.setdefault((group, driver), []), result)
    runs += [{"group": g, "driver": d, "rounds": r, "median": medians(r)}
             for (g, d), r in sorted(rounds.items())]


def main():
    p = parser(__doc__)
    p.add_argument("--pipe-rate", required=True)
    p.add_argument("--size", default="800x600")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--seconds", type=float, default=10.0)
    p.add_argument("--drivers", type=lambda text: text.split(","), default=DRIVERS,
                   help="compare just these")
    p.add_argument("--all", action="store_true", help="every default scene")
    p.add_argument("--commit", help="what is measured, for the report")
    p.add_argument("--guest-script", choices=["sundog", "virgl", "resources"],
                   help="print what a guest runs, and end")
    args = p.parse_args()
    args.scenes = [] if args.all else SCENES
    if args.guest_script == "resources":
        sys.stdout.write(resource_script(args))
        return
    if args.guest_script:
        drivers = ["virgl"] if args.guest_script == "virgl" else ["sundog", "llvmpipe"]
        sys.stdout.write(guest_script(args, drivers))
        return
    runs = []
    native(args, runs)
    guest(args, runs)
    write_report(args, runs)


if __name__ == "__main__":
    main()
