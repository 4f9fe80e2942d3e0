#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare what vk-corpus wrote on two drivers; run by tests/vk/vk-corpus-direct. Prints TAP.

compare.py [OPTIONS] NATIVE OURS

NATIVE and OURS are files of vk-corpus --out, of lavapipe and of sundog. There is a test for each
compiler that made modules, which fails if sundog does not draw an entry point that lavapipe draws,
or draws it with other outputs. The table at the end has all counts. Exit status 1 if a test fails.

An entry point whose outputs differ between two runs of lavapipe has no outputs to compare; it is
counted as "unsteady" and fails no test. The other columns: vk-corpus does not draw "skipped" ones,
lavapipe does not draw "refused" ones, also where it crashes or hangs, and draws "blank" ones
without a change of any output; "known" ones match differences.txt. "clamped" ones index past the
end of an array: the gate clamps indices, and lavapipe draws the same as sundog if spirv-opt has
clamped them in its module, too (--graphics-robust-access).
"""

import argparse
import collections
import csv
import fnmatch
import math
import pathlib
import struct
import sys

COLUMNS = ["file", "stage", "compiler", "origin", "mutation"]
COUNTS = ["modules", "entries", "skipped", "refused", "drawn", "blank", "equal", "clamped",
          "missing", "unequal", "known", "unsteady"]
BLANK = "no output changed"
SHOWN = 40

Line = collections.namedtuple("Line", "module number entry stage status checksum detail")


def results(path):
    """(module, number of the entry point) -> Line"""
    found = {}
    numbers = collections.Counter()
    for row in csv.reader(path.read_text(errors="replace").splitlines(), delimiter="\t",
                          quoting=csv.QUOTE_NONE):
        if len(row) < 6:
            continue
        module = row[0]
        line = Line(module, numbers[module], *row[1:6])
        numbers[module] += 1
        found[module, line.number] = line
    return found


def compilers(index):
    """module -> the compiler that made it, apart for mutated modules, and its input"""
    if not index or not index.exists():
        return {}, {}
    rows = list(csv.reader(index.read_text().splitlines(), delimiter="\t",
                           quoting=csv.QUOTE_NONE))
    columns = COLUMNS
    if rows and rows[0] and rows[0][0].lstrip("#").strip() == "file":
        columns = [rows[0][0].lstrip("#").strip()] + rows[0][1:]
        rows = rows[1:]
    found, inputs = {}, {}
    for row in rows:
        values = dict(zip(columns, row))
        mutated = values.get("mutation", "") not in ("", "-", "none")
        name = values.get("compiler", "unknown") + (", mutated" if mutated else "")
        found[values.get("file", "").removeprefix("./")] = name
        inputs[values.get("file", "").removeprefix("./")] = values.get("input", "")
    return found, inputs


def compiler_of(module, index):
    """Without an index the folder's name"""
    if module in index:
        return index[module]
    folder = pathlib.PurePath(module).parent.name
    return folder or "unknown"


def differences(path):
    """[pattern, reason, number of uses]"""
    found = []
    for line in path.read_text().splitlines() if path and path.exists() else []:
        line = line.strip()
        if line and not line.startswith("#"):
            pattern, _, reason = line.partition(" ")
            pattern, _, more = pattern.partition("\t")
            found.append([pattern, f"{more} {reason}".strip(), 0])
    return found


def known(line, patterns, inputs):
    for pattern in patterns:
        names = (line.module, f"{line.module}:{line.entry}",
                 inputs.get(line.module, "").partition(" ")[0])
        if any(fnmatch.fnmatchcase(name, pattern[0]) for name in names):
            pattern[2] += 1
            return True
    return False


def is_plain(bits):
    """Has a word the bits of a float that a shader computes: 0, a NaN, or 2^-64 to 2^64?"""
    exponent = bits >> 23 & 0xff
    return not bits & 0x7fffffff or 63 <= exponent <= 191 or exponent == 255


def words_equal(a, b, tolerance):
    if a == b:
        return True
    if not is_plain(a) or not is_plain(b):
        return False
    x, y = (struct.unpack("<f", struct.pack("<I", word))[0] for word in (a, b))
    if math.isnan(x) or math.isnan(y):
        return math.isnan(x) and math.isnan(y)
    if math.isinf(x) or math.isinf(y):
        return x == y
    return abs(x - y) <= tolerance * max(abs(x), abs(y))


def words(folder, line):
    """The outputs of an entry point as words, or None"""
    name = f"{line.module}.{line.number}.bin".replace("/", "_")
    path = folder / name
    if not path.exists():
        return None
    data = path.read_bytes()
    data += bytes(-len(data) % 4)
    return struct.unpack(f"<{len(data) // 4}I", data)


def outputs_equal(ours, dumps, tolerance):
    if not dumps:
        return False
    a, b = words(dumps[0], ours), words(dumps[1], ours)
    if a is None or b is None or len(a) != len(b):
        return False
    return all(x == y or words_equal(x, y, tolerance) for x, y in zip(a, b))


