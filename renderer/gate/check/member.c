// SPDX-License-Identifier: MIT
/*
 * Pass "members" of the gate, see gate.h: a sorted list of the member decorations, so that later
 * passes do not search the module.
 */
#include "gate/check/member.h"

#include <stdlib.h>

#include <spirv/unified1/spirv.h>

/*
 * Orders decorations by type, member and decoration. The validator has refused duplicates of those
 * that place a member.
 */
static int compare(const void *va, const void *vb)
{
	const struct gate_member *a = va, *b = vb;

	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	if (a->decoration != b->decoration)
		return a->decoration < b->decoration ? -1 : 1;
	return 0;
}

bool gate_list_members(struct gate *g)
{
	uint32_t n = 0;

	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16)
		n += (g->code[at] & 0xffff) == SpvOpMemberDecorate;
	free(g->members);
	g->n_members = 0;
	g->members = malloc((n + 1) * sizeof(*g->members));
	if (!g->members)
		return gate_refuse(g, "out of memory");
	for (uint32_t at = 5; at < g->words; at += g->code[at] >> 16) {
		const uint32_t *in = gate_look(g, at);

		if ((*in & 0xffff) == SpvOpMemberDecorate)
			g->members[g->n_members++] =
				(struct gate_member){ in[1], in[2], in[3],
						      *in >> 16 > 4 ? in[4] : 0 };
	}
	qsort(g->members, n, sizeof(*g->members), compare);
	return true;
}

const struct gate_member *gate_member_find(const struct gate *g, uint32_t type_id, uint32_t member,
					   uint32_t decoration)
{
	const struct gate_member key = { type_id, member, decoration, 0 };

	return bsearch(&key, g->members, g->n_members, sizeof(key), compare);
}
