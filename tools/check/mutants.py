#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Apply the changes of igt-tests/mutants.yaml. Run by tools/check/mutants.sh.

A mutant named "control" precedes them: no change, with every subtest.

mutants.py --list FILE                  print the names of the mutants
mutants.py --check FILE FROM            fail unless the sources FROM have each text that is replaced
                                        exactly once
mutants.py --red FILE NAME              print the subtests that must fail, for the control pass
mutants.py --apply FILE NAME FROM TO    update the copy TO of the sources FROM, and make the change
                                        there; unchanged files keep their times
"""

import pathlib
import sys

import yaml


def changed(mutant, root):
    """Return the new text of each file that the mutant changes."""
    texts = {}
    for edit in mutant["edits"]:
        text = texts.get(edit["file"]) or (root / edit["file"]).read_text()
        if text.count(edit["old"]) != 1:
            sys.exit(f"mutant {mutant['name']}: {edit['file']} has {text.count(edit['old'])} of "
                     f"{edit['old']!r}, not 1")
        texts[edit["file"]] = text.replace(edit["old"], edit["new"])
    return texts


def apply(mutant, root, copy):
    texts = changed(mutant, root)
    for source in (root / "kernel").rglob("*.[ch]"):
        name = str(source.relative_to(root))
        target = copy / name
        text = texts.get(name) or source.read_text()
        if not target.exists() or target.read_text() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)


def main():
    what, path = sys.argv[1:3]
    listed = yaml.safe_load(pathlib.Path(path).read_text())
    control = {"name": "control", "edits": [],
               "red": dict.fromkeys(s for m in listed for s in m["red"])}
    mutants = {m["name"]: m for m in [control, *listed]}
    if what == "--list":
        print("\n".join(mutants))
    elif what == "--check":
        for mutant in listed:
            changed(mutant, pathlib.Path(sys.argv[3]))
    elif what == "--red":
        print(" ".join(mutants[sys.argv[3]]["red"]))
    else:
        apply(mutants[sys.argv[3]], pathlib.Path(sys.argv[4]), pathlib.Path(sys.argv[5]))


main()
