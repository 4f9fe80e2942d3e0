// SPDX-License-Identifier: MIT
/*
 * Zeroes in shared memory, see gate_zeroes.h.
 *
 * llvmpipe fills that of a compute shader that begins with zeroes, and takes that of task and mesh shaders as it finds
 * it: what was in its heap. So these store zeroes themselves, an element of each array in each turn of a loop. Arrays
 * have lengths of their own, and begin again while longer ones go on.
 */
#include "gate_zeroes.h"

#include <spirv/unified1/spirv.h>

#define LISTS_ALL_VARIABLES 0x10400u	/* SPIR-V version whose entry points do */
#define MAX_DEPTH 16u			/* of types, as gate_scan.c has it */

struct walk {
	struct gate *g;
	struct gate_zeroes *to;
	uint32_t variable, depth;
	struct {
		bool array;
		uint32_t value;		/* its length, or which member of a struct it is */
	} path[MAX_DEPTH];
};

static uint32_t number(struct walk *w, uint32_t value)
{
	const uint32_t id = gate_new_id(w->to->ids);

	GATE_WRITE(&w->to->globals, SpvOpConstant, w->to->number, id, value);
	return id;
}

static uint32_t quotient(struct walk *w, uint32_t op, uint32_t a, uint32_t b)
{
	const uint32_t id = gate_new_id(w->to->ids);

	GATE_WRITE(&w->to->stores, op, w->to->number, id, a, b);
	return id;
}

/* Where in a variable the turn's element is: indices, the first one's being the last that the turn's number is of. */
static void find_element(struct walk *w, uint32_t *indices)
{
	uint32_t rest = w->to->at, length;

	for (uint32_t i = w->depth; i--;) {
		if (!w->path[i].array) {
			indices[i] = number(w, w->path[i].value);
			continue;
		}
		length = number(w, w->path[i].value);
		indices[i] = quotient(w, SpvOpUMod, rest, length);
		rest = quotient(w, SpvOpUDiv, rest, length);
	}
}

static void store_zero(struct walk *w, uint32_t type, uint32_t turns)
{
	const uint32_t zero = gate_new_id(w->to->ids), pointer = gate_new_id(w->to->ids), to = gate_new_id(w->to->ids);
	uint32_t chain[4 + MAX_DEPTH] = { 0, pointer, to, w->variable };

	if (w->to->parts++ >= GATE_MAX_SHARED_PARTS)
		return;
	GATE_WRITE(&w->to->globals, SpvOpConstantNull, type, zero);
	if (turns > w->to->turns)
		w->to->turns = turns;
	if (!w->depth) {
		GATE_WRITE(&w->to->stores, SpvOpStore, w->variable, zero);
		return;
	}
	GATE_WRITE(&w->to->globals, SpvOpTypePointer, pointer, SpvStorageClassWorkgroup, type);
	find_element(w, chain + 4);
	gate_write_instruction(&w->to->stores, SpvOpAccessChain, chain, 4 + w->depth);
	GATE_WRITE(&w->to->stores, SpvOpStore, to, zero);
}

/* All that is no array and no struct, however deep. There are no more bytes than gate_group.c lets a module have. */
static void walk_type(struct walk *w, uint32_t type_id, uint64_t turns)
{
	const struct gate_id *type = gate_id(w->g, type_id);
	const bool array = type->op == SpvOpTypeArray;
	const uint32_t length = array ? gate_id(w->g, type->b)->a : 0;

	if (!array && type->op != SpvOpTypeStruct) {
		store_zero(w, type_id, (uint32_t)turns);
		return;
	}
	if (w->depth == MAX_DEPTH || (array && !length))
		return;
	w->path[w->depth].array = array;
	w->path[w->depth++].value = length;
	if (array)
		walk_type(w, type->a, gate_times(turns, length));
	for (uint32_t i = 0; !array && i < type->n_members; i++) {
		w->path[w->depth - 1].value = i;
		walk_type(w, type->members[i], turns);
	}
	w->depth--;
}

/* Entry points list all variables that are used, since SPIR-V 1.4. */
bool gate_is_shared(struct gate *g, const uint32_t *in)
{
	return (*in & 0xffff) == SpvOpVariable && in[3] == SpvStorageClassWorkgroup &&
	       (g->code[1] < LISTS_ALL_VARIABLES || gate_id(g, in[2])->listed);
}

void gate_zero_shared(struct gate *g, struct gate_zeroes *to)
{
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;
		struct walk w = { .g = g, .to = to };

		if (!gate_is_shared(g, in))
			continue;
		w.variable = in[2];
		walk_type(&w, gate_id(g, in[1])->b, 1);
	}
}
