// SPDX-License-Identifier: MIT
/*
 * Pass "part-indices" of the gate, see gate.h: makes NonUniform indices into different arrays of
 * textures and images differ.
 *
 * Mesa lets invocations with different indices take turns, and those with the same index go
 * together. It compares only the index, so it would confuse two arrays, which may have different
 * kinds. So each array gets indices of its own: the pass combines an index with a bit of
 * SubgroupLocalInvocationId that is never set, another one for each array. Neither the program nor
 * Mesa knows that the bit is 0. LLVM does, and removes the code.
 */
#include "gate/pass/split_nonuniform.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "gate/writer.h"

#define NUMBER_BITS 8u			/* bits of SubgroupLocalInvocationId */
#define MAX_ARRAYS (1u << (32 - NUMBER_BITS))
#define EXTENSION "SPV_KHR_shader_ballot"

struct split {
	struct gate *g;
	struct spirv_out writer;
	uint32_t number;	/* variable of SubgroupLocalInvocationId; 0: none in the module */
	uint32_t number_type;		/* type of its pointee */
	bool number_is_new, type_is_new;
	uint32_t n_arrays;
	uint32_t *masks;		/* by variable: 0, or its number; then the id of its mask */
};

/* Returns the variable of which an access chain selects a texture or an image; 0: none. */
static uint32_t array_of(struct gate *g, const uint32_t *in)
{
	const uint32_t op = *in & 0xffff;
	const struct gate_id *pointer, *type;

	if (op != SpvOpAccessChain || *in >> 16 != 5)
		return 0;
	pointer = gate_id(g, gate_id(g, in[3])->type);
	type = gate_id(g, pointer->b);
	if (pointer->a != SpvStorageClassUniformConstant || type->op != SpvOpTypeArray)
		return 0;
	return gate_id(g, in[3])->variable;
}

static bool look(struct split *d)
{
	struct gate *g = d->g;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at);
		const uint32_t op = *in & 0xffff, array = array_of(g, in);

		if (op == SpvOpTypeInt && in[2] == 32 && !in[3] && !d->number_type)
			d->number_type = in[1];
		if (op == SpvOpVariable && gate_id(g, in[2])->listed &&
		    gate_id(g, in[2])->builtin == SpvBuiltInSubgroupLocalInvocationId)
			d->number = in[2];
		if (!array)
			continue;
		if (gate_id(g, gate_id(g, in[4])->type)->op != SpvOpTypeInt ||
		    gate_id(g, gate_id(g, in[4])->type)->a != 32)
			return gate_refuse(g, "the index of OpAccessChain into an array of images "
					   "is not a 32-bit integer");
		if (!d->masks[array])
			d->masks[array] = ++d->n_arrays;
	}
	return d->n_arrays < MAX_ARRAYS ||
	       gate_refuse(g, "%u arrays of images have NonUniform indices, the limit is %u",
			   d->n_arrays, MAX_ARRAYS - 1);
}

/* Extensions follow capabilities. */
static void write_extension(struct split *d)
{
	uint32_t name[(sizeof(EXTENSION) + 4) / 4 + 1] = { 0 };

	memcpy(name + 1, EXTENSION, sizeof(EXTENSION));
	spirv_put_instruction(&d->writer, SpvOpExtension, name, 1 + (sizeof(EXTENSION) + 3) / 4);
}

static void write_entry_point(struct split *d, const uint32_t *in)
{
	const uint32_t words = *in >> 16;

	spirv_put_head(&d->writer, SpvOpEntryPoint, words + 1);
	spirv_put(&d->writer, in + 1, words - 1);
	spirv_put_word(&d->writer, d->number);
}

/* Decorations precede the types. */
static void write_decorations(struct split *d)
{
	SPIRV_EMIT(&d->writer, SpvOpDecorate, d->number, SpvDecorationBuiltIn,
		   SpvBuiltInSubgroupLocalInvocationId);
	if (d->g->cmd->stage == SUNDOG_STAGE_FRAGMENT)
		SPIRV_EMIT(&d->writer, SpvOpDecorate, d->number, SpvDecorationFlat);
}

