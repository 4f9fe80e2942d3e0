#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn sundog.yaml into C headers, packet tables and the tables of docs/reference/device.md.

usage: generate.py [--check]

Writes protocol/generated/ and the generated parts of docs/reference/device.md. With --check it
writes nothing and fails, naming the files that are not up to date.
"""

import pathlib
import re
import sys
import textwrap

import yaml

HERE = pathlib.Path(__file__).resolve().parent
SCALARS = {"u32": ("__u32", 1), "i32": ("__s32", 1), "f32": ("float", 1), "u64": ("__u64", 2)}
LITTLE_ENDIAN = {"__u32": "__le32", "__u64": "__le64"}
KINDS = {"u32": "U32", "i32": "I32", "f32": "F32", "u64": "U64"}
CODE_COLUMNS = 100
DOCUMENT_COLUMNS = 120


class Fail(Exception):
    pass


class Protocol:
    def __init__(self, path):
        spec = yaml.safe_load(path.read_text())
        self.__dict__.update(spec)
        self.struct_by_name = {s["name"]: s for s in self.structs + self.layouts}
        self.enum_by_name = {e["name"]: e for e in self.enums}
        self.flags_by_name = {f["name"]: f for f in self.flags}
        self.validate()

    def validate(self):
        opcodes = [p["opcode"] for p in self.packets]
        if len(set(opcodes)) != len(opcodes):
            raise Fail("an opcode is used twice")
        for flags in self.flags:
            bits = [v["bit"] for v in flags["values"]]
            if len(set(bits)) != len(bits):
                raise Fail(f"a bit of flags {flags['name']} is used twice")
        for enum in self.enums:
            values = sorted(v["value"] for v in enum["values"])
            if values != list(range(values[0], values[0] + len(values))):
                raise Fail(f"enum {enum['name']} has holes; the validator checks ranges")
        for packet in self.packets:
            for field in packet["fields"][:-1]:
                if "array" in field:
                    raise Fail(f"{packet['name']}.{field['name']}: "
                               "only the last field may be an array")
            array = trailing_array(packet)
            if array:
                count = next((f for f in packet["fields"] if f["name"] == array["array"]), None)
                if count is None or "max" not in count:
                    raise Fail(f"{packet['name']}: the array's count is missing or has no max")
        for layout in self.layouts:
            size = self.dwords_of(layout["fields"]) * 4
            if size != layout["size"]:
                raise Fail(f"layout {layout['name']} is {size} bytes, not {layout['size']}")

    @staticmethod
    def split(type_name):
        """'u32[4]' -> ('u32', 4), 'u32' -> ('u32', None)"""
        match = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", type_name)
        if not match:
            raise Fail(f"bad type {type_name}")
        return match[1], int(match[2]) if match[2] else None

    def dwords(self, type_name):
        base, count = self.split(type_name)
        if base == "chars":
            return count // 4
        if base in SCALARS:
            size = SCALARS[base][1]
        elif base in self.struct_by_name:
            size = self.dwords_of(self.struct_by_name[base]["fields"])
        elif base in self.enum_by_name or base in self.flags_by_name:
            size = 1
        else:
            raise Fail(f"unknown type {base}")
        return size * (count or 1)

    def dwords_of(self, fields):
        return sum(self.dwords(f["type"]) for f in fields if "array" not in f)

    def c_decl(self, field, f32="float"):
        base, count = self.split(field["type"])
        if base == "chars":
            c_type = "char"
        elif base == "f32":
            c_type = f32
        elif base in SCALARS:
            c_type = SCALARS[base][0]
        elif base in self.struct_by_name:
            c_type = f"struct sundog_{base}"
        else:
            c_type = "__u32"
        return f"{c_type} {field['name']}" + (f"[{count}]" if count else "")

    def rules(self, fields, base_dw=0, prefix=""):
        """Flatten fields to leaves (name, dword, kind, min, max), for validator and printer."""
        leaves = []
        dw = base_dw
        for field in fields:
            if "array" in field:
                continue
            base, count = self.split(field["type"])
            for i in range(count or 1):
                name = prefix + field["name"] + (f"[{i}]" if count else "")
                if base in self.struct_by_name:
                    leaves += self.rules(self.struct_by_name[base]["fields"], dw, name + ".")
                else:
                    leaves.append((name, dw) + self.limits(field, base))
                dw += self.dwords(base)
        return leaves

    def limits(self, field, base):
        if base in self.enum_by_name:
            values = [v["value"] for v in self.enum_by_name[base]["values"]]
            return "U32", min(values), max(values)
        if base in self.flags_by_name:
            return "MASK", 0, sum(1 << v["bit"] for v in self.flags_by_name[base]["values"])
        if base == "i32":
            return "I32", field.get("min", -(1 << 31)) & 0xffffffff, field.get("max", (1 << 31) - 1)
        if base == "u32":
            return "U32", field.get("min", 0), field.get("max", 0xffffffff)
        if "min" in field or "max" in field:
            raise Fail(f"{field['name']}: limits of a {base} are not checked")
        return KINDS[base], 0, 0xffffffff


def banner(note, licence="MIT"):
    return (f"/* SPDX-License-Identifier: {licence} */\n"
            f"/* {note}\n"
            " * Generated from protocol/sundog.yaml by protocol/generate.py; do not edit. */\n")


def wrap(text, width):
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def comment(text, indent=""):
    """A C comment of @text; @indent consists of tabs."""
    return "\n".join(f"{indent}{' *' if i else '/*'} {line}" for i, line in enumerate(
        wrap(text, CODE_COLUMNS - len(f"{indent}/*  */".expandtabs(8))))) + " */\n"


def hex_or_dec(value):
    return hex(value) if value >= 4096 else str(value)


def hw_header(p):
    out = [banner("Registers, memory layouts and messages of the sundog device.",
                  "GPL-2.0-only OR MIT"),
           "#ifndef SUNDOG_HW_H\n#define SUNDOG_HW_H\n\n#include <linux/types.h>\n\n"]
    out.append(f"#define SUNDOG_VERSION_MAJOR {p.version['major']}\n"
               f"#define SUNDOG_VERSION_MINOR {p.version['minor']}\n"
               "#define SUNDOG_VERSION (SUNDOG_VERSION_MAJOR << 16 | SUNDOG_VERSION_MINOR)\n\n")
    for c in p.constants:
        out.append(comment(c["doc"]) + f"#define SUNDOG_{c['name']} {hex_or_dec(c['value'])}\n")
    for enum in p.enums:
        out.append("\n" + comment(enum["doc"]) + f"enum sundog_{enum['name']} {{\n")
        for v in enum["values"]:
            out.append(comment(v["doc"], "\t"))
            out.append(f"\tSUNDOG_{enum['name'].upper()}_{v['name']} = {v['value']},\n")
        out.append("};\n")
    for flags in p.flags:
        out.append("\n" + comment(flags["doc"]))
        for v in flags["values"]:
            out.append(comment(v["doc"]))
            one = "1u" if v["bit"] < 32 else "1ull"
            out.append(f"#define SUNDOG_{flags['name'].upper()}_{v['name']} "
                       f"({one} << {v['bit']})\n")
    out.append("\n/* Registers: offsets in BAR0. "
               "64-bit ones are two 32-bit accesses, low word first. */\n")
    for r in p.registers:
        out.append(comment(f"{r['access']}: {r['doc']}"))
        if "count" in r:
            out.append(f"#define SUNDOG_REG_{r['name']}(n) "
                       f"({r['offset']:#x} + {r['stride']:#x} * (n))\n")
        else:
            out.append(f"#define SUNDOG_REG_{r['name']} {r['offset']:#x}\n")
    out.append("\n/* MSI-X vectors. */\n")
    for v in p.vectors:
        out.append(comment(v["doc"]) + f"#define SUNDOG_VECTOR_{v['name']} {v['value']}\n")
    out.append(f"#define SUNDOG_NUM_VECTORS {len(p.vectors)}\n")
    out.append("\n/* A 32-bit float; the kernel moves it as bits. */\n#ifdef __KERNEL__\n"
               "#define SUNDOG_F32 __u32\n#else\n#define SUNDOG_F32 float\n#endif\n")
    for layout in p.layouts:
        out.append("\n" + comment(layout["doc"]) + f"struct sundog_{layout['name']} {{\n")
        for f in layout["fields"]:
            decl = p.c_decl(f, "SUNDOG_F32")
            if layout.get("memory"):
                c_type, rest = decl.split(" ", 1)
                decl = f"{LITTLE_ENDIAN.get(c_type, c_type)} {rest}"
            out.append(comment(f["doc"], "\t") + f"\t{decl};\n")
        out.append("};\n\n")
        out.append(f"_Static_assert(sizeof(struct sundog_{layout['name']}) == {layout['size']}, "
                   f"\"sundog_{layout['name']}\");\n")
    out.append("\n#endif\n")
    return "".join(out)


def messages_header(p):
    out = [banner("Messages between device or client, broker and worker."),
           "#ifndef SUNDOG_MESSAGES_H\n#define SUNDOG_MESSAGES_H\n\n#include \"sundog_hw.h\"\n\n"
           "/* Every message starts with this. */\n"
           "struct sundog_message {\n\t/* SUNDOG_MESSAGE_* */\n\t__u32 type;\n"
           "\t/* bytes of the whole message */\n\t__u32 size;\n};\n"]
    for m in p.messages:
        upper = m["name"].upper()
        out.append("\n" + comment(m["doc"]))
        if m.get("fds"):
            out.append(comment("file descriptors: " + ", ".join(m["fds"])))
        out.append(f"#define SUNDOG_MESSAGE_{upper} {m['type']}\n"
                   f"#define SUNDOG_MESSAGE_{upper}_FDS {len(m.get('fds', []))}\n"
                   f"struct sundog_message_{m['name']} {{\n\tstruct sundog_message header;\n")
        for f in m["fields"]:
            out.append(comment(f["doc"], "\t") + f"\t{p.c_decl(f)};\n")
        out.append("};\n")
    out.append("\n#endif\n")
    return "".join(out)


def packets_header(p):
    out = [banner("Command packets: structs in wire layout."),
           "#ifndef SUNDOG_PACKETS_H\n#define SUNDOG_PACKETS_H\n\n#include \"sundog_hw.h\"\n\n"
           "/* First dword of a packet: opcode in bits 0..11, length of the packet in dwords, "
           "this one\n"
           " * included, in bits 12..31. */\n"
           "#define SUNDOG_PACKET(opcode, dwords) ((__u32)(opcode) | (__u32)(dwords) << 12)\n"
           "#define SUNDOG_PACKET_OPCODE(header) ((header) & 0xfffu)\n"
           "#define SUNDOG_PACKET_DWORDS(header) ((header) >> 12)\n\n"
           "enum sundog_opcode {\n"]
    for packet in p.packets:
        out.append(f"\tSUNDOG_OP_{packet['name'].upper()} = {packet['opcode']:#x},\n")
    out.append("};\n\n#pragma pack(push, 4)\n")
    for s in p.structs:
        out.append("\n" + comment(s["doc"]) + f"struct sundog_{s['name']} {{\n")
        for f in s["fields"]:
            out.append(comment(f["doc"] + (f" ({f['vk']})" if "vk" in f else ""), "\t")
                       + f"\t{p.c_decl(f)};\n")
        out.append("};\n")
    for packet in p.packets:
        fixed = [f for f in packet["fields"] if "array" not in f]
        if not fixed:
            continue
        out.append("\n" + comment(packet["doc"]) + f"struct sundog_cmd_{packet['name']} {{\n")
        for f in fixed:
            out.append(comment(f["doc"] + (f" ({f['vk']})" if "vk" in f else ""), "\t")
                       + f"\t{p.c_decl(f)};\n")
        out.append("};\n")
    out.append("\n#pragma pack(pop)\n\n#endif\n")
    return "".join(out)


def names_header(p):
    out = [banner("Names of packets, to be printed."),
           "#ifndef SUNDOG_NAMES_H\n#define SUNDOG_NAMES_H\n\n#include \"sundog_packets.h\"\n\n"
           "/* NULL: there is no such packet. */\n"
           "static inline const char *sundog_opcode_name(__u32 opcode)\n{\n\tswitch (opcode) {\n"]
    for packet in p.packets:
        out.append(f"\tcase SUNDOG_OP_{packet['name'].upper()}:\n"
                   f"\t\treturn \"{packet['name']}\";\n")
    out.append("\tdefault:\n\t\treturn 0;\n\t}\n}\n\n#endif\n")
    return "".join(out)


def trailing_array(packet):
    """Return the last field of a packet if it is an array, else None."""
    field = packet["fields"][-1] if packet["fields"] else {}
    return field if "array" in field else None


def emit_header(p):
    out = [banner("Packers: the only code that writes command packets."),
           "#ifndef SUNDOG_EMIT_H\n#define SUNDOG_EMIT_H\n\n"
           "#include <stdbool.h>\n#include <string.h>\n\n"
           "#include \"sundog_packets.h\"\n\n"
           "/* A stream being written. "
           "A packet that does not fit is dropped whole and sets overflow. */\n"
           "struct sundog_stream {\n\t__u32 *map;\n\t/* dwords */\n\t__u32 used, size;\n"
           "\tbool overflow;\n};\n\n"
           "static inline __u32 *sundog_stream_reserve(struct sundog_stream *s, "
           "__u32 opcode, __u32 dwords)\n"
           "{\n\t__u32 *at = s->map + s->used;\n\n"
           "\tif (dwords > s->size - s->used) {\n\t\ts->overflow = true;\n\t\treturn NULL;\n\t}\n"
           "\ts->used += dwords;\n\t*at = SUNDOG_PACKET(opcode, dwords);\n\treturn at + 1;\n}\n"]
    for packet in p.packets:
        name, op = packet["name"], f"SUNDOG_OP_{packet['name'].upper()}"
        fixed = p.dwords_of(packet["fields"])
        array = trailing_array(packet)
        out.append("\n" + comment(packet["doc"]))
        if not packet["fields"]:
            out.append(f"static inline void sundog_emit_{name}(struct sundog_stream *s)\n{{\n"
                       f"\tsundog_stream_reserve(s, {op}, 1);\n}}\n")
            continue
        head = f"static inline void sundog_emit_{name}(struct sundog_stream *s,\n" \
               f"\t\t\t\t\tconst struct sundog_cmd_{name} *p"
        if not array:
            out.append(f"{head})\n{{\n"
                       f"\t__u32 *at = sundog_stream_reserve(s, {op}, {1 + fixed});\n\n"
                       f"\tif (at)\n\t\tmemcpy(at, p, {fixed * 4});\n}}\n")
            continue
        element = p.c_decl({"name": "", "type": array["type"]}).strip()
        size = p.dwords(array["type"])
        out.append(f"{head},\n\t\t\t\t\tconst {element} *{array['name']})\n{{\n"
                   f"\t__u32 n = p->{array['array']} * {size};\n"
                   f"\t__u32 *at = sundog_stream_reserve(s, {op}, {1 + fixed} + n);\n\n"
                   f"\tif (at) {{\n\t\tmemcpy(at, p, {fixed * 4});\n\t\tif ({array['name']})\n"
                   f"\t\t\tmemcpy(at + {fixed}, {array['name']}, n * 4);\n\t}}\n}}\n")
    out.append("\n#endif\n")
    return "".join(out)


def run_header(p):
    """The renderer's dispatch: prototypes of the functions that execute packets, and the switch."""
    out = [banner("Execution of command packets in the renderer."),
           "#ifndef SUNDOG_RUN_H\n#define SUNDOG_RUN_H\n\n#include <stdbool.h>\n\n"
           "#include \"sundog_packets.h\"\n\nstruct exec;\n\n"
           "/* Execute a packet that sundog_packet_check() accepts. Return false with a fault "
           "recorded. */\n"]
    cases = []
    for packet in p.packets:
        name = packet["name"]
        array = trailing_array(packet)
        args, values = ["struct exec *x"], ["x"]
        if packet["fields"]:
            args.append(f"const struct sundog_cmd_{name} *cmd")
            values.append("body")
        if array:
            element = p.c_decl({"name": "", "type": array["type"]}).strip()
            args.append(f"const {element} *{array['name']}")
            values.append("array")
        out.append(f"bool run_{name}(" + ",\n\t\t".join(args) + ");\n")
        cases.append(f"\tcase SUNDOG_OP_{name.upper()}:\n"
                     f"\t\treturn run_{name}({', '.join(values)});\n")
    out.append("\n/* Refuses a packet that is not in the description. */\n"
               "bool run_unknown(struct exec *x, __u32 opcode);\n"
               "\n/* Executes the packet at @packet; @array is what follows its fixed part. */\n"
               "static inline bool sundog_run_packet(struct exec *x, const __u32 *packet, "
               "const void *array)\n"
               "{\n\tconst void *body = packet + 1;\n\n"
               "\tswitch (SUNDOG_PACKET_OPCODE(*packet)) {\n")
    out += cases
    out.append("\tdefault:\n\t\treturn run_unknown(x, SUNDOG_PACKET_OPCODE(*packet));\n"
               "\t}\n}\n\n#endif\n")
    return "".join(out)


