#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""demo-report.py DIR SCENE...: read what demo-guest left in DIR, write DIR/report.json, print it.

Exit status 1 if a scene or its picture is missing, the renderer is not sundog, or the kernel complained.
glmark2's own validation is only reported: on DRM it fails for some scenes whatever the driver;
tests/guest-gl compares it with llvmpipe's.
"""

import json
import pathlib
import re
import subprocess
import sys

DMESG = pathlib.Path(__file__).with_name("guest-dmesg")


def text(path):
    return path.read_text(errors="replace") if path.exists() else ""


def black(path):
    """True if a picture shows nothing but black (a text console is nearly that), or is not there."""
    if not path.exists():
        return True
    mean = subprocess.run(["identify", "-format", "%[fx:mean]", str(path)], capture_output=True, text=True)
    return mean.returncode != 0 or float(mean.stdout or 0) < 0.004


def keep_best_shot(folder, name):
    """Of the shots of a scene keep the one that shows most: the largest file."""
    shots = sorted(folder.glob(f"{name}-[0-9].png"), key=lambda path: path.stat().st_size)
    for shot in shots[:-1]:
        shot.unlink()
    if shots:
        shots[-1].rename(folder / f"{name}.png")


def validation(log):
    """Scene -> True (success), False (failure) or None (the scene cannot tell)."""
    results = {"Success": True, "Failure": False}
    return {m[1]: results.get(m[2]) for m in re.finditer(r"\[(\w+)\].*?Validation: (\w+)", log)}


def main():
    folder = pathlib.Path(sys.argv[1])
    scenes, problems, renderer = [], [], ""
    validated = validation(text(folder / "validate.log"))
    for name in sys.argv[2:]:
        log = text(folder / f"{name}.log")
        fps = re.search(r"FPS:\s*([\d.]+)", log)
        found = re.search(r"GL_RENDERER:\s*(.*)", log)
        renderer = found[1].strip() if found else renderer
        scenes.append({"name": name, "fps": float(fps[1]) if fps else None, "validated": validated.get(name)})
        if not fps:
            problems.append(f"{name}: no result")
    for name in ["kmscube"] + sys.argv[2:]:
        keep_best_shot(folder, name)
    screens = [f"{name}.png" for name in ["kmscube"] + sys.argv[2:]]
    problems += [f"{s}: no picture, or nothing in it" for s in screens if black(folder / s)]
    if "sundog" not in renderer:
        problems.append(f"renderer is '{renderer}', not sundog")
    dmesg = subprocess.run([str(DMESG), str(folder / "dmesg.txt")], capture_output=True, text=True)
    errors = dmesg.stdout.splitlines()
    report = {"renderer": renderer, "scenes": scenes,
              "screens": [s for s in screens if (folder / s).exists()], "dmesg_errors": errors}
    (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    print(f"renderer: {renderer}")
    for scene in scenes:
        print(f"{scene['name']:>20} {scene['fps'] or 0:9.1f} FPS  validated: {scene['validated']}")
    for problem in problems + errors:
        print("problem:", problem)
    return 1 if problems or errors else 0


if __name__ == "__main__":
    sys.exit(main())
