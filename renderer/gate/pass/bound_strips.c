// SPDX-License-Identifier: MIT
/*
 * Pass "strips" of the gate, see gate.h: bounds the strips that a geometry shader ends.
 *
 * For each invocation, llvmpipe has room for as many strips as its vertices make primitives in a
 * single strip: n - 2 for triangles. Strips that are too short make no primitive, and there may be
 * n of them. So each EmitVertex becomes a call that does nothing once n - 2 strips were ended:
 * later vertices could not make a primitive either.
 *
 * llvmpipe treats a shader from which its compiler removed every EmitVertex as one without a
 * result, and still reads the result. So the pass adds an EmitVertex in a case that never occurs,
 * which the compiler cannot remove.
 */
#include "gate/pass/bound_strips.h"

#include <spirv/unified1/spirv.h>

#include "gate/writer.h"

#define NO_PRIMITIVE UINT32_MAX		/* a PrimitiveId that no draw has */
#define LISTS_ALL_VARIABLES 0x10400u	/* SPIR-V 1.4: entry points list all variables */

struct strips {
	struct gate *g;
	struct spirv_out writer;
	struct gate_types types;
	/* A variable, and the type of its pointee. */
	uint32_t primitive_id, primitive_id_type;
	/* Variables: number of ended strips; 1 if the current strip has vertices. */
	uint32_t ended, open;
	uint32_t zero, one, limit, no_primitive;
	uint32_t emit, end, never;		/* functions */
};

/* Finds the types that the pass needs. */
static void look(struct strips *s)
{
	struct gate *g = s->g;

	gate_find_types(g, &s->types);
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;

		if ((*in & 0xffff) == SpvOpVariable && in[2] == s->primitive_id)
			s->primitive_id_type = gate_id(g, in[1])->b;
	}
}

static uint32_t constant(struct strips *s, uint32_t type, uint32_t value)
{
	const uint32_t id = spirv_new_id(&s->writer);

	SPIRV_EMIT(&s->writer, SpvOpConstant, type, id, value);
	return id;
}

/* Writes types, constants and variables after all others. */
static void emit_globals(struct strips *s, bool has_primitive_id)
{
	const struct gate_geometry *geometry = &s->g->geometry;
	const uint32_t spare = geometry->strip_vertices - 1;
	uint32_t pointer;

	gate_need_boolean(&s->writer, &s->types);
	gate_need_number(&s->writer, &s->types);
	s->zero = constant(s, s->types.number, 0);
	s->one = constant(s, s->types.number, 1);
	s->limit = constant(s, s->types.number,
			    geometry->max_vertices > spare ? geometry->max_vertices - spare : 0);
	pointer = spirv_new_id(&s->writer);
	SPIRV_EMIT(&s->writer, SpvOpTypePointer, pointer, SpvStorageClassPrivate, s->types.number);
	SPIRV_EMIT(&s->writer, SpvOpVariable, pointer, s->ended, SpvStorageClassPrivate, s->zero);
	SPIRV_EMIT(&s->writer, SpvOpVariable, pointer, s->open, SpvStorageClassPrivate, s->zero);
	if (!has_primitive_id) {
		s->primitive_id_type = s->types.number;
		pointer = spirv_new_id(&s->writer);
		SPIRV_EMIT(&s->writer, SpvOpTypePointer, pointer, SpvStorageClassInput,
			   s->types.number);
		SPIRV_EMIT(&s->writer, SpvOpVariable, pointer, s->primitive_id,
			   SpvStorageClassInput);
	}
	s->no_primitive = constant(s, s->primitive_id_type, NO_PRIMITIVE);
}

static void begin_function(struct strips *s, uint32_t function)
{
	SPIRV_EMIT(&s->writer, SpvOpFunction, s->types.nothing, function, 0, s->types.procedure);
	SPIRV_EMIT(&s->writer, SpvOpLabel, spirv_new_id(&s->writer));
}

static void end_function(struct strips *s)
{
	SPIRV_EMIT(&s->writer, SpvOpReturn);
	SPIRV_EMIT(&s->writer, SpvOpFunctionEnd);
}

/* Code up to end_if() runs if @condition is true. */
static uint32_t begin_if(struct strips *s, uint32_t condition)
{
	const uint32_t then = spirv_new_id(&s->writer), merge = spirv_new_id(&s->writer);

	SPIRV_EMIT(&s->writer, SpvOpSelectionMerge, merge, 0);
	SPIRV_EMIT(&s->writer, SpvOpBranchConditional, condition, then, merge);
	SPIRV_EMIT(&s->writer, SpvOpLabel, then);
	return merge;
}

static void end_if(struct strips *s, uint32_t merge)
{
	SPIRV_EMIT(&s->writer, SpvOpBranch, merge);
	SPIRV_EMIT(&s->writer, SpvOpLabel, merge);
}

/* if (ended < limit) { EmitVertex(); open = 1; } */
static void emit_emit(struct strips *s)
{
	const uint32_t ended = spirv_new_id(&s->writer), fits = spirv_new_id(&s->writer);
	uint32_t merge;

	begin_function(s, s->emit);
	SPIRV_EMIT(&s->writer, SpvOpLoad, s->types.number, ended, s->ended);
	SPIRV_EMIT(&s->writer, SpvOpULessThan, s->types.boolean, fits, ended, s->limit);
	merge = begin_if(s, fits);
	SPIRV_EMIT(&s->writer, SpvOpEmitVertex);
	SPIRV_EMIT(&s->writer, SpvOpStore, s->open, s->one);
	end_if(s, merge);
	end_function(s);
}

