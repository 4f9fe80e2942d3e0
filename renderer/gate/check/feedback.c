// SPDX-License-Identifier: MIT
/*
 * Checks transform feedback for gate_reflect(), see gate.h.
 *
 * llvmpipe checks that the strides of a primitive's vertices fit into the rest of a buffer, then
 * writes at any offset. So each output must be inside the stride of its buffer, and a buffer has
 * one stride.
 */
#include "gate/check/feedback.h"

#include <spirv/unified1/spirv.h>

#include "gate/check/member.h"
#include "gate/check/type.h"
#include "gate/spirv_info.h"

#define MAX_OUTPUTS 64u			/* the host's table has 128 */

/*
 * Returns the bytes that are captured of a type, without padding, and counts its scalars and
 * vectors in @outputs. Returns GATE_TOO_LARGE for other types.
 */
static uint64_t captured(struct gate *g, uint32_t type_id, uint64_t *outputs)
{
	const struct gate_id *type = gate_id(g, type_id);
	uint64_t element;
	uint32_t n;

	switch (type->op) {
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		*outputs = 1;
		return type->a / 8;
	case SpvOpTypeVector:
		element = captured(g, type->a, outputs) * type->b;
		/* The host has a slot for each four words. */
		*outputs = element > 16 ? 2 : 1;
		return element;
	case SpvOpTypeMatrix:
	case SpvOpTypeArray:
		n = type->op == SpvOpTypeArray ? gate_id(g, type->b)->a : type->b;
		element = captured(g, type->a, outputs);
		*outputs = gate_times(*outputs, n);
		return gate_times(element, n);
	default:
		return GATE_TOO_LARGE;
	}
}

/* Returns true if a variable or a member of its block has an Offset: only these are captured. */
static bool is_captured(struct gate *g, const struct gate_id *var, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	while (type->op == SpvOpTypeArray)
		type = gate_id(g, type->a);
	return var->offset != GATE_NOT_SET || type->member_offsets;
}

/* Checks an output at @offset within @stride. */
static bool check_offset(struct gate *g, uint32_t type_id, uint32_t offset, uint32_t stride)
{
	uint64_t outputs = 0;
	const uint64_t size = captured(g, type_id, &outputs);

	if (offset % (gate_number_bits(g, type_id) == 64 ? 8 : 4) || offset > stride ||
	    size > stride - offset)
		return gate_refuse(g, "transform feedback: %llu bytes at Offset %u are not "
				   "aligned, or exceed XfbStride %u", (unsigned long long)size,
				   offset, stride);
	g->feedback_outputs += outputs;
	return g->feedback_outputs <= MAX_OUTPUTS ||
	       gate_refuse(g, "transform feedback captures more than %u scalars and vectors",
			   MAX_OUTPUTS);
}

/*
 * At least one member has an offset and counts as an output, so the limit of outputs bounds the
 * number of blocks.
 */
static bool check_members(struct gate *g, uint32_t type_id, uint32_t stride)
{
	const struct gate_id *type = gate_id(g, type_id);

	if (type->op != SpvOpTypeStruct)
		return gate_refuse(g, "transform feedback of members needs a variable of "
				   "OpTypeStruct, this one is %s", gate_op_name(type->op));
	for (uint32_t i = 0; i < type->n_members; i++) {
		const struct gate_member *offset =
			gate_member_find(g, type_id, i, SpvDecorationOffset);

		if (offset && !check_offset(g, type->members[i], offset->value, stride))
			return false;
	}
	return true;
}

bool gate_feedback(struct gate *g, const struct gate_id *var, uint32_t type_id)
{
	uint32_t *stride;

	/* The host takes it for that of the variable. */
	if (gate_id(g, type_id)->offset != GATE_NOT_SET)
		return gate_refuse(g, "Offset %u decorates a type: only variables and members may "
				   "have one", gate_id(g, type_id)->offset);
	if (!is_captured(g, var, type_id))
		return true;
	if (g->cmd->stage == SUNDOG_STAGE_FRAGMENT || g->cmd->stage == SUNDOG_STAGE_TESS_CTRL ||
	    g->cmd->stage == SUNDOG_STAGE_MESH)
		return gate_refuse(g, "transform feedback is not supported in execution model %s",
				   gate_stage_name(g->cmd->stage));
	if (var->xfb_buffer >= SUNDOG_MAX_FEEDBACK_BUFFERS || !var->xfb_stride ||
	    var->xfb_stride % 4 || var->xfb_stride > SUNDOG_MAX_FEEDBACK_STRIDE)
		return gate_refuse(g, "XfbBuffer %u with XfbStride %u: buffers are below %u, "
				   "strides multiples of 4 up to %u", var->xfb_buffer,
				   var->xfb_stride, SUNDOG_MAX_FEEDBACK_BUFFERS,
				   SUNDOG_MAX_FEEDBACK_STRIDE);
	stride = &g->feedback_strides[var->xfb_buffer];
	if (*stride && *stride != var->xfb_stride)
		return gate_refuse(g, "XfbBuffer %u has XfbStride %u and %u", var->xfb_buffer,
				   *stride, var->xfb_stride);
	*stride = var->xfb_stride;
	return var->offset == GATE_NOT_SET ? check_members(g, type_id, *stride) :
					     check_offset(g, type_id, var->offset, *stride);
}
