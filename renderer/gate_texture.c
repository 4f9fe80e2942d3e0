// SPDX-License-Identifier: MIT
/*
 * Numbers that textures and images are read at, see gate.h. The host's code for it takes 32 bits, and does not look
 * whether it gets them.
 */
#include "gate_module.h"

#include <spirv/unified1/spirv.h>

/* Words of the first number of an instruction, and of the mask that is none; 0 mask: there is no such. */
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
		*mask = 5;
		return 4;
	case SpvOpImageSampleDrefImplicitLod:
	case SpvOpImageSampleDrefExplicitLod:
	case SpvOpImageSampleProjDrefImplicitLod:
	case SpvOpImageSampleProjDrefExplicitLod:
	case SpvOpImageGather:
	case SpvOpImageDrefGather:
		*mask = 6;
		return 4;
	case SpvOpImageQuerySizeLod:
	case SpvOpImageQueryLod:
	case SpvOpImageTexelPointer:
		return 4;
	case SpvOpImageWrite:
		*mask = 4;
		return 2;
	default:
		return 0;
	}
}

bool gate_texture_numbers(struct gate *g, const uint32_t *in)
{
	uint32_t mask;
	const uint32_t first = first_number(*in & 0xffff, &mask), words = *in >> 16;

	for (uint32_t i = first; first && i < words; i++)
		if (i != mask && gate_is_64_bit(g, gate_id(g, in[i])->type))
			return gate_refuse(g, "64 bits for a texture");
	return true;
}