/* EndPrimitive(); ended += open; open = 0; */
static void emit_end(struct strips *s)
{
	const uint32_t ended = spirv_new_id(&s->writer), open = spirv_new_id(&s->writer),
		       sum = spirv_new_id(&s->writer);

	begin_function(s, s->end);
	SPIRV_EMIT(&s->writer, SpvOpEndPrimitive);
	SPIRV_EMIT(&s->writer, SpvOpLoad, s->types.number, ended, s->ended);
	SPIRV_EMIT(&s->writer, SpvOpLoad, s->types.number, open, s->open);
	SPIRV_EMIT(&s->writer, SpvOpIAdd, s->types.number, sum, ended, open);
	SPIRV_EMIT(&s->writer, SpvOpStore, s->ended, sum);
	SPIRV_EMIT(&s->writer, SpvOpStore, s->open, s->zero);
	end_function(s);
}

/*
 * if (gl_PrimitiveID == NO_PRIMITIVE) EmitVertex(). It does not call emit(), whose EmitVertex the
 * compiler removes if the limit is 0.
 */
static void emit_never(struct strips *s)
{
	const uint32_t id = spirv_new_id(&s->writer), is_none = spirv_new_id(&s->writer);
	uint32_t merge;

	begin_function(s, s->never);
	SPIRV_EMIT(&s->writer, SpvOpLoad, s->primitive_id_type, id, s->primitive_id);
	SPIRV_EMIT(&s->writer, SpvOpIEqual, s->types.boolean, is_none, id, s->no_primitive);
	merge = begin_if(s, is_none);
	SPIRV_EMIT(&s->writer, SpvOpEmitVertex);
	end_if(s, merge);
	end_function(s);
}

/* Writes the entry point with the new variables in its interface. */
static void emit_entry_point(struct strips *s, const uint32_t *in, uint32_t words,
			     bool has_primitive_id)
{
	const uint32_t more[] = { s->primitive_id, s->ended, s->open };
	const uint32_t first = has_primitive_id,
		       last = s->g->code[1] >= LISTS_ALL_VARIABLES ? 3 : 1;

	spirv_put_head(&s->writer, SpvOpEntryPoint, words + last - first);
	spirv_put(&s->writer, in + 1, words - 1);
	spirv_put(&s->writer, more + first, last - first);
}

static void rewrite(struct strips *s, bool has_primitive_id)
{
	struct gate *g = s->g;
	bool decorations = false, globals = false, in_entry = false;

	for (uint32_t at = 5, words; at < g->words; at += words) {
		const uint32_t *in = g->code + at, op = *in & 0xffff;

		words = *in >> 16;
		if (spirv_is_annotation_or_type(op) && !decorations && !has_primitive_id) {
			SPIRV_EMIT(&s->writer, SpvOpDecorate, s->primitive_id, SpvDecorationBuiltIn,
				   SpvBuiltInPrimitiveId);
			decorations = true;
		}
		if (op == SpvOpFunction && !globals) {
			emit_globals(s, has_primitive_id);
			globals = true;
		}
		if (op == SpvOpFunction)
			in_entry = in[2] == g->entry;
		if (in_entry && !spirv_begins_block(op)) {
			SPIRV_EMIT(&s->writer, SpvOpFunctionCall, s->types.nothing,
				   spirv_new_id(&s->writer), s->never);
			in_entry = false;
		}
		if (op == SpvOpEntryPoint)
			emit_entry_point(s, in, words, has_primitive_id);
		else if (op == SpvOpEmitVertex)
			SPIRV_EMIT(&s->writer, SpvOpFunctionCall, s->types.nothing,
				   spirv_new_id(&s->writer), s->emit);
		else if (op == SpvOpEndPrimitive)
			SPIRV_EMIT(&s->writer, SpvOpFunctionCall, s->types.nothing,
				   spirv_new_id(&s->writer), s->end);
		else
			spirv_put(&s->writer, in, words);
	}
	emit_emit(s);
	emit_end(s);
	emit_never(s);
}

bool gate_bound_strips(struct gate *g)
{
	struct strips s = { .g = g };
	const bool has_primitive_id = gate_id(g, g->geometry.primitive_id)->listed;

	if (g->cmd->stage != SUNDOG_STAGE_GEOMETRY)
		return true;
	if (has_primitive_id)
		s.primitive_id = g->geometry.primitive_id;
	look(&s);
	gate_write_begin(&s.writer, g);
	if (!has_primitive_id)
		s.primitive_id = spirv_new_id(&s.writer);
	s.ended = spirv_new_id(&s.writer);
	s.open = spirv_new_id(&s.writer);
	s.emit = spirv_new_id(&s.writer);
	s.end = spirv_new_id(&s.writer);
	s.never = spirv_new_id(&s.writer);
	rewrite(&s, has_primitive_id);
	return gate_write_end(&s.writer, g);
}
