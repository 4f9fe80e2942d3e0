#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Test tools/build/to-send.py: git reads what it writes of the patches of this checkout, and fixes
that are not to be sent are listed with their reason. Run by suite static."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools" / "check"))

import patches  # noqa: E402, of tools/check/

FIX = """From: sundog developers <sundog@localhost>
Date: Sat, 28 Nov 2026 10:00:00 +0000
Subject: [PATCH] area: Do something

A program crashes if it does that.

Kind: fix
Test: none, a test
Upstream: {upstream}
Drop-when: upstream has it
SPDX-License-Identifier: MIT
---
--- a/a.c
+++ b/a.c
@@ -1,3 +1,3 @@
 first
--- a/second
+++ b/second
 third
--- /dev/null
+++ b/new.c
@@ -0,0 +1 @@
+only
"""


def git(*args, folder, **options):
    """Run git and return its output."""
    config = ("-c", "user.name=sundog", "-c", "user.email=sundog@localhost")
    return subprocess.run(("git", "-C", folder, *config, *args), check=True, capture_output=True,
                          text=True, **options).stdout


class ToSendTest(unittest.TestCase):
    """Each test has a folder for the result, self.out."""

    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"
        self.out.mkdir()

    def run_tool(self, top=TOP):
        """Run to-send.py and return its page."""
        subprocess.run((sys.executable, TOP / "tools/build/to-send.py", self.out, top), check=True,
                       capture_output=True)
        return (self.out / "README.md").read_text()

    def test_our_patches(self):
        page = self.run_tool()
        for path in self.out.glob("*/*.patch"):
            parts = self.folder / "message", self.folder / "diff"
            info = git("mailinfo", *parts, folder=self.folder, input=path.read_text())
            self.assertIn("Author: sundog developers\n", info)
            self.assertGreater(len(parts[0].read_text().split()), 10, path.name)
            self.assertNotIn("Drop-when:", path.read_text())
            numbers = git("apply", "--numstat", parts[1], folder=self.folder)
            self.assertEqual(len(numbers.splitlines()), path.read_text().count("\ndiff --git "))
            self.assertIn(path.name, page)
        for folder in patches.FOLDERS:
            for patch in patches.patches(TOP, folder):
                self.assertEqual(patch.path.name in page, patch.fields["Kind"] == "fix", patch.path)

    def test_applies(self):
        top, source = self.folder / "top", self.folder / "source"
        for number, upstream in enumerate(("not sent", "changed in main: all", "not sent, behind"),
                                          1):
            path = top / f"qemu-device/patches/{number:04}-fix.patch"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(FIX.format(upstream=upstream))
        page = self.run_tool(top)
        self.assertEqual([path.name for path in (self.out / "qemu").iterdir()],
                         ["0001-area-Do-something.patch"])
        self.assertIn("0002-fix.patch | changed in main: all |", page)
        self.assertIn("0003-fix.patch | not sent, behind |", page)
        source.mkdir()
        (source / "a.c").write_text("first\n-- a/second\nthird\n")
        git("init", "--quiet", folder=source)
        git("add", "--all", folder=source)
        git("commit", "--quiet", "--message", "Source", folder=source)
        git("am", "--quiet", self.out / "qemu" / "0001-area-Do-something.patch", folder=source)
        self.assertEqual((source / "a.c").read_text(), "first\n++ b/second\nthird\n")
        wanted = git("show", "--format=", "--stat", "--summary", folder=source)
        mail = (self.out / "qemu" / "0001-area-Do-something.patch").read_text()
        self.assertIn(wanted.strip("\n"), mail)

    def test_incomplete_header(self):
        path = self.folder / "top/qemu-device/patches/0001-fix.patch"
        path.parent.mkdir(parents=True)
        path.write_text(FIX.format(upstream="sent"))
        with self.assertRaises(subprocess.CalledProcessError):
            self.run_tool(self.folder / "top")


unittest.main(verbosity=0)
