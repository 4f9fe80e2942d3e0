#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make a Debian source package of packaging/NAME; tools/build/packages.sh runs it in the tree.

Without --base the package is native: the checkout, with packaging/NAME/debian. With --base it is
the distribution's source of another program, with its patches and the patches of --patches. Files
of the checkout are a component of it then, in its folder "sundog".

The result is OUT/NAME, or OUT/mesa if the base is /cache/source-mesa, ready for dpkg-buildpackage,
and the tarballs beside it.
"""
import argparse
import datetime
import email.utils
import pathlib
import re
import shutil
import subprocess
import tarfile


def read_contact(checkout):
    """Return the names and values of packaging/contact."""
    lines = (checkout / "packaging" / "contact").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def write_contact(debian, contact):
    """Put the addresses into the paragraph of the source, which all packages inherit."""
    fields = [f"Maintainer: {contact['MAINTAINER']}"]
    if contact["FAULTS"]:
        fields.append(f"Bugs: {contact['FAULTS']}")
    control = debian / "control"
    control.write_text(re.sub(r"^(Source: .*)$", "\\1\n" + "\n".join(fields), control.read_text(),
                              count=1, flags=re.MULTILINE))


def write_tar(path, folder, date):
    """Write a tarball of a folder whose bytes depend on contents and date only."""
    def plain(member):
        member.mtime, member.uid, member.gid = date, 0, 0
        member.uname = member.gname = "root"
        member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        return member

    with tarfile.open(path, "w:xz", format=tarfile.GNU_FORMAT) as tar:
        for item in [folder, *sorted(folder.rglob("*"))]:
            tar.add(item, folder.name / item.relative_to(folder), recursive=False, filter=plain)


def write_changelog(debian, options, version):
    """Write the changelog, and the addresses that it and debian/control share."""
    date = email.utils.format_datetime(
        datetime.datetime.fromtimestamp(options.date, datetime.timezone.utc))
    (debian / "changelog").write_text(
        f"{options.name} ({version}) {options.suite}; urgency=medium\n\n"
        f"  * Packages of commit {options.commit}.\n"
        f"  * Built with Debian's updates until {options.updates}.\n\n"
        f" -- {options.contact['MAINTAINER']}  {date}\n")
    write_contact(debian, options.contact)


def write_format(debian, name):
    (debian / "source").mkdir(exist_ok=True)
    (debian / "source" / "format").write_text(f"3.0 ({name})\n")


def only(folder, pattern):
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise SystemExit(f"package-source.py: {folder} has {len(found)} files {pattern}, not one")
    return found[0]


def make_native(options):
    version = options.release
    tree = options.out / options.name
    shutil.copytree(options.checkout, tree, symlinks=True)
    shutil.copytree(options.checkout / "packaging" / options.name / "debian", tree / "debian")
    write_format(tree / "debian", "native")
    write_changelog(tree / "debian", options, version)


def copy_patches(base, checkout, folders, debian):
    """Put the patches of the distribution, then those of folders, in a series for quilt."""
    patches = debian / "patches"
    series = []
    if (base / "patches" / "series").exists():
        shutil.copytree(base / "patches", patches)
        series = (patches / "series").read_text().splitlines()
    for folder in folders:
        ours = patches / "sundog" / folder.replace("/", "-")
        ours.mkdir(parents=True)
        for patch in sorted((checkout / folder).glob("*.patch")):
            shutil.copy(patch, ours)
            series.append(f"sundog/{ours.name}/{patch.name}")
    (patches / "series").write_text("\n".join(series) + "\n")


def add_copyright(base, debian):
    """Add the distribution's copyright file to ours, whose paragraphs are about our files."""
    ours = (debian / "copyright").read_text()
    (debian / "copyright").write_text((base / "copyright").read_text().rstrip() + "\n\n" + ours)


def make_derived(options):
    orig = only(options.base, "*.orig.tar.xz")
    upstream = re.fullmatch(r"[^_]+_(.+)\.orig\.tar\.xz", orig.name)[1]
    # Debian's revision comes last: its fixes make a later version of the same commit of ours.
    patches = only(options.base, "*.debian.tar.*")
    revision = re.fullmatch(r"[^_]+_.+-([^-]+)\.debian\.tar\..+", patches.name)[1]
    version = f"{upstream}+sundog{options.release}"
    stem = f"{options.name}_{version}"
    shutil.copy(orig, options.out / f"{stem}.orig.tar.xz")

    component = options.out / "sundog"
    shutil.copytree(options.checkout, component, symlinks=True)
    write_tar(options.out / f"{stem}.orig-sundog.tar.xz", component, options.date)
    tree = options.out / options.base.name.removeprefix("source-")
    tree.mkdir()
    subprocess.run(["tar", "-xf", orig, "-C", tree, "--strip-components=1"], check=True)
    shutil.move(component, tree / "sundog")

    base = options.out / "base"
    base.mkdir()
    subprocess.run(["tar", "-xf", patches, "-C", base], check=True)
    shutil.rmtree(tree / "debian", ignore_errors=True)
    shutil.copytree(options.checkout / "packaging" / options.name / "debian", tree / "debian")
    copy_patches(base / "debian", options.checkout, options.patches, tree / "debian")
    add_copyright(base / "debian", tree / "debian")
    write_format(tree / "debian", "quilt")
    write_changelog(tree / "debian", options, f"{version}-{revision}")
    shutil.rmtree(base)


def main():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", required=True)
    parser.add_argument("--checkout", type=pathlib.Path, required=True, help="files of the commit")
    parser.add_argument("--commit", required=True)
    parser.add_argument("--date", type=int, required=True, help="seconds since 1970")
    parser.add_argument("--release", required=True, help="version of sundog")
    parser.add_argument("--suite", required=True)
    parser.add_argument("--updates", required=True, help="date of the distribution's updates")
    parser.add_argument("--base", type=pathlib.Path, help="folder of the distribution's source")
    parser.add_argument("--patches", nargs="*", default=[], help="folders of the checkout")
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    options.contact = read_contact(options.checkout)
    options.out.mkdir(parents=True)
    (make_derived if options.base else make_native)(options)


if __name__ == "__main__":
    main()
