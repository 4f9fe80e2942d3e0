// SPDX-License-Identifier: MIT
/*
 * Checks work groups (local size, shared memory, barriers) for gate_reflect(), and implements pass
 * "group-size" of the gate, see gate.h.
 *
 * llvmpipe does not check accesses to shared memory. It has the declared size, and indices are
 * clamped to that. At a barrier, each subgroup saves its live values in one allocation for all
 * subgroups, whose size is computed in 32 bits.
 */
#include "gate/check/group.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "gate/check/type.h"
#include "gate/spirv_info.h"
#include "gate/writer.h"

#define SUBGROUP 8u	/* invocations for which llvmpipe saves one part of that allocation */
#define MAX_SAVED (1u << 24)		/* words and parts of values: at most 114 bytes each */

static bool is_size(const uint32_t *in, uint32_t words)
{
	return words == 6 &&
	       ((*in & 0xffff) == SpvOpExecutionMode || (*in & 0xffff) == SpvOpExecutionModeId) &&
	       (in[2] == SpvExecutionModeLocalSize || in[2] == SpvExecutionModeLocalSizeId);
}

/*
 * Stores the values of a constant vector of three numbers in @three. Returns false if it is none.
 */
static bool is_three(struct gate *g, uint32_t id, uint32_t *three)
{
	const struct gate_id *constant = gate_id(g, id);

	if (constant->op != SpvOpConstantComposite || constant->n_members != 3)
		return false;
	for (uint32_t i = 0; i < 3; i++) {
		if (gate_id(g, constant->members[i])->op != SpvOpConstant)
			return false;
		three[i] = gate_id(g, constant->members[i])->a;
	}
	return true;
}

/*
 * Stores the constant decorated WorkgroupSize in @size. @other: there is such a constant, and the
 * module has no LocalSize mode with its value.
 */
static bool find_size(struct gate *g, bool *other, uint32_t *size)
{
	const uint32_t *mode = NULL;
	uint32_t constant = 0;

	*other = false;
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at);

		if (is_size(in, *in >> 16))
			mode = in;
		if (*in != (4u << 16 | SpvOpDecorate) || in[2] != SpvDecorationBuiltIn ||
		    in[3] != SpvBuiltInWorkgroupSize)
			continue;
		if (constant)
			return gate_refuse(
				g, "two constants are decorated with BuiltIn WorkgroupSize");
		constant = in[1];
	}
	if (!constant)
		return true;
	if (!is_three(g, constant, size))
		return gate_refuse(g, "BuiltIn WorkgroupSize is not on an OpConstantComposite of "
				   "three OpConstant");
	*other = !mode || mode[2] != SpvExecutionModeLocalSize ||
		 memcmp(mode + 3, size, 3 * sizeof(*size));
	return true;
}

/*
 * Sets LocalSize to the constant decorated WorkgroupSize, which replaces the execution mode.
 * Compilers leave the mode at a default, or out, if the size is specialized.
 */
bool gate_group_set_local_size(struct gate *g, bool *changed)
{
	struct spirv_out w;
	uint32_t size[3];

	*changed = false;
	if (!gate_has_groups(g))
		return true;
	if (!find_size(g, changed, size))
		return false;
	if (!*changed)
		return true;
	gate_write_begin(&w, g);
	for (uint32_t at = 5, words; at < g->words; at += words) {
		const uint32_t *in = gate_look(g, at);

		words = *in >> 16;
		if (!is_size(in, words))
			spirv_put(&w, in, words);
		if ((*in & 0xffff) == SpvOpEntryPoint)
			SPIRV_EMIT(&w, SpvOpExecutionMode, in[2], SpvExecutionModeLocalSize,
				   size[0], size[1], size[2]);
	}
	return gate_write_end(&w, g);
}

/*
 * Returns one dimension of the local size, from a literal or a constant; UINT32_MAX: not a
 * constant.
 */
static uint32_t size_of_side(struct gate *g, const uint32_t *in, uint32_t i)
{
	const struct gate_id *constant = gate_id(g, in[3 + i]);

	if (in[2] == SpvExecutionModeLocalSize)
		return in[3 + i];
	return constant->op == SpvOpConstant ? constant->a : UINT32_MAX;
}

