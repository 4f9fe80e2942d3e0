#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make gate_table.c: what each SPIR-V instruction does with its operands, see table.h.

usage: table.py instructions.yaml spirv.core.grammar.json extinst.glsl.std.450.grammar.json OUT.c

Fails if the YAML file names an instruction or an operand that the grammars do not have, if an
instruction of class Memory or Atomic has a pointer without a role, or if an operand is of a kind
whose words this program cannot tell.
"""
import json
import re
import sys

import yaml

# Kinds of operands: a letter for each word. Masks have words of their own behind them.
LETTERS = {"IdResultType": "T", "IdResult": "R", "IdRef": "I", "IdScope": "I",
           "IdMemorySemantics": "I", "LiteralInteger": "L", "LiteralFloat": "L",
           "LiteralContextDependentNumber": "L*", "LiteralString": "S", "LiteralExtInstInteger": "X",
           "LiteralSpecConstantOpInteger": "LI*", "MemoryAccess": "M", "ImageOperands": "O",
           "PairIdRefIdRef": "II+"}
# A literal of a pair has as many words as the selector's type; neither it nor a label is a pointer.
LETTERS["PairLiteralIntegerIdRef"] = "L*"
# Names of operands that are pointers in these classes of instructions.
POINTERS = {"Pointer", "Target", "Source", "Base", "Structure"}
CLASS_BITS = {"PhysicalStorageBuffer": 13, "TaskPayloadWorkgroupEXT": 14}
ROLE_LETTERS = "abcdefghijklmnop"


def name_of(operand):
    """'Argument 0', + 'Argument 1', ... -> Argument 0"""
    match = re.match(r"'([^']*)'", operand.get("name", ""))
    return match[1] if match else ""


class Table:
    def __init__(self, spec, core, extended):
        self.kinds = {kind["kind"]: kind for kind in core["operand_kinds"]}
        self.storage = {e["enumerant"]: e["value"] for e in self.kinds["StorageClass"]["enumerants"]}
        self.roles = list(spec["roles"])
        self.spec = spec
        self.lowered = set(spec["lowered"])
        self.ends = set(spec["ends"])
        self.core = self.entries(spec["instructions"], core["instructions"], "instruction")
        self.extended = self.entries(spec["extended"], extended["instructions"], "extended instruction")
        if self.lowered:
            sys.exit(f"table.py: lowered, but not allowed: {', '.join(sorted(self.lowered))}")

    def class_bit(self, name):
        bit = CLASS_BITS.get(name, self.storage[name])
        if bit > 14:
            sys.exit(f"table.py: storage class {name} has no bit")
        return bit

    def entries(self, groups, grammar, what):
        """[(opcode, name, operands, core form, ends a block)] of the names in groups, by opcode."""
        known = {i["opname"]: i for i in grammar}
        found = {}
        for names in groups.values():
            for item in names:
                name, roles = next(iter(item.items())) if isinstance(item, dict) else (item, {})
                if name not in known or name in found:
                    sys.exit(f"table.py: {name} is no {what}, or there twice")
                found[name] = (known[name]["opcode"], name, self.operands(known[name], dict(roles)),
                               name not in self.lowered, name in self.ends)
        self.lowered -= set(found)
        return sorted(found.values())

    def operands(self, instruction, roles):
        name, letters = instruction["opname"], ""
        for operand in instruction.get("operands", []):
            label, kind = name_of(operand), operand["kind"]
            role = roles.pop(label, None)
            if not role and label in POINTERS and instruction.get("class") in ("Memory", "Atomic"):
                sys.exit(f"table.py: {name}: operand {label} has no role")
            letter = self.letter(name, kind)
            if role:
                letter = letter.replace("I", ROLE_LETTERS[self.roles.index(role)], 1)
            if operand.get("quantifier") == "*" and letter[-1] not in "*+":
                letter += "*"
            if letters[-1:] in ("*", "+"):
                sys.exit(f"table.py: {name}: operands behind some without a number")
            letters += letter
        if roles:
            sys.exit(f"table.py: {name} has no operand {', '.join(roles)}")
        return letters

    def letter(self, name, kind):
        if kind in LETTERS:
            return LETTERS[kind]
        category = self.kinds[kind]["category"]
        if category not in ("ValueEnum", "BitEnum"):
            sys.exit(f"table.py: {name}: operands of kind {kind}")
        parameters = {p["kind"] for e in self.kinds[kind]["enumerants"] for p in e.get("parameters", [])}
        if not parameters:
            return "L"
        # Literals, and ids of constants in OpExecutionModeId: no pointers.
        return "LI*" if name.endswith("Id") else "L*"

    def mask(self, kind):
        """For each bit of a mask the letters of the words that it adds."""
        bits = [""] * 32
        for enumerant in self.kinds[kind]["enumerants"]:
            value = int(enumerant["value"], 16)
            if value:
                bits[value.bit_length() - 1] = "".join(
                    self.letter(kind, p["kind"]) for p in enumerant.get("parameters", []))
        return bits


def write_lookup(out, function, entries, prefix):
    out.append(f"const struct gate_instruction *{function}(uint32_t op)\n{{")
    out.append(f"\tstatic const struct gate_instruction all[] = {{")
    for _, name, letters, core, ends in entries:
        out.append(f"\t\t{{ \"{name}\", \"{letters}\", {str(core).lower()}, {str(ends).lower()}, "
                   f"{str(any(letter in ROLE_LETTERS for letter in letters)).lower()} }},")
    out.append("\t};\n")
    if function == "gate_instruction":
        out.append("#ifdef GATE_MUTANTS\n\tstatic const struct gate_instruction unseen = { \"unseen\", \"L*\", true, false, false };\n\n"
                   "\tif (op & GATE_UNSEEN)\n\t\treturn &unseen;\n#endif")
    out.append("\tswitch (op) {")
    for index, (opcode, name, *_) in enumerate(entries):
        out.append(f"\tcase {opcode}: /* {name} */\n\t\treturn &all[{index}];")
    out.append("\tdefault:\n\t\treturn NULL;\n\t}\n}\n")


def main():
    spec, core, extended, target = sys.argv[1:]
    with open(spec, encoding="utf-8") as f:
        spec = yaml.safe_load(f)
    with open(core, encoding="utf-8") as f:
        core = json.load(f)
    with open(extended, encoding="utf-8") as f:
        extended = json.load(f)
    table = Table(spec, core, extended)
    out = ["// SPDX-License-Identifier: MIT",
           "/* Generated by table.py from instructions.yaml and the grammars of SPIR-V. */",
           '#include "gate/table.h"\n', '#include <stddef.h>\n\n#include "gate/mutants.h"\n',
           "const struct gate_role *gate_role(char letter)\n{",
           "\tstatic const struct gate_role all[] = {"]
    for name, role in spec["roles"].items():
        does = "".join(f".{d} = true, " for d in role["does"])
        mask = sum(1 << table.class_bit(c) for c in spec["classes"][role["classes"]])
        out.append(f"\t\t{{ \"{name}\", {does}.classes = 0x{mask:x} }},")
    out.append(f"\t}};\n\n\treturn letter >= 'a' && letter < 'a' + {len(spec['roles'])} ? &all[letter - 'a'] : NULL;\n}}\n")
    for kind, function in (("MemoryAccess", "gate_memory_access"), ("ImageOperands", "gate_image_operands")):
        bits = ", ".join(f'"{letters}"' for letters in table.mask(kind))
        out.append(f"const char *{function}(uint32_t bit)\n{{\n\tstatic const char all[32][3] = {{ {bits} }};\n\n"
                   "\treturn all[bit % 32];\n}\n")
    write_lookup(out, "gate_instruction", table.core, "Op")
    write_lookup(out, "gate_extended", table.extended, "")
    with open(target, "w", encoding="utf-8") as f:
        f.write("\n".join(out))


if __name__ == "__main__":
    main()
