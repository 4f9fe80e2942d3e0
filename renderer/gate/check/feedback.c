// SPDX-License-Identifier: MIT
/*
 * Checks transform feedback for gate_reflect(), see gate.h.
 *
 * llvmpipe checks that the strides of a primitive's vertices fit into the rest of a buffer, then
 * writes at any offset. So each output must be inside the stride of its buffer, and a buffer has
 * one stride. The host's tables have a fixed number of buffers and of outputs.
 */
#include "gate/check/feedback.h"

#include <spirv/unified1/spirv.h>

#include "gate/check/member.h"
#include "gate/spirv_info.h"

#define MAX_OUTPUTS 128u		/* of the host's table */
#define WIDE_ALIGN 8u			/* bytes; of types that contain a number of 64 bits */

/* The captured form of a type. */
struct capture {
	uint64_t bytes;		/* to the end of its last number; saturates at GATE_TOO_LARGE */
	uint64_t outputs;	/* entries of the host's table; saturates, too */
	bool wide;		/* it contains a number of 64 bits */
};

/* Where an output is captured; GATE_NOT_SET: it lacks the decoration. */
struct place {
	uint32_t buffer, stride, offset;
};

static uint64_t saturate(uint64_t n)
{
	return n < GATE_TOO_LARGE ? n : GATE_TOO_LARGE;
}

static uint64_t align_up(uint64_t bytes)
{
	return (bytes + WIDE_ALIGN - 1) / WIDE_ALIGN * WIDE_ALIGN;
}

/*
 * Returns @n captured elements: an element that contains a number of 64 bits begins at a multiple
 * of 8 bytes, and no bytes follow the last one.
 */
static struct capture repeat(struct capture part, uint32_t n)
{
	const uint64_t begin = part.wide ? align_up(part.bytes) : part.bytes;

	if (!n)
		return (struct capture){ .wide = part.wide };
	part.bytes = saturate(gate_times(saturate(begin), n - 1) + part.bytes);
	part.outputs = gate_times(part.outputs, n);
	return part;
}

/*
 * Returns the captured form of a type, as the host computes it in add_var_xfb_outputs(): numbers
 * follow each other, and each member or element that contains a number of 64 bits is aligned to 8
 * bytes. Its bytes are GATE_TOO_LARGE if it cannot be captured.
 */
static struct capture capture_of(struct gate *g, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);
	struct capture all = { 0 }, part;

	switch (type->op) {
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		return (struct capture){ type->a / 8, 1, type->a == 64 };
	case SpvOpTypeVector:
		part = capture_of(g, type->a);
		part.bytes *= type->b;
		/* The host has an entry for each four words. */
		part.outputs = part.bytes > 16 ? 2 : 1;
		return part;
	case SpvOpTypeMatrix:
		return repeat(capture_of(g, type->a), type->b);
	case SpvOpTypeArray:
		return repeat(capture_of(g, type->a), gate_id(g, type->b)->a);
	case SpvOpTypeStruct:
		for (uint32_t i = 0; i < type->n_members; i++) {
			part = capture_of(g, type->members[i]);
			if (part.wide)
				all.bytes = align_up(all.bytes);
			all.bytes = saturate(all.bytes + part.bytes);
			all.outputs = saturate(all.outputs + part.outputs);
			all.wide |= part.wide;
		}
		return all;
	default:
		return (struct capture){ .bytes = GATE_TOO_LARGE };
	}
}

/* Checks an output at its offset within the stride. */
static bool check_offset(struct gate *g, uint32_t type_id, const struct place *at)
{
	const struct capture capture = capture_of(g, type_id);

	if (at->offset % (capture.wide ? WIDE_ALIGN : 4) || at->offset > at->stride ||
	    capture.bytes > at->stride - at->offset)
		return gate_refuse(g, "transform feedback: %llu bytes at Offset %u are not "
				   "aligned, or exceed XfbStride %u",
				   (unsigned long long)capture.bytes, at->offset, at->stride);
	g->feedback_outputs += capture.outputs;
	return g->feedback_outputs <= MAX_OUTPUTS ||
	       gate_refuse(g, "transform feedback captures more than %u scalars and vectors",
			   MAX_OUTPUTS);
}

