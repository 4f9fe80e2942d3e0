#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write docs/exercised.md: the tests that exercise each extension that our driver reports.

exercised.py REGISTRIES PIGLIT RESULTS TESTS LOG...  print the page

REGISTRIES are Khronos' XML files, separated by commas. PIGLIT is the folder where piglit is
installed. RESULTS are the results of `make piglit`; if they exist, only tests that passed count.
TESTS is the folder of our own tests. LOG is the output of eglinfo and glxinfo.

A test exercises an extension if it names it, is in its group, or calls one of its functions. One of
our tests, whose source is here, also does so if it uses one of its enumerants. Vendor suffixes are
ignored, since a feature that became a part of OpenGL is tested under its core name.
"""

import datetime
import ast
import bz2
import collections
import functools
import gzip
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

import machine

PROFILES = ("quick_gl", "quick_shader")
FOLDERS = ("gl", "guest", "host", "lib", "stream", "vk")  # of our tests
VENDORS = ("3DFX|AMD|ANDROID|ANGLE|APPLE|ARB|ARM|ATI|EXT|IBM|INGR|INTEL|KHR|MESA|MESAX|NV|NVX|OES|"
           "OVR|S3|SGI|SGIS|SGIX|SUN|WL")
EXTENSION = re.compile(rf"\b(?:GL|EGL|GLX)_(?:{VENDORS})_\w*[a-z]\w*|"
                       r"\bGL_OES_texture_3D|\bGLX_\w+_ES2?_profile")
FUNCTION = re.compile(r"(?:egl|glX|gl)[A-Z]\w+")
ENUMERANT = re.compile(r"\b(?:GL|EGL|GLX)_[A-Z0-9_]+\b")
SUFFIX = re.compile(rf"_?(?:{VENDORS})$")

# Extensions without functions that are tested under another name -> that name.
SAME_AS = {
    "EGL_KHR_platform_wayland": "EGL_EXT_platform_wayland",
    "GLX_EXT_create_context_es_profile": "GLX_EXT_create_context_es2_profile",
    "GL_AMD_shader_stencil_export": "GL_ARB_shader_stencil_export",
    "GL_APPLE_packed_pixels": "GL_EXT_packed_pixels",
    "GL_ARB_conservative_depth": "GL_AMD_conservative_depth",
    "GL_ARB_seamless_cubemap_per_texture": "GL_AMD_seamless_cubemap_per_texture",
    "GL_ARB_shading_language_100": "GL_ARB_vertex_shader",
    "GL_ATI_blend_equation_separate": "GL_EXT_blend_equation_separate",
    "GL_ATI_texture_float": "GL_ARB_texture_float",
    "GL_EXT_EGL_sync": "GL_OES_EGL_sync",
    "GL_MESA_sampler_objects": "GL_ARB_sampler_objects",
    "GL_SUN_multi_draw_arrays": "GL_EXT_multi_draw_arrays",
}

# Extensions that compositors and their clients use, in guests.
IN_GUESTS = {
    "EGL_EXT_buffer_age": ["guest-weston"],
    "EGL_EXT_platform_wayland": ["guest-weston"],
    "EGL_EXT_swap_buffers_with_damage": ["guest-weston"],
    "EGL_WL_bind_wayland_display": ["guest-weston"],
}

INTRO = """<!-- SPDX-License-Identifier: MIT -->
# Tests of each OpenGL extension

This page is for driver developers. `make features` wrote it on {date}, on {machine},
from the extensions that our driver reports without a VM and in a guest.

- piglit: {counted} of {profiles}, which name the extension, are of its group, or call one of its
  functions under this or a later name; and one of them.
- Ours: programs of `tests/` that do so, or have one of its enumerants.

{n} extensions; nothing exercises {n_bad} of them{bad}.

| extension | piglit | such as | ours |
|-|-|-|-|"""


def without_suffix(name):
    return SUFFIX.sub("", name)


class Registry:
    """The functions and enumerants of each extension, without suffixes."""

    def __init__(self, paths):
        self.functions = collections.defaultdict(set)
        self.enumerants = collections.defaultdict(set)
        for path in paths:
            self.read(ElementTree.parse(path).getroot())

    def read(self, root):
        aliases = {command.find("proto/name").text: command.find("alias").get("name")
                   for command in root.iterfind("./commands/command")
                   if command.find("alias") is not None}
        for extension in root.iterfind("./extensions/extension"):
            functions, enumerants = (self.functions[extension.get("name")],
                                     self.enumerants[extension.get("name")])
            for name in (command.get("name") for command in extension.iterfind("require/command")):
                functions |= {without_suffix(name), without_suffix(aliases.get(name, name))}
            enumerants |= {without_suffix(enum.get("name"))
                           for enum in extension.iterfind("require/enum")}


class Words:
    """Names of extensions, functions and enumerants in a text or in a program's strings."""

    def __init__(self, text):
        self.extensions = set(EXTENSION.findall(text))
        self.functions = {without_suffix(name) for name in FUNCTION.findall(text)}
        self.enumerants = {without_suffix(name) for name in ENUMERANT.findall(text)}


