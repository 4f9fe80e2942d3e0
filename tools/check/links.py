#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that the targets of links exist. Run by suite static.

The input has the names of all files, each followed by a NUL. In Markdown the target of each
relative link has to exist, and the heading if the link names one. In any file, comments included,
each page of docs/ that is mentioned has to exist. A page of docs/user that asks for reports links
to CONTRIBUTING.md, and addresses of packaging/contact are in no other file.
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)\s]+)\)")
MENTION = re.compile(r"(?<![\w./-])docs/[\w./-]*\w\.(?:md|png)")
REPORT = re.compile(r"\breport (?:it|the)\b", re.IGNORECASE)
GUIDE = "CONTRIBUTING.md#report-a-fault"
CONTACT = TOP / "packaging/contact"
CODE = re.compile(r"^    [^\n]*$|^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def anchors(path):
    """Return the anchors of a document's headings."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(path, text):
    for target in LINK.findall(CODE.sub("", text)):
        name, _, anchor = target.partition("#")
        if re.match(r"\w+:", target):
            continue
        to = (path.parent / name).resolve() if name else path
        if not to.exists():
            yield f"{target}, which does not exist"
        elif anchor and anchor not in anchors(to):
            yield f"{target}, which has no such heading"


def dead_mentions(text):
    return {f"{name}, which does not exist"
            for name in MENTION.findall(text) if not (TOP / name).exists()}


def asks_without_address(name, text):
    return name.startswith("docs/user/") and REPORT.search(text) and GUIDE not in text


def addresses(text):
    """Return the addresses of packaging/contact."""
    values = re.findall(r"^[A-Z]+=(.*)$", text, re.MULTILINE)
    return set(re.findall(r"[\w.+-]+@[\w.-]+|\w+://\S+", "\n".join(values)))


def main():
    wrong = []
    known = addresses(CONTACT.read_text())
    for name in filter(None, sys.stdin.read().split("\0")):
        path = TOP / name
        try:
            text = path.read_text()
        except (UnicodeDecodeError, OSError):
            continue
        dead = dead_mentions(text)
        if path.suffix == ".md":
            dead |= set(dead_links(path, text))
        wrong += [f"{name} links to {target}" for target in sorted(dead)]
        if asks_without_address(name, text):
            wrong.append(f"{name} asks for reports without a link to {GUIDE}")
        if path != CONTACT:
            wrong += [f"{name} has {address} of packaging/contact"
                      for address in known if address in text]
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
