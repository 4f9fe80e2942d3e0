// SPDX-License-Identifier: MIT
/*
 * Pass "conversions" of the gate, see gate.h: clamps the operand of OpConvertFToU and OpConvertFToS
 * to floats that the integer type has.
 *
 * SPIR-V leaves other conversions undefined, and LLVM's fptoui and fptosi make poison of them: an
 * optimizer that sees such a value may drop the clamp of an index or the mask of an address behind
 * it. Mesa 25.0 converts with saturation, so nothing is wrong there; the gate does not rely on it.
 * The result of NClamp of NaN is the lower limit.
 */
#include "gate/pass/clamp_conversions.h"

#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "gate/writer.h"

#define MAX_LIMITS 96u	/* 3 floats, 4 integers of both signs, scalars and vectors of 2 to 4 */
#define LARGEST_HALF 65504.0

/* The limits of conversions from a type of floats to integers of @bits bits. */
struct limits {
	uint32_t type, bits;
	bool is_signed;
	uint32_t low, high;		/* ids of constants of the type */
};

struct conversions {
	struct gate *g;
	struct spirv_out writer;
	uint32_t glsl;			/* the instruction set; 0: not imported */
	struct limits limits[MAX_LIMITS];
	uint32_t n_limits;
};

static bool is_conversion(const uint32_t *in)
{
	return spirv_op(in) == SpvOpConvertFToU || spirv_op(in) == SpvOpConvertFToS;
}

/* Returns the type of the components of @type, which is a number or a vector. */
static uint32_t component_of(struct gate *g, uint32_t type)
{
	return gate_id(g, type)->op == SpvOpTypeVector ? gate_id(g, type)->a : type;
}

/* Returns the limits of a conversion; NULL: there are too many. */
static struct limits *limits_of(struct conversions *c, const uint32_t *in)
{
	const uint32_t type = gate_id(c->g, in[3])->type;
	const uint32_t bits = gate_id(c->g, component_of(c->g, in[1]))->a;
	const bool is_signed = spirv_op(in) == SpvOpConvertFToS;
	struct limits *limits = c->limits;

	for (; limits < c->limits + c->n_limits; limits++)
		if (limits->type == type && limits->bits == bits && limits->is_signed == is_signed)
			return limits;
	if (c->n_limits == MAX_LIMITS)
		return NULL;
	c->n_limits++;
	*limits = (struct limits){ .type = type, .bits = bits, .is_signed = is_signed };
	return limits;
}

static bool look(struct conversions *c)
{
	for (uint32_t at = SPIRV_HEADER_WORDS; at < c->g->words;
	     at += spirv_words(c->g->code + at)) {
		const uint32_t *in = gate_look(c->g, at);

		if (spirv_op(in) == SpvOpExtInstImport)
			c->glsl = in[1];	/* scan.c allows one instruction set */
		if (is_conversion(in) && !limits_of(c, in))
			return gate_refuse(c->g, "floats are converted to integers with more than "
					   "%u pairs of types", MAX_LIMITS);
	}
	return true;
}

/* Returns the largest float below 2^@exponent that has no fraction and @precision bits. */
static double largest_below(uint32_t exponent, uint32_t precision)
{
	const uint32_t ones = exponent < precision ? exponent : precision;
	const double units = (double)(1ull << (exponent - ones));

	return (double)((1ull << ones) - 1) * units;
}

/* Returns the bits of a whole number that a half can represent. */
static uint32_t half_bits(double value)
{
	const double magnitude = value < 0 ? -value : value;
	uint32_t exponent = 0;

	if (magnitude == 0)
		return 0;
	while ((double)(2u << exponent) <= magnitude)
		exponent++;
	return (value < 0) << 15 | (exponent + 15) << 10 |
	       (uint32_t)((magnitude / (1u << exponent) - 1) * 1024);
}

static uint32_t write_number(struct conversions *c, uint32_t type, double value)
{
	const uint32_t bits = gate_id(c->g, type)->a, id = spirv_new_id(&c->writer);
	const float narrow = (float)value;
	uint32_t words[2];

	memcpy(words, &value, sizeof(words));
	if (bits == 64) {
		SPIRV_EMIT(&c->writer, SpvOpConstant, type, id, words[0], words[1]);
		return id;
	}
	memcpy(words, &narrow, sizeof(narrow));
	SPIRV_EMIT(&c->writer, SpvOpConstant, type, id, bits == 16 ? half_bits(value) : words[0]);
	return id;
}

/* Writes a constant of @type, a float or a vector, whose components are @value. */
static uint32_t write_constant(struct conversions *c, uint32_t type, double value)
{
	const uint32_t number = write_number(c, component_of(c->g, type), value);
	uint32_t id;

	if (gate_id(c->g, type)->op != SpvOpTypeVector)
		return number;
	id = spirv_new_id(&c->writer);
	spirv_put_head(&c->writer, SpvOpConstantComposite, 3 + gate_id(c->g, type)->b);
	spirv_put_word(&c->writer, type);
	spirv_put_word(&c->writer, id);
	for (uint32_t i = 0; i < gate_id(c->g, type)->b; i++)
		spirv_put_word(&c->writer, number);
	return id;
}

static void write_limits(struct conversions *c, struct limits *limits)
{
	const uint32_t width = gate_id(c->g, component_of(c->g, limits->type))->a;
	const uint32_t precision = width == 64 ? 53 : width == 32 ? 24 : 11;
	const uint32_t exponent = limits->bits - limits->is_signed;
	double high = largest_below(exponent, precision);
	double low = limits->is_signed ? -(double)(1ull << exponent) : 0;

	if (width == 16 && high > LARGEST_HALF)
		high = LARGEST_HALF;
	if (width == 16 && low < -LARGEST_HALF)
		low = -LARGEST_HALF;
	limits->low = write_constant(c, limits->type, low);
	limits->high = write_constant(c, limits->type, high);
}

static void write_conversion(struct conversions *c, const uint32_t *in)
{
	const struct limits *limits = limits_of(c, in);
	const uint32_t clamped = spirv_new_id(&c->writer);

	SPIRV_EMIT(&c->writer, SpvOpExtInst, limits->type, clamped, c->glsl, GLSLstd450NClamp,
		   in[3], limits->low, limits->high);
	SPIRV_EMIT(&c->writer, spirv_op(in), in[1], in[2], clamped);
}

static void rewrite(struct conversions *c)
{
	bool functions = false;

	for (uint32_t at = SPIRV_HEADER_WORDS; at < c->g->words;
	     at += spirv_words(c->g->code + at)) {
		const uint32_t *in = gate_look(c->g, at), op = spirv_op(in);

		if (op == SpvOpMemoryModel && !c->glsl)
			c->glsl = gate_write_glsl(&c->writer);
		if (op == SpvOpFunction && !functions) {
			for (uint32_t i = 0; i < c->n_limits; i++)
				write_limits(c, &c->limits[i]);
			functions = true;
		}
		if (is_conversion(in))
			write_conversion(c, in);
		else
			spirv_copy(&c->writer, in);
	}
}

bool gate_clamp_conversions(struct gate *g)
{
	struct conversions c = { .g = g };

	if (!look(&c))
		return false;
	if (!c.n_limits)
		return true;
	gate_write_begin(&c.writer, g);
	rewrite(&c);
	return gate_write_end(&c.writer, g);
}
