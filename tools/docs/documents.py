# SPDX-License-Identifier: MIT
"""Write documents that are made of results, or check that they are. Used by bench/results.py and
tools/docs/test_results.py."""

import sys


def write_or_check(documents, check, maker):
    """Write the documents, path -> text, that are not up to date. If CHECK, end with status 1 and a
    line for each instead; MAKER is the command that writes them."""
    stale = {path: text for path, text in documents.items() if path.read_text() != text}
    if check:
        sys.exit("".join(f"{path} is out of date, run {maker}\n" for path in stale) or 0)
    for path, text in stale.items():
        path.write_text(text)
