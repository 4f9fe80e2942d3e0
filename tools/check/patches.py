#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check the headers of our patches to Mesa and QEMU. Run by suite static.

Fails on a patch without From, Date, a Subject of the form "[PATCH] area: Do something" of at most
75 characters, a description, an SPDX line, or one of these fields:

    Kind       our driver, fix, speed, renderer interface
    Test       a file of the tests, named without its folder, or PROGRAM@SUBTEST of igt-tests/;
               several are separated by commas, words in parentheses are free, but words in
               quotation marks are in the last file named before; or "none, REASON"
    Upstream   "not applicable, REASON", "not sent", "fixed in VERSION" or "changed in main: WORDS"
    Drop-when  the event that makes the patch unnecessary

docs/dev/patches.md has tables of the patches between two marks.

Also fails if renderer/host/lvp_interface.h and the driver's header, which a patch to lavapipe adds,
have different versions of the interface, or other members or another order of them, and if a
package needs or provides another version.

usage: patches.py [--table | --page | --write] [CHECKOUT]
       --table   print the tables
       --page    fail if the page has other tables
       --write   write the tables to the page
"""

import argparse
import email.utils
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("mesa-driver/patches", "lavapipe/patches", "qemu-device/patches")
TESTS = ("tests", "igt-tests", "qemu-device/tests")
FROM = "sundog developers <sundog@localhost>"
LENGTH, COLUMNS = 75, 80
SUBJECT = re.compile(r"\[PATCH\] [\w./+-]+(?:, [\w./+-]+)*: [A-Z][a-z]+ .*[^.]")
DIFF = re.compile(r"^(?:diff --git |--- (?:a/|/dev/null))", re.MULTILINE)
FIELD = re.compile(r"^([A-Z][\w-]+): (.*(?:\n .+)*)$", re.MULTILINE)
SENTENCE = re.compile(r"[A-Z`\"]?\w+(?:\S*\s+\S+){3,}?[.:]", re.ASCII)
KINDS = ("our driver", "fix", "speed", "renderer interface")
UPSTREAM = re.compile(r"not applicable, .+|not sent(?:[;,] .+)?|fixed in .+|changed in main: .+")
PAGE = "docs/dev/patches.md"
MARK = re.compile(r"(?<=<!-- patches: begin -->\n).*?(?=<!-- patches: end -->)", re.DOTALL)
INTERFACE = "renderer/host/lvp_interface.h"
DRIVER_HEADER = "lvp_renderer_interface.h"
PACKAGES = ("packaging/sundog/debian/control", "packaging/sundog-mesa/debian/control")
FIELDS = ("Kind", "Test", "Upstream", "Drop-when", "SPDX-License-Identifier")


class Patch:
    """A patch file: its head, description and fields, the statistics and the diff."""

    def __init__(self, path):
        self.path = path
        text = path.read_text()
        start = DIFF.search(text)
        header, self.diff = (text[:start.start()], text[start.start():]) if start else (text, "")
        self.message, self.separator, self.statistics = (header + "\n").partition("\n---\n")
        head, _, body = self.message.partition("\n\n")
        self.head = dict(FIELD.findall(head))
        # The fields are the last paragraph of the message.
        self.description, _, tail = body.strip().rpartition("\n\n")
        self.all_fields = [(name, re.sub(r"\s*\n\s+", " ", value))
                           for name, value in FIELD.findall(tail)]
        self.fields = dict(self.all_fields)

    @property
    def number(self):
        """The number that the name begins with."""
        return self.path.name[:4]

    @property
    def subject(self):
        """The subject without [PATCH]."""
        return self.head.get("Subject", "").removeprefix("[PATCH] ")

    def tests(self):
        """Return (name, quoted words) of each test, none if there is none."""
        value = self.fields.get("Test", "")
        if re.match("none, .", value):
            return []
        return [(name.strip(" ,"), re.findall('"([^"]*)"', words))
                for name, words in re.findall(r"([^(),]+)(?:\(([^()]*)\))?", value)]


def patches(top, folder):
    """Return the patches of a folder in their order."""
    return [Patch(path) for path in sorted((top / folder).glob("*.patch"))]


def test_files(top, name):
    """Return the files of the checkout that a test may mean."""
    if "/" in name:
        return [top / name] if (top / name).is_file() else []
    return [path for folder in TESTS for path in (top / folder).rglob("*")
            if name in (path.name, path.stem) and path.is_file()]


def wrong_tests(patch, top):
    """Yield messages on the tests that a patch names."""
    for name, quotes in patch.tests():
        program, at, subtest = name.partition("@")
        files = test_files(top, program)
        quotes = quotes + [f'"{subtest}"'] if at else quotes
        if not files:
            yield f"Test names {name}, which is no test of the checkout"
        for words in quotes if files else ():
            if not any(words in path.read_text() for path in files):
                yield f"Test names {name}, which does not have the words: {words}"


def wrong_head(patch):
    """Yield messages on From, Date and Subject."""
    if patch.head.get("From") != FROM:
        yield f"From is not '{FROM}'"
    try:
        email.utils.parsedate_to_datetime(patch.head.get("Date", ""))
    except (TypeError, ValueError):
        yield "Date is missing or is not a date of RFC 5322"
    subject = patch.head.get("Subject", "")
    if not SUBJECT.fullmatch(subject):
        yield "Subject is not '[PATCH] area: Do something'"
    if len(subject) > LENGTH:
        yield f"Subject has {len(subject)} characters, at most {LENGTH}"


def wrong_fields(patch):
    """Yield messages on the fields."""
    for name in FIELDS:
        values = [value for field, value in patch.all_fields if field == name]
        if len(values) != 1 or not values[0].strip():
            yield f"{name} is there {len(values)} times" if len(values) != 1 else f"{name} is empty"
    if patch.fields.get("Kind", KINDS[0]) not in KINDS:
        yield f"Kind is none of: {', '.join(KINDS)}"
    if not UPSTREAM.fullmatch(patch.fields.get("Upstream", "not sent")):
        yield "Upstream begins with none of the allowed words, or says no more"


def wrong(patch, top):
    """Yield messages on a patch."""
    yield from wrong_head(patch)
    if not SENTENCE.search(patch.description):
        yield "there is no sentence of description between Subject and the fields"
    if not patch.separator:
        yield "no line '---' ends the message"
    if not patch.diff:
        yield "there is no diff"
    for line in patch.message.splitlines():
        if len(line) > COLUMNS:
            yield f"a line has {len(line)} columns, at most {COLUMNS}: {line[:40]}"
    yield from wrong_fields(patch)
    yield from wrong_tests(patch, top)


def interface(text):
    """Return the version of the interface in a header, and the declarations of its members."""
    text = " ".join(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).split())
    version = re.search(r"#define LVP_RENDERER_INTERFACE_VERSION (\d+)", text)
    members = re.search(r"struct lvp_renderer_interface \{(.*?)\}", text)
    # Ours has members of named types, the driver's has them in place.
    types = {name: f"{result} ({arguments})" for result, name, arguments in
             re.findall(r"typedef (\w+) \(VKAPI_PTR \*(\w+)\)\((.*?)\);", text)}
    declarations = []
    for member in members[1].split(";")[:-1] if members else ():
        pointer = re.fullmatch(r"(\w+) \(VKAPI_PTR \*(\w+)\)\((.*)\)", member.strip())
        kind, _, name = member.strip().rpartition(" ")
        declarations.append(f"{pointer[2]}: {pointer[1]} ({pointer[3]})" if pointer else
                            f"{name}: {types.get(kind, kind)}")
    return version[1] if version else "none", declarations


def driver_header(top):
    """Return (patch, text) of the driver's header in the patches to lavapipe, or None."""
    for patch in patches(top, "lavapipe/patches"):
        for change in patch.diff.split("\n+++ ")[1:]:
            name, _, lines = change.partition("\n")
            if name.endswith("/" + DRIVER_HEADER):
                added = lines.partition("\ndiff --git ")[0].splitlines()
                return patch, "\n".join(line[1:] for line in added if line.startswith("+"))
    return None


