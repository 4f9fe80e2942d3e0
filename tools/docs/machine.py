# SPDX-License-Identifier: MIT
"""Describe the machine that results are measured on, without its name. Used by bench/ and by the
tools that write results."""

import os
import pathlib
import platform
import re


def describe():
    """Return a description of this machine for a results file."""
    cpu = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(),
                    re.MULTILINE)
    memory = re.search(r"^MemTotal:\s*(\d+) kB$", pathlib.Path("/proc/meminfo").read_text(),
                       re.MULTILINE)
    return {"cpus": len(os.sched_getaffinity(0)), "cpu": cpu and cpu[1],
            "memory_gib": memory and round(int(memory[1]) / 2**20),
            "kernel": ".".join(platform.release().split(".")[:2])}


def text(had):
    """Return a description as a document has it."""
    words = [f"{had['cpus']} CPUs"]
    if had.get("cpu"):
        words.append(f"of {had['cpu']}")
    if had.get("memory_gib"):
        words.append(f"with {had['memory_gib']} GiB of memory")
    return " ".join(words)
