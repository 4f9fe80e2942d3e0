// SPDX-License-Identifier: MIT
/*
 * Checks push constants for gate_reflect(), see gate.h: they must be within the size that the
 * packet declares. The host bounds them, too: reads past their end return zero.
 */
#include "gate/check/push.h"

#include <spirv/unified1/spirv.h>

#include "gate/check/member.h"
#include "gate/check/type.h"

#define MAX_BLOCKS 64u	/* a shader uses one; checking each takes time for all members */

/* The layout of the matrices in a member: distance of their vectors, and whether these are rows. */
struct matrix_layout {
	uint32_t stride;
	bool by_rows;
};

/*
 * Returns the bytes from the first to the last of a type in memory; nested structs count without
 * padding.
 */
static uint64_t reach_of(struct gate *g, uint32_t type_id, const struct matrix_layout *layout)
{
	const struct gate_id *type = gate_id(g, type_id);
	uint64_t element;
	uint32_t rows;

	switch (type->op) {
	case SpvOpTypeMatrix:
		rows = gate_id(g, type->a)->b;
		element = gate_size_of(g, gate_id(g, type->a)->a) *
			  (layout->by_rows ? type->b : rows);
		return element +
		       (uint64_t)layout->stride * ((layout->by_rows ? rows : type->b) - 1);
	case SpvOpTypeArray:
		element = reach_of(g, type->a, layout);
		return element +
		       gate_times(gate_larger(element, type->stride), gate_id(g, type->b)->a - 1);
	default:
		return gate_size_of(g, type_id);
	}
}

/* Returns the offset of the end of a member. */
static uint64_t end_of(struct gate *g, uint32_t type_id, uint32_t member)
{
	const struct gate_member *offset =
		gate_member_find(g, type_id, member, SpvDecorationOffset);
	const struct gate_member *stride =
		gate_member_find(g, type_id, member, SpvDecorationMatrixStride);
	const struct matrix_layout layout = {
		.stride = stride ? stride->value : 0,
		.by_rows = gate_member_find(g, type_id, member, SpvDecorationRowMajor),
	};

	return offset ? offset->value + reach_of(g, gate_id(g, type_id)->members[member], &layout) :
			0;
}

bool gate_push_constants(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);
	uint64_t end = 0;

	if (++g->push_constants > MAX_BLOCKS)
		return gate_refuse(g, "more than %u PushConstant variables", MAX_BLOCKS);
	if (type->op != SpvOpTypeStruct)
		return gate_refuse(g, "a PushConstant variable is not of OpTypeStruct");
	/* Offsets need not ascend. */
	for (uint32_t i = 0; i < type->n_members; i++)
		end = gate_larger(end, end_of(g, type_id, i));
	return end <= g->cmd->push_size ||
	       gate_refuse(g, "push constants of %llu bytes exceed the %u bytes that are declared",
			   (unsigned long long)end, g->cmd->push_size);
}
