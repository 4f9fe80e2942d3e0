#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare docs/reference/refusals.tsv with the refusals of the renderer. Run by suite static.

A refusal is a call of gate_refuse() in renderer/gate, which refuses a module, or a call of fault()
in renderer/exec and renderer/worker, which ends a channel. The table has one row for each, with its
class (CLASSES), which docs/design/refusals.md explains. Fails on a refusal without a row, a row
without a refusal, a class that is unknown, a row of a class that needs a note and has none, and
wrong numbers of that page.

usage: refusals.py           compare
       refusals.py --write   add rows of an unknown class for new refusals, remove those of refusals
                             that are gone, and update the numbers of docs/design/refusals.md
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
TABLE = TOP / "docs/reference/refusals.tsv"
PAGE = TOP / "docs/design/refusals.md"
BEGIN, END = "<!-- refusals: begin -->\n", "<!-- refusals: end -->"
HEAD = "file\tfunction\trefusal\tclass\tnote\n"
LICENCE = "# SPDX-License-Identifier: MIT\n"

# A class: whether its rows need a note; who reaches it, and what the program sees, for PAGE.
CLASSES = {
    "usage": (True, "programs that violate valid usage, or SPIR-V; the note names the rule",
              "an error, or a lost device"),
    "limit": (True, "programs beyond a limit or a feature of the driver; the note names it",
              "an error, or a lost device"),
    "client": (False, "no driver of ours: a hostile or broken client", "a lost device"),
    "create": (True, "valid programs", "an error of the call that creates the object"),
    "memory": (False, "any program, without memory of the host or the device",
               "`VK_ERROR_OUT_OF_DEVICE_MEMORY`, or a lost device"),
    "gate": (False, "no program: the verifier refuses what a faulty gate would let through",
             "an error, or a lost device"),
    "host": (False, "any program, where the host's driver fails", "a lost device"),
    "lost": (True, "valid programs: to be mended", "a lost device"),
}


def calls(text, name):
    """Yields the position and the arguments of each call of a function, as one string."""
    for match in re.finditer(rf"(?<![\w.>]){name}\(", text):
        depth, at, quoted = 1, match.end(), False
        while depth:
            char = text[at]
            if quoted:
                if char == "\\":
                    at += 1
                elif char == '"':
                    quoted = False
            elif char == '"':
                quoted = True
            else:
                depth += (char == "(") - (char == ")")
            at += 1
        yield match.start(), text[match.end():at - 1]


def function_at(text, at):
    """Returns the name of the function whose body holds a position."""
    heads = re.findall(r"^[A-Za-z][\w \t*]*?\b(\w+)\([^;{}]*?\)\n\{", text[:at], re.MULTILINE)
    return heads[-1] if heads else ""


def refusals_of(text, name):
    """Yields function and refusal of each call of a function in a source."""
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.DOTALL)
    for at, arguments in calls(text, name):
        if re.match(r"struct (gate|exec) \*", arguments):
            continue  # the function itself
        what = re.sub(r"\s+", " ", arguments.split(",", 1)[1]).strip()
        parts = re.findall(r'"((?:[^"\\]|\\.)*)"|(\bPRI\w+)', arguments)
        if name == "gate_refuse" and parts:
            what = "".join(a or f"<{b}>" for a, b in parts)
        yield function_at(text, at), what.replace("SUNDOG_FAULT_CODE_", "")


def refusals():
    """Yields file, function and refusal of each place, the same ones of a function numbered."""
    seen = {}
    for folder, name in (("gate", "gate_refuse"), ("exec", "fault"), ("worker", "fault")):
        for path in sorted((TOP / "renderer" / folder).rglob("*.[ch]")):
            for function, what in refusals_of(path.read_text(), name):
                key = (str(path.relative_to(TOP / "renderer")), function, what)
                seen[key] = seen.get(key, 0) + 1
                yield (*key[:2], what + (f" #{seen[key]}" if seen[key] > 1 else ""))


def rows():
    """Returns the table as a dictionary of class and note."""
    lines = TABLE.read_text().splitlines()[2:]
    return {tuple(line.split("\t")[:3]): tuple(line.split("\t")[3:5]) for line in lines}


def page_rows(table):
    """Returns the rows of PAGE, with the number of refusals of each class."""
    return "".join(
        f"| {name} | {sum(row[0] == name for row in table.values())} | {who} | {result} |\n"
        for name, (_, who, result) in CLASSES.items())


def write():
    known, found = rows(), list(refusals())
    table = {key: known.get(key, ("?", "")) for key in found}
    TABLE.write_text(LICENCE + HEAD + "".join("\t".join((*key, *row)) + "\n"
                                              for key, row in table.items()))
    text = PAGE.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(text[:begin] + page_rows(table) + text[end:])


def compare(found, table):
    """Returns what is wrong with a table of these refusals, as lines."""
    wrong = [f"{' '.join(key)}: no row" for key in found if key not in table]
    wrong += [f"{' '.join(key)}: no such refusal" for key in table if key not in set(found)]
    for key, (name, note) in table.items():
        if name not in CLASSES:
            wrong.append(f"{' '.join(key)}: class {name} is unknown")
        elif CLASSES[name][0] and not note:
            wrong.append(f"{' '.join(key)}: class {name} needs a note")
    return wrong


def main():
    if sys.argv[1:] == ["--write"]:
        return write()
    table = rows()
    wrong = compare(list(refusals()), table)
    if page_rows(table) not in PAGE.read_text():
        wrong.append(f"the numbers of {PAGE.name} are not those of the table, run with --write")
    return "\n".join(f"refusals.tsv: {line}" for line in wrong[:20]) or 0


if __name__ == "__main__":
    sys.exit(main())
