#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare docs/user/options.md with the options in the sources. Run by suite static.

Fails on an option that is only in one of them: properties of the QEMU device, module parameters,
long options of sundog-renderd and of sundog, and the Mesa drivers' environment variables with the
flags of SUNDOG_DEBUG.
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
EDID = {"xres", "yres", "xmax", "ymax", "refresh_rate"}  # of QEMU's DEFINE_EDID_PROPERTIES


def found(pattern, *globs):
    return {match for glob in globs for path in TOP.glob(glob)
            for match in re.findall(pattern, path.read_text())}


def in_sources():
    mesa = ("mesa-driver/gallium/**/*.c", "mesa-driver/vulkan/*.c")
    renderer = (TOP / "renderer/main.c").read_text()
    return {
        "QEMU device": found(r'DEFINE_PROP_\w+\("([\w-]+)"', "qemu-device/sundog.c") | EDID,
        "Kernel module": found(r"MODULE_PARM_DESC\((\w+)", "kernel/*.c"),
        "Renderer": {f"--{name}" for name in re.findall(r'\{ "([a-z-]+)", \w+_argument',
                                                        renderer)} - {"--worker"},
        "Command": found(r'add_argument\("(--[a-z-]+)"', "tools/sundog/sundog"),
        "Environment": found(r'debug_get_option\("(SUNDOG_\w+)"', *mesa)
        | {f"SUNDOG_DEBUG={flag}" for flag in found(r'\{"(\w+)", SDOG_DEBUG_', *mesa) | {"help"}},
    }


def in_document():
    names = {}
    for part in re.split(r"^## ", (TOP / "docs/user/options.md").read_text(),
                         flags=re.MULTILINE)[1:]:
        title = re.match(r"QEMU device|Kernel module|Renderer|Command|Environment", part)[0]
        rows = re.findall(r"^\| (`.*?`) \|", part, re.MULTILINE)
        names[title] = {name for row in rows
                        for name in re.findall(r"`([^` =]+(?:=[a-z]+)?)[^`]*`", row)}
    return names


def main():
    wrong = []
    documented = in_document()
    for title, names in in_sources().items():
        wrong += [f"{title}: {name} is not in docs/user/options.md"
                  for name in sorted(names - documented[title])]
        wrong += [f"{title}: {name} of docs/user/options.md is not in the sources"
                  for name in sorted(documented[title] - names)]
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
