#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make a patch series of the kernel driver, for the kernel's own tree.

Run by tools/build/series.sh and tools/check/series.sh. kernel/series/series.yaml has the patches in
order, with patterns of the C files of each. This program adds what follows from the files:

- headers come with the first patch that includes them,
- the Makefile has the objects so far,
- the option has no prompt before the last patch, so nobody builds a driver without its end.

Files are those of kernel/ without sundog_compat.h and probe.sh, which are for older kernels. They
change in one point: the uAPI header is <drm/sundog_drm.h> in the kernel's tree.

series.py --check TOP          fail unless each file of kernel/ belongs to one patch
series.py --commit TOP LINUX   commit the series to the branch of LINUX that is checked out
series.py --compare TOP LINUX  fail unless the files in LINUX are those of kernel/
series.py --cover TOP          print the cover letter's text, as a branch description
"""

import argparse
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

import yaml

DRIVER = "drivers/gpu/drm/sundog"
DOCUMENT = "Documentation/gpu/sundog.rst"
UAPI = "kernel/uapi/sundog_drm.h"
HARDWARE = "protocol/generated/sundog_hw.h"
# Only for kernels whose tree does not have the driver.
OLD_KERNELS = {"kernel/sundog_compat.h", "kernel/probe.sh"}
TABLE = "kernel/series/series.yaml"
INCLUDE = re.compile(r'^#include "([^"]+)"$', re.MULTILINE)
SPDX = "# SPDX-License-Identifier: GPL-2.0-only OR MIT\n"


class SeriesError(Exception):
    """The files and the table do not make a series."""


class Series:
    """The patches and their files, by the table of a checkout."""

    def __init__(self, top):
        self.top = pathlib.Path(top)
        table = yaml.safe_load(self.read(TABLE))
        self.cover = table["cover"]
        self.patches = table["patches"]
        self.files = sorted(str(path.relative_to(self.top))
                            for path in (self.top / "kernel").rglob("*") if path.is_file())
        for patch in self.patches:
            patch["sources"] = set()
            patch["headers"] = set()
        self.assign_sources()
        self.assign_headers()
        self.check_names()
        self.check_selects()

    def read(self, path):
        """Return the text of a file of the checkout."""
        return (self.top / path).read_text()

    def assign_sources(self):
        """Give each file but the headers to the patch whose pattern it matches."""
        problems = []
        for path in self.files:
            if path in OLD_KERNELS or path == TABLE or (path.endswith(".h") and path != UAPI):
                continue
            name = path.removeprefix("kernel/")
            found = [patch for patch in self.patches
                     if any(fnmatch.fnmatch(name, pattern) for pattern in patch["files"])]
            if len(found) == 1:
                found[0]["sources"].add(path)
            else:
                names = " and ".join(patch["name"] for patch in found) or "no patch"
                problems.append(f"{path} belongs to {names}, it must belong to one")
        if problems:
            raise SeriesError("\n".join([*problems, f"change the patterns of {TABLE}"]))

    def included(self, path):
        """Return the paths of the files that a file includes."""
        found = []
        for name in INCLUDE.findall(self.read(path)):
            for folder in (os.path.dirname(path), "kernel", os.path.dirname(HARDWARE)):
                include = os.path.normpath(f"{folder}/{name}")
                if (self.top / include).exists():
                    found.append(include)
                    break
            else:
                # drm.h is beside the uAPI header.
                if (path, name) != (UAPI, "drm.h"):
                    raise SeriesError(f"{path} includes {name}, which is nowhere")
        return found

    def assign_headers(self):
        """Give each header to the first patch with a file that includes it."""
        seen = {UAPI}
        for patch in self.patches:
            todo = sorted(patch["sources"])
            while todo:
                new = {path for path in self.included(todo.pop())} - seen
                seen |= new
                patch["headers"] |= new
                todo += sorted(new)
        for path in self.files:
            if path.endswith(".h") and path not in seen | OLD_KERNELS:
                raise SeriesError(f"{path} is included by no file")

    def check_names(self):
        """The driver is written for the newest kernel, without help for others."""
        for path in self.files:
            if path.endswith((".c", ".h")) and path not in OLD_KERNELS:
                found = re.search(r'SUNDOG_HAVE_\w+|SUNDOG_COMPAT_\w+|"sundog_compat.h"',
                                  self.read(path))
                if found:
                    raise SeriesError(f"{path} has {found[0]}; use the interface of the newest "
                                      "kernel, and add it to kernel/sundog_compat.h for others")

    def check_selects(self):
        """The debug kernel has to have what the driver selects."""
        selects = [set(re.findall(r"^\tselect (\w+)$", self.read(path), re.MULTILINE))
                   for path in ("kernel/series/Kconfig", "tools/build/debug-kernel/Kconfig")]
        if selects[0] != selects[1]:
            raise SeriesError("kernel/series/Kconfig and tools/build/debug-kernel/Kconfig do not "
                              f"select the same options: {' '.join(selects[0] ^ selects[1])}")

    def code(self, path):
        """Return path and text of a file in the kernel's tree."""
        text = self.read(path).replace('#include "uapi/sundog_drm.h"',
                                       "#include <drm/sundog_drm.h>")
        if path == UAPI:
            return "include/uapi/drm/sundog_drm.h", text
        if path == HARDWARE:
            return f"{DRIVER}/sundog_hw.h", text
        if path == "kernel/series/sundog.rst":
            return DOCUMENT, text
        return f"{DRIVER}/{path.removeprefix('kernel/')}", text

    def makefile(self, sources):
        """Return the text of the Makefile for these C files."""
        names = sorted(path.removeprefix("kernel/").removesuffix(".c") for path in sources)

        def objects(chosen):
            return " \\\n".join(f"\t{name}.o" for name in chosen) + "\n"

        text = SPDX + "\nsundog-y := \\\n"
        text += objects(name for name in names if "/" not in name)
        tests = [name for name in names if "/" in name]
        if tests:
            text += "\nsundog-$(CONFIG_DRM_SUNDOG_KUNIT_TEST) += \\\n" + objects(tests)
        for path in sorted(sources):
            if "define CREATE_TRACE_POINTS" in self.read(path):
                name = path.removeprefix("kernel/").removesuffix(".c")
                text += f"\nCFLAGS_{name}.o := -I$(src)\n"
        return text + "\nobj-$(CONFIG_DRM_SUNDOG) += sundog.o\n"

    def kconfig(self, has_tests, is_last):
        """Return the text of Kconfig. Without its prompt, no user can set the driver's option."""
        head, driver, tests = re.split(r"^(?=config )", self.read("kernel/series/Kconfig"),
                                       flags=re.MULTILINE)
        if not is_last:
            driver = re.sub(r'tristate ".*"', "tristate", driver)
            driver = driver[:driver.index("\thelp\n")] + "\n"
        return (head + driver + (tests if has_tests else "")).rstrip("\n") + "\n"


