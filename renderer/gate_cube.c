// SPDX-License-Identifier: MIT
/*
 * Directions that cube textures are sampled in, made finite and not too short, see gate.h.
 *
 * llvmpipe divides by the longest component, and where it filters across edges it trusts that the quotients
 * lie on the face: what is not a number, has no end or is divided by zero reads anywhere. Coordinates are
 * held within 2^60, and a direction shorter than 2^-60 becomes another. Nothing changes for others.
 */
#include "gate_module.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "texture.h"

#define LONGEST 0x5d800000u		/* 2^60 */
#define SHORTEST 0x21800000u		/* 2^-60 */
#define ONE 0x3f800000u
#define SIGN 0x80000000u

/* Vectors of three and four components. */
enum { THREE, FOUR, N_VECTORS };

struct cube {
	struct gate *g;
	uint32_t *out;
	size_t words, room;
	bool failed;
	uint32_t next_id;
	uint32_t glsl, boolean, number;		/* ids of the instruction set and of types */
	uint32_t shortest, one;
	struct {
		uint32_t type, low, high;
	} vectors[N_VECTORS];
};

static void append(struct cube *c, const uint32_t *in, size_t words)
{
	while (!c->failed && c->words + words > c->room) {
		uint32_t *more = realloc(c->out, 2 * c->room * sizeof(*more));

		c->failed = !more;
		if (more) {
			c->out = more;
			c->room *= 2;
		}
	}
	if (c->failed)
		return;
	memcpy(c->out + c->words, in, words * sizeof(*in));
	c->words += words;
}

/* An instruction without its first word. */
#define EMIT(c, op, ...) \
	do { \
		const uint32_t in_[] = { 0, __VA_ARGS__ }; \
		emit(c, op, in_, sizeof(in_) / sizeof(in_[0])); \
	} while (0)

static void emit(struct cube *c, uint32_t op, const uint32_t *in, size_t words)
{
	const uint32_t first = (uint32_t)words << 16 | op;

	append(c, &first, 1);
	append(c, in + 1, words - 1);
}

/* The vector type of the direction that an instruction samples a cube in; N_VECTORS: it does not. */
static int direction_of(struct gate *g, const uint32_t *in)
{
	const struct gate_id *image, *type;

	switch (*in & 0xffff) {
	case SpvOpImageSampleImplicitLod:
	case SpvOpImageSampleExplicitLod:
	case SpvOpImageSampleDrefImplicitLod:
	case SpvOpImageSampleDrefExplicitLod:
	case SpvOpImageGather:
	case SpvOpImageDrefGather:
		break;
	default:
		return N_VECTORS;
	}
	image = gate_id(g, gate_id(g, gate_id(g, in[3])->type)->a);
	if (!texture_kind_is_cube(image->a))
		return N_VECTORS;
	type = gate_id(g, gate_id(g, in[4])->type);
	return type->b == 3 ? THREE : FOUR;
}

/* What the module has of what is needed. Does it sample cubes? */
static bool look(struct cube *c)
{
	struct gate *g = c->g;
	bool cubes = false;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;
		int vector;

		switch (*in & 0xffff) {
		case SpvOpExtInstImport:
			c->glsl = in[1];	/* there is one instruction set */
			break;
		case SpvOpTypeBool:
			c->boolean = in[1];
			break;
		case SpvOpTypeFloat:
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
	EMIT(c, SpvOpConstant, c->number, c->next_id, bits);
	return c->next_id++;
}

static uint32_t new_vector(struct cube *c, uint32_t type, uint32_t component, int vector)
{
	if (vector == THREE)
		EMIT(c, SpvOpConstantComposite, type, c->next_id, component, component, component);
	else
		EMIT(c, SpvOpConstantComposite, type, c->next_id, component, component, component, component);
	return c->next_id++;
}

/* Constants and types, after all others. */
static void emit_globals(struct cube *c)
{
	const uint32_t high = new_constant(c, LONGEST), low = new_constant(c, LONGEST | SIGN);

	c->shortest = new_constant(c, SHORTEST);
	c->one = new_constant(c, ONE);
	if (!c->boolean) {
		c->boolean = c->next_id++;
		EMIT(c, SpvOpTypeBool, c->boolean);
	}
	for (int i = 0; i < N_VECTORS; i++) {
		if (!c->vectors[i].type)
			continue;
		c->vectors[i].high = new_vector(c, c->vectors[i].type, high, i);
		c->vectors[i].low = new_vector(c, c->vectors[i].type, low, i);
	}
}

/* @in, with another direction. */
static void emit_sample(struct cube *c, const uint32_t *in, int vector)
{
	const uint32_t type = c->vectors[vector].type, number = c->number, id = c->next_id, words = *in >> 16;
	uint32_t sample[5];

	c->next_id += 10;
	EMIT(c, SpvOpExtInst, type, id, c->glsl, GLSLstd450NClamp, in[4], c->vectors[vector].low,
	     c->vectors[vector].high);
	EMIT(c, SpvOpExtInst, type, id + 1, c->glsl, GLSLstd450FAbs, id);
	for (uint32_t i = 0; i < 3; i++)
		EMIT(c, SpvOpCompositeExtract, number, id + 2 + i, id + 1, i);
	EMIT(c, SpvOpExtInst, number, id + 5, c->glsl, GLSLstd450FMax, id + 2, id + 3);
	EMIT(c, SpvOpExtInst, number, id + 6, c->glsl, GLSLstd450FMax, id + 4, id + 5);
	EMIT(c, SpvOpFOrdLessThan, c->boolean, id + 7, id + 6, c->shortest);
	EMIT(c, SpvOpCompositeExtract, number, id + 8, id, 2);
	EMIT(c, SpvOpSelect, number, id + 9, id + 7, c->one, id + 8);
	EMIT(c, SpvOpCompositeInsert, type, c->next_id, id + 9, id, 2);
	memcpy(sample, in, sizeof(sample));
	sample[4] = c->next_id++;
	append(c, sample, 5);
	append(c, in + 5, words - 5);
}

static void rewrite(struct cube *c)
{
	static const uint32_t name[] = { 0x4c534c47, 0x6474732e, 0x3035342e, 0 };	/* GLSL.std.450 */
	struct gate *g = c->g;
	bool globals = false;

	append(c, g->code, 5);
	for (uint32_t at = 5, words; at < g->words; at += words) {
		const uint32_t *in = g->code + at, op = *in & 0xffff;
		const int vector = direction_of(g, in);

		words = *in >> 16;
		if (op == SpvOpMemoryModel && !c->glsl) {
			c->glsl = c->next_id++;
			EMIT(c, SpvOpExtInstImport, c->glsl, name[0], name[1], name[2], name[3]);
		}
		if (op == SpvOpFunction && !globals) {
			emit_globals(c);
			globals = true;
		}
		if (vector == N_VECTORS)
			append(c, in, words);
		else
			emit_sample(c, in, vector);
	}
	if (!c->failed)
		c->out[3] = c->next_id;
}

bool gate_clamp_cubes(struct gate *g)
{
	struct cube c = { .g = g, .next_id = g->code[3], .room = 2 * g->words };

	if (!look(&c))
		return true;
	c.out = malloc(c.room * sizeof(*c.out));
	if (!c.out)
		return gate_refuse(g, "out of memory");
	rewrite(&c);
	if (c.failed) {
		free(c.out);
		return gate_refuse(g, "out of memory");
	}
	free(g->owned);
	g->code = g->owned = c.out;
	g->words = c.words;
	return true;
}
