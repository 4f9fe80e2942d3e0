#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Test of tools/check/refusals.py: the calls that it finds, and each kind of mistake in a table."""

import importlib.util
import pathlib
import sys
import unittest

PATH = pathlib.Path(__file__).with_name("refusals.py")
SPEC = importlib.util.spec_from_file_location("refusals", PATH)
refusals = importlib.util.module_from_spec(SPEC)
sys.modules["refusals"] = refusals
SPEC.loader.exec_module(refusals)

SOURCE = """
/* gate_refuse(g, "no call") */
static bool check(struct gate *g, uint32_t n)
{
	if (n > 3)
		return gate_refuse(g, "%u parts (limit "
				   "%u)", n, most(3, 4));
	return true;
}

VkCommandBuffer prologue(struct exec *x)
{
	fault(x, SUNDOG_FAULT_CODE_HOST, -r);
	map_fault(x, 1);
	return NULL;
}
"""
ONE = ("a.c", "check", "too many")


class Refusals(unittest.TestCase):
    def test_calls(self):
        self.assertEqual(list(refusals.refusals_of(SOURCE, "gate_refuse")),
                         [("check", "%u parts (limit %u)")])
        self.assertEqual(list(refusals.refusals_of(SOURCE, "fault")), [("prologue", "HOST, -r")])

    def test_sources(self):
        found = list(refusals.refusals())
        self.assertGreater(len(found), 400)
        self.assertEqual(len(found), len(set(found)))

    def test_right(self):
        self.assertEqual(refusals.compare([ONE], {ONE: ("gate", "")}), [])

    def test_no_row(self):
        self.assertIn("no row", refusals.compare([ONE], {})[0])

    def test_no_refusal(self):
        self.assertIn("no such refusal", refusals.compare([], {ONE: ("gate", "")})[0])

    def test_class(self):
        self.assertIn("is unknown", refusals.compare([ONE], {ONE: ("?", "")})[0])

    def test_note(self):
        self.assertIn("needs a note", refusals.compare([ONE], {ONE: ("usage", "")})[0])


if __name__ == "__main__":
    unittest.main()
