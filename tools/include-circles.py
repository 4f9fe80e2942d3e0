#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fail if files of a folder include each other in a circle.

A unit is NAME.c and NAME.h. It needs another unit of its folder if it includes that unit's header.
Units that need each other, even indirectly, cannot be read in any order, nor tested separately.

include-circles.py FOLDER...   print each set of units that need each other; exit status 1 if there
                               is one
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"/]+)\.h"', re.MULTILINE)


def units(folder):
    """Return unit -> names of the units that it needs."""
    needs = {}
    for path in sorted(folder.glob("*.[ch]")):
        names = (name
                 for name in INCLUDE.findall(path.read_text()) if (folder / f"{name}.h").exists())
        needs.setdefault(path.stem, set()).update(name for name in names if name != path.stem)
    return needs


def reachable(needs, start):
    """Return the units that a unit needs, directly or indirectly."""
    seen, todo = set(), [start]
    while todo:
        new = needs[todo.pop()] - seen
        seen |= new
        todo += new
    return seen


def circles(needs):
    """Yield the sets of units that need each other."""
    reach = {name: reachable(needs, name) for name in needs}
    left = {name for name in needs if name in reach[name]}
    while left:
        first = min(left)
        circle = {name for name in left if name in reach[first] and first in reach[name]}
        left -= circle
        yield circle


def main():
    found = False
    for folder in map(pathlib.Path, sys.argv[1:]):
        needs = units(folder)
        if not needs:
            sys.exit(f"{folder}: no C files, so nothing to check")
        for circle in circles(needs):
            found = True
            print(f"{folder}: {len(circle)} of {len(needs)} units include each other in a circle:")
            for name in sorted(circle):
                print(f"  {name} -> {' '.join(sorted(needs[name] & circle))}")
    sys.exit(found)


main()
