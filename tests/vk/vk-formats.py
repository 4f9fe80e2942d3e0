#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare what two devices offer of formats, as `vk-formats --table` prints it.

vk-formats.py RULES OURS THEIRS

RULES lists differences with their reasons, see its first lines. Prints each difference that has no
reason there, and fails if there is one; prints rules that explain nothing, too.
"""

import fnmatch
import pathlib
import re
import sys

COLUMNS = ("linear", "optimal", "buffer")
# VkFormatFeatureFlagBits2 without VK_FORMAT_FEATURE_2_ and _BIT, in the order of bits.
BITS = """SAMPLED_IMAGE STORAGE_IMAGE STORAGE_IMAGE_ATOMIC UNIFORM_TEXEL_BUFFER
STORAGE_TEXEL_BUFFER STORAGE_TEXEL_BUFFER_ATOMIC VERTEX_BUFFER COLOR_ATTACHMENT
COLOR_ATTACHMENT_BLEND DEPTH_STENCIL_ATTACHMENT BLIT_SRC BLIT_DST FILTER_LINEAR FILTER_CUBIC
TRANSFER_SRC TRANSFER_DST FILTER_MINMAX MIDPOINT_CHROMA YCBCR_LINEAR_FILTER YCBCR_SEPARATE_FILTER
YCBCR_EXPLICIT YCBCR_FORCEABLE DISJOINT COSITED_CHROMA FRAGMENT_DENSITY_MAP VIDEO_DECODE_OUTPUT
VIDEO_DECODE_DPB VIDEO_ENCODE_INPUT VIDEO_ENCODE_DPB ACCELERATION_STRUCTURE FRAGMENT_SHADING_RATE
READ_WITHOUT_FORMAT WRITE_WITHOUT_FORMAT DEPTH_COMPARISON""".split()


def bit_name(bit):
    if bit == 46:
        return "HOST_IMAGE_TRANSFER"
    return BITS[bit] if bit < len(BITS) else f"BIT_{bit}"


def read_table(path):
    """name of a format -> features, by column"""
    table = {}
    for line in pathlib.Path(path).read_text().splitlines():
        if re.fullmatch(r"\w+( 0x[0-9a-f]+){3}", line):
            name, *features = line.split()
            table[name] = [int(word, 16) for word in features]
    if not table:
        sys.exit(f"# {path} has no table")
    return table


def read_rules(path):
    """a list of (formats, columns, sign, features); formats, columns and features are patterns"""
    rules = []
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields, separator, reason = line.partition(":")
        words = fields.split()
        if not separator or not reason.strip() or len(words) != 3 or words[2][0] not in "+-":
            sys.exit(f"# {path}:{number} is not 'FORMATS COLUMNS +FEATURES : REASON'")
        formats, columns, features = words
        rules.append((formats.split(","), columns.split(","), features[0], features[1:].split(",")))
    return rules


def matches(rule, name, column, sign, feature):
    def any_of(patterns, word):
        return any(fnmatch.fnmatchcase(word, pattern) for pattern in patterns)

    formats, columns, rule_sign, features = rule
    return (sign == rule_sign and any_of(formats, name) and any_of(columns, column) and
            any_of(features, feature))


def differences(ours, theirs):
    for name in sorted(set(ours) | set(theirs)):
        for i, column in enumerate(COLUMNS):
            a, b = ours.get(name, [0] * 3)[i], theirs.get(name, [0] * 3)[i]
            for bit in range(64):
                if (a ^ b) >> bit & 1:
                    yield name, column, "+" if a >> bit & 1 else "-", bit_name(bit)


def main():
    rules = read_rules(sys.argv[1])
    ours, theirs = (read_table(path) for path in sys.argv[2:4])
    used, unexplained = set(), {}
    for name, column, sign, feature in differences(ours, theirs):
        found = [i for i, rule in enumerate(rules) if matches(rule, name, column, sign, feature)]
        used.update(found)
        if not found:
            unexplained.setdefault((name, column), []).append(sign + feature)
    for (name, column), features in unexplained.items():
        print(f"# {name} {column}: {' '.join(features)}: give a reason in {sys.argv[1]}")
    for i, rule in enumerate(rules):
        if i not in used:
            print(f"# rule {i + 1}, {','.join(rule[0])}, explains nothing: remove it")
    return 1 if unexplained else 0


sys.exit(main())
