// SPDX-License-Identifier: MIT
/*
 * Part of pass "robust-access" of the gate, see gate.h: corrects the result types of access chains
 * that SPIRV-Tools adds.
 *
 * To clamp an index into an array at the end of a block, SPIRV-Tools gets its length through a
 * pointer to the block. If blocks are in an array, it makes this pointer, but uses the type of any
 * block that looks the same: two blocks of numbers look alike and are not the same type. So the
 * pointer gets the type of its own block.
 */
#include "gate/pass/fix_access_chain_types.h"

#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "gate/writer.h"
#include "spirv/operands.h"

struct chain_fix {
	struct gate *g;
	uint32_t bound, first;
	uint32_t *at;			/* word of each id's instruction, 0: none */
	uint32_t *pointers;		/* by type: the pointer type that was added; 0: none */
	struct spirv_out types;	/* the added types; not started while there are none */
};

static const uint32_t *definition(const struct chain_fix *r, uint32_t id)
{
	return id < r->bound && r->at[id] ? r->g->code + r->at[id] : NULL;
}

/* Returns a type with opcode @op; NULL: the type is another one. */
static const uint32_t *type_of(const struct chain_fix *r, uint32_t id, uint32_t op)
{
	const uint32_t *in = definition(r, id);

	return in && (*in & 0xffff) == op ? in : NULL;
}

static uint32_t pointer_to(struct chain_fix *r, uint32_t storage_class, uint32_t type)
{
	if (!r->types.next_id)
		r->types.next_id = r->bound;
	if (!r->pointers[type]) {
		r->pointers[type] = spirv_new_id(&r->types);
		SPIRV_EMIT(&r->types, SpvOpTypePointer, r->pointers[type], storage_class, type);
	}
	return r->pointers[type];
}

/* Corrects an access chain that was added. It selects elements of arrays. */
static void fix_chain(struct chain_fix *r, uint32_t *in)
{
	const uint32_t *base = definition(r, in[3]), *to = type_of(r, in[1], SpvOpTypePointer),
		       *array;
	const uint32_t *from = base ? type_of(r, base[1], SpvOpTypePointer) : NULL;
	uint32_t type = from ? from[3] : 0;

	for (uint32_t i = 4; i < *in >> 16; i++) {
		array = type_of(r, type, SpvOpTypeArray);
		type = array ? array[2] : 0;
	}
	if (type_of(r, type, SpvOpTypeStruct) && to && to[3] != type)
		in[1] = pointer_to(r, from[2], type);
}

/* Adds the types after all others, before the first function. */
static bool add_types(struct chain_fix *r)
{
	struct gate *g = r->g;
	struct spirv_out w;
	uint32_t at = 5;

	if (!r->types.next_id)
		return true;
	while (at < g->words && (g->code[at] & 0xffff) != SpvOpFunction)
		at += g->code[at] >> 16;
	gate_write_begin(&w, g);
	w.next_id = r->types.next_id;
	spirv_put(&w, g->code + 5, at - 5);
	spirv_append(&w, &r->types);
	spirv_put(&w, g->code + at, g->words - at);
	return gate_write_end(&w, g);
}

static bool fix_chains(struct chain_fix *r)
{
	struct gate *g = r->g;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t id = spirv_result(g->code + at);

		if (id && id < r->bound)
			r->at[id] = at;
	}
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16)
		if ((g->code[at] & 0xffff) == SpvOpAccessChain && g->code[at + 2] >= r->first)
			fix_chain(r, g->owned + at);
	return add_types(r);
}

bool gate_fix_access_chain_types(struct gate *g, uint32_t first)
{
	struct chain_fix r = { .g = g, .bound = g->code[3], .first = first };
	bool ok;

	r.at = calloc(r.bound, sizeof(*r.at));
	r.pointers = calloc(r.bound, sizeof(*r.pointers));
	ok = r.at && r.pointers ? fix_chains(&r) : gate_refuse(g, "out of memory");
	free(r.at);
	free(r.pointers);
	return ok;
}
