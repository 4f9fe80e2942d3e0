// SPDX-License-Identifier: MIT
/*
 * What a module says of patches, see gate.h.
 *
 * llvmpipe has room for 32 vertices of a patch, in and out, and does not look at their indices: those were clamped
 * to the arrays that are declared, so these are at most as long. At a barrier each four invocations keep what is
 * live in memory of their own, which is freed only if all of them end after the same number of barriers.
 */
#include "gate_module.h"

#include <spirv/unified1/spirv.h>

#define MAX_NESTING 64u

bool gate_tess_mode(struct gate *g, uint32_t mode, uint32_t value)
{
	struct gate_tess *tess = &g->tess;

	switch (mode) {
	case SpvExecutionModeTriangles:
	case SpvExecutionModeQuads:
	case SpvExecutionModeIsolines:
		return gate_stage_declare(g, &tess->domain, mode, mode);
	case SpvExecutionModeSpacingEqual:
	case SpvExecutionModeSpacingFractionalEven:
	case SpvExecutionModeSpacingFractionalOdd:
		return gate_stage_declare(g, &tess->spacing, mode, mode);
	case SpvExecutionModeVertexOrderCw:
	case SpvExecutionModeVertexOrderCcw:
		return gate_stage_declare(g, &tess->order, mode, mode);
	case SpvExecutionModeOutputVertices:
		return gate_stage_declare(g, &tess->vertices, value, mode);
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
	gate_refuse(g, "a variable that is neither of the patch nor of up to %u vertices", g->caps->max_patch_vertices);
	return 0;
}

bool gate_tess_ok(struct gate *g)
{
	const struct gate_tess *tess = &g->tess;

	if (tess->vertices > g->caps->max_patch_vertices)
		return gate_refuse(g, "patches of %u vertices, at most %u", tess->vertices, g->caps->max_patch_vertices);
	if (g->cmd->stage == SUNDOG_STAGE_TESS_CTRL)
		return tess->vertices || gate_refuse(g, "a control shader that does not say what comes out");
	return (tess->domain && tess->spacing && tess->order) ||
	       gate_refuse(g, "an evaluation shader without domain, spacing or order");
}

uint32_t gate_tess_output_vertices(const struct gate *g)
{
	if (g->tess.points)
		return 1;
	return g->tess.domain == SpvExecutionModeIsolines ? 2 : 3;
}

/* Constructs that are open: the labels where they end. */
struct nesting {
	uint32_t merges[MAX_NESTING], depth;
};

static bool open_construct(struct gate *g, struct nesting *n, uint32_t merge)
{
	if (n->depth == MAX_NESTING)
		return gate_refuse(g, "control flow of more than %u levels", MAX_NESTING);
	n->merges[n->depth++] = merge;
	return true;
}

bool gate_tess_barriers(struct gate *g)
{
	struct nesting n = { .depth = 0 };
	bool in_entry = false, returned = false;

	if (g->cmd->stage != SUNDOG_STAGE_TESS_CTRL)
		return true;
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;

		switch (*in & 0xffff) {
		case SpvOpFunction:
			in_entry = in[2] == g->entry;
			break;
		case SpvOpSelectionMerge:
		case SpvOpLoopMerge:
			if (!open_construct(g, &n, in[1]))
				return false;
			break;
		case SpvOpLabel:
			n.depth -= n.depth && n.merges[n.depth - 1] == in[1];
			break;
		case SpvOpReturn:
			returned |= in_entry && n.depth;
			break;
		case SpvOpControlBarrier:
			if (!in_entry || n.depth || returned)
				return gate_refuse(g, "a barrier that not all invocations come to");
		}
	}
	return true;
}
