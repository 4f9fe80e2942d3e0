#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Show that only comments, documents and line breaks changed since a commit.

For each changed file of C, shell, Python and Meson the tokens of both versions are compared,
without comments. Equal tokens make equal objects, but for line numbers (__LINE__, debug
information), which is why objects are not compared.

usage: same-code.py BASE [PATH...]
       exit status 1: the code of a file differs, or a file was added or removed
"""

import ast
import difflib
import pathlib
import re
import shlex
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
C = {".c", ".h", ".S", ".frag", ".vert", ".comp", ".geom", ".tesc", ".tese", ".task", ".mesh",
     ".glsl", ".hlsl", ".mjs"}
TOKEN = re.compile(r"""
    (?P<comment>/\*.*?\*/|//[^\n]*)
    |(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<end>\\\n)
    |(?P<line>\n)
    |(?P<space>[ \t\f\r]+)
    |(?P<word>\w+(?:\.\w+)?)
    |(?P<mark>->|\+\+|--|<<=|>>=|<<|>>|[-+*/%&|^!=<>]=|&&|\|\||\#\#|\.\.\.|.)
    """, re.VERBOSE | re.DOTALL)


def c_tokens(text):
    """Return the tokens of a text. The end of a preprocessor directive's line is a token; adjacent
    strings are one token."""
    tokens, directive = [], False
    for match in TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "line":
            if directive:
                tokens.append("\n")
            directive = False
        elif kind == "string" and token[0] == '"' and tokens and tokens[-1][0] == '"':
            tokens[-1] = tokens[-1][:-1] + token[1:]
        elif kind in ("string", "word", "mark"):
            directive = directive or token == "#"
            tokens.append(token)
    return tokens


def python_tokens(text):
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) \
                and ast.get_docstring(node) is not None and "__doc__" not in text:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree, indent=1).split("\n")


def script_tokens(text):
    """Return the lines that are not comments. A comment behind code counts as code."""
    return [line.rstrip() for line in text.split("\n")
            if line.strip() and not re.match(r"\s*#(?!!)", line)]


def tokens(path, text):
    if pathlib.Path(path).suffix in C:
        return c_tokens(text)
    if path.endswith(".py") or re.match(r"#!.*python", text):
        return python_tokens(text)
    if path.endswith((".sh", ".build", ".options", ".yaml")) or text.startswith("#!"):
        return script_tokens(text)
    return None


def git(*words):
    return subprocess.run(["git", "-C", TOP, *words], check=True, capture_output=True,
                          text=True).stdout


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    base, paths, wrong, same = sys.argv[1], sys.argv[2:], 0, 0
    for line in git("diff", "--name-status", "--no-renames", base, "--", *paths).splitlines():
        status, path = line.split("\t")
        if path.endswith((".md", ".1", ".3")):
            continue
        if status != "M":
            print(f"{path}: status {status}")
            wrong += 1
            continue
        before, after = (tokens(path, git("show", f"{base}:{path}")),
                         tokens(path, (TOP / path).read_text()))
        if before == after and before is not None:
            same += 1
            continue
        wrong += 1
        print(f"{path}: "
              + ("not a language that is compared" if before is None else "the code differs"))
        for word in list(difflib.unified_diff(before or [], after or [], lineterm="", n=2))[2:14]:
            print(f"    {shlex.quote(word)}")
    print(f"{same} files have the same code, {wrong} differ or could not be compared")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
