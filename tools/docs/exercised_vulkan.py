#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the Vulkan part of docs/exercised.md: the tests that exercise each extension and feature.

exercised_vulkan.py REGISTRY HEADER TESTS BUILD LOG...  print the part

REGISTRY is Khronos' vk.xml, HEADER its spirv.h, TESTS the folder of the tests' sources, BUILD that
of their programs, LOG the output of vulkaninfo.

A program exercises an extension if its source names it, or one of its functions, structures or
enumerants, or if one of its shaders has a SPIR-V capability or extension that the registry assigns
to it. It exercises a feature if its source names it, or a use of it (USES), or if a shader has its
capability. Shaders are found in the built program. Vendor suffixes are ignored, since a feature
that became a part of Vulkan is tested under its core name.
"""

import datetime
import collections
import pathlib
import re
import struct
import sys
import xml.etree.ElementTree as ElementTree

import machine
import vulkaninfo

SUFFIX = re.compile(r"_?(?:EXT|KHR)$")
SPIRV_MAGIC = struct.pack("<I", 0x07230203)
OP_EXTENSION, OP_CAPABILITY = 10, 17

# Features that programs use without naming them -> words of a source that uses them.
USES = {
    "alphaToOne": r"alphaToOneEnable = [^0f]",
    "bresenhamLines": r"VK_LINE_RASTERIZATION_MODE_BRESENHAM",
    "conditionalRendering": r"vkCmdBeginConditionalRenderingEXT",
    "depthBiasClamp": r"depthBiasClamp = [^0]",
    "depthClamp": r"depthClampEnable = [^0f]",
    "descriptorBindingPartiallyBound": r"VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT",
    "descriptorBindingUpdateUnusedWhilePending":
        r"VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT",
    "descriptorBindingVariableDescriptorCount":
        r"VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT",
    "descriptorIndexing": r"VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME",
    "deviceFault": r"vkGetDeviceFaultInfoEXT",
    "drawIndirectFirstInstance": r"vkCmdDraw(Indexed)?Indirect\b",
    "dualSrcBlend": r"VK_BLEND_FACTOR_(ONE_MINUS_)?SRC1",
    "extendedDynamicState2LogicOp": r"vkCmdSetLogicOpEXT",
    "extendedDynamicState2PatchControlPoints": r"vkCmdSetPatchControlPointsEXT",
    "fillModeNonSolid": r"VK_POLYGON_MODE_(LINE|POINT)",
    "fragmentStoresAndAtomics": r"fragments that change words",
    "fullDrawIndexUint32": r"VK_INDEX_TYPE_UINT32",
    "imageCubeArray": r"VK_IMAGE_VIEW_TYPE_CUBE_ARRAY",
    "independentBlend": r"attachmentCount = [2-9]",
    "inheritedQueries": r"occlusionQueryEnable = true",
    "largePoints": r"VK_POLYGON_MODE_POINT",
    "logicOp": r"logicOpEnable = [^0f]",
    "multiViewport": r"viewportCount = ([2-9]|1\d)",
    "occlusionQueryPrecise": r"VK_QUERY_CONTROL_PRECISE_BIT",
    "pipelineStatisticsQuery": r"VK_QUERY_TYPE_PIPELINE_STATISTICS",
    "primitiveTopologyListRestart": r"restart of lists",
    "provokingVertexLast": r"VK_PROVOKING_VERTEX_MODE_LAST_VERTEX",
    "rectangularLines": r"VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT",
    "robustBufferAccess": r"vertices past the end of a buffer",
    "runtimeDescriptorArray": r"as many elements as it was allocated with",
    "sampleRateShading": r"sampleShadingEnable = ",
    "samplerAnisotropy": r"anisotropyEnable = true",
    "smoothLines": r"VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH",
    "shaderSampledImageArrayDynamicIndexing": r"arrays of textures are indexed",
    "subgroupSizeControl": r"VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME",
    "stippledBresenhamLines": r"stippled Bresenham",
    "stippledRectangularLines": r"stippled rectangular",
    "stippledSmoothLines": r"stippled smooth",
    "synchronization2": r"vkCmd\w+2KHR|vkQueueSubmit2",
    "textureCompressionBC": r"VK_FORMAT_BC\d",
    "textureCompressionETC2": r"VK_FORMAT_(ETC2|EAC)_",
    "timelineSemaphore": r"VK_SEMAPHORE_TYPE_TIMELINE",
    "hostQueryReset": r"vkResetQueryPool",
    "extendedDynamicState": r"vkCmdSetCullModeEXT",
    "extendedDynamicState2": r"vkCmdSetRasterizerDiscardEnableEXT",
    "vertexAttributeInstanceRateDivisor": r"DivisorDescription\w* \w+ = \{ \d, [1-9]",
    "vertexAttributeInstanceRateZeroDivisor": r"a divisor of 0",
    "wideLines": r"lineWidth = [^1]",
}
# Update-after-bind features by type: vk-indexing has an array of each.
for bound in ("SampledImage", "StorageBuffer", "StorageImage", "StorageTexelBuffer",
              "UniformBuffer", "UniformTexelBuffer"):
    kind = re.sub(r"(?<!^)([A-Z])", r"_\1", bound).upper()
    array = rf"(?s)DESCRIPTOR_TYPE_{kind}\b.*invocations pick elements of all types"
    USES[f"descriptorBinding{bound}UpdateAfterBind"] = (
        rf"{array}.*a set is written after it was bound")
    USES[f"shader{bound}ArrayDynamicIndexing"] = USES.get(f"shader{bound}ArrayDynamicIndexing",
                                                          array)

# Instance extensions that the loader implements, not the driver.
LOADERS = {"VK_KHR_portability_enumeration", "VK_LUNARG_direct_driver_loading"}

# Extensions that other programs of the suites exercise.
PROGRAMS = {
    "VK_KHR_wayland_surface": ["guest-weston"],
    "VK_KHR_xlib_surface": ["guest-xorg"],
}

INTRO = """
# Tests of each extension and feature of Vulkan