def wrong_interface(top):
    """Yield messages on differences between both headers of the renderer interface."""
    found = driver_header(top)
    ours = top / INTERFACE
    if not found and not ours.is_file():
        return
    if not found or not ours.is_file():
        yield f"{INTERFACE}: {DRIVER_HEADER} of lavapipe/patches or this file is missing"
        return
    for name, here, there in zip(("version", "members"), interface(ours.read_text()),
                                 interface(found[1])):
        if here != there or not there:
            yield (f"{INTERFACE}: {name} of the interface: {here}, but {DRIVER_HEADER} of "
                   f"{found[0].path.name} has {there}")
    version = interface(ours.read_text())[0]
    for path in PACKAGES:
        control = (top / path).read_text() if (top / path).is_file() else ""
        for other in re.findall(r"sundog-lavapipe-interface \(= (\d+)\)", control):
            if other != version:
                yield f"{path}: sundog-lavapipe-interface has version {other}, not {version}"


def check(top):
    """Return the messages on all patches."""
    messages = list(wrong_interface(top))
    for folder in FOLDERS:
        for count, patch in enumerate(patches(top, folder), 1):
            name = f"{folder}/{patch.path.name}"
            if patch.number != f"{count:04}":
                messages.append(f"{name}: the number is not {count:04}")
            messages += [f"{name}: {message}" for message in wrong(patch, top)]
    return messages


def table(top):
    """Return a Markdown table for each folder."""
    lines = []
    for folder in FOLDERS:
        lines += [f"## {folder}", "", "| number | subject | kind | test | upstream |",
                  "|-|-|-|-|-|"]
        for patch in patches(top, folder):
            cells = (patch.number, patch.subject,
                     *(patch.fields.get(name, "") for name in ("Kind", "Test", "Upstream")))
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    return "\n".join(lines)


def page(top):
    """Return the page as it is, and with the tables of the patches."""
    text = (top / PAGE).read_text()
    return text, MARK.sub(lambda _: "\n" + table(top) + "\n", text)


def main():
    """Check the patches, or print, compare or write the tables."""
    parser = argparse.ArgumentParser(description="Check the headers of the patches.")
    for name in ("--table", "--page", "--write"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("checkout", type=pathlib.Path, nargs="?", default=TOP)
    options = parser.parse_args()
    top = options.checkout
    if options.table:
        print(table(top), end="")
    elif options.write:
        (top / PAGE).write_text(page(top)[1])
    elif options.page:
        old, new = page(top)
        if old != new or not MARK.search(old):
            sys.exit(f"{PAGE} has other tables: tools/check/patches.py --write")
    else:
        sys.exit("\n".join(check(top)) or 0)


if __name__ == "__main__":
    main()
