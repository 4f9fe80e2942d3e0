// SPDX-License-Identifier: MIT
/*
 * Checking and printing of command packets, see packet.h.
 */
#include "packet.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool field_ok(const struct sundog_field *f, uint32_t value)
{
	switch (f->kind) {
	case SUNDOG_FIELD_U32:
		return value >= f->min && value <= f->max;
	case SUNDOG_FIELD_I32:
		return (int32_t)value >= (int32_t)f->min && (int32_t)value <= (int32_t)f->max;
	case SUNDOG_FIELD_MASK:
		return !(value & ~f->max);
	default:
		return true;
	}
}

enum sundog_fault_code sundog_packet_check(const uint32_t *dw, uint32_t avail, uint32_t *arg)
{
	const uint32_t opcode = SUNDOG_PACKET_OPCODE(dw[0]);
	const uint32_t dwords = SUNDOG_PACKET_DWORDS(dw[0]);
	const struct sundog_packet_desc *desc;
	uint64_t expected;

	*arg = opcode;
	if (opcode >= SUNDOG_NUM_OPCODES || !sundog_packets[opcode].name)
		return SUNDOG_FAULT_CODE_OPCODE;
	desc = &sundog_packets[opcode];

	*arg = dwords;
	if (dwords > avail || dwords < desc->dwords)
		return SUNDOG_FAULT_CODE_LENGTH;

	for (uint32_t i = 0; i < desc->n_fields; i++) {
		*arg = 1 + desc->fields[i].dword;
		if (!field_ok(&desc->fields[i], dw[*arg]))
			return SUNDOG_FAULT_CODE_FIELD;
	}

	expected = desc->dwords;
	if (desc->array)
		expected += (uint64_t)dw[1 + desc->count_dword] * desc->element_dwords;
	*arg = dwords;
	if (dwords != expected)
		return SUNDOG_FAULT_CODE_LENGTH;

	for (uint32_t at = desc->dwords; at < dwords; at += desc->element_dwords) {
		for (uint32_t i = 0; i < desc->n_elements; i++) {
			*arg = at + desc->elements[i].dword;
			if (!field_ok(&desc->elements[i], dw[*arg]))
				return SUNDOG_FAULT_CODE_FIELD;
		}
	}
	return SUNDOG_FAULT_CODE_NONE;
}

struct text {
	char *buf;
	size_t size, used;
};

static void __attribute__((format(printf, 2, 3))) append(struct text *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	t->used += vsnprintf(t->used < t->size ? t->buf + t->used : NULL,
			     t->used < t->size ? t->size - t->used : 0, fmt, args);
	va_end(args);
}

static void print_field(struct text *t, const struct sundog_field *f, const uint32_t *dw)
{
	float value;

	if (f->name[0])
		append(t, "%s=", f->name);
	switch (f->kind) {
	case SUNDOG_FIELD_I32:
		append(t, "%d", (int32_t)dw[f->dword]);
		break;
	case SUNDOG_FIELD_MASK:
		append(t, "%#x", dw[f->dword]);
		break;
	case SUNDOG_FIELD_F32:
		memcpy(&value, dw + f->dword, sizeof(value));
		append(t, "%g", value);
		break;
	case SUNDOG_FIELD_U64:
		append(t, "%#llx", dw[f->dword] | (unsigned long long)dw[f->dword + 1] << 32);
		break;
	default:
		append(t, "%u", dw[f->dword]);
	}
}

int sundog_packet_print(const uint32_t *dw, char *buf, size_t size)
{
	const struct sundog_packet_desc *desc = &sundog_packets[SUNDOG_PACKET_OPCODE(dw[0])];
	const uint32_t dwords = SUNDOG_PACKET_DWORDS(dw[0]);
	struct text t = { buf, size, 0 };

	append(&t, "%s", desc->name);
	for (uint32_t i = 0; i < desc->n_fields; i++) {
		append(&t, " ");
		print_field(&t, &desc->fields[i], dw + 1);
	}
	if (desc->array)
		append(&t, " %s:", desc->array);
	for (uint32_t at = desc->dwords; at < dwords; at += desc->element_dwords) {
		append(&t, desc->n_elements > 1 ? " {" : " ");
		for (uint32_t i = 0; i < desc->n_elements; i++) {
			append(&t, "%s", i ? " " : "");
			print_field(&t, &desc->elements[i], dw + at);
		}
		append(&t, "%s", desc->n_elements > 1 ? "}" : "");
	}
	return t.used;
}

const char *sundog_fault_name(uint32_t code)
{
	static const char *const names[] = {
		"none", "ring", "stream", "list", "opcode", "length", "field", "object",
		"not-listed", "access", "range", "shader", "state", "host", "worker", "timeout",
	};

	return code < sizeof(names) / sizeof(names[0]) ? names[code] : "unknown";
}
