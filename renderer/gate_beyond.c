// SPDX-License-Identifier: MIT
/*
 * Indices that are beyond what there is, see gate.h.
 *
 * SPIRV-Tools clamps them to the last element, and negative ones to the first. Here none is negative, and one of an
 * array at the end of a storage buffer, which has as many elements as are bound, is clamped to that behind the last, and
 * behind the one that may be bound in part. It is outside of what is bound, where the host reads zero and writes nothing
 * (robustBufferAccess2); where it did not, it would be memory right behind, of this client.
 *
 * What SPIRV-Tools adds for an index i is SClamp(i, 0, b), which becomes UClamp. For such an array b is UMin(a, the
 * largest number with a sign), a = count - 1, and count = OpArrayLength, converted if i has more bits; a becomes
 * count + 1. A constant i whose element ends where 31 bits reach, behind all members in front of it, stays what it
 * is, b becomes i: the host's compiler sees where it is, and asks nobody for a length. No instruction has more words
 * than before.
 */
#include "gate_module.h"

#include <stdlib.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

struct beyond {
	uint32_t *code;
	uint32_t bound;
	uint32_t *at;			/* where each id's instruction is, 0: it has none that matters here */
	uint32_t first;			/* id that was not the program's */
	uint32_t stride, offset;	/* the longest one of an array, the largest one of a member */
};

static uint32_t *definition(const struct beyond *b, uint32_t id, uint32_t op)
{
	uint32_t *in = id < b->bound && b->at[id] ? b->code + b->at[id] : NULL;

	return in && (*in & 0xffff) == op ? in : NULL;
}

/* Where it is, if it was added. */
static uint32_t *added(const struct beyond *b, uint32_t id, uint32_t op)
{
	return id >= b->first ? definition(b, id, op) : NULL;
}

static bool is_length(const struct beyond *b, uint32_t id)
{
	const uint32_t *wide = added(b, id, SpvOpUConvert);

	return added(b, wide ? wide[3] : id, SpvOpArrayLength);
}

/* The operand of an UMin that is a length less one; NULL: it has none, or was put behind the last before. */
static uint32_t *last_of_length(const struct beyond *b, const uint32_t *min)
{
	for (uint32_t word = 5; word < 7; word++) {
		uint32_t *less = added(b, min[word], SpvOpISub);

		if (less && is_length(b, less[3]))
			return less;
	}
	return NULL;
}

/* No offset of an element at a constant index, in bytes, is one that 32 bits do not have, with a sign or without. */
static bool is_near(const struct beyond *b, uint32_t id)
{
	const uint32_t *constant = definition(b, id, SpvOpConstant);

	return constant && *constant >> 16 == 4 && ((uint64_t)constant[3] + 1) * b->stride + b->offset <= INT32_MAX;
}

/*
 * What is a length less one becomes that and one more. Ranges end where 31 bits reach, and with a stride and what is in
 * an element there must not be more than 32 bits have: else it is just the length, and what is in part all others, too.
 */
static void put_behind(const struct beyond *b, uint32_t *last)
{
	const bool fits = (uint64_t)b->stride + b->offset <= INT32_MAX;

	last[0] = (fits ? SpvOpIAdd : SpvOpBitwiseOr) | 5 << SpvWordCountShift;
	if (!fits)
		last[4] = last[3];
}

static void reach_beyond(const struct beyond *b, uint32_t *clamp)
{
	uint32_t *least = added(b, clamp[7], SpvOpExtInst), *last = NULL;	/* of the elements, if it is known */

	clamp[4] = GLSLstd450UClamp;
	if (least && least[4] == GLSLstd450UMin)
		last = last_of_length(b, least);
	if (last && is_near(b, clamp[5]))
		clamp[7] = clamp[5];
	else if (last)
		put_behind(b, last);
}

static uint32_t result_of(const uint32_t *in)
{
	switch (*in & 0xffff) {
	case SpvOpArrayLength:
	case SpvOpConstant:
	case SpvOpUConvert:
	case SpvOpISub:
	case SpvOpExtInst:
		return in[2];
	default:
		return 0;
	}
}

bool gate_reach_beyond(struct gate *g, uint32_t first)
{
	struct beyond b = { .code = g->owned, .bound = g->code[3], .first = first };

	b.at = calloc(b.bound, sizeof(*b.at));
	if (!b.at)
		return gate_refuse(g, "out of memory");
	for (uint32_t at = 5; at < g->words; at += b.code[at] >> 16) {
		const uint32_t *in = b.code + at, id = result_of(in);

		if (id && id < b.bound)
			b.at[id] = at;
		if ((*in & 0xffff) == SpvOpDecorate && in[2] == SpvDecorationArrayStride && in[3] > b.stride)
			b.stride = in[3];
		if ((*in & 0xffff) == SpvOpMemberDecorate && in[3] == SpvDecorationOffset && in[4] > b.offset)
			b.offset = in[4];
	}
	for (uint32_t id = first; id < b.bound; id++) {
		uint32_t *in = added(&b, id, SpvOpExtInst);

		if (in && in[4] == GLSLstd450SClamp)
			reach_beyond(&b, in);
	}
	free(b.at);
	return true;
}
