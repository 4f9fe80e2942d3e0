// SPDX-License-Identifier: MIT
/*
 * Arrays whose length is not the module's to say, see gate.h: those of descriptors that have none get that which the
 * layout says, and inputs of a geometry shader that have an element for more vertices than a primitive has (zink's have
 * six, always) get one for each, so that their indices are clamped like all others. The types are the variables' own,
 * since one type may be of several with other lengths. The capability goes, too: the optimizer clamps nothing where it
 * is.
 */
#include "gate_writer.h"

#include <spirv/unified1/spirv.h>

struct runtime {
	struct gate *g;
	struct gate_writer writer;
	uint32_t integer;		/* a type of 32 bits; 0: there is none */
	uint32_t sign;			/* 1 if it has one */
	bool declared;			/* it stands in what is written */
	uint32_t vertices;		/* of a primitive that a geometry shader gets; 0: it is none, or does not say */
};

/* Sets, bindings and modes, which gate_reflect() will look at again; and a type for lengths. */
static void look(struct runtime *r)
{
	struct gate *g = r->g;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;

		switch (*in & 0xffff) {
		case SpvOpDecorate:
			if (in[2] == SpvDecorationDescriptorSet)
				gate_id(g, in[1])->set = in[3];
			if (in[2] == SpvDecorationBinding)
				gate_id(g, in[1])->binding = in[3];
			break;
		case SpvOpExecutionMode:
			if (g->cmd->stage == SUNDOG_STAGE_GEOMETRY && gate_stage_input_vertices(in[2]))
				r->vertices = gate_stage_input_vertices(in[2]);
			break;
		case SpvOpTypeInt:
			if (in[2] == 32 && !r->integer) {
				r->integer = in[1];
				r->sign = in[3];
			}
			break;
		}
	}
}

static bool is_descriptor_class(uint32_t class)
{
	return class == SpvStorageClassUniformConstant || class == SpvStorageClassUniform ||
	       class == SpvStorageClassStorageBuffer;
}

/* The elements that a variable gets; 0: what it has is right, or wrong in a way that is for others to see. */
static uint32_t length_of(const struct runtime *r, const uint32_t *in)
{
	struct gate *g = r->g;
	const struct gate_id *type;
	const struct sundog_set_binding *b;

	if ((*in & 0xffff) != SpvOpVariable)
		return 0;
	type = gate_id(g, gate_id(g, in[1])->b);
	if (in[3] == SpvStorageClassInput)
		return type->op == SpvOpTypeArray && gate_id(g, type->b)->a > r->vertices ? r->vertices : 0;
	if (!is_descriptor_class(in[3]) || type->op != SpvOpTypeRuntimeArray)
		return 0;
	b = gate_layout_find(g->layout, gate_id(g, in[2]));
	return b ? b->count : 0;
}

static bool is_capability(const uint32_t *in)
{
	return (*in & 0xffff) == SpvOpCapability && in[1] == SpvCapabilityRuntimeDescriptorArray;
}

static bool any(const struct runtime *r)
{
	const struct gate *g = r->g;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16)
		if (is_capability(g->code + at) || length_of(r, g->code + at))
			return true;
	return false;
}

/* Types may be declared anywhere before they are needed, and this one is needed now. */
static void declare_integer(struct runtime *r)
{
	if (r->declared)
		return;
	if (!r->integer)
		r->integer = gate_new_id(&r->writer);
	GATE_WRITE(&r->writer, SpvOpTypeInt, r->integer, 32, r->sign);
	r->declared = true;
}

static void write_variable(struct runtime *r, const uint32_t *in, uint32_t length)
{
	const uint32_t element = gate_id(r->g, gate_id(r->g, in[1])->b)->a;
	uint32_t count, array, pointer;

	declare_integer(r);
	count = gate_new_id(&r->writer);
	array = gate_new_id(&r->writer);
	pointer = gate_new_id(&r->writer);
	GATE_WRITE(&r->writer, SpvOpConstant, r->integer, count, length);
	GATE_WRITE(&r->writer, SpvOpTypeArray, array, element, count);
	GATE_WRITE(&r->writer, SpvOpTypePointer, pointer, in[3], array);
	GATE_WRITE(&r->writer, SpvOpVariable, pointer, in[2], in[3]);
}

static void rewrite(struct runtime *r)
{
	struct gate *g = r->g;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;
		const uint32_t length = length_of(r, in);

		if (length)
			write_variable(r, in, length);
		else if ((*in & 0xffff) == SpvOpTypeInt && in[1] == r->integer)
			declare_integer(r);
		else if (!is_capability(in))
			gate_write(&r->writer, in, *in >> 16);
	}
}

bool gate_size_arrays(struct gate *g, bool *changed)
{
	struct runtime r = { .g = g };

	look(&r);
	*changed = any(&r);
	if (!*changed)
		return true;
	gate_write_begin(&r.writer, g);
	rewrite(&r);
	return gate_write_end(&r.writer, g);
}
