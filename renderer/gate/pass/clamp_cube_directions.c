// SPDX-License-Identifier: MIT
/*
 * Pass "cube-directions" of the gate, see gate.h: makes the directions that sample cubes finite and
 * not too short.
 *
 * llvmpipe divides by the longest component. If it filters across edges, it trusts that the
 * quotients are on the face: NaN, infinity or a division by zero reads anywhere. Components are
 * clamped to 2^60, and a direction shorter than 2^-60 is replaced. Other directions do not change.
 */
#include "gate/pass/clamp_cube_directions.h"

#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "gate/table.h"
#include "gate/texture.h"
#include "gate/writer.h"

#define LONGEST 0x5d800000u		/* 2^60 */
#define SHORTEST 0x21800000u		/* 2^-60 */
#define ONE 0x3f800000u
#define SIGN 0x80000000u

/* Vectors of three and four components. */
enum { THREE, FOUR, N_VECTORS };

struct cube {
	struct gate *g;
	struct spirv_out writer;
	uint32_t glsl, boolean, number;		/* ids of the instruction set and of types */
	uint32_t shortest, one;
	struct {
		uint32_t type, low, high;
	} vectors[N_VECTORS];
};

/*
 * Returns the vector type of the direction in which an instruction samples a cube; N_VECTORS: it
 * samples none.
 */
static int direction_of(struct gate *g, const uint32_t *in)
{
	const struct gate_id *image, *type;

	if (!gate_direction(in))
		return N_VECTORS;
	image = gate_id(g, gate_id(g, gate_id(g, in[3])->type)->a);
	if (!texture_kind_is_cube(image->a))
		return N_VECTORS;
	type = gate_id(g, gate_id(g, in[4])->type);
	return type->b == 3 ? THREE : FOUR;
}

/* Finds the types and the instruction set. Returns true if the module samples cubes. */
static bool look(struct cube *c)
{
	struct gate *g = c->g;
	bool cubes = false;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;
		int vector;

		switch (*in & 0xffff) {
		case SpvOpExtInstImport:
			c->glsl = in[1];	/* scan.c allows one instruction set */
			break;
		case SpvOpTypeBool:
			c->boolean = in[1];
			break;
		case SpvOpTypeFloat:
			if (in[2] == 32)
				c->number = in[1];
			break;
		default:
			vector = direction_of(g, in);
			if (vector == N_VECTORS)
				break;
			c->vectors[vector].type = gate_id(g, in[4])->type;
			cubes = true;
		}
	}
	return cubes;
}

static uint32_t new_constant(struct cube *c, uint32_t bits)
{
	const uint32_t id = spirv_new_id(&c->writer);

	SPIRV_EMIT(&c->writer, SpvOpConstant, c->number, id, bits);
	return id;
}

static uint32_t new_vector(struct cube *c, uint32_t type, uint32_t component, int vector)
{
	const uint32_t id = spirv_new_id(&c->writer);

	if (vector == THREE)
		SPIRV_EMIT(&c->writer, SpvOpConstantComposite, type, id, component, component,
			   component);
	else
		SPIRV_EMIT(&c->writer, SpvOpConstantComposite, type, id, component, component,
			   component, component);
	return id;
}

/* Writes constants and types after all others. */
static void emit_globals(struct cube *c)
{
	const uint32_t high = new_constant(c, LONGEST), low = new_constant(c, LONGEST | SIGN);

	c->shortest = new_constant(c, SHORTEST);
	c->one = new_constant(c, ONE);
	if (!c->boolean) {
		c->boolean = spirv_new_id(&c->writer);
		SPIRV_EMIT(&c->writer, SpvOpTypeBool, c->boolean);
	}
	for (int i = 0; i < N_VECTORS; i++) {
		if (!c->vectors[i].type)
			continue;
		c->vectors[i].high = new_vector(c, c->vectors[i].type, high, i);
		c->vectors[i].low = new_vector(c, c->vectors[i].type, low, i);
	}
}

/* Writes @in with its direction replaced. */
static void emit_sample(struct cube *c, const uint32_t *in, int vector)
{
	const uint32_t type = c->vectors[vector].type, number = c->number, id = c->writer.next_id,
		       words = *in >> 16;
	uint32_t sample[5];

	c->writer.next_id += 10;
	SPIRV_EMIT(&c->writer, SpvOpExtInst, type, id, c->glsl, GLSLstd450NClamp, in[4],
		   c->vectors[vector].low, c->vectors[vector].high);
	SPIRV_EMIT(&c->writer, SpvOpExtInst, type, id + 1, c->glsl, GLSLstd450FAbs, id);
	for (uint32_t i = 0; i < 3; i++)
		SPIRV_EMIT(&c->writer, SpvOpCompositeExtract, number, id + 2 + i, id + 1, i);
	SPIRV_EMIT(&c->writer, SpvOpExtInst, number, id + 5, c->glsl, GLSLstd450FMax, id + 2,
		   id + 3);
	SPIRV_EMIT(&c->writer, SpvOpExtInst, number, id + 6, c->glsl, GLSLstd450FMax, id + 4,
		   id + 5);
	SPIRV_EMIT(&c->writer, SpvOpFOrdLessThan, c->boolean, id + 7, id + 6, c->shortest);
	SPIRV_EMIT(&c->writer, SpvOpCompositeExtract, number, id + 8, id, 2);
	SPIRV_EMIT(&c->writer, SpvOpSelect, number, id + 9, id + 7, c->one, id + 8);
	SPIRV_EMIT(&c->writer, SpvOpCompositeInsert, type, c->writer.next_id, id + 9, id, 2);
	memcpy(sample, in, sizeof(sample));
	sample[4] = c->writer.next_id++;
	spirv_put(&c->writer, sample, 5);
	spirv_put(&c->writer, in + 5, words - 5);
}

static void rewrite(struct cube *c)
{
	struct gate *g = c->g;
	bool globals = false;

	for (uint32_t at = 5, words; at < g->words; at += words) {
		const uint32_t *in = g->code + at, op = *in & 0xffff;
		const int vector = direction_of(g, in);

		words = *in >> 16;
		if (op == SpvOpMemoryModel && !c->glsl)
			c->glsl = gate_write_glsl(&c->writer);
		if (op == SpvOpFunction && !globals) {
			emit_globals(c);
			globals = true;
		}
		if (vector == N_VECTORS)
			spirv_put(&c->writer, in, words);
		else
			emit_sample(c, in, vector);
	}
}

bool gate_clamp_cube_directions(struct gate *g)
{
	struct cube c = { .g = g };

	if (!look(&c))
		return true;
	gate_write_begin(&c.writer, g);
	rewrite(&c);
	return gate_write_end(&c.writer, g);
}