bool gate_group_size(struct gate *g, const uint32_t *in, uint32_t words)
{
	struct gate_group *group = &g->group;
	const uint32_t *most = g->caps->max_group_size;

	if (words < 6 || group->invocations)
		return gate_refuse(
			g,
			"LocalSize or LocalSizeId is declared twice, or has less than three sizes");
	for (uint32_t i = 0; i < 3; i++) {
		group->size[i] = size_of_side(g, in, i);
		if (group->size[i] > most[i])
			return gate_refuse(g, "local size %u of dimension %u exceeds the limit %u",
					   group->size[i], i, most[i]);
	}
	/* The host's limits are below 2^16 each, but Vulkan does not promise it. */
	group->invocations = gate_times(gate_times(group->size[0], group->size[1]), group->size[2]);
	return group->invocations <= g->caps->max_group_invocations ||
	       gate_refuse(g, "%llu invocations of a workgroup exceed the limit %u",
			   (unsigned long long)group->invocations, g->caps->max_group_invocations);
}

/*
 * The initializer may only be null, which covers all of the variable: the host fills the whole
 * size.
 */
bool gate_group_variable(struct gate *g, uint32_t type_id, const uint32_t *in, uint32_t words)
{
	if (words > 4 && gate_id(g, in[4])->op != SpvOpConstantNull)
		return gate_refuse(g,
				   "the initializer of a Workgroup variable is not OpConstantNull");
	g->group.shared_bytes += gate_size_of(g, type_id);
	return g->group.shared_bytes <= g->caps->max_shared_memory ||
	       gate_refuse(g, "Workgroup variables exceed the limit of %u bytes",
			   g->caps->max_shared_memory);
}

bool gate_is_subgroup_barrier(struct gate *g, const uint32_t *in)
{
	const struct gate_id *scope;

	if ((*in & 0xffff) != SpvOpControlBarrier)
		return false;
	scope = gate_id(g, in[1]);
	return scope->op == SpvOpConstant && scope->a == SpvScopeSubgroup &&
	       (g->cmd->stage == SUNDOG_STAGE_COMPUTE || g->cmd->stage == SUNDOG_STAGE_FRAGMENT ||
		g->cmd->stage == SUNDOG_STAGE_TASK || g->cmd->stage == SUNDOG_STAGE_MESH);
}

bool gate_group_barrier(struct gate *g, const uint32_t *in)
{
	const struct gate_id *scope = gate_id(g, in[1]);

	/* lower_subgroup_barriers.c replaces it. */
	if (gate_is_subgroup_barrier(g, in))
		return true;
	/* The host runs only these stages in a form that can be suspended and resumed. */
	if (g->cmd->stage != SUNDOG_STAGE_COMPUTE && g->cmd->stage != SUNDOG_STAGE_TESS_CTRL &&
	    g->cmd->stage != SUNDOG_STAGE_TASK && g->cmd->stage != SUNDOG_STAGE_MESH)
		return gate_refuse(g, "OpControlBarrier is not supported in execution model %s",
				   gate_stage_name(g->cmd->stage));
	if (scope->op != SpvOpConstant || scope->a != SpvScopeWorkgroup)
		return gate_refuse(
			g,
			"execution scope %s of OpControlBarrier is not supported, only Workgroup",
			gate_scope_name(scope->a));
	g->group.barriers = true;
	return true;
}

/* The host reorders invocations so that those of a quad are neighbours. */
static bool derivatives_ok(struct gate *g)
{
	const struct gate_group *group = &g->group;

	if (group->squares && (group->rows || group->size[0] % 2 || group->size[1] % 2))
		return gate_refuse(g, "DerivativeGroupQuadsKHR needs even local sizes and no "
				   "DerivativeGroupLinearKHR; they are %u by %u", group->size[0],
				   group->size[1]);
	return !group->rows || !(group->invocations % 4) ||
	       gate_refuse(g, "DerivativeGroupLinearKHR needs a multiple of 4 invocations; the "
			   "workgroup has %llu", (unsigned long long)group->invocations);
}

bool gate_group_saves(const struct gate *g, uint32_t factor)
{
	const struct gate_group *group = &g->group;

	return !group->barriers || (group->invocations + SUBGROUP - 1) / SUBGROUP * g->cost *
					   factor <= MAX_SAVED;
}

bool gate_group_ok(struct gate *g)
{
	const struct gate_group *group = &g->group;

	if (!group->invocations)
		return gate_refuse(g, "LocalSize is missing or 0");
	if (!gate_group_saves(g, 1))
		return gate_refuse(g, "OpControlBarrier: %llu invocations / %u * %llu words and "
				   "value constituents exceed %u",
				   (unsigned long long)group->invocations, SUBGROUP,
				   (unsigned long long)g->cost, MAX_SAVED);
	return derivatives_ok(g);
}
