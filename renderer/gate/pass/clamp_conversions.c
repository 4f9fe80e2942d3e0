// SPDX-License-Identifier: MIT
/*
 * Pass "conversions" of the gate, see gate.h: clamps the operand of OpConvertFToU and OpConvertFToS
 * to floats that the integer type has.
 *
 * SPIR-V leaves other conversions undefined, and LLVM's fptoui and fptosi make poison of them: an
 * optimizer that sees such a value may drop the clamp of an index or the mask of an address behind
 * it. Mesa 25.0 converts with saturation, so nothing is wrong there; the gate does not rely on it.
 * The result of NClamp of NaN is the lower limit.
 *
 * The largest float below 2^31 is 2147483520. Programs expect a larger float to become 2147483647
 * as on other GPUs, so OpSelect replaces the result of an operand past a limit of its type where
 * that limit is not the integer's.
 */
#include "gate/pass/clamp_conversions.h"

#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "gate/writer.h"

/* 3 floats, 4 integers whose type and conversion have a sign or not, scalars and vectors */
#define MAX_LIMITS 192u
#define LARGEST_HALF 65504.0
#define MAX_COMPONENTS 4u

/* The limits of conversions from a type of floats to a type of integers. Constants are ids. */
struct limits {
	uint32_t type, result;
	bool is_signed;
	uint32_t low, high;		/* floats */
	uint32_t least, largest;	/* integers past the limits; 0: those are exact */
};

struct conversions {
	struct gate *g;
	struct spirv_out writer;
	uint32_t glsl;			/* the instruction set; 0: not imported */
	uint32_t booleans[MAX_COMPONENTS];	/* the types of so many and one; 0: none yet */
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

static uint32_t n_components(struct gate *g, uint32_t type)
{
	return gate_id(g, type)->op == SpvOpTypeVector ? gate_id(g, type)->b : 1;
}

/* Returns the limits of a conversion; NULL: there are too many. */
static struct limits *limits_of(struct conversions *c, const uint32_t *in)
{
	const uint32_t type = gate_id(c->g, in[3])->type;
	const bool is_signed = spirv_op(in) == SpvOpConvertFToS;
	struct limits *limits = c->limits;

