#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the manual pages of device, kernel module and variables from docs/user/options.md.

usage: tools/docs/man.py [--check]

Each page of PAGES has one section of that document, to packaging/sundog/man. --check, which suite
static runs, writes nothing and fails if a page is out of date.
"""

import pathlib
import re
import sys
import textwrap

TOP = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = TOP / "docs/user/options.md"
MAN = TOP / "packaging/sundog/man"

# Page -> title of the section, line of NAME, heading of the table, SYNOPSIS and DESCRIPTION as
# manual pages have them, SEE ALSO.
PAGES = {
    "sundog.4": (
        "Kernel module", "kernel driver of the sundog virtual GPU", "PARAMETERS",
        ".B modprobe sundog\n.RI [ PARAMETER = VALUE ...]",
        """\
        sundog is a DRM driver with GEM and KMS for the device
        .BR sundog-device (7).
        The driver makes a primary node,
        .IR /dev/dri/cardN ,
        and a render node,
        .IR /dev/dri/renderDN .
        A device without a renderer has both, since a renderer may connect later. Until then it
        only shows pictures: programs that want to draw get ENODEV, and the kernel log has the line
        "renderer: none, display only".
        .PP
        Parameters are read when the module is loaded, from the command line, from
        .IR /etc/modprobe.d ,
        or from the kernel's command line as
        .BI sundog. PARAMETER = VALUE\\fR.
        Their values are in
        .IR /sys/module/sundog/parameters .""",
        ".BR sundog (1),\n.BR sundog-device (7),\n.BR sundog-environment (7),\n.BR modprobe.d (5)"),
    "sundog-device.7": (
        "QEMU device", "virtual GPU of QEMU", "OPTIONS",
        ".B qemu-system-sundog\n.RI ...\n"
        ".BI \"\\-device sundog\" \\fR[ , OPTION = VALUE \\fR]...",
        """\
        sundog is a PCI device of
        .BR qemu-system-sundog ,
        a GPU made of software. A renderer, which is a process of its own, draws what guests
        submit, on the CPUs of the host. Without a renderer the device only shows pictures, and
        QEMU warns unless it has
        .BR renderer=none .""",
        ".BR sundog (4),\n.BR sundog-renderd (1)"),
    "sundog-environment.7": (
        "Environment", "environment variables of the sundog drivers", "VARIABLES", None,
        """\
        The OpenGL and Vulkan drivers of sundog read these variables of a program. None has to be
        set.""",
        ".BR sundog (1),\n.BR sundog (4)"),
}


def escape(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def escape_start(line):
    return "\\&" + line if line.startswith((".", "'")) else line


def inline(text):
    """Return Markdown's code and links as text of a manual page."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    parts = re.split(r"`([^`]*)`", text)
    return "".join(f"\\fB{escape(part)}\\fR" if at % 2 else escape(part)
                   for at, part in enumerate(parts))


def section(title):
    for part in re.split(r"^## ", OPTIONS.read_text(), flags=re.MULTILINE)[1:]:
        if part.startswith(title):
            return part.split("\n", 1)[1].strip()
    sys.exit(f"{OPTIONS} has no section '{title}'")


def filled(text):
    """Return a paragraph as lines of a manual page."""
    return [escape_start(line) for line in textwrap.wrap(
        inline(text), 96, break_long_words=False, break_on_hyphens=False)]


def table(lines):
    """Return the rows of a Markdown table as tagged paragraphs."""
    heads, _, *rows = ([cell.strip() for cell in line.strip("|").split(" | ")] for line in lines)
    text = []
    for name, *cells in rows:
        text += [".TP", inline(name)]
        if "default" in heads:
            default, meaning = cells
        else:
            default, meaning = "", cells[0]
        text += filled(meaning[:1].upper() + meaning[1:] + ".")
        if default:
            text += filled(f"The default is {default}.")
    return text


def page(name):
    title, what, heading, synopsis, description, also = PAGES[name]
    stem, number = name.rsplit(".", 1)
    text = ['.\\" SPDX-License-Identifier: MIT', '.\\" Written by tools/docs/man.py.',
            f".TH {stem.upper()} {number}", ".SH NAME", f"{escape(stem)} \\- {what}"]
    if synopsis:
        text += [".SH SYNOPSIS", synopsis]
    text += [".SH DESCRIPTION", textwrap.dedent(description), f".SH {heading}"]
    for block in section(title).split("\n\n"):
        lines = block.split("\n")
        if lines[0].startswith("|"):
            text += table(lines)
        else:
            text += [".PP", *filled(" ".join(lines))]
    text += [".SH SEE ALSO", also]
    return "\n".join(text) + "\n"


def main():
    wrong = []
    for name in PAGES:
        path = MAN / name
        if sys.argv[1:] != ["--check"]:
            path.parent.mkdir(exist_ok=True)
            path.write_text(page(name))
        elif not path.exists() or path.read_text() != page(name):
            wrong.append(f"{path.relative_to(TOP)} is out of date, run tools/docs/man.py")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
