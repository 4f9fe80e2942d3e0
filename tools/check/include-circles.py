#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fail if files of a folder include each other in a circle, or a folder includes another one's
files without permission. Run by suite static.

A unit is NAME.c and NAME.h. It needs another unit of its folder if it includes that unit's header.
Units that need each other, even indirectly, cannot be read in any order, nor tested separately.

With --walls, the units are the folders of FOLDER, whose files include FOLDER/NAME/FILE.h as
"NAME/FILE.h" or "FOLDER/NAME/FILE.h"; folders of tests are no units.

include-circles.py FOLDER...   print each set of units that need each other; exit status 1 if there
                               is one
include-circles.py --walls FOLDER NAME=OTHER,OTHER...   print each need of a unit that is not
                               listed; exit status 1 if there is one
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"/]+)\.h"', re.MULTILINE)
TESTS = {"tests", "fuzz"}


def units(folder):
    """Return unit -> names of the units that it needs."""
    needs = {}
    for path in sorted(folder.glob("*.[ch]")):
        names = (name
                 for name in INCLUDE.findall(path.read_text()) if (folder / f"{name}.h").exists())
        needs.setdefault(path.stem, set()).update(name for name in names if name != path.stem)
    return needs


def folders(top):
    """Return folder -> names of the folders that it needs."""
    include = re.compile(rf'^\s*#\s*include\s+"(?:{top.name}/)?([^"/]+)/[^"]+"', re.MULTILINE)
    needs = {path.name: set() for path in top.iterdir() if path.is_dir() and path.name not in TESTS}
    for name, found in needs.items():
        for path in sorted((top / name).rglob("*.[ch]")):
            found.update(include.findall(path.read_text()))
        found &= needs.keys() - {name}
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


def beyond(top, walls):
    """Print the needs of folders that @walls, NAME=OTHER,..., does not list. Return true if there
    are any."""
    allowed = {name: set(filter(None, others.split(",")))
               for name, _, others in (wall.partition("=") for wall in walls)}
    needs = folders(top)
    if needs.keys() != allowed.keys():
        sys.exit(f"{top}: walls are given for {sorted(allowed)}, there are {sorted(needs)}")
    bad = [f"{top}: {name}/ includes files of {other}/" for name in sorted(needs)
           for other in sorted(needs[name] - allowed[name])]
    print("\n".join(bad), end="\n" if bad else "")
    return bool(bad)


def main():
    found = False
    args = sys.argv[1:]
    if args[:1] == ["--walls"]:
        sys.exit(beyond(pathlib.Path(args[1]), args[2:]))
    for folder in map(pathlib.Path, args):
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