class Piglit:
    """Keeps piglit's tests: name -> Words of the files that the test runs."""

    def __init__(self, folder, results):
        self.folder = folder
        self.tests = {}
        self.counted = "tests that pass"
        for profile in PROFILES:
            self.read(profile, self.passed(results, profile))

    def passed(self, results, profile):
        """Return the names of tests of a profile that passed; None: there are no results."""
        for name, unpack in ("results.json.bz2", bz2.decompress), ("results.json", bytes):
            path = results / profile / name
            if path.exists():
                tests = json.loads(unpack(path.read_bytes()))["tests"]
                return {name for name, test in tests.items() if test["result"] in ("pass", "warn")}
        self.counted = "tests"
        return None

    def read(self, profile, good):
        tests = gzip.decompress((self.folder / f"tests/{profile}.xml.gz").read_bytes())
        for test in ElementTree.fromstring(tests):
            name = test.get("name")
            command = ast.literal_eval(test.find("option[@name='command']").get("value"))
            if good is None or name.lower() in good:
                self.tests[name] = [words for word in command[:2] for words in self.words(word)]

    @functools.lru_cache(maxsize=None)
    def words(self, word):
        """Return Words of a word of a command that is a program or a file. shader_runner has none:
        the words of its shader files count instead."""
        paths = (self.folder / "bin" / word, self.folder / word) if word != "shader_runner" else ()
        return [Words(path.read_bytes().decode("latin-1")) for path in paths if path.is_file()]


def of_piglit(piglit, registry):
    """Return extension -> tests that name it or are in its group, tests that call its functions."""
    named, called = collections.defaultdict(list), collections.defaultdict(list)
    callers = collections.defaultdict(set)
    for extension, functions in registry.functions.items():
        for function in functions:
            callers[function].add(extension)
    for test, files in sorted(piglit.tests.items()):
        group = re.match(r"(?:spec|glx|egl)@(\w+)", test)
        groups = {prefix + group[1].lower()
                  for prefix in ("gl_", "egl_", "glx_", "")} if group else set()
        for extension in set().union(*(words.extensions for words in files)):
            named[extension.lower()].append(test)
        for extension in groups:
            named[extension].append(test)
        for extension in set().union(
                *(callers[name] for words in files for name in words.functions)):
            called[extension.lower()].append(test)
    return named, called


def of_ours(folder):
    paths = [path for name in FOLDERS for path in (folder / name).glob("*.c")]
    return {path.name: Words(path.read_text())
            for path in sorted(paths, key=lambda path: path.name)}


def ours_exercising(extension, ours, registry):
    names = list(IN_GUESTS.get(extension, []))
    for name, words in ours.items():
        if (extension in words.extensions or registry.functions[extension] & words.functions or
                registry.enumerants[extension] & words.enumerants):
            names.append(name.removesuffix(".c"))
    return names


def main():
    registries, piglit, results, tests = sys.argv[1:5]
    registry = Registry(registries.split(","))
    piglit = Piglit(pathlib.Path(piglit), pathlib.Path(results))
    named, called = of_piglit(piglit, registry)
    ours = of_ours(pathlib.Path(tests))
    rows, bad = [], []
    reported = {name for log in sys.argv[5:]
                for name in EXTENSION.findall(pathlib.Path(log).read_text())}
    for extension in sorted(reported):
        name = SAME_AS.get(extension, extension)
        found = list(dict.fromkeys(named[name.lower()] + called[name.lower()]))
        own = ours_exercising(name, ours, registry)
        if not found and not own:
            bad.append(extension)
        rows.append(f"| {extension} | {len(found) or ''} | {found[0] if found else ''} | "
                    f"{', '.join(own)} |")
    print(INTRO.format(date=datetime.date.today(), machine=machine.text(machine.describe()),
                       counted=piglit.counted, profiles=" and ".join(PROFILES), n=len(rows),
                       n_bad=len(bad),
                       bad=": " + ", ".join(bad) if bad else ""))
    print("\n".join(rows))


main()