/* Checks an output, and records its buffer. Without a buffer or an offset it is not captured. */
static bool check_output(struct gate *g, uint32_t type_id, const struct place *at)
{
	uint32_t *stride;

	if (at->buffer == GATE_NOT_SET || at->offset == GATE_NOT_SET)
		return true;
	if (g->cmd->stage == SUNDOG_STAGE_FRAGMENT || g->cmd->stage == SUNDOG_STAGE_TESS_CTRL ||
	    g->cmd->stage == SUNDOG_STAGE_MESH)
		return gate_refuse(g, "transform feedback is not supported in execution model %s",
				   gate_stage_name(g->cmd->stage));
	if (at->buffer >= SUNDOG_MAX_FEEDBACK_BUFFERS || !at->stride || at->stride % 4 ||
	    at->stride > SUNDOG_MAX_FEEDBACK_STRIDE)
		return gate_refuse(g, "XfbBuffer %u with XfbStride %u: buffers are below %u, "
				   "strides multiples of 4 up to %u", at->buffer, at->stride,
				   SUNDOG_MAX_FEEDBACK_BUFFERS, SUNDOG_MAX_FEEDBACK_STRIDE);
	stride = &g->feedback_strides[at->buffer];
	if (*stride && *stride != at->stride)
		return gate_refuse(g, "XfbBuffer %u has XfbStride %u and %u", at->buffer, *stride,
				   at->stride);
	*stride = at->stride;
	return check_offset(g, type_id, at);
}

static uint32_t member_value(const struct gate *g, uint32_t type_id, uint32_t member,
			     uint32_t decoration)
{
	const struct gate_member *own = gate_member_find(g, type_id, member, decoration);

	return own ? own->value : GATE_NOT_SET;
}

/* A decoration of the variable applies to all members of its block, and has precedence. */
static bool check_block(struct gate *g, const struct gate_id *var, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);
	struct place at;

	for (uint32_t i = 0; i < type->n_members; i++) {
		at = (struct place){ var->xfb_buffer, var->xfb_stride, var->offset };
		if (at.buffer == GATE_NOT_SET)
			at.buffer = member_value(g, type_id, i, SpvDecorationXfbBuffer);
		if (at.stride == GATE_NOT_SET)
			at.stride = member_value(g, type_id, i, SpvDecorationXfbStride);
		if (at.offset == GATE_NOT_SET)
			at.offset = member_value(g, type_id, i, SpvDecorationOffset);
		if (!check_output(g, type->members[i], &at))
			return false;
	}
	return true;
}

/*
 * Each block of an array, or of arrays of arrays, is captured into the buffer after that of the
 * previous block. The limit of buffers bounds the number of blocks.
 */
static bool check_blocks(struct gate *g, const struct gate_id *var, uint32_t type_id, uint64_t n)
{
	const struct gate_id *type = gate_id(g, type_id);
	struct place at;

	for (uint32_t i = 0; i < type->n_members; i++) {
		at = (struct place){ var->xfb_buffer, var->xfb_stride,
				     member_value(g, type_id, i, SpvDecorationOffset) };
		if (at.buffer == GATE_NOT_SET || at.offset == GATE_NOT_SET)
			continue;
		for (uint64_t k = 0; k < n; k++, at.buffer++)
			if (!check_output(g, type->members[i], &at))
				return false;
	}
	return true;
}

bool gate_feedback(struct gate *g, const struct gate_id *var, uint32_t type_id)
{
	const struct place at = { var->xfb_buffer, var->xfb_stride, var->offset };
	const struct gate_id *type = gate_id(g, type_id);
	uint32_t element = type_id;
	uint64_t n = 1;

	/* The host takes it for that of the variable. */
	if (type->offset != GATE_NOT_SET)
		return gate_refuse(g, "Offset %u decorates a type: only variables and members may "
				   "have one", type->offset);
	while (gate_id(g, element)->op == SpvOpTypeArray) {
		n = gate_times(n, gate_id(g, gate_id(g, element)->b)->a);
		element = gate_id(g, element)->a;
	}
	if (gate_id(g, element)->op != SpvOpTypeStruct || !gate_id(g, element)->block)
		return check_output(g, type_id, &at);
	return type->op == SpvOpTypeArray ? check_blocks(g, var, element, n) :
					    check_block(g, var, element);
}
