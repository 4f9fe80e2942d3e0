// SPDX-License-Identifier: MIT
/*
 * Pass "subgroup-barriers" of the gate, see gate.h: control barriers of subgroup scope become
 * memory barriers. Barriers that order no memory are removed.
 *
 * The invocations of a subgroup run in lockstep. llvmpipe takes such a barrier for one of the work
 * group: it suspends there, and leaves behind the invocations that do not reach it.
 */
#include "gate/pass/lower_subgroup_barriers.h"

#include <spirv/unified1/spirv.h>

#include "gate/check/group.h"
#include "gate/writer.h"

/* The ordering bits of the semantics of a barrier. */
#define ORDERS \
	(SpvMemorySemanticsAcquireMask | SpvMemorySemanticsReleaseMask | \
	 SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsSequentiallyConsistentMask)

static bool has_any(struct gate *g)
{
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16)
		if (gate_is_subgroup_barrier(g, g->code + at))
			return true;
	return false;
}

bool gate_lower_subgroup_barriers(struct gate *g)
{
	struct spirv_out writer;

	if (!has_any(g))
		return true;
	gate_write_begin(&writer, g);
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = g->code + at;

		if (!gate_is_subgroup_barrier(g, in))
			spirv_copy(&writer, in);
		else if (gate_id(g, in[3])->a & ORDERS)
			SPIRV_EMIT(&writer, SpvOpMemoryBarrier, in[2], in[3]);
	}
	return gate_write_end(&writer, g);
}
