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
	struct gate_writer writer;
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
	const uint32_t id = gate_new_id(&s->writer);

	GATE_WRITE(&s->writer, SpvOpConstant, type, id, value);
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
	pointer = gate_new_id(&s->writer);
	GATE_WRITE(&s->writer, SpvOpTypePointer, pointer, SpvStorageClassPrivate, s->types.number);
	GATE_WRITE(&s->writer, SpvOpVariable, pointer, s->ended, SpvStorageClassPrivate, s->zero);
	GATE_WRITE(&s->writer, SpvOpVariable, pointer, s->open, SpvStorageClassPrivate, s->zero);
	if (!has_primitive_id) {
		s->primitive_id_type = s->types.number;
		pointer = gate_new_id(&s->writer);
		GATE_WRITE(&s->writer, SpvOpTypePointer, pointer, SpvStorageClassInput,
			   s->types.number);
		GATE_WRITE(&s->writer, SpvOpVariable, pointer, s->primitive_id,
			   SpvStorageClassInput);
	}
	s->no_primitive = constant(s, s->primitive_id_type, NO_PRIMITIVE);
}

static void begin_function(struct strips *s, uint32_t function)
{
	GATE_WRITE(&s->writer, SpvOpFunction, s->types.nothing, function, 0, s->types.procedure);
	GATE_WRITE(&s->writer, SpvOpLabel, gate_new_id(&s->writer));
}

static void end_function(struct strips *s)
{
	GATE_WRITE(&s->writer, SpvOpReturn);
	GATE_WRITE(&s->writer, SpvOpFunctionEnd);
}

/* Code up to end_if() runs if @condition is true. */
static uint32_t begin_if(struct strips *s, uint32_t condition)
{
	const uint32_t then = gate_new_id(&s->writer), merge = gate_new_id(&s->writer);

	GATE_WRITE(&s->writer, SpvOpSelectionMerge, merge, 0);
	GATE_WRITE(&s->writer, SpvOpBranchConditional, condition, then, merge);
	GATE_WRITE(&s->writer, SpvOpLabel, then);
	return merge;
}

static void end_if(struct strips *s, uint32_t merge)
{
	GATE_WRITE(&s->writer, SpvOpBranch, merge);
	GATE_WRITE(&s->writer, SpvOpLabel, merge);
}

/* if (ended < limit) { EmitVertex(); open = 1; } */
static void emit_emit(struct strips *s)
{
	const uint32_t ended = gate_new_id(&s->writer), fits = gate_new_id(&s->writer);
	uint32_t merge;

	begin_function(s, s->emit);
	GATE_WRITE(&s->writer, SpvOpLoad, s->types.number, ended, s->ended);
	GATE_WRITE(&s->writer, SpvOpULessThan, s->types.boolean, fits, ended, s->limit);
	merge = begin_if(s, fits);
	GATE_WRITE(&s->writer, SpvOpEmitVertex);
	GATE_WRITE(&s->writer, SpvOpStore, s->open, s->one);
	end_if(s, merge);
	end_function(s);
}

/* EndPrimitive(); ended += open; open = 0; */
static void emit_end(struct strips *s)
{
	const uint32_t ended = gate_new_id(&s->writer), open = gate_new_id(&s->writer),
		       sum = gate_new_id(&s->writer);

	begin_function(s, s->end);
	GATE_WRITE(&s->writer, SpvOpEndPrimitive);
	GATE_WRITE(&s->writer, SpvOpLoad, s->types.number, ended, s->ended);
	GATE_WRITE(&s->writer, SpvOpLoad, s->types.number, open, s->open);
	GATE_WRITE(&s->writer, SpvOpIAdd, s->types.number, sum, ended, open);
	GATE_WRITE(&s->writer, SpvOpStore, s->ended, sum);
	GATE_WRITE(&s->writer, SpvOpStore, s->open, s->zero);
	end_function(s);
}

/*
 * if (gl_PrimitiveID == NO_PRIMITIVE) EmitVertex(). It does not call emit(), whose EmitVertex the
 * compiler removes if the limit is 0.
 */
static void emit_never(struct strips *s)
{
	const uint32_t id = gate_new_id(&s->writer), is_none = gate_new_id(&s->writer);
	uint32_t merge;

	begin_function(s, s->never);
	GATE_WRITE(&s->writer, SpvOpLoad, s->primitive_id_type, id, s->primitive_id);
	GATE_WRITE(&s->writer, SpvOpIEqual, s->types.boolean, is_none, id, s->no_primitive);
	merge = begin_if(s, is_none);
	GATE_WRITE(&s->writer, SpvOpEmitVertex);
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

	gate_write_head(&s->writer, SpvOpEntryPoint, words + last - first);
	gate_write(&s->writer, in + 1, words - 1);
	gate_write(&s->writer, more + first, last - first);
}

static void rewrite(struct strips *s, bool has_primitive_id)
{
	struct gate *g = s->g;
	bool decorations = false, globals = false, in_entry = false;

	for (uint32_t at = 5, words; at < g->words; at += words) {
		const uint32_t *in = g->code + at, op = *in & 0xffff;

		words = *in >> 16;
		if (!gate_is_preamble(op) && !decorations && !has_primitive_id) {
			GATE_WRITE(&s->writer, SpvOpDecorate, s->primitive_id, SpvDecorationBuiltIn,
				   SpvBuiltInPrimitiveId);
			decorations = true;
		}
		if (op == SpvOpFunction && !globals) {
			emit_globals(s, has_primitive_id);
			globals = true;
		}
		if (op == SpvOpFunction)
			in_entry = in[2] == g->entry;
		if (in_entry && !gate_begins_block(op)) {
			GATE_WRITE(&s->writer, SpvOpFunctionCall, s->types.nothing,
				   gate_new_id(&s->writer), s->never);
			in_entry = false;
		}
		if (op == SpvOpEntryPoint)
			emit_entry_point(s, in, words, has_primitive_id);
		else if (op == SpvOpEmitVertex)
			GATE_WRITE(&s->writer, SpvOpFunctionCall, s->types.nothing,
				   gate_new_id(&s->writer), s->emit);
		else if (op == SpvOpEndPrimitive)
			GATE_WRITE(&s->writer, SpvOpFunctionCall, s->types.nothing,
				   gate_new_id(&s->writer), s->end);
		else
			gate_write(&s->writer, in, words);
	}
	emit_emit(s);
	emit_end(s);
	emit_never(s);
}

bool gate_bound_strips(struct gate *g)
{
	struct strips s = { .g = g, .primitive_id = g->geometry.primitive_id };
	const bool has_primitive_id = s.primitive_id;

	if (g->cmd->stage != SUNDOG_STAGE_GEOMETRY)
		return true;
	look(&s);
	gate_write_begin(&s.writer, g);
	if (!has_primitive_id)
		s.primitive_id = gate_new_id(&s.writer);
	s.ended = gate_new_id(&s.writer);
	s.open = gate_new_id(&s.writer);
	s.emit = gate_new_id(&s.writer);
	s.end = gate_new_id(&s.writer);
	s.never = gate_new_id(&s.writer);
	rewrite(&s, has_primitive_id);
	return gate_write_end(&s.writer, g);
}
