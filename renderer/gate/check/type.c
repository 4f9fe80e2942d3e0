// SPDX-License-Identifier: MIT
/*
 * Computes sizes of types, see type.h. gate_scan() has recorded the types, and bounds their depth.
 */
#include "gate/check/type.h"

#include <spirv/unified1/spirv.h>

/* Of a device address; pointer.c allows no other pointers in variables. */
#define ADDRESS_BYTES 8u

uint32_t gate_number_bits(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	while (type->op == SpvOpTypeArray || type->op == SpvOpTypeMatrix ||
	       type->op == SpvOpTypeVector)
		type = gate_id(g, type->a);
	return type->op == SpvOpTypeInt || type->op == SpvOpTypeFloat ? type->a : 0;
}

uint64_t gate_size_of(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);
	uint64_t total = 0;

	switch (type->op) {
	case SpvOpTypeBool:
		return 4;
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		return type->a / 8;
	case SpvOpTypePointer:
		return ADDRESS_BYTES;
	case SpvOpTypeVector:
	case SpvOpTypeMatrix:
		return gate_size_of(g, type->a) * type->b;
	case SpvOpTypeArray:
		/* The host ignores strides of memory that has no explicit layout. */
		return gate_times(gate_larger(gate_size_of(g, type->a), type->stride),
				  gate_id(g, type->b)->a);
	case SpvOpTypeStruct:
		for (uint32_t i = 0; i < type->n_members && total < GATE_TOO_LARGE; i++)
			total += gate_size_of(g, type->members[i]);
		return total;
	default:
		return GATE_TOO_LARGE;
	}
}

uint64_t gate_stack_size(struct gate *g, uint32_t type_id)
{
	return gate_larger(gate_size_of(g, type_id), 4 * (uint64_t)gate_id(g, type_id)->parts);
}
