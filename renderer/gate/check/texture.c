// SPDX-License-Identifier: MIT
/*
 * Checks the numbers at which textures and images are read or written, for gate_reflect(), see
 * gate.h. The host's code needs 32 bits, and does not check the width.
 */
#include "gate/check/texture.h"

#include <spirv/unified1/spirv.h>

#include "gate/check/type.h"

/*
 * Returns the first word with such a number and stores the word of the image operands mask in
 * @mask; 0: none.
 */
static uint32_t first_number(uint32_t op, uint32_t *mask)
{
	*mask = 0;
	switch (op) {
	case SpvOpImageSampleImplicitLod:
	case SpvOpImageSampleExplicitLod:
	case SpvOpImageSampleProjImplicitLod:
	case SpvOpImageSampleProjExplicitLod:
	case SpvOpImageFetch:
	case SpvOpImageRead:
	case SpvOpImageSparseSampleImplicitLod:
	case SpvOpImageSparseSampleExplicitLod:
	case SpvOpImageSparseFetch:
	case SpvOpImageSparseRead:
		*mask = 5;
		return 4;
	case SpvOpImageSampleDrefImplicitLod:
	case SpvOpImageSampleDrefExplicitLod:
	case SpvOpImageSampleProjDrefImplicitLod:
	case SpvOpImageSampleProjDrefExplicitLod:
	case SpvOpImageGather:
	case SpvOpImageDrefGather:
	case SpvOpImageSparseSampleDrefImplicitLod:
	case SpvOpImageSparseSampleDrefExplicitLod:
	case SpvOpImageSparseGather:
	case SpvOpImageSparseDrefGather:
		*mask = 6;
		return 4;
	case SpvOpImageSparseTexelsResident:
		return 3;
	case SpvOpImageQuerySizeLod:
	case SpvOpImageQueryLod:
	case SpvOpImageTexelPointer:
	case SpvOpImageQuerySize:
	case SpvOpImageQueryLevels:
	case SpvOpImageQuerySamples:
		return 4;
	case SpvOpImageWrite:
		*mask = 4;
		return 2;
	default:
		return 0;
	}
}

static bool is_32_bit(struct gate *g, uint32_t type)
{
	const uint32_t bits = gate_number_bits(g, type);

	return !bits || bits == 32 ||
	       gate_refuse(g,
			   "an operand or the result of an image instruction has %u bits, not 32",
			   bits);
}

/* A sparse instruction has a structure of residency and texel as its result. */
static bool result_is_32_bit(struct gate *g, uint32_t type)
{
	const struct gate_id *result = gate_id(g, type);

	if (result->op != SpvOpTypeStruct)
		return is_32_bit(g, type);
	for (uint32_t i = 0; i < result->n_members; i++)
		if (!is_32_bit(g, result->members[i]))
			return false;
	return true;
}

bool gate_texture_numbers(struct gate *g, const uint32_t *in)
{
	const uint32_t op = *in & 0xffff, words = *in >> 16;
	uint32_t mask;
	const uint32_t first = first_number(op, &mask);

	if (!first)
		return true;
	/* The result must have 32 bits, too. */
	if (op != SpvOpImageWrite && !result_is_32_bit(g, in[1]))
		return false;
	for (uint32_t i = first; i < words; i++)
		if (i != mask && !is_32_bit(g, gate_id(g, in[i])->type))
			return false;
	return true;
}
