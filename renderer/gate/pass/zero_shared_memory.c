// SPDX-License-Identifier: MIT
/*
 * Writes the stores that zero shared memory, for clamp_mesh_outputs.c, see zero_shared_memory.h.
 *
 * llvmpipe fills the shared memory of a compute shader if it has an initializer. It leaves that of
 * task and mesh shaders as it was: old data of its heap. So these shaders store zeros themselves,
 * to one element of each array in each iteration of a loop. Shorter arrays start again while longer
 * ones go on.
 */
#include "gate/pass/zero_shared_memory.h"

#include <spirv/unified1/spirv.h>

#define LISTS_ALL_VARIABLES 0x10400u	/* SPIR-V 1.4: entry points list all variables */
#define MAX_DEPTH 16u			/* of types, see scan.c */

struct walk {
	struct gate *g;
	struct gate_zero_loop *to;
	uint32_t variable, depth;
	struct {
		bool array;
		uint32_t value;		/* length of an array, or index of a struct member */
	} path[MAX_DEPTH];
};

static uint32_t number(struct walk *w, uint32_t value)
{
	const uint32_t id = spirv_new_id(w->to->ids);

	SPIRV_EMIT(&w->to->globals, SpvOpConstant, w->to->number, id, value);
	return id;
}

static uint32_t quotient(struct walk *w, uint32_t op, uint32_t a, uint32_t b)
{
	const uint32_t id = spirv_new_id(w->to->ids);

	SPIRV_EMIT(&w->to->stores, op, w->to->number, id, a, b);
	return id;
}

/*
 * Stores the indices of this iteration's element, from the loop counter. The innermost array varies
 * fastest.
 */
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
	const uint32_t zero = spirv_new_id(w->to->ids), pointer = spirv_new_id(w->to->ids),
		       to = spirv_new_id(w->to->ids);
	uint32_t chain[4 + MAX_DEPTH] = { 0, pointer, to, w->variable };

	if (w->to->parts++ >= GATE_MAX_SHARED_PARTS)
		return;
	SPIRV_EMIT(&w->to->globals, SpvOpConstantNull, type, zero);
	if (turns > w->to->turns)
		w->to->turns = turns;
	if (!w->depth) {
		SPIRV_EMIT(&w->to->stores, SpvOpStore, w->variable, zero);
		return;
	}
	SPIRV_EMIT(&w->to->globals, SpvOpTypePointer, pointer, SpvStorageClassWorkgroup, type);
	find_element(w, chain + 4);
	spirv_put_instruction(&w->to->stores, SpvOpAccessChain, chain, 4 + w->depth);
	SPIRV_EMIT(&w->to->stores, SpvOpStore, to, zero);
}

/*
 * Visits all scalars, vectors and matrices in a type. group.c bounds the bytes, and so their
 * number.
 */
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

/* Since SPIR-V 1.4, entry points list all variables that are used. */
bool gate_is_shared_variable(struct gate *g, const uint32_t *in)
{
	return (*in & 0xffff) == SpvOpVariable && in[3] == SpvStorageClassWorkgroup &&
	       (g->code[1] < LISTS_ALL_VARIABLES || gate_id(g, in[2])->listed);
}

void gate_zero_shared_memory(struct gate *g, struct gate_zero_loop *to)
{
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;
		struct walk w = { .g = g, .to = to };

		if (!gate_is_shared_variable(g, in))
			continue;
		w.variable = in[2];
		walk_type(&w, gate_id(g, in[1])->b, 1);
	}
}
