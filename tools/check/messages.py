#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare docs/user/troubleshooting.md with the messages in the sources. Run by suite static.

Each code span of the first column of a table headed "message" is an instance of a format string: a
conversion, or a variable of a shell script, matches any text. Of several formats that match, a span
counts for the one with the most literal text. The check fails on a format of REQUIRED that no span
is an instance of, and on a span that is an instance of no format.
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGE = "docs/user/troubleshooting.md"
ANY = "\0"

# Files, functions, and the message that a function makes of its text.
REQUIRED = [
    ("renderer/**/*.c", "log_error|log_warn", "{}"),
    ("qemu-device/*.c", "error_setg|error_setg_errno|warn_report|warn_report_once", "{}"),
    ("qemu-device/*.c", "sundog_renderer_warn", "sundog: {}"),
    ("kernel/*.c", "drm_err|drm_err_ratelimited|drm_warn", "{}"),
    ("tools/sundog/sundog", "Failure|say", "sundog: {}"),
]
# Messages that the page may leave out.
OPTIONAL = [
    ("renderer/**/*.c", "log_info|fprintf|fail|send_error|on_first_worker_failed|gate_refuse"
     "|client_kill|connection_end|connection_refuse|snprintf|return", "{}"),
    ("renderer/gate/check/scan.c", "refuse_name", "{} " + ANY),
    ("qemu-device/*.c", "sundog_renderer_disconnect|error_append_hint", "{}"),
    ("kernel/*.c", "drm_info", "{}"),
    ("mesa-driver/*/**/*.c", "mesa_log[eiw]|vk_errorf", "{}"),
    ("libdrm-ext/*.c", "fprintf", "{}"),
    ("tools/**/*.sh", "die|say", "{}"),
    ("tools/guest/vm", "say", "guest: {}"),
]

TESTS = re.compile(r"^renderer/(tests|fuzz)/")
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
# Adjacent strings and macros of <inttypes.h>, which the compiler joins.
STRINGS = re.compile(r'"(?:\\.|[^"\\\n])*"(?:\s*(?:\w*PRI\w+|"(?:\\.|[^"\\\n])*"))*')
CONVERSION = re.compile(r"%[-#0 +]*\d*(?:\.(?:\d+|\*)?)?(?:hh?|ll?|z)?[a-zA-Z]")
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[();]')
SHELL_STRING = re.compile(r'"((?:\\.|\$\{[^}]*\}|\$\((?:[^()]|\([^()]*\))*\)|[^"\\$]|\$(?=\w))*)"')
SHELL_VALUE = re.compile(r"\$\{[^}]*\}|\$\((?:[^()]|\([^()]*\))*\)|\$\w+")


def end_of(text, at):
    """Return the offset where the arguments of a call, or the value of a return, at AT end."""
    depth = 0
    for match in TOKEN.finditer(text, at):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth < 0 or match[0] == ";":
            return match.start()
    return len(text)


def format_of(strings):
    """Return joined strings of C with ANY in the place of each conversion."""
    parts = [part.strip('"') if part[0] == '"' else "u"
             for part in re.findall(STRING.pattern + r"|\w+", strings)]
    text = "".join(parts).replace(r"\n", "").replace(r"\"", '"')
    return re.sub(ANY + "+", ANY, CONVERSION.sub(ANY, text).replace("%%", "%"))


def formats_of_c(text, functions, first_only):
    for match in re.finditer(rf"\b(?:{functions})\b\(?", text):
        found = STRINGS.findall(text, match.end(), end_of(text, match.end()))
        yield from map(format_of, found[:1] if first_only else found)


def formats_of_shell(text, functions):
    text = re.sub(r'"\s*\\\n\s*"', " ", text)
    for match in re.finditer(rf"\b(?:{functions}) (?=\")", text):
        string = SHELL_STRING.match(text, match.end())
        if string:
            yield SHELL_VALUE.sub(ANY, string[1])


def formats_of_python(text, functions):
    for match in re.finditer(rf'\b(?:{functions})\((f?"[^"]*"(?:\s+f?"[^"]*")*)', text):
        joined = "".join(re.findall('"([^"]*)"', match[1]))
        yield re.sub(r"\{[^}]*\}", ANY, joined).replace(r"\n", "")


def formats(table, first_only):
    """Return format -> file of all messages of a table."""
    found = {}
    for glob, functions, message in table:
        for path in sorted(TOP.glob(glob)):
            if TESTS.search(str(path.relative_to(TOP))):
                continue
            text = path.read_text()
            if path.suffix == ".sh":
                some = formats_of_shell(text, functions)
            elif path.suffix == ".c":
                some = formats_of_c(text, functions, first_only)
            else:
                some = formats_of_python(text, functions)
            for text in some:
                found.setdefault(message.format(text), path.relative_to(TOP))
    return found


def literal(text):
    return len(text.replace(ANY, ""))


def matches(text, span):
    """Return true if a span is an instance of a format; placeholders only, if that has no words."""
    if not re.search("[a-z]{2}", text):
        return re.sub("[A-Z]+", ANY, span) == text
    return re.fullmatch(re.escape(text).replace(re.escape(ANY), ".*"), span) is not None


def documented():
    """Yield the spans of the first column of each table whose head is "message"."""
    for table in re.findall(r"^\| messages? \|.*\n(?:\|.*\n)*", (TOP / PAGE).read_text(),
                            re.MULTILINE):
        for row in table.split("\n")[2:-1]:
            yield from re.findall(r"`([^`]+)`", row.split(" | ")[0])


def main():
    required = formats(REQUIRED, True)
    known = {**formats(OPTIONAL, False), **required}
    used, wrong = set(), []
    for span in documented():
        found = [text for text in known if matches(text, span)]
        if found:
            used.add(max(found, key=literal))
        else:
            wrong.append(f"{PAGE}: `{span}` is no message of the sources")
    wrong += [f"{path}: `{text.replace(ANY, '*')}` is not in {PAGE}"
              for text, path in required.items() if text not in used]
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
