#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Test tools/check/patches.py with a checkout of two patches in which mistakes are planted. Run by
suite static."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().with_name("patches.py")
PATCH = """From: sundog developers <sundog@localhost>
Date: Sat, 28 Nov 2026 10:00:00 +0000
Subject: [PATCH] u_vbuf: Clamp indices that point past a buffer

A program with robust access crashes if an index points past the buffer.

Limit the index to the last element.

Kind: fix
Test: gl-edges ("an index past the end"), sundog_wedged@slow-stop,
 sundog-test
Upstream: not sent; main has the same
 code
Drop-when: upstream has it
SPDX-License-Identifier: MIT
---
 a.c | 2 +-

--- a/a.c
+++ b/a.c
@@ -1 +1 @@
-old
+new
"""
FILES = {
    "mesa-driver/patches/0001-first.patch": PATCH,
    "mesa-driver/patches/0002-second.patch": PATCH.replace("--- a/a.c", "diff --git a/a.c b/a.c\n"
                                                           "--- a/a.c"),
    "tests/gl/gl-edges.c": 'tap(ok, "an index past the end");\n',
    "igt-tests/sundog_wedged.c": 'igt_subtest("slow-stop")\n',
    "qemu-device/tests/sundog-test.c": "\n",
}
FIRST = "mesa-driver/patches/0001-first.patch"
OURS = """#define LVP_RENDERER_INTERFACE_VERSION 3
/* Calls back; struct lvp_renderer_interface { int no_member; }; */
typedef void (VKAPI_PTR *lvp_set_done)(VkQueue queue, void (*done)(void *data),
\t\t\t\t       void *data);
typedef uint64_t (VKAPI_PTR *lvp_get_progress)(VkDevice device);
struct lvp_renderer_interface {
\tlvp_set_done set_done;
\tlvp_get_progress get_progress;
};
"""
DRIVERS = """#define LVP_RENDERER_INTERFACE_VERSION 3
struct lvp_renderer_interface {
   /** Calls back; no end of the member. */
   void (VKAPI_PTR *set_done)(VkQueue queue, void (*done)(void *data), void *data);

   uint64_t (VKAPI_PTR *get_progress)(VkDevice device);
};
"""
INTERFACE = "renderer/host/lvp_interface.h"
LAVAPIPE = "lavapipe/patches/0001-interface.patch"


