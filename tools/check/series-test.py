#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Test tools/build/series.py with copies of kernel/ in which mistakes are planted, and with a tree
of the kernel that has only the files that the series changes. Run by suite static."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
SERIES = TOP / "tools/build/series.py"
NEEDED = ("kernel", "protocol/generated/sundog_hw.h", "tools/build/debug-kernel/Kconfig")
LINUX = {
    "drivers/gpu/drm/Kconfig": 'source "drivers/gpu/drm/ast/Kconfig"\n'
                               'source "drivers/gpu/drm/xe/Kconfig"\n',
    "drivers/gpu/drm/Makefile": "obj-$(CONFIG_DRM_AST) += ast/\n\n# headers\n",
    "Documentation/gpu/drivers.rst": ".. toctree::\n\n   panfrost\n   zynqmp\n",
    "MAINTAINERS": "Maintainers\n\nDRM DRIVER FOR ST-ERICSSON MCDE\nS:\tMaintained\n\n"
                   "DRM DRIVER FOR SYNAPTICS R63353 PANELS\nS:\tMaintained\n\nTHE REST\n",
}


def series(*args):
    """Run series.py and return its status and messages."""
    done = subprocess.run((sys.executable, SERIES, *args), capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout + done.stderr


class SeriesTest(unittest.TestCase):
    """Each test has a copy of the inputs in self.top."""

    def setUp(self):
        # pylint: disable=consider-using-with
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.top = pathlib.Path(self.dir.name) / "top"
        self.linux = pathlib.Path(self.dir.name) / "linux"
        for name in NEEDED:
            target = self.top / name
            target.parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (TOP / name).is_dir() else shutil.copy
            copy(TOP / name, target)

    def append(self, path, text):
        """Append a text to a file, or make the file."""
        with (self.top / path).open("a") as file:
            file.write(text)

    def refused(self, message):
        """Expect that the check fails with a message."""
        status, output = series("--check", self.top)
        self.assertEqual(status, 1, output)
        self.assertIn(message, output)

    def git(self, *args):
        """Run git in the tree of the kernel and return its output."""
        config = ("-c", "user.name=sundog", "-c", "user.email=sundog@localhost")
        return subprocess.run(("git", "-C", self.linux, *config, *args), check=True,
                              capture_output=True, text=True).stdout

    def commit(self):
        """Make the series and return its commits."""
        for path, text in LINUX.items():
            (self.linux / path).parent.mkdir(parents=True, exist_ok=True)
            (self.linux / path).write_text(text)
        self.git("init", "--quiet", "--initial-branch", "debian")
        self.git("config", "user.name", "sundog")
        self.git("config", "user.email", "sundog@localhost")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Source")
        self.git("checkout", "--quiet", "-b", "sundog")
        status, output = series("--commit", self.top, self.linux)
        self.assertEqual(status, 0, output)
        return self.git("rev-list", "--reverse", "debian..sundog").split()

    def test_accepted(self):
        self.assertEqual(series("--check", self.top), (0, ""))

    def test_file_of_no_patch(self):
        self.append("kernel/sundog_xyzzy.c", "")
        self.refused("kernel/sundog_xyzzy.c belongs to no patch")

    def test_file_of_two_patches(self):
        self.append("kernel/sundog_submit_crc_bo.c", "")
        self.refused("kernel/sundog_submit_crc_bo.c belongs to memory and submission")

    def test_header_of_no_file(self):
        self.append("kernel/sundog_xyzzy.h", "")
        self.refused("kernel/sundog_xyzzy.h is included by no file")

    def test_missing_header(self):
        self.append("kernel/sundog_drv.c", '#include "sundog_xyzzy.h"\n')
        self.refused("kernel/sundog_drv.c includes sundog_xyzzy.h")

    def test_help_for_older_kernels(self):
        self.append("kernel/sundog_drv.c", "#ifdef SUNDOG_HAVE_XYZZY\n#endif\n")
        self.refused("kernel/sundog_drv.c has SUNDOG_HAVE_XYZZY")

    def test_other_options_in_the_debug_kernel(self):
        self.append("tools/build/debug-kernel/Kconfig", "\tselect XYZZY\n")
        self.refused("do not select the same options: XYZZY")

    def test_each_patch(self):
        prompts = []
        for commit in self.commit():
            self.git("checkout", "--quiet", commit)
            driver = self.linux / "drivers/gpu/drm/sundog"
            for path in driver.rglob("*.[ch]"):
                for name in re.findall(r'^#include "(.*)"$', path.read_text(), re.MULTILINE):
                    self.assertTrue((path.parent / name).exists() or (driver / name).exists(),
                                    f"{path} of {commit} includes {name}")
            if driver.exists():
                objects = re.findall(r"^\t(\S+)\.o\b", (driver / "Makefile").read_text(),
                                     re.MULTILINE)
                self.assertEqual(sorted(objects),
                                 sorted(str(path.relative_to(driver).with_suffix(""))
                                        for path in driver.rglob("*.c")))
                prompts.append('tristate "' in (driver / "Kconfig").read_text())
        self.assertEqual(prompts, [False] * (len(prompts) - 1) + [True])
        self.assertEqual(series("--compare", self.top, self.linux), (0, ""))
        for path, lines in {"drivers/gpu/drm/Kconfig": 3, "drivers/gpu/drm/Makefile": 4,
                            "Documentation/gpu/drivers.rst": 5}.items():
            self.assertEqual(len((self.linux / path).read_text().splitlines()), lines)
        titles = re.findall("^DRM.*", (self.linux / "MAINTAINERS").read_text(), re.MULTILINE)
        self.assertEqual(titles, sorted(titles))
        self.assertEqual(len(titles), 3)

    def test_compare_finds_differences(self):
        self.commit()
        (self.linux / "drivers/gpu/drm/sundog/sundog_xyzzy.h").write_text("")
        (self.linux / "drivers/gpu/drm/sundog/sundog_drv.c").write_text("")
        (self.linux / "include/uapi/drm/sundog_drm.h").unlink()
        status, output = series("--compare", self.top, self.linux)
        self.assertEqual(status, 1)
        for name in ("sundog_xyzzy.h is no file", "sundog_drv.c is not", "sundog_drm.h is not"):
            self.assertIn(name, output)


unittest.main(verbosity=0)
