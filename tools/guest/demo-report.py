#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Report of `make demo`. Run by tools/guest/demo.sh.

demo-report.py DIR SCENE...   read the files that demo-guest wrote to DIR, write DIR/report.json,
                              print it

Exit status 1 if a scene or its picture is missing, frames differ from llvmpipe's, the renderer is
not sundog, or the kernel log has errors.
"""

import json
import pathlib
import re
import subprocess
import sys

DMESG = pathlib.Path(__file__).with_name("dmesg")


def text(path):
    return path.read_text(errors="replace") if path.exists() else ""


def black(path):
    """Return true if a picture is black, or nearly so as a text console, or missing."""
    if not path.exists():
        return True
    mean = subprocess.run(["identify", "-format", "%[fx:mean]", str(path)], capture_output=True,
                          text=True)
    return mean.returncode != 0 or float(mean.stdout or 0) < 0.004


def keep_best_shot(folder, name):
    """Keep the screen dump of a scene with the most content, which is the largest file."""
    shots = sorted(folder.glob(f"{name}-[0-9][0-9].png"), key=lambda path: path.stat().st_size)
    for shot in shots[:-1]:
        shot.unlink()
    if shots:
        shots[-1].rename(folder / f"{name}.png")


def is_right(tap, name):
    """Return true if compare-frames.sh found both frames of a scene equal to llvmpipe's."""
    return len(re.findall(rf"^ok - frames: {re.escape(name)}, frame", tap, re.M)) == 2


def main():
    folder = pathlib.Path(sys.argv[1])
    scenes, problems, renderer = [], [], ""
    frames = text(folder / "frames.tap")
    for name in sys.argv[2:]:
        log = text(folder / f"{name}.log")
        fps = re.search(r"FPS:\s*([\d.]+)", log)
        found = re.search(r"GL_RENDERER:\s*(.*)", log)
        renderer = found[1].strip() if found else renderer
        scenes.append({"name": name, "fps": float(fps[1]) if fps else None,
                       "right": is_right(frames, name)})
        if not fps:
            problems.append(f"{name}: no FPS, see {name}.log")
        if not scenes[-1]["right"]:
            problems.append(f"{name}: frames differ from llvmpipe's, see frames.tap")
    problems += re.findall(r"^not ok - (frames: \w+ .* seen)", frames, re.M)
    for name in ["kmscube"] + sys.argv[2:]:
        keep_best_shot(folder, name)
    screens = [f"{name}.png" for name in ["kmscube"] + sys.argv[2:]]
    problems += [f"{s}: missing or black" for s in screens if black(folder / s)]
    if "sundog" not in renderer:
        problems.append(f"GL_RENDERER is '{renderer}', not sundog: see the scenes' logs")
    dmesg = subprocess.run([str(DMESG), str(folder / "dmesg.txt")], capture_output=True, text=True)
    errors = dmesg.stdout.splitlines()
    report = {"renderer": renderer, "scenes": scenes,
              "screens": [s for s in screens if (folder / s).exists()], "dmesg_errors": errors}
    (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    print(f"renderer: {renderer}")
    for scene in scenes:
        print(f"{scene['name']:>20} {scene['fps'] or 0:9.1f} FPS  "
              f"{'as' if scene['right'] else 'NOT as'} on llvmpipe")
    for problem in problems + errors:
        print("problem:", problem)
    return 1 if problems or errors else 0


if __name__ == "__main__":
    sys.exit(main())
