// SPDX-License-Identifier: MIT
/*
 * Merged draws: consecutive draws without a packet between them become one host command
 * (VK_EXT_multi_draw), see merge_draws.h. Called by the decoder on the worker's main thread.
 *
 * The host records, copies and replays one command instead of many. Draws of several instances are
 * not merged, since lavapipe would draw the first instance of all of them first. Neither are draws
 * where a shader could tell the difference, nor draws that may have to be split for the host
 * (split_draw.c).
 */
#include "exec/merge_draws.h"

#include "exec/draw.h"
#include "exec/exec.h"

/* Lavapipe continues counting primitives from draw to draw. */
static bool counts_primitives(const struct shader *fragment)
{
	return fragment && fragment->primitive_id;
}

static bool may_merge(const struct exec *x, uint32_t count, uint32_t instances)
{
	const struct draw *d = &x->draw;

	return x->vk.multi_draw && count && instances == 1 && !d->restarts &&
	       !d->shaders[SUNDOG_STAGE_VERTEX]->draw_index && !d->shaders[SUNDOG_STAGE_GEOMETRY] &&
	       !d->shaders[SUNDOG_STAGE_TESS_EVAL] &&
	       !counts_primitives(d->shaders[SUNDOG_STAGE_FRAGMENT]);
}

static void add(struct exec *x, bool indexed, uint32_t first_instance,
		VkMultiDrawIndexedInfoEXT draw)
{
	struct merged_draws *j = &x->draw.merged;

	if (j->count == MAX_MERGED_DRAWS || j->indexed != indexed ||
	    j->first_instance != first_instance)
		draws_record_merged(x);
	j->indexed = indexed;
	j->first_instance = first_instance;
	j->draws[j->count++] = draw;
}

bool draw_merges(struct exec *x, const struct sundog_cmd_draw *cmd)
{
	if (!may_merge(x, cmd->vertex_count, cmd->instance_count))
		return false;
	add(x, false, cmd->first_instance,
	    (VkMultiDrawIndexedInfoEXT){ cmd->first_vertex, cmd->vertex_count, 0 });
	return true;
}

bool draw_indexed_merges(struct exec *x, const struct sundog_cmd_draw_indexed *cmd)
{
	if (!may_merge(x, cmd->index_count, cmd->instance_count))
		return false;
	add(x, true, cmd->first_instance,
	    (VkMultiDrawIndexedInfoEXT){ cmd->first_index, cmd->index_count, cmd->vertex_offset });
	return true;
}

/*
 * VkMultiDrawInfoEXT has the same first members as VkMultiDrawIndexedInfoEXT, so that one array
 * serves both.
 */
static void record_many(struct exec *x, const struct merged_draws *j)
{
	if (j->indexed)
		x->vk.CmdDrawMultiIndexedEXT(x->draw.cmd, j->count, j->draws, 1, j->first_instance,
					     sizeof(j->draws[0]), NULL);
	else
		x->vk.CmdDrawMultiEXT(x->draw.cmd, j->count, (const VkMultiDrawInfoEXT *)j->draws,
				      1, j->first_instance, sizeof(j->draws[0]));
}

static void record_one(struct exec *x, const struct merged_draws *j)
{
	const VkMultiDrawIndexedInfoEXT *one = &j->draws[0];

	if (j->indexed)
		x->vk.CmdDrawIndexed(x->draw.cmd, one->indexCount, 1, one->firstIndex,
				     one->vertexOffset, j->first_instance);
	else
		x->vk.CmdDraw(x->draw.cmd, one->indexCount, 1, one->firstIndex, j->first_instance);
}

void draws_record_merged(struct exec *x)
{
	struct merged_draws *j = &x->draw.merged;

	if (j->count == 1)
		record_one(x, j);
	else if (j->count)
		record_many(x, j);
	j->count = 0;
}