`make features` wrote this part on {date}, on {machine}, from the extensions and features
that our driver reports without a VM{guest}. The tests are the programs of `tests/` that
name the extension or feature, use something of it, or have shaders that need it.

{n} extensions and features; nothing exercises {n_bad} of them{bad}."""


def without_suffix(name):
    return SUFFIX.sub("", name)


def shaders_in(program):
    """Return (capability numbers, extension names) of all SPIR-V modules in a program's file."""
    data = program.read_bytes()
    capabilities, extensions = set(), set()
    at = data.find(SPIRV_MAGIC)
    while at >= 0:
        at += 20
        while at + 8 <= len(data):
            word, operand = struct.unpack_from("<II", data, at)
            opcode, size = word & 0xffff, word >> 16 << 2
            if opcode == OP_CAPABILITY:
                capabilities.add(operand)
            elif opcode == OP_EXTENSION:
                extensions.add(data[at + 4:at + size].split(b"\0")[0].decode("latin-1"))
            else:
                break
            at += size
        at = data.find(SPIRV_MAGIC, at)
    return capabilities, extensions


class Registry:
    """The names that belong to extensions and features, without suffixes."""

    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        self.words = {extension.get("name"): self.words_of(extension)
                      for extension in root.iterfind("./extensions/extension")}
        self.alone = self.alone_in(root)
        self.capabilities = self.enabled_by(root, "spirvcapabilit", "y", "ies")
        self.spirv_extensions = self.enabled_by(root, "spirvextension", "", "s")

    @staticmethod
    def words_of(extension):
        parts = [part for kind in ("command", "type", "enum")
                 for part in extension.iterfind(f"require/{kind}")]
        return {without_suffix(part.get("name"))
                for part in parts if not part.get("name").endswith("_SPEC_VERSION")}

    @staticmethod
    def alone_in(root):
        """Return feature -> structures with no other feature: naming one means the feature."""
        alone = collections.defaultdict(set)
        for struct_type in root.iterfind("./types/type[@category='struct']"):
            members = [member.find("name").text for member in struct_type.iterfind("member")
                       if member.find("type").text == "VkBool32"]
            if "Features" in struct_type.get("name") and len(members) == 1:
                alone[members[0]].add(without_suffix(struct_type.get("name")))
        return alone

    @staticmethod
    def enabled_by(root, stem, one, many):
        """Return name in SPIR-V -> extensions and features that allow it."""
        return {item.get("name"): {name for enable in item.iterfind("enable")
                                   for name in (enable.get("extension"), enable.get("feature"))
                                   if name}
                for item in root.iterfind(f"./{stem}{many}/{stem}{one}")}