def tables(p):
    def field_table(name, leaves):
        rows = "".join(f"\t{{ \"{n}\", {dw}, SUNDOG_FIELD_{kind}, {lo:#x}, {hi:#x} }},\n"
                       for n, dw, kind, lo, hi in leaves)
        return f"static const struct sundog_field {name}[] = {{\n{rows}}};\n\n" if rows else ""

    out = [banner("Field tables of all packets, for the validator and the disassembler."),
           "#include \"packet.h\"\n\n"]
    for struct in p.structs:
        if any("array" in f and f["type"] == struct["name"]
               for k in p.packets for f in k["fields"]):
            out.append(field_table(f"elements_of_{struct['name']}", p.rules(struct["fields"])))
    out.append(field_table("elements_of_u32", [("", 0, "U32", 0, 0xffffffff)]))
    for packet in p.packets:
        out.append(field_table(f"fields_of_{packet['name']}", p.rules(packet["fields"])))
    out.append(f"const struct sundog_packet_desc sundog_packets[SUNDOG_NUM_OPCODES] = {{\n")
    for packet in p.packets:
        leaves = p.rules(packet["fields"])
        out.append(f"\t[SUNDOG_OP_{packet['name'].upper()}] = {{\n"
                   f"\t\t.name = \"{packet['name']}\",\n"
                   f"\t\t.dwords = {1 + p.dwords_of(packet['fields'])},\n")
        if leaves:
            out.append(f"\t\t.fields = fields_of_{packet['name']},\n"
                       f"\t\t.n_fields = {len(leaves)},\n")
        array = trailing_array(packet)
        if array:
            count_dw = next(dw for n, dw, *_ in leaves if n == array["array"])
            n_elements = len(p.rules(p.struct_by_name[array["type"]]["fields"])) \
                if array["type"] in p.struct_by_name else 1
            out.append(f"\t\t.array = \"{array['name']}\",\n\t\t.count_dword = {count_dw},\n"
                       f"\t\t.element_dwords = {p.dwords(array['type'])},\n"
                       f"\t\t.elements = elements_of_{array['type']},\n"
                       f"\t\t.n_elements = {n_elements},\n")
        out.append("\t},\n")
    out.append("};\n")
    return "".join(out)


