// SPDX-License-Identifier: MIT
/* Iterates over the operands of SPIR-V instructions, see operands.h. */
#include "operands.h"

uint32_t spirv_result(const uint32_t *in)
{
	const char first = spirv_shape(spirv_op(in))->operands[0];
	const uint32_t word = first == 'T' ? 2 : 1;

	return (first == 'T' || first == 'R') && spirv_words(in) > word ? in[word] : 0;
}