class Program:
    """A test: the words of its source, and the requirements of its shaders."""

    def __init__(self, source, build, registry, numbers):
        self.text = source.read_text()
        self.words = {without_suffix(word) for word in re.findall(r"\w+", self.text)}
        self.needs = set()
        program = build / source.stem
        capabilities, extensions = shaders_in(program) if program.exists() else (set(), set())
        for number in capabilities:
            for name in numbers.get(number, ()):
                self.needs |= registry.capabilities.get(name, set())
        for name in extensions:
            self.needs |= registry.spirv_extensions.get(name, set())

    def exercises_extension(self, name, registry):
        return name in self.needs or bool(registry.words.get(name, set()) & self.words)

    def exercises_feature(self, name, registry):
        command = re.fullmatch(r"extendedDynamicState3(\w+)", name)
        use = f"vkCmdSet{command[1]}EXT" if command else USES.get(name)
        return (name in self.needs or without_suffix(name) in self.words
                or bool(registry.alone[name] & self.words) or
                use is not None and re.search(use, self.text) is not None)


def capability_numbers(path):
    """Return capability number -> its names."""
    numbers = collections.defaultdict(list)
    for name, number in re.findall(r"^\s*SpvCapability(\w+) = (\d+),", path.read_text(),
                                   re.MULTILINE):
        numbers[int(number)].append(name)
    return numbers


def rows_of(names, exercises, programs):
    return [(name, PROGRAMS.get(name, [])
             + [program for program, test in programs.items() if exercises(test, name)])
            for name in names]


def print_table(title, rows):
    print(f"\n| {title} | exercised by |\n|-|-|")
    for name, found in rows:
        print(f"| {name} | {', '.join(found)} |")


def main():
    registry, header, tests, build = (pathlib.Path(path) for path in sys.argv[1:5])
    reports = [report
               for report in (vulkaninfo.read(pathlib.Path(log)) for log in sys.argv[5:]) if report]
    registry = Registry(registry)
    numbers = capability_numbers(header)
    programs = {source.stem: Program(source, build, registry, numbers)
                for source in sorted(tests.glob("vk-*.c"))
                if "int main(" in source.read_text()}
    names = set().union(*(report.instance | report.device for report in reports)) - LOADERS
    extensions = rows_of(sorted(names), lambda test, name: test.exercises_extension(name, registry),
                         programs)
    features = rows_of(sorted(set().union(*(report.features for report in reports))),
                       lambda test, name: test.exercises_feature(name, registry), programs)
    bad = [name for name, found in extensions + features if not found]
    guest = " and in a guest" if len(reports) > 1 else " (what needs a guest is missing: none ran)"
    print(INTRO.format(date=datetime.date.today(), machine=machine.text(machine.describe()),
                       guest=guest, n=len(extensions) + len(features), n_bad=len(bad),
                       bad=": " + ", ".join(bad) if bad else ""))
    print_table("extension", extensions)
    print_table("feature", features)


main()
