#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Test of tools/check/prose.py, tools/check/links.py and tools/check/same-code.py: each kind of finding, and text that has none."""

import importlib.util
import pathlib
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent


def load(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), TOOLS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


prose, links, same_code = load("prose"), load("links"), load("same-code")
OPENING = "/* Keeps the list of clients, for the broker's thread. */\n"


class Prose(unittest.TestCase):
    def rules(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            prose.TOP = pathlib.Path(folder)
            pathlib.Path(folder, name).write_text(text)
            return [rule for rule, _, _ in prose.findings(name)]

    def test_riddles(self):
        for text in ("What is left.", "Frees it. Who waits is woken.", "Those that have one.", "Likewise the end."):
            self.assertEqual(self.rules("a.c", OPENING + f"/* {text} */\n"), ["riddle"], text)
            self.assertEqual(self.rules("a.sh", "# Starts a guest for a test.\n" + f"# {text}\n"), ["riddle"], text)
            self.assertEqual(self.rules("a.md", f"# Title\n\n{text}\n"), ["riddle"], text)
        self.assertEqual(self.rules("a.md", "## What does not work\n"), ["riddle"])
        self.assertEqual(self.rules("a.md", "- one\n- Who waits is woken.\n"), ["riddle"])
        self.assertEqual(self.rules("a.c", OPENING + "/* The worker frees what is left,\n * Whoever waits. */\n"), [])
        self.assertEqual(self.rules("a.c", OPENING + 'char *a = "What /* is */ left";\n'), [])

    def test_questions(self):
        self.assertEqual(self.rules("a.h", OPENING + "/* Is it idle? */\n"), ["question"])
        self.assertEqual(self.rules("a.py", '"""Run a guest, for tests."""\n# Idle?\n'), ["question"])
        self.assertEqual(self.rules("a.c", OPENING + "int a = b ? 1 : 2;\n"), [])

    def test_opening(self):
        self.assertEqual(self.rules("a.c", "/* SPDX-License-Identifier: MIT */\nint a;\n"), ["opening"])
        self.assertEqual(self.rules("a.py", "# SPDX-License-Identifier: MIT\nimport os\n"), ["opening"])
        self.assertEqual(self.rules("a.c", "/* SPDX-License-Identifier: MIT */\n" + OPENING), [])

    def test_long(self):
        self.assertEqual(self.rules("a.c", OPENING + "int " + "a" * 97 + ";\n"), ["long"])
        self.assertEqual(self.rules("a.md", "| " + "a" * 200 + " |\n"), [])

    def test_subjects(self):
        wrong = ["kernel: what is pinned", "no area", "tests, bench: Rewrite comments",
                 "kernel: Do " + "x" * 70]
        self.assertEqual(len(prose.subjects(wrong)), 4)
        self.assertEqual(prose.subjects(["kernel: Place pinned BOs at the end of VRAM"]), [])


class Links(unittest.TestCase):
    def test_links(self):
        with tempfile.TemporaryDirectory() as folder:
            links.TOP = pathlib.Path(folder)
            page = pathlib.Path(folder, "a.md")
            page.write_text("# One title\n")
            text = "[a](a.md) [b](b.md) [c](#one-title) [d](a.md#two) `[e](e.md)` [f](https://example.org)\n\n    [g](g.md)\n"
            self.assertEqual([dead.split(",")[0] for dead in links.dead_links(page, text)], ["b.md", "a.md#two"])
            self.assertTrue(links.asks_without_address("docs/user" + "/a.md", "If not, report it."))
            self.assertFalse(links.asks_without_address("docs/dev" + "/a.md", "If not, report it."))
            self.assertFalse(links.asks_without_address(
                "docs/user" + "/a.md", f"To report it, see [this](../../{links.GUIDE})."))
            self.assertEqual(links.addresses("# a@b.c\nMAINTAINER=Name <a@b.org>\nFAULTS=https://c.org/d\n"),
                             {"a@b.org", "https://c.org/d"})
            self.assertEqual(len(links.dead_mentions("/* see docs" + "/missing.md, Memory */")), 1)


class SameCode(unittest.TestCase):
    def same(self, name, before, after):
        return same_code.tokens(name, before) == same_code.tokens(name, after)

    def test_c(self):
        self.assertTrue(self.same("a.c", "a = b; /* old */", "/* new\n */ a =\n\tb;"))
        self.assertTrue(self.same("a.c", '"ab" "cd"', '"abcd"'))
        self.assertFalse(self.same("a.c", "a = b;", "a = c;"))
        self.assertFalse(self.same("a.c", "#define A 1\nb", "#define A 1 b"))
        self.assertFalse(self.same("a.c", '"a /* b */"', '"a"'))
        self.assertFalse(self.same("a.c", "a - -b", "a--b"))

    def test_scripts(self):
        self.assertTrue(self.same("a.sh", "# old\necho a", "# new\n\necho a"))
        self.assertFalse(self.same("a.sh", "echo a", "echo b"))
        self.assertTrue(self.same("a.py", '"""Old."""\na = 1', '"""New."""\n# more\na = 1'))
        self.assertFalse(self.same("a.py", "a = 1", "a = 2"))


if __name__ == "__main__":
    unittest.main()
