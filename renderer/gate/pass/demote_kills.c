// SPDX-License-Identifier: MIT
/*
 * Part of pass "flatten" of the gate, see gate.h: OpKill and OpTerminateInvocation in functions
 * become OpDemoteToHelperInvocation and a return, with zeros if the function returns a value.
 *
 * SPIR-V allows no end of an invocation in a continue construct, so a function that ends it cannot
 * be inlined there. A loop's condition may call one if the loop begins with its body. A helper
 * writes nothing, and llvmpipe lets ended invocations run on as helpers, too.
 *
 * Functions that return pointers are left alone.
 */
#include "gate/pass/demote_kills.h"

#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "gate/table.h"
#include "gate/writer.h"

struct demotion {
	struct gate *g;
	struct spirv_out writer;
	uint32_t entry;			/* the function of the entry point */
	uint32_t nothing;		/* type */
	uint32_t *zeros;		/* by type: constant of zeros; 0: none */
};

static bool ends_invocation(const uint32_t *in)
{
	return spirv_op(in) == SpvOpKill || spirv_op(in) == SpvOpTerminateInvocation;
}

/* Follows the functions. Returns true if the end of an invocation at @in is to be replaced. */
static bool is_replaced(const struct demotion *d, const uint32_t *in, uint32_t *type)
{
	if (spirv_op(in) == SpvOpFunction)
		*type = in[2] == d->entry ||
				gate_id(d->g, in[1])->op == SpvOpTypePointer ? 0 : in[1];
	return *type && ends_invocation(in);
}

/* Returns true if there is something to replace. */
static bool look(struct demotion *d)
{
	uint32_t type = 0;
	bool any = false;

	for (uint32_t at = SPIRV_HEADER_WORDS; at < d->g->words;
	     at += spirv_words(d->g->code + at)) {
		const uint32_t *in = gate_look(d->g, at);

		if (spirv_op(in) == SpvOpEntryPoint)
			d->entry = in[2];
		if (!is_replaced(d, in, &type))
			continue;
		any = true;
		if (type != d->nothing && !d->zeros[type])
			d->zeros[type] = spirv_new_id(&d->writer);
	}
	return any;
}

static void write_extension(struct demotion *d)
{
	static const char name[36] = "SPV_EXT_demote_to_helper_invocation";

	_Static_assert(sizeof(name) % sizeof(uint32_t) == 0, "it is a whole number of words");
	spirv_put_head(&d->writer, SpvOpExtension, 1 + sizeof(name) / sizeof(uint32_t));
	for (size_t i = 0; i < sizeof(name); i += sizeof(uint32_t)) {
		uint32_t word = 0;

		for (size_t k = 0; k < sizeof(word); k++)
			word |= (uint32_t)(unsigned char)name[i + k] << (8 * k);
		spirv_put_word(&d->writer, word);
	}
}

static void write_zeros(struct demotion *d)
{
	for (uint32_t type = 0; type < d->g->n_ids; type++)
		if (d->zeros[type])
			SPIRV_EMIT(&d->writer, SpvOpConstantNull, type, d->zeros[type]);
}

static void write_end(struct demotion *d, uint32_t type)
{
	SPIRV_EMIT(&d->writer, SpvOpDemoteToHelperInvocation);
	if (d->zeros[type])
		SPIRV_EMIT(&d->writer, SpvOpReturnValue, d->zeros[type]);
	else
		SPIRV_EMIT(&d->writer, SpvOpReturn);
}

static void rewrite(struct demotion *d)
{
	bool capabilities = true, functions = false;
	uint32_t type = 0;

	SPIRV_EMIT(&d->writer, SpvOpCapability, SpvCapabilityDemoteToHelperInvocation);
	for (uint32_t at = SPIRV_HEADER_WORDS; at < d->g->words;
	     at += spirv_words(d->g->code + at)) {
		const uint32_t *in = gate_look(d->g, at);

		if (capabilities && spirv_op(in) != SpvOpCapability) {
			write_extension(d);
			capabilities = false;
		}
		if (!functions && spirv_op(in) == SpvOpFunction) {
			write_zeros(d);
			functions = true;
		}
		if (is_replaced(d, in, &type))
			write_end(d, type);
		else
			spirv_copy(&d->writer, in);
	}
}

bool gate_demote_kills(struct gate *g, bool *changed)
{
	struct demotion d = { .g = g, .zeros = calloc(g->n_ids, sizeof(*d.zeros)) };
	struct gate_types types = { 0 };
	bool ok;

	*changed = false;
	if (!d.zeros)
		return gate_refuse(g, "out of memory");
	gate_find_types(g, &types);
	d.nothing = types.nothing;
	gate_write_begin(&d.writer, g);
	*changed = look(&d);
	if (*changed) {
		rewrite(&d);
		ok = gate_write_end(&d.writer, g);
	} else {
		free(d.writer.words);
		ok = true;
	}
	free(d.zeros);
	return ok;
}
