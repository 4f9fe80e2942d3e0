#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write docs/features.md from the output of eglinfo on each driver.

features.py DIR DRIVER...  read DIR/DRIVER.log, print the page
"""

import datetime
import pathlib
import re
import sys

import machine

PROFILES = {"G": "OpenGL core profile", "c": "OpenGL compatibility profile",
            "E": "OpenGL ES profile"}
INTRO = """<!-- SPDX-License-Identifier: MIT -->
# Features

Made by `make features` on {date}, on {machine}, of what the drivers report.
Each ran without a VM: sundog on sundog-renderd, llvmpipe, zink on lavapipe, virgl on
virgl_test_server.
{letters}.
"""


def read(path):
    """Return letter of a profile -> version, extensions."""
    text = path.read_text()
    profiles = {}
    for letter, name in PROFILES.items():
        version = re.search(rf"^{name} version: (?:OpenGL ES )?([\d.]+)", text, re.MULTILINE)
        listed = re.search(rf"^{name} extensions:\n((?:    .*\n)*)", text, re.MULTILINE)
        if version:
            words = re.findall(r"GL_\w+", listed[1]) if listed else []
            profiles[letter] = (version[1], set(words))
    return profiles


def main():
    drivers = {name: read(pathlib.Path(sys.argv[1]) / f"{name}.log") for name in sys.argv[2:]}
    letters = ", ".join(f"{letter}: {name}" for letter, name in PROFILES.items())
    print(INTRO.format(letters=letters, date=datetime.date.today(),
                       machine=machine.text(machine.describe())))
    print(f"| | {' | '.join(drivers)} |\n|{'-|' * (len(drivers) + 1)}")
    for letter, name in PROFILES.items():
        print(f"| {name} | "
              f"{' | '.join(d[letter][0] if letter in d else '' for d in drivers.values())} |")
    every = sorted({word for d in drivers.values() for _, words in d.values() for word in words})
    for word in every:
        cells = ("".join(letter for letter, (_, words) in d.items() if word in words)
                 for d in drivers.values())
        print(f"| {word} | {' | '.join(cells)} |")


main()
