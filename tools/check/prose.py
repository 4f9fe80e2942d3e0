#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check what people read against docs/dev/style.md. Run by suite static.

    riddle      a sentence of a comment or a document starts with What, Who, Whoever, Those or Likewise
    question    a comment asks something
    opening     a source file has no comment that says what it is for
    long        a line has more than 100 columns (in documents, lines of tables and of code are not counted)
    subject     a commit's subject is longer than 72 characters or is not "area: Verb object"

usage: prose.py [--list] [PATH...] <FILES   FILES: names, each followed by a NUL. PATH: only what is below
       prose.py --subjects <SUBJECTS        a subject in each line
       prose.py --baseline <FILES           write tools/check/prose-baseline.json

tools/check/prose-baseline.json has the findings by folder that are left from before the style. A number of it may only become
smaller: a folder with more findings fails, and so does one with fewer until the file says so.
"""

import collections
import io
import json
import pathlib
import re
import sys
import tokenize

TOP = pathlib.Path(__file__).resolve().parents[2]
BASELINE = TOP / "tools" / "check" / "prose-baseline.json"
COLUMNS = 100
SUBJECT = 72
GENERATED = re.compile(r"^(protocol/generated/|docs/(features|exercised|user/performance|reference/identity)\.md$|lavapipe/patches/|"
                       r"mesa-driver/patches/|qemu-device/patches/|tools/check/prose|bench/results/|tests/.*\.(json|txt|golden)$|LICENSE)")
C = {".c", ".h", ".S", ".frag", ".vert", ".comp", ".geom", ".tesc", ".tese", ".task", ".mesh", ".glsl", ".hlsl", ".mjs", ".js"}
HASH = {".sh", ".py", ".yaml", ".build", ".options"}
RIDDLE = re.compile(r"(?:^|(?<=[.!?:] )|(?<=[.!?:]\n))(What|Who|Whoever|Those|Likewise)\b(?! (?:else )?is (?:this|that)\b)")
FILLER = re.compile(r"^[\s*/#]+", re.MULTILINE)


def c_comments(text):
    """(line, comment) of C and its relatives; strings are skipped."""
    for match in re.finditer(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|(?://[^\n]*\n?(?:[ \t]*(?=//))?)+', text, re.DOTALL):
        if match[0][0] == "/":
            yield text.count("\n", 0, match.start()) + 1, match[0].removeprefix("/*").removesuffix("*/").replace("//", "")


def hash_comments(text):
    """(line, comment) of scripts: lines in a row that begin with #, and what follows code."""
    lines, start = [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        match = re.match(r"\s*#(?!!)(.*)", line) or re.match(r"[^'\"#$]*\s#\s(.*)", line)
        whole = re.match(r"\s*#", line)
        if lines and not whole:
            yield start, "\n".join(lines)
            lines = []
        if match and whole:
            start = start if lines else number
            lines.append(match[1])
        elif match:
            yield number, match[1]


def docstrings(text):
    """(line, docstring) of Python."""
    before = None
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING and before in (None, tokenize.INDENT, tokenize.NEWLINE) and '"""' in token.string:
                yield token.start[0], token.string.strip('"')
            if token.type not in (tokenize.NL, tokenize.COMMENT):
                before = token.type
    except (tokenize.TokenError, IndentationError):
        return


def document(text):
    """(line, paragraph or heading) of a document, without its code and its tables."""
    text = re.sub(r"^```.*?^```$", lambda m: "\n" * m[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    lines, start = [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        heading = re.match(r"#+ ", line)
        prose = line.strip() and not heading and not re.match(r"    |\t|\||<!--", line)
        item = re.match(r"\s*(?:[-*]|\d+\.) ", line)
        if heading:
            yield number, line[heading.end():]
        if lines and (not prose or item):
            yield start, "\n".join(lines)
            lines = []
        if prose:
            start = start if lines else number
            lines.append(line[item.end():] if item else line)


def manual(text):
    """(line, text) of a manual page."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith((".", "'")):
            yield number, line


def comments(path, text):
    kind = path.suffix
    if kind in C:
        return list(c_comments(text))
    if kind == ".md":
        return list(document(text))
    if re.fullmatch(r"\.[1-9]", kind):
        return list(manual(text))
    if kind in HASH or text.startswith("#!"):
        return list(hash_comments(text)) + (list(docstrings(text)) if kind == ".py" or "python" in text.split("\n")[0] else [])
    return None


def has_opening(path, text, found):
    """Return true if a comment in the first lines says more than the licence."""
    if path.suffix not in {".c", ".h", ".sh", ".py"}:
        return True
    return any(line <= 8 and len(re.sub(r"SPDX-License-Identifier:[^\n]*|Copyright[^\n]*", "", words).split()) > 3
               for line, words in found)


def findings(name):
    """Yield (rule, line, words)."""
    path = TOP / name
    try:
        text = path.read_text()
    except (UnicodeDecodeError, OSError):
        return
    found = comments(path, text)
    if found is None:
        return
    for line, words in found:
        plain = FILLER.sub("", words).strip()
        for match in RIDDLE.finditer(plain):
            yield "riddle", line, plain[match.start():].split("\n")[0]
        for sentence in re.findall(r"[^.!?\n]*\?(?=\s|$)", plain if path.suffix != ".md" else ""):
            yield "question", line, sentence.strip()
    if not has_opening(path, text, found):
        yield "opening", 1, ""
    code = path.suffix == ".md"
    for number, line in enumerate(text.split("\n"), 1):
        if len(line.expandtabs(8)) > COLUMNS and not (code and (re.match(r"\||    ", line) or len(line) <= 120)):
            yield "long", number, line.strip()[:60]


def subjects(lines):
    return [f"{subject}: {len(subject)} characters, at most {SUBJECT}, or not 'area: Verb object'"
            for subject in lines
            if len(subject) > SUBJECT or not re.match(r"[\w./+-]+: [A-Z][a-z]+ ", subject)]


def folder(name):
    parts = name.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0] if len(parts) > 1 else "."


def main():
    args = sys.argv[1:]
    if args[:1] == ["--subjects"]:
        sys.exit("\n".join(subjects(sys.stdin.read().splitlines())) or 0)
    names = [name for name in sys.stdin.read().split("\0") if name and not GENERATED.match(name)]
    if args[:1] == ["--list"]:
        below = tuple(args[1:])
        for name in names:
            if not below or name.startswith(below):
                for rule, line, words in findings(name):
                    print(f"{name}:{line}: {rule}: {words}")
        return
    counts = collections.defaultdict(collections.Counter)
    for name in names:
        for rule, _, _ in findings(name):
            counts[folder(name)][rule] += 1
    counts = {place: dict(sorted(rules.items())) for place, rules in sorted(counts.items())}
    if args == ["--baseline"]:
        BASELINE.write_text(json.dumps(counts, indent=1) + "\n")
        return
    allowed = json.loads(BASELINE.read_text())
    wrong = []
    for place in sorted(counts.keys() | allowed.keys()):
        now, before = counts.get(place, {}), allowed.get(place, {})
        for rule in sorted(now.keys() | before.keys()):
            have, had = now.get(rule, 0), before.get(rule, 0)
            if have > had:
                wrong.append(f"{place}: {have} of '{rule}', {had} allowed: prose.py --list {place}")
            elif have < had:
                wrong.append(f"{place}: {have} of '{rule}', tools/check/prose-baseline.json still allows {had}")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
