#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare the output of vulkaninfo, eglinfo and glxinfo on sundog with that on peers.

identity.py DECISIONS LOGS [PAGE]

LOGS has files NAME.SOURCE.log of the drivers sundog, lavapipe and venus and of the sources vulkan,
egl and glx; missing files are skipped. Each entry that differs between drivers needs a decision in
DECISIONS (docs/reference/identity.yaml, which documents the format). Writes the decisions and their
entries between the marks of PAGE. Prints each entry without a decision and each unexpected value,
and fails if there are any.
"""

import fnmatch
import pathlib
import re
import sys

import yaml

DRIVERS = ("sundog", "lavapipe", "venus")
BEGIN, END = "<!-- begin: tools/docs/identity.py -->", "<!-- end -->"


def parse_vulkan(text):
    """Return entry -> value for the first device. The items of a list are words of its value."""
    begin = text.find("Device Properties and Extensions:")
    text = text[max(begin, 0):].split("\nGPU1:")[0]
    values, path = {}, []
    for line in text.splitlines():
        body = line.strip()
        depth = len(line) - len(line.lstrip("\t"))
        if not body or re.fullmatch(r"[-=]+|GPU\d+:", body):
            continue
        while path and path[-1][0] >= depth:
            path.pop()
        prefix = ".".join(name for _, name in path)
        extension = re.fullmatch(r"(VK_\w+) *: extension revision (\d+)", body)
        items = re.fullmatch(r"([^=]+?): count = \d+", body)
        value = re.fullmatch(r"(.+?) *= (.*?)(?:: count = \d+)?", body)
        header = re.fullmatch(r"(.+?):", body)
        if extension:
            values[f"{prefix}.{extension[1]}"] = "revision " + extension[2]
        elif items or header:
            path.append((depth, (items or header)[1]))
            if items:
                values[".".join(name for _, name in path)] = ""
        elif value:
            values[f"{prefix}.{value[1]}"] = re.sub(r" \((0x\w+|\d+)\).*", "", value[2])
            path.append((depth, value[1]))
        else:
            values[prefix] = f"{values.get(prefix, '')} {body}".strip()
    return values


def parse_gl(text):
    """Return entry -> value of eglinfo or glxinfo -l. Extensions and limits are below a title."""
    values, title = {}, ""
    for line in text.splitlines():
        named = re.fullmatch(r"(\S[^:=]*): *(.*)", line)
        limit = re.fullmatch(r"    (GL\w+) = (.*)", line)
        below = re.fullmatch(r"    ([A-Z][^:,]*): (.*)", line)
        if named:
            title = named[1].replace(" string", "")
            if named[2]:
                values[title] = named[2]
        elif limit or below:
            entry = limit or below
            values[f"{title}.{entry[1]}"] = entry[2]
        elif re.fullmatch(r"    (\w+,? *)+", line) and not re.match(r"\d+ GLX", title):
            for name in re.findall(r"\w+", line):
                values[f"{title}.{name}"] = "yes"
    return values


def read_logs(folder):
    """Return driver -> entry with its source -> value."""
    drivers = {}
    for driver in DRIVERS:
        for source, parse in (("vulkan", parse_vulkan), ("egl", parse_gl), ("glx", parse_gl)):
            path = folder / f"{driver}.{source}.log"
            values = parse(path.read_text(errors="replace")) if path.exists() else {}
            if values:
                found = drivers.setdefault(driver, {})
                found.update({f"{source} {entry}": value for entry, value in values.items()})
    return drivers


def peers_of(drivers, entry):
    """Return the drivers that have a log of the entry's source."""
    source = entry.split()[0] + " "
    return [name for name, values in drivers.items()
            if any(known.startswith(source) for known in values)]


def differs(drivers, entry):
    return len({drivers[name].get(entry) for name in peers_of(drivers, entry)}) > 1


def matches(patterns, entry):
    return any(fnmatch.fnmatchcase(entry, pattern) for pattern in patterns)


def cell(value):
    return "" if value is None else value.replace("|", "\\|") or "(empty)"


def section(decision, entries, drivers):
    lines = [f"### {decision['title']}", "", decision["why"].strip(), ""]
    if decision.get("hide"):
        return lines + ["Entries: " + ", ".join(f"`{entry}`" for entry in entries) + ".", ""]
    lines += [f"| entry | {' | '.join(DRIVERS)} |", "|-|" + "-|" * len(DRIVERS)]
    for entry in entries:
        row = (cell(drivers.get(name, {}).get(entry)) for name in DRIVERS)
        lines.append(f"| {entry} | {' | '.join(row)} |")
    return lines + [""]


def check_expected(decisions, drivers):
    """Yield a line for each value of sundog that differs from the expected value of a decision."""
    for decision in decisions:
        for entry, pattern in decision.get("expect", {}).items():
            value = drivers["sundog"].get(entry)
            if peers_of(drivers, entry) and not fnmatch.fnmatchcase(value or "", str(pattern)):
                yield f"{entry} is '{value}', expected '{pattern}' ({decision['title']})"


def write_page(path, lines):
    text = path.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END, 1)[1]
    path.write_text("\n".join([before + BEGIN, *lines, END]) + after)


def main():
    decisions = yaml.safe_load(pathlib.Path(sys.argv[1]).read_text())
    drivers = read_logs(pathlib.Path(sys.argv[2]))
    if "sundog" not in drivers or "lavapipe" not in drivers:
        sys.exit(f"{sys.argv[2]} has no logs of sundog, or none of lavapipe; run make identity")
    entries = sorted({entry for values in drivers.values() for entry in values})
    by_decision, problems = {}, list(check_expected(decisions, drivers))
    for entry in entries:
        expected = any(entry in decision.get("expect", {}) for decision in decisions)
        if not differs(drivers, entry) and not expected:
            continue
        found = [i for i, decision in enumerate(decisions) if matches(decision["entries"], entry)]
        if found:
            by_decision.setdefault(found[0], []).append(entry)
        else:
            values = ", ".join(f"{name}: {drivers[name].get(entry)}" for name in drivers)
            problems.append(f"{entry} differs, add a decision to {sys.argv[1]} ({values})")
    lines = ["", f"Drivers compared: {', '.join(drivers)}.", ""]
    for i, decision in enumerate(decisions):
        if i in by_decision:
            lines += section(decision, by_decision[i], drivers)
        else:
            print(f"note: decision '{decision['title']}' has no entry that differs")
    if len(sys.argv) > 3:
        write_page(pathlib.Path(sys.argv[3]), lines)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