class PatchesTest(unittest.TestCase):
    """Each test has a checkout in self.top."""

    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name, text):
        """Write a file of the checkout."""
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_tool(self, *args):
        """Run patches.py and return its status and output."""
        done = subprocess.run((sys.executable, TOOL, *args, self.top), capture_output=True,
                              text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def refused(self, old, new, message):
        """Expect a message on the first patch after a replacement."""
        self.assertIn(old, PATCH)
        self.write(FIRST, PATCH.replace(old, new, 1))
        status, output = self.run_tool()
        self.assertEqual(status, 1, output)
        self.assertIn(message, output)
        self.assertEqual({line.split(":")[0] for line in output.splitlines()}, {FIRST}, output)

    def test_accepted(self):
        self.assertEqual(self.run_tool(), (0, ""))

    def test_subject(self):
        form = "Subject is not"
        self.refused("u_vbuf: Clamp", "u_vbuf: clamp", form)
        self.refused("u_vbuf: Clamp", "Clamp", form)
        self.refused("[PATCH] ", "", form)
        self.refused("Subject: ", "Title: ", form)
        self.refused("a buffer\n", "a buffer.\n", form)
        self.refused("a buffer\n", "a buffer" + " and more" * 4 + "\n", "at most 75")

    def test_from_and_date(self):
        self.refused("sundog developers", "Somebody", "From is not")
        self.refused("Date: Sat, 28", "Date: some day, the", "Date is missing")
        self.refused("Date: ", "Day: ", "Date is missing")

    def test_description(self):
        text = PATCH[PATCH.index("A program"):PATCH.index("Kind: ")]
        self.refused(text, "", "no sentence")
        self.refused(text, "see below\n\n", "no sentence")
        self.refused("A program", "A " + "very " * 10 + "long program", "at most 80")

    def test_missing_fields(self):
        for name in ("Kind", "Test", "Upstream", "Drop-when", "SPDX-License-Identifier"):
            self.refused(f"\n{name}: ", f"\n{name}s: ", f"{name} is there 0 times")
        self.refused("Kind: fix", "Kind: fix\nKind: fix", "Kind is there 2 times")
        self.refused("Drop-when: upstream has it", "Drop-when: ", "Drop-when is empty")

    def test_values(self):
        self.refused("Kind: fix", "Kind: poem", "Kind is none of")
        for value in ("sent", "not applicable", "fixed in", "changed in main", "not sent yet"):
            self.refused("not sent; main has the same\n code", value, "Upstream begins")

    def test_other_upstreams(self):
        for value in ("not sent", "not sent, since it is small", "not applicable, our driver",
                      "fixed in 25.1.0", "changed in main: the function moved"):
            self.write(FIRST, PATCH.replace("not sent; main has the same\n code", value))
            self.assertEqual(self.run_tool(), (0, ""), value)

    def test_tests(self):
        self.refused("gl-edges", "gl-edge", "Test names gl-edge,")
        self.refused("sundog-test", "tests/gl/sundog-test.c", "Test names tests/gl/sundog-test.c,")
        self.refused("@slow-stop", "@quick-stop", '"quick-stop"')
        self.refused("past the end", "past the start", "an index past the start")
        self.refused('Test: gl-edges ("an index past the end"), sundog_wedged@slow-stop,\n'
                     " sundog-test", "Test: none", "Test names none,")

    def test_no_test(self):
        self.write(FIRST, PATCH.replace("Test: gl-edges", "Test: none, speed; gl-edges"))
        self.assertEqual(self.run_tool(), (0, ""))

    def test_rest(self):
        self.refused("---\n a.c", "a.c", "no line '---'")
        self.refused(PATCH[PATCH.index("--- a/a.c"):], "", "there is no diff")

    def interface(self, ours, drivers):
        """Write both headers of the renderer interface, and return what patches.py prints."""
        lines = drivers.splitlines()
        added = "\n".join("+" + line for line in lines)
        self.write(INTERFACE, ours)
        self.write(LAVAPIPE, PATCH + "diff --git a/b.h b/b.h\n--- /dev/null\n"
                   f"+++ b/src/lvp_renderer_interface.h\n@@ -0,0 +1,{len(lines)} @@\n{added}\n"
                   "diff --git a/c.c b/c.c\n--- a/c.c\n+++ b/c.c\n@@ -0,0 +1 @@\n"
                   "+#define LVP_RENDERER_INTERFACE_VERSION 4\n")
        return self.run_tool()

    def test_interface(self):
        self.assertEqual(self.interface(OURS, DRIVERS), (0, ""))
        first, second = OURS.splitlines()[-3:-1]
        for old, new, message in (
                ("VERSION 3", "VERSION 2", "version of the interface: 2, but"),
                ("#define", "//", "version of the interface: none, but"),
                (f"{first}\n{second}", f"{second}\n{first}", "members of the interface"),
                (second, "", "members of the interface"),
                (second, second + "\n\tint other;", "members of the interface"),
                ("VkDevice", "VkQueue", "members of the interface")):
            self.assertIn(old, OURS)
            status, output = self.interface(OURS.replace(old, new, 1), DRIVERS)
            self.assertEqual(status, 1, old)
            self.assertIn(f"{INTERFACE}: {message}", output)
            self.assertEqual(len(output.splitlines()), 1, output)

    def test_interface_of_packages(self):
        control = "packaging/sundog/debian/control"
        for version, status in ("3", 0), ("4", 1):
            self.write(control, f"Depends: a, sundog-lavapipe-interface (= {version}), b\n")
            result = self.interface(OURS, DRIVERS)
            self.assertEqual(result[0], status, result)
        self.assertIn(f"{control}: sundog-lavapipe-interface has version 4, not 3", result[1])

    def test_missing_interface(self):
        self.write(INTERFACE, OURS)
        self.assertIn("is missing", self.run_tool()[1])
        self.interface(OURS, DRIVERS)
        (self.top / INTERFACE).unlink()
        self.assertIn("is missing", self.run_tool()[1])

    def test_number(self):
        (self.top / FIRST).rename(self.top / FIRST.replace("0001", "0003"))
        self.assertIn("the number is not 0001", self.run_tool()[1])

    def test_table(self):
        status, output = self.run_tool("--table")
        self.assertEqual(status, 0)
        row = ('| 0001 | u_vbuf: Clamp indices that point past a buffer | fix | gl-edges ("an index'
               ' past the end"), sundog_wedged@slow-stop, sundog-test | not sent; main has the same'
               ' code |\n')
        self.assertIn("## mesa-driver/patches\n\n| number |", output)
        self.assertIn(row, output)
        self.assertIn("| 0002 |", output)

    def test_page(self):
        page = "docs/dev/patches.md"
        self.write(page, "# Patches\n\n<!-- patches: begin -->\n<!-- patches: end -->\n")
        self.assertIn("has other tables", self.run_tool("--page")[1])
        self.assertEqual(self.run_tool("--write"), (0, ""))
        self.assertEqual(self.run_tool("--page"), (0, ""))
        self.assertIn("| 0002 |", (self.top / page).read_text())
        self.write(FIRST, PATCH.replace("Kind: fix", "Kind: speed"))
        self.assertEqual(self.run_tool("--page")[0], 1)
        self.write(page, "# Patches\n")
        self.assertEqual(self.run_tool("--page")[0], 1)


unittest.main(verbosity=0)
