// SPDX-License-Identifier: MIT
/*
 * Dispatches, see draw.h. They stand outside renderings. Called by the decoder on the worker's main
 * thread.
 */
#include "exec/memory.h"
#include "worker/worker.h"

#define MANY_GROUPS 256u

/*
 * Bind the compute shader again if necessary: after a mesh draw lavapipe keeps the size of its
 * groups until a compute shader is bound.
 */
static void group_size_to_host(struct worker *w)
{
	const VkShaderEXT shaders[NUM_STAGES] = {
		[SUNDOG_STAGE_COMPUTE] = w->draw.shaders[SUNDOG_STAGE_COMPUTE]->shader,
	};

	if (w->draw.mesh_groups)
		shaders_to_host(w, shaders, 1u << SUNDOG_STAGE_COMPUTE);
}

static bool ready_to_dispatch(struct worker *w, uint32_t opcode)
{
	if (!worker_has(w, SUNDOG_FEATURE_COMPUTE))
		return fault(w, SUNDOG_FAULT_CODE_OPCODE, opcode);
	if (!outside_rendering(w, opcode))
		return false;
	if (!w->draw.shaders[SUNDOG_STAGE_COMPUTE])
		return fault(w, SUNDOG_FAULT_CODE_STATE, opcode);
	handles_settle(w);
	if (!shaders_usable(w, 1u << SUNDOG_STAGE_COMPUTE))
		return false;
	group_size_to_host(w);
	return descriptors_flush(w, 1u << SUNDOG_STAGE_COMPUTE);
}

/*
 * Lavapipe runs work groups inside vkQueueSubmit2(). A few groups take less time than waking up a
 * thread.
 */
static void note_groups(struct worker *w, const uint32_t *groups)
{
	if ((uint64_t)groups[0] * groups[1] > MANY_GROUPS ||
	    (uint64_t)groups[0] * groups[1] * groups[2] > MANY_GROUPS)
		batch_note_long(w);
}

bool dispatch(struct worker *w, const struct sundog_cmd_dispatch *cmd)
{
	if (!ready_to_dispatch(w, SUNDOG_OP_DISPATCH))
		return false;
	for (int i = 0; i < 3; i++)
		if (cmd->groups[i] > w->caps.max_group_count[i])
			return fault(w, SUNDOG_FAULT_CODE_FIELD, 1 + i);
	w->vk.CmdDispatch(w->draw.cmd, cmd->groups[0], cmd->groups[1], cmd->groups[2]);
	note_groups(w, cmd->groups);
	batch_mark(w, false);
	return true;
}

bool dispatch_base(struct worker *w, const struct sundog_cmd_dispatch_base *cmd)
{
	const uint32_t *base = cmd->base, *groups = cmd->groups, *most = w->caps.max_group_count;

	if (!ready_to_dispatch(w, SUNDOG_OP_DISPATCH_BASE))
		return false;
	for (int i = 0; i < 3; i++)
		if (base[i] >= most[i] || groups[i] > most[i] - base[i])
			return fault(w, SUNDOG_FAULT_CODE_FIELD, 1 + i);
	note_groups(w, groups);
	w->vk.CmdDispatchBase(w->draw.cmd, base[0], base[1], base[2], groups[0], groups[1],
			      groups[2]);
	/* Lavapipe keeps the base for later indirect dispatches; an empty dispatch resets it. */
	w->vk.CmdDispatch(w->draw.cmd, 0, 0, 0);
	batch_mark(w, false);
	return true;
}

/*
 * The host checks the arguments in memory, which the client may still change: see stream_features()
 * in caps.c.
 */
bool dispatch_indirect(struct worker *w, const struct sundog_cmd_dispatch_indirect *cmd)
{
	struct alloc *alloc;
	VkBuffer buffer;

	if (!ready_to_dispatch(w, SUNDOG_OP_DISPATCH_INDIRECT))
		return false;
	alloc = memory_find(w, cmd->mem, SUNDOG_ACCESS_READ);
	buffer = alloc ? memory_words(w, alloc, cmd->offset, sizeof(VkDispatchIndirectCommand))
		       : VK_NULL_HANDLE;
	if (!buffer)
		return false;
	w->vk.CmdDispatchIndirect(w->draw.cmd, buffer, cmd->offset);
	batch_note_long(w);
	batch_mark(w, false);
	return true;
}
