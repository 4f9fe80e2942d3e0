// SPDX-License-Identifier: MIT
/*
 * Pass "array-lengths" of the gate, see gate.h: gives arrays a length that the module does not
 * have. Arrays of descriptors without a length get that of the layout. Inputs of a geometry shader
 * with more elements than an input primitive has vertices (zink always declares six) get one for
 * each vertex, so that their indices are clamped like all others. Each variable gets types of its
 * own, since variables with other lengths may share its type. The pass removes the capability
 * RuntimeDescriptorArray, because the optimizer clamps nothing in a module that has it.
 */
#include "gate/pass/size_runtime_arrays.h"

#include <spirv/unified1/spirv.h>

#include "gate/check/layout.h"
#include "gate/check/stage.h"
#include "gate/writer.h"

struct runtime {
	struct gate *g;
	struct spirv_out writer;
	uint32_t integer;		/* a 32-bit type; 0: none */
	uint32_t sign;			/* 1 if it is signed */
	bool declared;			/* it is written */
	/* Vertices of an input primitive of a geometry shader; 0: not one, or not declared. */
	uint32_t vertices;
};

/*
 * Records sets, bindings and execution modes, which gate_reflect() checks later, and a type for
 * lengths.
 */
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
			if (g->cmd->stage == SUNDOG_STAGE_GEOMETRY &&
			    gate_stage_input_vertices(in[2]))
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

/* Returns the length that a variable gets; 0: its type stays, and other passes check it. */
static uint32_t length_of(const struct runtime *r, const uint32_t *in)
{
	struct gate *g = r->g;
	const struct gate_id *type;
	const struct sundog_set_binding *b;

	if ((*in & 0xffff) != SpvOpVariable)
		return 0;
	type = gate_id(g, gate_id(g, in[1])->b);
	if (in[3] == SpvStorageClassInput)
		return type->op == SpvOpTypeArray && gate_id(g, type->b)->a > r->vertices ?
			       r->vertices : 0;
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

/* Types may be declared anywhere before their first use, and this is the first. */
static void declare_integer(struct runtime *r)
{
	if (r->declared)
		return;
	if (!r->integer)
		r->integer = spirv_new_id(&r->writer);
	SPIRV_EMIT(&r->writer, SpvOpTypeInt, r->integer, 32, r->sign);
	r->declared = true;
}

static void write_variable(struct runtime *r, const uint32_t *in, uint32_t length)
{
	const uint32_t element = gate_id(r->g, gate_id(r->g, in[1])->b)->a;
	uint32_t count, array, pointer;

	declare_integer(r);
	count = spirv_new_id(&r->writer);
	array = spirv_new_id(&r->writer);
	pointer = spirv_new_id(&r->writer);
	SPIRV_EMIT(&r->writer, SpvOpConstant, r->integer, count, length);
	SPIRV_EMIT(&r->writer, SpvOpTypeArray, array, element, count);
	SPIRV_EMIT(&r->writer, SpvOpTypePointer, pointer, in[3], array);
	SPIRV_EMIT(&r->writer, SpvOpVariable, pointer, in[2], in[3]);
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
			spirv_copy(&r->writer, in);
	}
}

bool gate_size_runtime_arrays(struct gate *g, bool *changed)
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