def md_table(header, rows):
    line = lambda cells: "| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |\n"
    return line(header) + "|" + "-|" * len(header) + "\n" + "".join(line(r) for r in rows)


def paragraph(head, text):
    """A paragraph of Markdown, with a full stop."""
    return "\n".join(wrap(f"{head}: {text}.", DOCUMENT_COLUMNS)) + "\n\n"


def field_range(p, field):
    base, _ = p.split(field["type"])
    if "array" in field:
        return f"{field['array']} elements"
    if "min" in field or "max" in field:
        return f"{field.get('min', 0)}..{field.get('max', 'max')}"
    return ""


def doc_tables(p):
    """Name of the marked part of docs/reference/device.md -> its text."""
    parts = {}
    parts["constants"] = md_table(["constant", "value", "meaning"],
                                  [(c["name"], hex_or_dec(c["value"]), c["doc"])
                                   for c in p.constants])
    parts["registers"] = md_table(
        ["offset", "register", "bits", "access", "meaning"],
        [(f"{r['offset']:#06x}"
          + (f" + {r['stride']:#x} n, n < {r['count']}" if "count" in r else ""),
          r["name"], r.get("width", 32), r["access"], r["doc"]) for r in p.registers])
    parts["vectors"] = md_table(["vector", "name", "raised when"],
                                [(v["value"], v["name"], v["doc"]) for v in p.vectors])
    parts["enums"] = "\n".join(
        paragraph(f"**{e['name']}**", e["doc"])
        + md_table(["value", "name", "meaning"],
                   [(v["value"], v["name"], v["doc"]) for v in e["values"]])
        for e in p.enums)
    parts["flags"] = "\n".join(
        paragraph(f"**{e['name']}**", e["doc"])
        + md_table(["bit", "name", "meaning"],
                   [(v["bit"], v["name"], v["doc"]) for v in e["values"]])
        for e in p.flags if e["values"])
    layouts = []
    for layout in p.layouts:
        rows, offset = [], 0
        for f in layout["fields"]:
            rows.append((f"{offset:#x}", f["type"], f["name"], f["doc"]))
            offset += p.dwords(f["type"]) * 4
        layouts.append(paragraph(f"**{layout['name']}**, {layout['size']} bytes", layout["doc"])
                       + md_table(["offset", "type", "field", "meaning"], rows))
    parts["layouts"] = "\n".join(layouts)
    parts["messages"] = "\n".join(
        paragraph(f"**{m['name']}** ({m['type']})",
                  m["doc"] + (f". File descriptors: {', '.join(m['fds'])}" if m.get("fds") else ""))
        + md_table(["type", "field", "meaning"],
                   [(f["type"], f["name"], f["doc"]) for f in m["fields"]])
        for m in p.messages)
    parts["structs"] = "\n".join(
        paragraph(f"**{s['name']}**", s["doc"])
        + md_table(["type", "field", "range", "meaning"],
                   [(f["type"], f["name"], field_range(p, f),
                     f["doc"] + (f" ({f['vk']})" if "vk" in f else ""))
                    for f in s["fields"]])
        for s in p.structs)
    parts["packets"] = "\n".join(
        paragraph(f"**{k['name']}** ({k['opcode']:#04x})", k["doc"])
        + (md_table(["type", "field", "range", "meaning"],
                    [(f["type"], f["name"], field_range(p, f),
                      f["doc"] + (f" ({f['vk']})" if "vk" in f else ""))
                     for f in k["fields"]]) if k["fields"] else "")
        for k in p.packets)
    return parts


