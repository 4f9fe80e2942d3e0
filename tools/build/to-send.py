#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the patches that upstream should get in the form of git format-patch.

Run by tools/build/to-send.sh inside the trixie tree. Takes the patches of kind "fix" whose Upstream
is "not sent". The fields of our headers are left out, since they mean nothing upstream; README.md
has the test of each. Other fixes are listed there with the reason why they are not written.

usage: to-send.py OUT [CHECKOUT]   OUT gets the folders mesa and qemu and README.md
"""

import argparse
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools" / "check"))

import patches  # noqa: E402, of tools/check/

TARGETS = {"mesa": ("mesa-driver/patches", "lavapipe/patches"), "qemu": ("qemu-device/patches",)}
READY = re.compile(r"not sent(?:;.*)?")
HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
GRAPH = 40
HEAD = """<!-- SPDX-License-Identifier: MIT -->
# Patches to send

`make patches` wrote these files. They apply in their order to the sources that tools/versions.sh
names. Before they are sent:

1. Apply them to the main branch with `git am`, and repair what has moved.
2. Run the reproducer without and with the patch. Its source is in the folder that the table names.
3. Put your name and a Signed-off-by: `git rebase --exec 'git commit --amend --no-edit
   --reset-author --signoff'`.
4. Mesa takes merge requests, QEMU mails to qemu-devel (`git send-email`).
5. Change Upstream in our header.
"""


class Change:
    """The change of one file."""

    def __init__(self, old, new):
        self.is_new = old == "/dev/null"
        self.name = new.removeprefix("b/")
        self.lines = []
        self.added = self.removed = 0

    def text(self):
        """Return the change as git writes it."""
        old = "/dev/null" if self.is_new else f"a/{self.name}"
        mode = "new file mode 100644\n" if self.is_new else ""
        return (f"diff --git a/{self.name} b/{self.name}\n{mode}--- {old}\n+++ b/{self.name}\n"
                + "".join(f"{line}\n" for line in self.lines))


def changes(patch):
    """Return the changes of a patch. A line of a hunk may look like the begin of another file."""
    found, name = [], ""
    old = new = 0
    for line in patch.diff.split("\n"):
        if old > 0 or new > 0:
            found[-1].lines.append(line)
            found[-1].added += line.startswith("+")
            found[-1].removed += line.startswith("-")
            old -= not line.startswith(("+", "\\"))
            new -= not line.startswith(("-", "\\"))
        elif line.startswith("--- "):
            name = line.split()[1]
        elif line.startswith("+++ "):
            found.append(Change(name, line.split()[1]))
        elif HUNK.match(line):
            old, new = (int(number or 1) for number in HUNK.match(line).groups())
            found[-1].lines.append(line)
        elif line.startswith("\\"):
            found[-1].lines.append(line)
    return found


def count(number, word, rest="", ending="s"):
    """Return a number of things in words."""
    return f"{number} {word}{ending if number != 1 else ''}{rest}"


def statistics(files):
    """Return what `git diff --stat` prints."""
    width = max(len(file.name) for file in files)
    most = max(file.added + file.removed for file in files)
    lines = []
    for file in files:
        scale = min(1, GRAPH / most)
        graph = "+" * -int(-file.added * scale // 1) + "-" * -int(-file.removed * scale // 1)
        number = f"{file.added + file.removed:>{len(str(most))}}"
        lines.append(f" {file.name:<{width}} | {number} {graph}")
    added, removed = sum(f.added for f in files), sum(f.removed for f in files)
    words = [count(len(files), "file", " changed")]
    words += [count(added, "insertion", "(+)")] if added or not removed else []
    words += [count(removed, "deletion", "(-)")] if removed else []
    lines.append(" " + ", ".join(words))
    lines += [f" create mode 100644 {file.name}" for file in files if file.is_new]
    return "\n".join(lines)


def mail(patch, number, total):
    """Return a patch in the form of git format-patch."""
    width = len(str(total))
    files = changes(patch)
    return (f"From {'0' * 40} Mon Sep 17 00:00:00 2001\n"
            f"From: {patch.head['From']}\nDate: {patch.head['Date']}\n"
            f"Subject: [PATCH {number:0{width}}/{total}] {patch.subject}\n\n"
            f"{patch.description}\n---\n{statistics(files)}\n\n"
            f"{''.join(file.text() for file in files)}-- \nsundog\n\n")


def file_name(patch, number):
    """Return the name that git gives to a patch."""
    words = re.sub(r"[^\w.]+", "-", patch.subject).strip("-.")
    return f"{number:04}-{words[:52].rstrip('-.')}.patch"


def sources(patch, top):
    """Return the sources of the tests of a patch."""
    return sorted({str(path.relative_to(top)) for name, _ in patch.tests()
                   for path in patches.test_files(top, name.partition("@")[0])})


def row(*cells):
    """Return a line of a table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def write(target, folders, out, top):
    """Write the patches for a project; return the lines of README.md."""
    fixes = [patch for folder in folders for patch in patches.patches(top, folder)
             if patch.fields["Kind"] == "fix"]
    ready = [patch for patch in fixes if READY.fullmatch(patch.fields["Upstream"])]
    (out / target).mkdir(parents=True)
    lines = ["", f"## {target}", "", "| file | reproducer | source | our file |", "|-|-|-|-|"]
    for number, patch in enumerate(ready, 1):
        name = file_name(patch, number)
        (out / target / name).write_text(mail(patch, number, len(ready)))
        lines.append(row(f"`{target}/{name}`", patch.fields["Test"],
                         ", ".join(sources(patch, top)) or "-",
                         str(patch.path.relative_to(top))))
    rest = [patch for patch in fixes if patch not in ready]
    if rest:
        lines += ["", "Fixes that are not written:", "", "| our file | reason |", "|-|-|"]
        lines += [row(str(patch.path.relative_to(top)), patch.fields["Upstream"])
                  for patch in rest]
    print(f"{target}: {count(len(ready), 'patch', ending='es')}, "
          f"{count(len(rest), 'fix', ending='es')} not written")
    return lines


def main():
    """Write everything to OUT."""
    parser = argparse.ArgumentParser(description="Write the patches to send.")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("checkout", type=pathlib.Path, nargs="?", default=TOP)
    options = parser.parse_args()
    messages = patches.check(options.checkout)
    if messages:
        sys.exit("\n".join(messages))
    lines = [line for target, folders in TARGETS.items()
             for line in write(target, folders, options.out, options.checkout)]
    (options.out / "README.md").write_text(HEAD + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
