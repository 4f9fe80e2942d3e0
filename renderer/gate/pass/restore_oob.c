// SPDX-License-Identifier: MIT
/*
 * Part of pass "robust-access" of the gate, see gate.h: lets out-of-bounds indices of storage
 * buffers stay out of bounds.
 *
 * SPIRV-Tools clamps such an index to the last element, and a negative index to 0. Here an index is
 * unsigned. In an array at the end of a storage buffer, which has as many elements as are bound, it
 * is clamped to the element after the last one and after one that may be bound in part. That
 * element is out of bounds, where the host reads zero and drops writes (robustBufferAccess2). If it
 * did not, the access would hit memory right behind the buffer, which belongs to the same client.
 *
 * SPIRV-Tools adds SClamp(i, 0, b) for an index i, which becomes UClamp. For such an array b is
 * UMin(a, the largest signed number), a = count - 1, and count = OpArrayLength, converted if i has
 * more bits; a becomes count + 1. If i is a constant and its element ends within 31 bits, behind
 * all members in front of the array, i stays and b becomes i: the host's compiler then sees a
 * constant offset and needs no length. No instruction gets more words.
 */
#include "gate/pass/restore_oob.h"

#include <stdlib.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "spirv/operands.h"

struct oob {
	uint32_t *code;
	uint32_t bound;
	uint32_t *at;	/* word of the defining instruction, 0: none */
	uint32_t first;			/* the first id that SPIRV-Tools added */
	/* The largest ArrayStride, the largest Offset of a member. */
	uint32_t stride, offset;
};

static uint32_t *definition(const struct oob *b, uint32_t id, uint32_t op)
{
	uint32_t *in = id < b->bound && b->at[id] ? b->code + b->at[id] : NULL;

	return in && (*in & 0xffff) == op ? in : NULL;
}

/* Returns an instruction of opcode @op that SPIRV-Tools added; NULL: @id is another one. */
static uint32_t *added(const struct oob *b, uint32_t id, uint32_t op)
{
	return id >= b->first ? definition(b, id, op) : NULL;
}

static bool is_length(const struct oob *b, uint32_t id)
{
	const uint32_t *wide = added(b, id, SpvOpUConvert);

	return added(b, wide ? wide[3] : id, SpvOpArrayLength);
}

/*
 * Returns the operand of a UMin that is a length minus one; NULL: it has none, or raise_limit() has
 * changed it.
 */
static uint32_t *last_of_length(const struct oob *b, const uint32_t *min)
{
	for (uint32_t word = 5; word < 7; word++) {
		uint32_t *less = added(b, min[word], SpvOpISub);

		if (less && is_length(b, less[3]))
			return less;
	}
	return NULL;
}

/* Returns true if the byte offsets of an element at a constant index fit into 31 bits. */
static bool is_near(const struct oob *b, uint32_t id)
{
	const uint32_t *constant = definition(b, id, SpvOpConstant);

	return constant && *constant >> 16 == 4 &&
	       ((uint64_t)constant[3] + 1) * b->stride + b->offset <= INT32_MAX;
}

/*
 * Changes a length minus one to the length plus one. Ranges end at 31 bits, and a stride plus the
 * offsets in an element must not need more than 32 bits. If they do, the limit is the length: then
 * all indices out of bounds select the element that may be bound in part.
 */
static void raise_limit(const struct oob *b, uint32_t *last)
{
	const bool fits = (uint64_t)b->stride + b->offset <= INT32_MAX;

	last[0] = (fits ? SpvOpIAdd : SpvOpBitwiseOr) | 5 << SpvWordCountShift;
	if (!fits)
		last[4] = last[3];
}

static void restore_index(const struct oob *b, uint32_t *clamp)
{
	/* The limit of the elements, if it is known. */
	uint32_t *least = added(b, clamp[7], SpvOpExtInst), *last = NULL;

	clamp[4] = GLSLstd450UClamp;
	if (least && least[4] == GLSLstd450UMin)
		last = last_of_length(b, least);
	if (last && is_near(b, clamp[5]))
		clamp[7] = clamp[5];
	else if (last)
		raise_limit(b, last);
}

bool gate_restore_oob(struct gate *g, uint32_t first)
{
	struct oob b = { .code = g->owned, .bound = g->code[3], .first = first };

	b.at = calloc(b.bound, sizeof(*b.at));
	if (!b.at)
		return gate_refuse(g, "out of memory");
	for (uint32_t at = 5; at < g->words; at += b.code[at] >> 16) {
		const uint32_t *in = b.code + at, id = spirv_result(in);

		if (id && id < b.bound)
			b.at[id] = at;
		if ((*in & 0xffff) == SpvOpDecorate && in[2] == SpvDecorationArrayStride &&
		    in[3] > b.stride)
			b.stride = in[3];
		if ((*in & 0xffff) == SpvOpMemberDecorate && in[3] == SpvDecorationOffset &&
		    in[4] > b.offset)
			b.offset = in[4];
	}
	for (uint32_t id = first; id < b.bound; id++) {
		uint32_t *in = added(&b, id, SpvOpExtInst);

		if (in && in[4] == GLSLstd450SClamp)
			restore_index(&b, in);
	}
	free(b.at);
	return true;
}
