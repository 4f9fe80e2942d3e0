// SPDX-License-Identifier: MIT
/*
 * Pass "rotations" of the gate, see gate.h: shuffles by a distance become rotations, and rotations
 * stay in the subgroup.
 *
 * lavapipe extracts an element of a vector at the invocation's number plus or minus the distance,
 * even if that is beyond its ends. It does so in rotations, too, if clusters are larger than the
 * subgroup. A rotation of a subgroup wraps around: it has the result of the shuffle if the other
 * invocation exists, and the value of another invocation if the result of the shuffle is undefined.
 */
#include "gate/pass/bound_rotations.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "gate/spirv_info.h"
#include "gate/writer.h"

#define VALUE 4				/* words of the operands of all of them */
#define DISTANCE 5
#define CLUSTER 6			/* word of the cluster size, which is optional */

enum { ZERO, LAST, N_NUMBERS };		/* constants of each type */

struct rotate {
	struct gate *g;
	struct spirv_out writer;
	struct gate_numbers numbers;
};

static bool look(struct rotate *r, bool *any)
{
	struct gate *g = r->g;

	*any = false;
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;

		if (!gate_has_distance(*in & 0xffff))
			continue;
		*any = true;
		if (!gate_need_numbers(g, &r->numbers, gate_id(g, in[DISTANCE])->type))
			return gate_refuse(g, "the distance of %s is not a 32-bit integer",
					   gate_op_name(*in & 0xffff));
	}
	return true;
}

/* Returns true if a subgroup has several clusters of the size in @in. */
static bool is_part(const struct rotate *r, const uint32_t *in)
{
	const struct gate_id *size = *in >> 16 > CLUSTER ? gate_id(r->g, in[CLUSTER]) : NULL;

	return size && size->op == SpvOpConstant && size->a && !(size->a & (size->a - 1)) &&
	       size->a < r->g->caps->subgroup_size;
}

/* Modules with shuffles need not declare the extension of rotations. */
static void emit_extension(struct rotate *r)
{
	static const char name[24] = "SPV_KHR_subgroup_rotate";
	uint32_t in[1 + sizeof(name) / 4] = { 0 };

	memcpy(in + 1, name, sizeof(name));
	spirv_put_instruction(&r->writer, SpvOpExtension, in, sizeof(in) / sizeof(in[0]));
}

static void emit_rotation(struct rotate *r, const uint32_t *in)
{
	const uint32_t type = gate_id(r->g, in[DISTANCE])->type;
	const uint32_t *numbers = gate_numbers_of(&r->numbers, type);
	uint32_t distance = in[DISTANCE], bounded;

	if ((*in & 0xffff) == SpvOpGroupNonUniformShuffleUp) {
		distance = spirv_new_id(&r->writer);
		SPIRV_EMIT(&r->writer, SpvOpISub, type, distance, numbers[ZERO], in[DISTANCE]);
	}
	bounded = spirv_new_id(&r->writer);
	SPIRV_EMIT(&r->writer, SpvOpBitwiseAnd, type, bounded, distance, numbers[LAST]);
	if (is_part(r, in))
		SPIRV_EMIT(&r->writer, SpvOpGroupNonUniformRotateKHR, in[1], in[2], in[3],
			   in[VALUE], bounded, in[CLUSTER]);
	else
		SPIRV_EMIT(&r->writer, SpvOpGroupNonUniformRotateKHR, in[1], in[2], in[3],
			   in[VALUE], bounded);
}

static void rewrite(struct rotate *r)
{
	const uint32_t size = r->g->caps->subgroup_size,
		       values[N_NUMBERS] = { [ZERO] = 0, [LAST] = size ? size - 1 : 0 };
	struct gate *g = r->g;
	bool extension = false, globals = false;

	SPIRV_EMIT(&r->writer, SpvOpCapability, SpvCapabilityGroupNonUniformRotateKHR);
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at, op = *in & 0xffff;

		if (op != SpvOpCapability && !extension) {
			emit_extension(r);
			extension = true;
		}
		if (op == SpvOpFunction && !globals) {
			gate_write_numbers(&r->writer, &r->numbers, values, N_NUMBERS);
			globals = true;
		}
		if (gate_has_distance(*in & 0xffff))
			emit_rotation(r, in);
		else
			spirv_copy(&r->writer, in);
	}
}

bool gate_bound_rotations(struct gate *g)
{
	struct rotate r = { .g = g };
	bool any;

	if (!look(&r, &any))
		return false;
	if (!any)
		return true;
	gate_write_begin(&r.writer, g);
	rewrite(&r);
	return gate_write_end(&r.writer, g);
}