	for (; limits < c->limits + c->n_limits; limits++)
		if (limits->type == type && limits->result == in[1] &&
		    limits->is_signed == is_signed)
			return limits;
	if (c->n_limits == MAX_LIMITS)
		return NULL;
	c->n_limits++;
	*limits = (struct limits){ .type = type, .result = in[1], .is_signed = is_signed };
	return limits;
}

static bool look(struct conversions *c)
{
	for (uint32_t at = SPIRV_HEADER_WORDS; at < c->g->words;
	     at += spirv_words(c->g->code + at)) {
		const uint32_t *in = gate_look(c->g, at);

		if (spirv_op(in) == SpvOpExtInstImport)
			c->glsl = in[1];	/* scan.c allows one instruction set */
		if (spirv_op(in) == SpvOpTypeBool)
			c->booleans[0] = in[1];
		if (spirv_op(in) == SpvOpTypeVector && in[2] == c->booleans[0] &&
		    in[3] <= MAX_COMPONENTS)
			c->booleans[in[3] - 1] = in[1];
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

static uint32_t write_integer(struct conversions *c, uint32_t type, uint64_t value)
{
	const uint32_t bits = gate_id(c->g, type)->a, id = spirv_new_id(&c->writer);
	const bool is_signed = gate_id(c->g, type)->b;

	if (bits == 64)
		SPIRV_EMIT(&c->writer, SpvOpConstant, type, id, (uint32_t)value,
			   (uint32_t)(value >> 32));
	else if (is_signed)	/* narrow numbers are extended to a word */
		SPIRV_EMIT(&c->writer, SpvOpConstant, type, id,
			   (uint32_t)((int32_t)((uint32_t)value << (32 - bits)) >> (32 - bits)));
	else
		SPIRV_EMIT(&c->writer, SpvOpConstant, type, id,
			   (uint32_t)value & UINT32_MAX >> (32 - bits));
	return id;
}

/* Writes a constant of @type, a number or a vector, whose components are @number. */
static uint32_t write_composite(struct conversions *c, uint32_t type, uint32_t number)
{
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

static uint32_t write_floats(struct conversions *c, uint32_t type, double value)
{
	return write_composite(c, type, write_number(c, component_of(c->g, type), value));
}

static uint32_t write_integers(struct conversions *c, uint32_t type, uint64_t value)
{
	return write_composite(c, type, write_integer(c, component_of(c->g, type), value));
}

/* Writes the type of @n booleans unless the module has it. */
static void need_booleans(struct conversions *c, uint32_t n)
{
	if (!c->booleans[0]) {
		c->booleans[0] = spirv_new_id(&c->writer);
		SPIRV_EMIT(&c->writer, SpvOpTypeBool, c->booleans[0]);
	}
	if (!c->booleans[n - 1]) {
		c->booleans[n - 1] = spirv_new_id(&c->writer);
		SPIRV_EMIT(&c->writer, SpvOpTypeVector, c->booleans[n - 1], c->booleans[0], n);
	}
}

static void write_limits(struct conversions *c, struct limits *limits)
{
	const uint32_t width = gate_id(c->g, component_of(c->g, limits->type))->a;
	const uint32_t bits = gate_id(c->g, component_of(c->g, limits->result))->a;
	const uint32_t precision = width == 64 ? 53 : width == 32 ? 24 : 11;
	const uint32_t exponent = bits - limits->is_signed;
	const double least = limits->is_signed ? -(double)(1ull << exponent) : 0;
	double high = largest_below(exponent, precision), low = least;

	if (width == 16 && high > LARGEST_HALF)
		high = LARGEST_HALF;
	if (width == 16 && low < -LARGEST_HALF)
		low = -LARGEST_HALF;
	limits->low = write_floats(c, limits->type, low);
	limits->high = write_floats(c, limits->type, high);
	if (exponent > precision)
		limits->largest = write_integers(c, limits->result, UINT64_MAX >> (64 - exponent));
	if (low > least)
		limits->least = write_integers(c, limits->result, 1ull << exponent);
	if (limits->largest || limits->least)
		need_booleans(c, n_components(c->g, limits->type));
}

/* Writes the choice between @value and @other, which replaces @value where @in is past @limit. */
static void write_choice(struct conversions *c, const uint32_t *in, uint32_t op, uint32_t limit,
			 uint32_t id, uint32_t other, uint32_t value)
{
	const uint32_t past = spirv_new_id(&c->writer);
	const uint32_t n = n_components(c->g, in[1]);

	SPIRV_EMIT(&c->writer, op, c->booleans[n - 1], past, in[3], limit);
	SPIRV_EMIT(&c->writer, SpvOpSelect, in[1], id, past, other, value);
}

static void write_conversion(struct conversions *c, const uint32_t *in)
{
	const struct limits *limits = limits_of(c, in);
	const uint32_t clamped = spirv_new_id(&c->writer);
	const bool above = limits->largest, below = limits->least;
	const uint32_t value = above || below ? spirv_new_id(&c->writer) : in[2];
	const uint32_t middle = above && below ? spirv_new_id(&c->writer) : value;

	SPIRV_EMIT(&c->writer, SpvOpExtInst, limits->type, clamped, c->glsl, GLSLstd450NClamp,
		   in[3], limits->low, limits->high);
	SPIRV_EMIT(&c->writer, spirv_op(in), in[1], value, clamped);
	if (below)
		write_choice(c, in, SpvOpFOrdLessThan, limits->low, above ? middle : in[2],
			     limits->least, value);
	if (above)
		write_choice(c, in, SpvOpFOrdGreaterThan, limits->high, in[2], limits->largest,
			     middle);
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
