// SPDX-License-Identifier: MIT
/* Writes types and constants for passes of the gate, see writer.h. */
#include "gate/writer.h"

#include <stdlib.h>

#include <spirv/unified1/spirv.h>

void gate_find_types(const struct gate *g, struct gate_types *types)
{
	for (uint32_t at = SPIRV_HEADER_WORDS; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;

		switch (*in & 0xffff) {
		case SpvOpTypeVoid:
			types->nothing = in[1];
			break;
		case SpvOpTypeBool:
			types->boolean = in[1];
			break;
		case SpvOpTypeInt:
			if (in[2] == 32 && !in[3])
				types->number = in[1];
			break;
		case SpvOpTypeFunction:
			if (*in >> 16 == 3 && in[2] == types->nothing)
				types->procedure = in[1];
			break;
		case SpvOpFunction:
			return;
		}
	}
}

void gate_need_boolean(struct spirv_out *w, struct gate_types *types)
{
	if (types->boolean)
		return;
	types->boolean = spirv_new_id(w);
	SPIRV_EMIT(w, SpvOpTypeBool, types->boolean);
}

void gate_need_number(struct spirv_out *w, struct gate_types *types)
{
	if (types->number)
		return;
	types->number = spirv_new_id(w);
	SPIRV_EMIT(w, SpvOpTypeInt, types->number, 32, 0);
}

uint32_t gate_write_glsl(struct spirv_out *w)
{
	static const uint32_t name[] = { 0x4c534c47, 0x6474732e, 0x3035342e, 0 }; /* GLSL.std.450 */
	const uint32_t id = spirv_new_id(w);

	SPIRV_EMIT(w, SpvOpExtInstImport, id, name[0], name[1], name[2], name[3]);
	return id;
}

bool gate_need_numbers(struct gate *g, struct gate_numbers *numbers, uint32_t type)
{
	const struct gate_id *id = gate_id(g, type);
	int i = 0;

	if (id->op != SpvOpTypeInt || id->a != 32)
		return false;
	while (i < GATE_MAX_INT_TYPES && numbers->types[i] && numbers->types[i] != type)
		i++;
	if (i == GATE_MAX_INT_TYPES)
		return false;
	numbers->types[i] = type;
	return true;
}

void gate_write_numbers(struct spirv_out *w, struct gate_numbers *numbers, const uint32_t *values,
			uint32_t n)
{
	for (int i = 0; i < GATE_MAX_INT_TYPES && numbers->types[i]; i++) {
		for (uint32_t k = 0; k < n; k++) {
			numbers->ids[i][k] = spirv_new_id(w);
			SPIRV_EMIT(w, SpvOpConstant, numbers->types[i], numbers->ids[i][k],
				   values[k]);
		}
	}
}

const uint32_t *gate_numbers_of(const struct gate_numbers *numbers, uint32_t type)
{
	return numbers->ids[numbers->types[0] == type ? 0 : 1];
}

/* Updates pointers into the module, which gate_id has for structs and constants. */
static void find_members(struct gate *g)
{
	for (uint32_t at = SPIRV_HEADER_WORDS; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at, op = *in & 0xffff;

		if (op == SpvOpTypeStruct)
			gate_id(g, in[1])->members = in + 2;
		if (op == SpvOpConstantComposite)
			gate_id(g, in[2])->members = in + 3;
	}
}

bool gate_write_end(struct spirv_out *w, struct gate *g)
{
	if (!spirv_out_end(w))
		return gate_refuse(g, "out of memory");
	free(g->owned);
	g->code = g->owned = w->words;
	g->words = w->count;
	g->at = 0;
	find_members(g);
	return true;
}
