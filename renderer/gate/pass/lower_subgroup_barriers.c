// SPDX-License-Identifier: MIT
/*
 * Pass "subgroup-barriers" of the gate, see gate.h: control barriers of subgroup scope become
 * memory barriers. Barriers that order no memory are removed.
 *
 * The invocations of a subgroup run in lockstep. llvmpipe takes such a barrier for one of the work
 * group: it suspends there, and leaves behind the invocations that do not reach it.
 */
#include "gate/writer.h"

#include <spirv/unified1/spirv.h>

/* The ordering bits of the semantics of a barrier. */
#define ORDERS \
	(SpvMemorySemanticsAcquireMask | SpvMemorySemanticsReleaseMask | \
	 SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsSequentiallyConsistentMask)

bool gate_is_subgroup_barrier(struct gate *g, const uint32_t *in)
{
	const struct gate_id *scope;

	if ((*in & 0xffff) != SpvOpControlBarrier)
		return false;
	scope = gate_id(g, in[1]);
	return scope->op == SpvOpConstant && scope->a == SpvScopeSubgroup &&
	       (g->cmd->stage == SUNDOG_STAGE_COMPUTE || g->cmd->stage == SUNDOG_STAGE_FRAGMENT);
}

static bool has_any(struct gate *g)
{
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16)
		if (gate_is_subgroup_barrier(g, g->code + at))
			return true;
	return false;
}

bool gate_free_subgroups(struct gate *g)
{
	struct gate_writer writer;

	if (!has_any(g))
		return true;
	gate_write_begin(&writer, g);
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;

		if (!gate_is_subgroup_barrier(g, in))
			gate_write(&writer, in, *in >> 16);
		else if (gate_id(g, in[3])->a & ORDERS)
			GATE_WRITE(&writer, SpvOpMemoryBarrier, in[2], in[3]);
	}
	return gate_write_end(&writer, g);
}