def first_difference(line, dumps):
    """Where outputs differ first, for the message"""
    if dumps:
        a, b = words(dumps[0], line), words(dumps[1], line)
        if a is not None and b is not None:
            for i, (x, y) in enumerate(zip(a, b)):
                if x != y:
                    count = sum(x != y for x, y in zip(a, b))
                    return (f", {count} of {len(a)} words differ, "
                            f"word {i} is {y:#010x} instead of {x:#010x}")
    return ""


def judge(native, ours, options, first, clamped, patterns, inputs):
    """The kind of a result, and the message about it; first is an earlier result of native's,
    clamped the result of its module with clamped indices"""
    if native.status != "drawn":
        return "skipped" if native.status == "not-drawn" else "refused", None
    if ours and ours.status == "drawn":
        if ours.checksum == native.checksum:
            return "equal", None
        if first.checksum != native.checksum:
            return "unsteady", None
        if outputs_equal(native, options.dumps, options.tolerance):
            return "equal", None
        if clamped and clamped.status == "drawn" and clamped.checksum == ours.checksum:
            return "clamped", None
    if known(native, patterns, inputs):
        return "known", None
    if not ours:
        return "missing", "not tried"
    if ours.status != "drawn":
        return "missing", f"{ours.status} {ours.detail}".strip()
    return "unequal", "other outputs" + first_difference(native, options.dumps)


def table(counts):
    width = max([len("compiler")] + [len(name) for name in counts])
    print("# " + "compiler".ljust(width) + "".join(name.rjust(10) for name in COUNTS))
    for name, count in sorted(counts.items()):
        print("# " + name.ljust(width) + "".join(str(count[kind]).rjust(10) for kind in COUNTS))


def report(name, count, failures):
    drawn = count["drawn"]
    if not drawn:
        print(f"ok - {name}: # SKIP lavapipe draws none of {count['entries']} entry points")
        return
    print(f"{'not ' if failures else ''}ok - {name}: {drawn} entry points of {count['modules']} "
          f"modules are drawn, with outputs equal to lavapipe's")
    for line, why in failures[:SHOWN]:
        print(f"# {line.module}:{line.entry} ({line.stage}): {why}")
    if len(failures) > SHOWN:
        print(f"# and {len(failures) - SHOWN} more")


def arguments():
    parser = argparse.ArgumentParser(description="Compare two results of vk-corpus.")
    parser.add_argument("native", type=pathlib.Path)
    parser.add_argument("ours", type=pathlib.Path)
    parser.add_argument("--index", type=pathlib.Path, help="index.tsv of the corpus")
    parser.add_argument("--differences", type=pathlib.Path,
                        default=pathlib.Path(__file__).with_name("differences.txt"))
    parser.add_argument("--again", type=pathlib.Path, nargs=2, metavar=("NATIVE", "OURS"),
                        help="second runs, of any modules, that replace the first runs' results")
    parser.add_argument("--clamped", type=pathlib.Path,
                        help="native results of modules that --graphics-robust-access has changed")
    parser.add_argument("--dumps", type=pathlib.Path, nargs=2, metavar=("NATIVE", "OURS"),
                        help="folders of vk-corpus --dump: outputs are compared as floats")
    parser.add_argument("--tolerance", type=float, default=1e-5, help="relative error of floats")
    parser.add_argument("--list", type=pathlib.Path,
                        help="only write the modules that differ to this file, and print nothing")
    return parser.parse_args()


def main():
    options = arguments()
    native, ours = results(options.native), results(options.ours)
    again = [results(path) for path in options.again] if options.again else [{}, {}]
    index, inputs = compilers(options.index)
    clamped = results(options.clamped) if options.clamped else {}
    patterns = differences(options.differences)
    counts = collections.defaultdict(collections.Counter)
    failures = collections.defaultdict(list)
    modules = collections.defaultdict(set)
    for key, first in native.items():
        line = again[0].get(key, first)
        name = compiler_of(line.module, index)
        kind, why = judge(line, again[1].get(key, ours.get(key)), options, first,
                          clamped.get(key), patterns, inputs)
        count = counts[name]
        modules[name].add(line.module)
        count["entries"] += 1
        count["drawn"] += line.status == "drawn"
        count["blank"] += line.detail == BLANK
        count[kind] += 1
        if why:
            failures[name].append((line, why))
    if options.list:
        names = {line.module for lines in failures.values() for line, _ in lines}
        options.list.write_text("".join(f"{name}\n" for name in sorted(names)))
        return 0
    for name in sorted(counts):
        counts[name]["modules"] = len(modules[name])
        report(name, counts[name], failures[name])
    if not counts:
        print("not ok - the corpus has modules")
    for pattern, reason, uses in patterns:
        if not uses:
            print(f"# differences.txt: {pattern} ({reason}) matches no difference")
    table(counts)
    return int(not counts or any(failures.values()))


if __name__ == "__main__":
    sys.exit(main())