/*
 * Before the first function: writes the variable of the number, if the module has none, and a mask
 * for each array.
 */
static void write_globals(struct split *d)
{
	const uint32_t pointer = d->number_is_new ? spirv_new_id(&d->writer) : 0;

	if (d->type_is_new)
		SPIRV_EMIT(&d->writer, SpvOpTypeInt, d->number_type, 32, 0);
	if (d->number_is_new) {
		SPIRV_EMIT(&d->writer, SpvOpTypePointer, pointer, SpvStorageClassInput,
			   d->number_type);
		SPIRV_EMIT(&d->writer, SpvOpVariable, pointer, d->number, SpvStorageClassInput);
	}
	for (uint32_t i = 0; i < d->g->n_ids; i++) {
		const uint32_t bits = d->masks[i] << NUMBER_BITS;

		if (!bits)
			continue;
		d->masks[i] = spirv_new_id(&d->writer);
		SPIRV_EMIT(&d->writer, SpvOpConstant, d->number_type, d->masks[i], bits);
	}
}

static void write_chain(struct split *d, const uint32_t *in, uint32_t mask)
{
	const uint32_t type = gate_id(d->g, in[4])->type;
	const uint32_t number = spirv_new_id(&d->writer), zero = spirv_new_id(&d->writer),
		       index = spirv_new_id(&d->writer);

	SPIRV_EMIT(&d->writer, SpvOpLoad, d->number_type, number, d->number);
	SPIRV_EMIT(&d->writer, SpvOpBitwiseAnd, d->number_type, zero, number, mask);
	SPIRV_EMIT(&d->writer, SpvOpBitwiseXor, type, index, in[4], zero);
	SPIRV_EMIT(&d->writer, *in & 0xffff, in[1], in[2], in[3], index);
}

/* Sections of a module. enter() writes new instructions at the start of each. */
enum section { CAPABILITIES, EXTENSIONS, TYPES, FUNCTIONS };

static enum section section_of(uint32_t op)
{
	if (op == SpvOpCapability)
		return CAPABILITIES;
	if (op == SpvOpFunction)
		return FUNCTIONS;
	return op >= SpvOpTypeVoid && op <= SpvOpTypeFunction ? TYPES : EXTENSIONS;
}

static void enter(struct split *d, enum section section)
{
	if (section == EXTENSIONS && d->number_is_new)
		write_extension(d);
	if (section == TYPES && d->number_is_new)
		write_decorations(d);
	if (section == FUNCTIONS)
		write_globals(d);
}

static void rewrite(struct split *d)
{
	enum section at_section = CAPABILITIES;
	struct gate *g = d->g;

	if (d->number_is_new)
		SPIRV_EMIT(&d->writer, SpvOpCapability, SpvCapabilitySubgroupBallotKHR);
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at), op = *in & 0xffff, array = array_of(g, in);

		while (at_section < section_of(op))
			enter(d, ++at_section);
		if (op == SpvOpEntryPoint && d->number_is_new)
			write_entry_point(d, in);
		else if (array)
			write_chain(d, in, d->masks[array]);
		else
			spirv_copy(&d->writer, in);
	}
}

static bool split_indices(struct split *d)
{
	struct gate *g = d->g;

	if (!look(d))
		return false;
	if (d->n_arrays < 2)
		return true;
	gate_write_begin(&d->writer, g);
	d->number_is_new = !d->number;
	if (d->number)
		d->number_type = gate_id(g, gate_id(g, d->number)->type)->b;
	else
		d->number = spirv_new_id(&d->writer);
	d->type_is_new = !d->number_type;
	if (d->type_is_new)
		d->number_type = spirv_new_id(&d->writer);
	rewrite(d);
	return gate_write_end(&d->writer, g);
}

bool gate_split_nonuniform(struct gate *g)
{
	struct split d = { .g = g };
	bool ok;

	if (!g->non_uniform)
		return true;
	d.masks = calloc(g->n_ids + 1, sizeof(*d.masks));
	if (!d.masks)
		return gate_refuse(g, "out of memory");
	ok = split_indices(&d);
	free(d.masks);
	return ok;
}
