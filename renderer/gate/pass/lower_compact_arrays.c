// SPDX-License-Identifier: MIT
/*
 * Pass "compact-arrays" of the gate, see gate.h: replaces dynamic indices of built-in arrays that a
 * control shader reads of its own outputs. The host packs these arrays into vectors, and llvmpipe
 * writes code for this case that makes its compiler crash. So the pass reads every element and
 * selects one.
 */
#include "gate/pass/lower_compact_arrays.h"

#include <spirv/unified1/spirv.h>

#include "gate/writer.h"

/* Distances (reflect.c), or four tessellation levels. */
#define MAX_ELEMENTS GATE_MAX_NUMBERS
#define MAX_LOADS 1024u			/* each becomes a load for every element */

struct compact {
	struct gate *g;
	struct spirv_out writer;
	struct gate_numbers numbers;
	uint32_t boolean;
};

/* Returns the type that @index selects in a type; 0: no such member. */
static uint32_t type_inside(struct gate *g, uint32_t type_id, uint32_t index)
{
	const struct gate_id *type = gate_id(g, type_id);
	const uint32_t member = gate_id(g, index)->a;

	if (type->op != SpvOpTypeStruct)
		return type->a;
	return member < type->n_members ? type->members[member] : 0;
}

/*
 * Returns the words of an access chain to an element: of a per-patch variable, or of one whose
 * first index is the vertex.
 */
static uint32_t words_of_element(const struct gate_id *var)
{
	return var->builtin == SpvBuiltInTessLevelOuter ||
			       var->builtin == SpvBuiltInTessLevelInner ?
		       5 : 6;
}

/*
 * Returns the elements of the built-in array into which an access chain has a dynamic index; 0: it
 * has none.
 */
static uint32_t elements_of(struct gate *g, const uint32_t *in)
{
	const uint32_t words = *in >> 16, last = in[words - 1];
	const struct gate_id *var = gate_id(g, gate_id(g, in[3])->variable), *type;
	uint32_t type_id = gate_id(g, gate_id(g, in[3])->type)->b, block = gate_id(g, var->type)->b;

	if (gate_id(g, var->type)->a != SpvStorageClassOutput || words < words_of_element(var) ||
	    gate_id(g, last)->op == SpvOpConstant)
		return 0;
	if (gate_id(g, block)->op == SpvOpTypeArray)
		block = gate_id(g, block)->a;
	if (var->builtin == GATE_NOT_SET && gate_id(g, block)->builtin == GATE_NOT_SET)
		return 0;
	for (uint32_t i = 4; i + 1 < words; i++)
		type_id = type_inside(g, type_id, in[i]);
	type = gate_id(g, type_id);
	return type->op == SpvOpTypeArray && gate_id(g, type->a)->op == SpvOpTypeFloat ?
		       gate_id(g, type->b)->a : 0;
}

/* Finds the access chains. Refuses index types and numbers of loads that the pass cannot handle. */
static bool look(struct compact *c, bool *any)
{
	struct gate *g = c->g;
	uint32_t loads = 0;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at);

		switch (*in & 0xffff) {
		case SpvOpTypeBool:
			c->boolean = in[1];
			break;
		case SpvOpLoad:
			if (gate_id(g, in[3])->chain && ++loads > MAX_LOADS)
				return gate_refuse(g, "more than %u loads from built-in arrays at "
						   "indices that are not constant", MAX_LOADS);
			break;
		case SpvOpAccessChain:
			if (!elements_of(g, in))
				break;
			if (elements_of(g, in) > MAX_ELEMENTS ||
			    !gate_need_numbers(g, &c->numbers,
					       gate_id(g, in[(*in >> 16) - 1])->type))
				return gate_refuse(g, "a built-in array has more than %u elements, "
						   "or its index is not a 32-bit integer",
						   MAX_ELEMENTS);
			gate_id(g, in[2])->chain = at;
			*any = true;
		}
	}
	return true;
}

/* Writes types and constants after all others. */
static void emit_globals(struct compact *c)
{
	static const uint32_t values[MAX_ELEMENTS] = { 0, 1, 2, 3, 4, 5, 6, 7 };

	if (!c->boolean) {
		c->boolean = spirv_new_id(&c->writer);
		SPIRV_EMIT(&c->writer, SpvOpTypeBool, c->boolean);
	}
	gate_write_numbers(&c->writer, &c->numbers, values, MAX_ELEMENTS);
}

/* Loads element @number of the array that @chain leads into. */
static uint32_t emit_element(struct compact *c, const uint32_t *chain, uint32_t type,
			     uint32_t number)
{
	const uint32_t words = *chain >> 16, pointer = spirv_new_id(&c->writer),
		       value = spirv_new_id(&c->writer);

	spirv_put(&c->writer, chain, 2);
	spirv_put_word(&c->writer, pointer);
	spirv_put(&c->writer, chain + 3, words - 4);
	spirv_put_word(&c->writer, number);
	SPIRV_EMIT(&c->writer, SpvOpLoad, type, value, pointer);
	return value;
}

/* Replaces the load @in of @chain by loads of all elements and a selection. */
static void emit_choice(struct compact *c, const uint32_t *in, const uint32_t *chain)
{
	const uint32_t index = chain[(*chain >> 16) - 1], n = elements_of(c->g, chain);
	const uint32_t *numbers = gate_numbers_of(&c->numbers, gate_id(c->g, index)->type);
	uint32_t result = emit_element(c, chain, in[1], numbers[0]);

	for (uint32_t i = 1; i < n; i++) {
		const uint32_t value = emit_element(c, chain, in[1], numbers[i]);
		const uint32_t equal = spirv_new_id(&c->writer), choice = spirv_new_id(&c->writer);

		SPIRV_EMIT(&c->writer, SpvOpIEqual, c->boolean, equal, index, numbers[i]);
		SPIRV_EMIT(&c->writer, SpvOpSelect, in[1], choice, equal, value, result);
		result = choice;
	}
	SPIRV_EMIT(&c->writer, SpvOpCopyObject, in[1], in[2], result);
}

bool gate_lower_compact_arrays(struct gate *g)
{
	struct compact c = { .g = g };
	bool any = false, globals = false;

	if (g->cmd->stage != SUNDOG_STAGE_TESS_CTRL)
		return true;
	if (!look(&c, &any))
		return false;
	if (!any)
		return true;
	gate_write_begin(&c.writer, g);
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at), op = *in & 0xffff;

		if (op == SpvOpFunction && !globals) {
			emit_globals(&c);
			globals = true;
		}
		if (op == SpvOpLoad && gate_id(g, in[3])->chain)
			emit_choice(&c, in, g->code + gate_id(g, in[3])->chain);
		else
			spirv_copy(&c.writer, in);
	}
	return gate_write_end(&c.writer, g);
}
