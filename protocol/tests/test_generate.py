#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that protocol/generate.py refuses descriptions that the validator could not check.

Suite static runs it. Each case changes the real description in one place.
"""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import generate  # noqa: E402


class Refusals(unittest.TestCase):
    def setUp(self):
        self.protocol = generate.Protocol(HERE.parent / "sundog.yaml")

    def test_opcode_twice(self):
        self.protocol.packets[1]["opcode"] = self.protocol.packets[0]["opcode"]
        self.assertRaises(generate.Fail, self.protocol.validate)

    def test_bit_twice(self):
        values = self.protocol.flags_by_name["feature"]["values"]
        values[1]["bit"] = values[0]["bit"]
        self.assertRaises(generate.Fail, self.protocol.validate)

    def test_enum_with_holes(self):
        self.protocol.enums[0]["values"][0]["value"] = 1000
        self.assertRaises(generate.Fail, self.protocol.validate)

    def test_array_without_limit(self):
        packet = next(p for p in self.protocol.packets
                      if p["fields"] and "array" in p["fields"][-1])
        count = next(f for f in packet["fields"] if f["name"] == packet["fields"][-1]["array"])
        del count["max"]
        self.assertRaises(generate.Fail, self.protocol.validate)

    def test_limit_that_is_not_checked(self):
        for base in ("u64", "f32"):
            field = {"name": "a", "type": base, "max": 7}
            self.assertRaises(generate.Fail, self.protocol.limits, field, base)
        self.assertEqual(self.protocol.limits({"name": "a", "max": 7}, "u32"), ("U32", 0, 7))


if __name__ == "__main__":
    unittest.main()
