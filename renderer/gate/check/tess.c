// SPDX-License-Identifier: MIT
/*
 * Checks tessellation shaders for gate_reflect(), and implements pass "tess-barriers" of the gate,
 * see gate.h.
 *
 * llvmpipe has room for 32 vertices of a patch, in and out, and does not check their indices. These
 * were clamped to the declared arrays, so the arrays have at most that length. At a barrier, each
 * four invocations save their live values in memory of their own, which is freed only if all
 * invocations end after the same number of barriers.
 */
#include "gate/check/tess.h"

#include <spirv/unified1/spirv.h>

#include "gate/check/mode.h"

bool gate_tess_mode(struct gate *g, uint32_t mode, uint32_t value)
{
	struct gate_tess *tess = &g->tess;

	switch (mode) {
	case SpvExecutionModeTriangles:
	case SpvExecutionModeQuads:
	case SpvExecutionModeIsolines:
		return gate_mode_declare(g, &tess->domain, mode, mode);
	case SpvExecutionModeSpacingEqual:
	case SpvExecutionModeSpacingFractionalEven:
	case SpvExecutionModeSpacingFractionalOdd:
		return gate_mode_declare(g, &tess->spacing, mode, mode);
	case SpvExecutionModeVertexOrderCw:
	case SpvExecutionModeVertexOrderCcw:
		return gate_mode_declare(g, &tess->order, mode, mode);
	case SpvExecutionModeOutputVertices:
		return gate_mode_declare(g, &tess->vertices, value, mode);
	case SpvExecutionModePointMode:
		tess->points = true;
		return true;
	default:
		return true;
	}
}

static bool is_of_the_patch(const struct gate_id *var)
{
	switch (var->builtin) {
	case SpvBuiltInPrimitiveId:
	case SpvBuiltInInvocationId:
	case SpvBuiltInViewIndex:
	case SpvBuiltInPatchVertices:
	case SpvBuiltInTessCoord:
	case SpvBuiltInTessLevelOuter:
	case SpvBuiltInTessLevelInner:
		return true;
	default:
		return var->patch;
	}
}

uint32_t gate_tess_vertices(struct gate *g, const struct gate_id *var, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	if (is_of_the_patch(var))
		return type_id;
	if (type->op == SpvOpTypeArray && gate_id(g, type->b)->a <= g->caps->max_patch_vertices)
		return type->a;
	gate_refuse(g, "a variable has neither Patch nor an array of at most %u vertices",
		    g->caps->max_patch_vertices);
	return 0;
}

bool gate_tess_ok(struct gate *g)
{
	const struct gate_tess *tess = &g->tess;

	if (tess->vertices > g->caps->max_patch_vertices)
		return gate_refuse(g, "OutputVertices %u exceeds the limit %u", tess->vertices,
				   g->caps->max_patch_vertices);
	if (g->cmd->stage == SUNDOG_STAGE_TESS_CTRL)
		return tess->vertices ||
		       gate_refuse(g, "OutputVertices is missing");
	return (tess->domain && tess->spacing && tess->order) ||
	       gate_refuse(g, "the domain, the spacing or the vertex order is missing");
}

uint32_t gate_tess_output_vertices(const struct gate *g)
{
	if (g->tess.points)
		return 1;
	return g->tess.domain == SpvExecutionModeIsolines ? 2 : 3;
}

/*
 * A walk through the blocks that all invocations pass, once each. Such a block branches to the next
 * one, or opens a construct whose merge block is the next one. Blocks are in an order in which each
 * dominator precedes the blocks that it dominates.
 */
struct walk {
	uint32_t next;				/* label of the next such block */
	uint32_t merge;	/* merge block of the construct that the current block opens */
	uint32_t passed;	/* number of such blocks so far, with the current one */
	uint32_t owner;				/* the last such block up to the current one */
	uint32_t barrier;			/* the last such block with a barrier, 0: none */
	uint32_t returned;	/* the first such block after which some invocations return */
	bool in_entry, first, common;
};

static void enter_block(struct gate *g, struct walk *w, uint32_t label)
{
	w->common = w->in_entry && (w->first || label == w->next);
	w->passed += w->common;
	w->owner = w->common ? w->passed : gate_id(g, label)->construct;
	w->first = false;
	w->merge = 0;
}

/*
 * Assigns an owner to the labels that a block names, unless an earlier block did. Literals may be
 * among them, which can only make the check stricter.
 */
static void own_blocks(struct gate *g, const struct walk *w, const uint32_t *labels, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!gate_id(g, labels[i])->construct)
			gate_id(g, labels[i])->construct = w->owner;
}

static void leave_block(struct gate *g, struct walk *w, const uint32_t *in, uint32_t first)
{
	own_blocks(g, w, in + first, (*in >> 16) - first);
	if (w->common)
		w->next = w->merge || first > 1 ? w->merge : in[1];
}

static void walk_merge(struct gate *g, struct walk *w, const uint32_t *in, uint32_t labels)
{
	own_blocks(g, w, in + 1, labels);
	w->merge = in[1];
}

bool gate_tess_barriers(struct gate *g)
{
	struct walk w = { .returned = UINT32_MAX };

	if (g->cmd->stage != SUNDOG_STAGE_TESS_CTRL)
		return true;
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at);

		switch (*in & 0xffff) {
		case SpvOpFunction:
			w.in_entry = w.first = in[2] == g->entry;
			break;
		case SpvOpLabel:
			enter_block(g, &w, in[1]);
			break;
		case SpvOpSelectionMerge:
			walk_merge(g, &w, in, 1);
			break;
		case SpvOpLoopMerge:
			/* A barrier before OpLoopMerge is part of the loop. */
			if (w.common && w.barrier == w.passed)
				return gate_refuse(
					g, "not all invocations reach the same OpControlBarrier");
			walk_merge(g, &w, in, 2);
			break;
		case SpvOpBranch:
			leave_block(g, &w, in, 1);
			break;
		case SpvOpBranchConditional:
		case SpvOpSwitch:
			leave_block(g, &w, in, 2);
			break;
		case SpvOpReturn:
		case SpvOpUnreachable:
			if (w.in_entry && !w.common && w.owner < w.returned)
				w.returned = w.owner;
			break;
		case SpvOpControlBarrier:
			if (!w.common)
				return gate_refuse(
					g, "not all invocations reach the same OpControlBarrier");
			w.barrier = w.passed;
		}
	}
	return w.returned >= w.barrier ||
	       gate_refuse(g, "not all invocations reach the same OpControlBarrier");
}
