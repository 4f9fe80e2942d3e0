#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the Vulkan part of docs/features.md from the output of vulkaninfo on each driver.

features_vulkan.py DIR  read DIR/vulkan-*.log, print the part
"""

import datetime
import pathlib
import sys

import machine
import vulkaninfo

# Columns, and the logs of each.
DRIVERS = {
    "sundog": {"d": "vulkan-sundog", "g": "guest/vulkan"},
    "venus": {"g": "guest-venus/vulkan"},
    "lavapipe": {"d": "vulkan-lavapipe"},
}
INTRO = """
# Features of Vulkan

Made by `make features` on {date}, on {machine}, of what vulkaninfo reports.
d: without a VM, sundog on sundog-renderd, lavapipe natively; g: in a guest, sundog with its kernel
driver, venus on virtio-gpu. Both are on Debian's lavapipe. Extensions of the instance have those of
the loader, which are everywhere.{missing}
"""


def cell(reports, has):
    return "".join(letter for letter, report in reports.items() if report and has(report))


def table(title, rows, drivers, has):
    print(f"\n| {title} | {' | '.join(drivers)} |\n|{'-|' * (len(drivers) + 1)}")
    for row in rows:
        cells = (cell(reports, lambda report: has(report, row)) for reports in drivers.values())
        print(f"| {row} | {' | '.join(cells)} |")


def every(drivers, of):
    return set().union(*(of(report) for reports in drivers.values()
                         for report in reports.values() if report))


def main():
    folder = pathlib.Path(sys.argv[1])
    drivers = {name: {letter: vulkaninfo.read(folder / f"{log}.log")
                      for letter, log in logs.items()}
               for name, logs in DRIVERS.items()}
    missing = [f"{name} ({letter})" for name, reports in drivers.items()
               for letter, report in reports.items()
               if not report]
    print(INTRO.format(date=datetime.date.today(), machine=machine.text(machine.describe()),
                       missing=f"\nDid not run here: {', '.join(missing)}." if missing else ""))
    print(f"| | {' | '.join(drivers)} |\n|{'-|' * (len(drivers) + 1)}")
    versions = (", ".join(dict.fromkeys(report.version for report in reports.values() if report))
                for reports in drivers.values())
    print(f"| Vulkan | {' | '.join(versions)} |")
    table("extension of the instance", sorted(every(drivers, lambda report: report.instance)),
          drivers,
          lambda report, row: row in report.instance)
    table("extension of the device", sorted(every(drivers, lambda report: report.device)), drivers,
          lambda report, row: row in report.device)
    features = sorted(every(drivers, lambda report: set(report.features)))
    # A feature of an extension may be core in the version of a newer driver. Features of extensions
    # come last.
    versions = {name: max(report.features.get(name, "") for reports in drivers.values()
                          for report in reports.values()
                          if report) for name in features}
    for version in sorted(set(versions.values()), key=lambda version: (not version, version)):
        table(f"feature of {'Vulkan ' + version if version else 'extensions'}",
              [name for name in features if versions[name] == version], drivers,
              lambda report, row: row in report.features)


main()