def fill_doc(path, parts):
    text = path.read_text()
    for name, body in parts.items():
        begin, end = f"<!-- generated: {name} -->\n", "<!-- end -->"
        if begin not in text:
            continue
        head, rest = text.split(begin, 1)
        if end not in rest:
            raise Fail(f"{path}: part {name} has no end")
        text = head + begin + body + end + rest.split(end, 1)[1]
    return text


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    p = Protocol(HERE / "sundog.yaml")
    generated = HERE / "generated"
    files = {
        generated / "sundog_hw.h": hw_header(p),
        generated / "sundog_messages.h": messages_header(p),
        generated / "sundog_packets.h": packets_header(p),
        generated / "sundog_emit.h": emit_header(p),
        generated / "sundog_names.h": names_header(p),
        generated / "sundog_run.h": run_header(p),
        generated / "sundog_tables.c": tables(p),
    }
    doc = HERE.parent / "docs" / "reference" / "device.md"
    if doc.exists():
        files[doc] = fill_doc(doc, doc_tables(p))
    stale = [f for f, text in files.items() if not f.exists() or f.read_text() != text]
    if check and stale:
        sys.exit("generated files are not up to date, run protocol/generate.py: "
                 + ", ".join(str(f.relative_to(HERE.parent)) for f in stale))
    for f in [] if check else stale:
        f.parent.mkdir(exist_ok=True)
        f.write_text(files[f])


if __name__ == "__main__":
    try:
        main()
    except Fail as e:
        sys.exit(f"generate.py: {e}")