def insert(text, line, pattern, name=None):
    """Return a text with a line after the last one that matches a pattern, whose group is less than
    @name if that is given."""
    lines = text.splitlines(keepends=True)
    places = [i for i, old in enumerate(lines)
              if (found := re.match(pattern, old)) and (name is None or found[1] < name)]
    if not places:
        raise SeriesError(f"no place for '{line.strip()}'")
    lines.insert(places[-1] + 1, line)
    return "".join(lines)


def insert_entry(text, entry):
    """Return MAINTAINERS with the entry of a DRM driver at its place in the alphabet."""
    entries = text.split("\n\n")
    place = max(i for i, old in enumerate(entries)
                if old.startswith("DRM DRIVER FOR ") and old < entry)
    return "\n\n".join([*entries[:place + 1], entry.rstrip("\n"), *entries[place + 1:]])


class Tree:
    """A git work tree of the kernel."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def git(self, *args, **options):
        """Run git there."""
        return subprocess.run(("git", "-C", self.path, *args), check=True, **options)

    def write(self, path, text):
        """Write a file there."""
        (self.path / path).parent.mkdir(parents=True, exist_ok=True)
        (self.path / path).write_text(text)

    def edit(self, path, change):
        """Replace the text of a file by change(text), unless it has the driver already."""
        text = (self.path / path).read_text()
        if "sundog" not in text.lower():
            self.write(path, change(text))


def commit(series, tree):
    """Commit one patch after the other."""
    sources = set()
    for patch in series.patches:
        files = patch["sources"] | patch["headers"]
        for path in files:
            if not path.startswith("kernel/series/") or path.endswith(".rst"):
                tree.write(*series.code(path))
        new = {path for path in patch["sources"] if path.endswith(".c")}
        sources |= new
        has_tests = any(path.startswith("kernel/tests/") for path in sources)
        is_last = "kernel/series/Kconfig" in files
        if new:
            tree.write(f"{DRIVER}/Makefile", series.makefile(sources))
        if new or is_last:
            tree.write(f"{DRIVER}/Kconfig", series.kconfig(has_tests, is_last))
            tree.edit("drivers/gpu/drm/Kconfig", lambda text: insert(
                text, 'source "drivers/gpu/drm/sundog/Kconfig"\n',
                r'source "drivers/gpu/drm/(.*)/Kconfig"', "sundog"))
            tree.edit("drivers/gpu/drm/Makefile", lambda text: insert(
                text, "obj-$(CONFIG_DRM_SUNDOG) += sundog/\n", r"obj-\S+\s*\+= [^ ]+/$"))
        if "kernel/series/sundog.rst" in files:
            tree.edit("Documentation/gpu/drivers.rst",
                      lambda text: insert(text, "   sundog\n", r"   pan\w+$"))
        if "kernel/series/MAINTAINERS" in files:
            entry = series.read("kernel/series/MAINTAINERS").removeprefix(SPDX)
            tree.edit("MAINTAINERS", lambda text, entry=entry: insert_entry(text, entry))
        # Debian's .gitignore has all of the source.
        tree.git("add", "--all", "--force")
        tree.git("commit", "--quiet", "--file=-", text=True,
                 input=f"{patch['subject']}\n\n{patch['body']}")


def compare(series, tree):
    """Return the differences between kernel/ and a tree with the whole series, as lines."""
    want = dict(series.code(path) for path in [*series.files, HARDWARE]
                if path not in OLD_KERNELS and
                (not path.startswith("kernel/series/") or path.endswith(".rst")))
    want[f"{DRIVER}/Kconfig"] = series.read("kernel/series/Kconfig")
    problems = [f"{path} is not the file of kernel/" for path, text in want.items()
                if not (tree.path / path).exists() or (tree.path / path).read_text() != text]
    have = {str(path.relative_to(tree.path)) for path in (tree.path / DRIVER).rglob("*")
            if path.is_file()}
    problems += [f"{path} is no file of kernel/"
                 for path in sorted(have - want.keys() - {f"{DRIVER}/Makefile"})]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", metavar="TOP")
    parser.add_argument("--cover", metavar="TOP")
    parser.add_argument("--commit", nargs=2, metavar=("TOP", "LINUX"))
    parser.add_argument("--compare", nargs=2, metavar=("TOP", "LINUX"))
    args = parser.parse_args()
    try:
        if args.check:
            Series(args.check)
        if args.cover:
            cover = Series(args.cover).cover
            print(f"{cover['subject']}\n\n{cover['body']}", end="")
        if args.commit:
            commit(Series(args.commit[0]), Tree(args.commit[1]))
        if args.compare:
            problems = compare(Series(args.compare[0]), Tree(args.compare[1]))
            if problems:
                raise SeriesError("\n".join(problems))
    except SeriesError as error:
        sys.exit(f"series: {error}")


main()
