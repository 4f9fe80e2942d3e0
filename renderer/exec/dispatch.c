// SPDX-License-Identifier: MIT
/*
 * Dispatches, which are only allowed outside renderings. Called by the decoder on the worker's main
 * thread.
 */
#include "exec/dispatch.h"

#include "exec/exec.h"
#include "exec/memory.h"
#include "exec/state.h"
#include "sundog_run.h"

#define MANY_GROUPS 256u

/*
 * Bind the compute shader again if necessary: after a mesh draw lavapipe keeps the size of its
 * groups until a compute shader is bound.
 */
static void group_size_to_host(struct exec *x)
{
	const VkShaderEXT shaders[NUM_STAGES] = {
		[SUNDOG_STAGE_COMPUTE] = x->draw.shaders[SUNDOG_STAGE_COMPUTE]->shader,
	};

	if (x->draw.mesh_groups)
		shaders_to_host(x, shaders, 1u << SUNDOG_STAGE_COMPUTE);
}

static bool ready_to_dispatch(struct exec *x, uint32_t opcode)
{
	if (!exec_has(x, SUNDOG_FEATURE_COMPUTE))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, opcode);
	if (!outside_rendering(x, opcode))
		return false;
	if (!x->draw.shaders[SUNDOG_STAGE_COMPUTE])
		return fault(x, SUNDOG_FAULT_CODE_STATE, opcode);
	handles_settle(x);
	if (!shaders_usable(x, 1u << SUNDOG_STAGE_COMPUTE))
		return false;
	group_size_to_host(x);
	return descriptors_flush(x, 1u << SUNDOG_STAGE_COMPUTE);
}

/*
 * Lavapipe runs work groups inside vkQueueSubmit2(). A few groups take less time than waking up a
 * thread.
 */
static void note_groups(struct exec *x, const uint32_t *groups)
{
	if ((uint64_t)groups[0] * groups[1] > MANY_GROUPS ||
	    (uint64_t)groups[0] * groups[1] * groups[2] > MANY_GROUPS)
		batch_note_long(x);
}

bool run_dispatch(struct exec *x, const struct sundog_cmd_dispatch *cmd)
{
	if (!ready_to_dispatch(x, SUNDOG_OP_DISPATCH))
		return false;
	for (int i = 0; i < 3; i++)
		if (cmd->groups[i] > x->caps.max_group_count[i])
			return fault(x, SUNDOG_FAULT_CODE_FIELD, 1 + i);
	x->vk.CmdDispatch(x->draw.cmd, cmd->groups[0], cmd->groups[1], cmd->groups[2]);
	note_groups(x, cmd->groups);
	batch_mark(x, false);
	return true;
}

bool run_dispatch_base(struct exec *x, const struct sundog_cmd_dispatch_base *cmd)
{
	const uint32_t *base = cmd->base, *groups = cmd->groups, *most = x->caps.max_group_count;

	if (!ready_to_dispatch(x, SUNDOG_OP_DISPATCH_BASE))
		return false;
	for (int i = 0; i < 3; i++)
		if (base[i] >= most[i] || groups[i] > most[i] - base[i])
			return fault(x, SUNDOG_FAULT_CODE_FIELD, 1 + i);
	note_groups(x, groups);
	x->vk.CmdDispatchBase(x->draw.cmd, base[0], base[1], base[2], groups[0], groups[1],
			      groups[2]);
	/* Lavapipe keeps the base for later indirect dispatches; an empty dispatch resets it. */
	x->vk.CmdDispatch(x->draw.cmd, 0, 0, 0);
	batch_mark(x, false);
	return true;
}

/*
 * The host checks the arguments in memory, which the client may still change: see stream_features()
 * in caps.c.
 */
bool run_dispatch_indirect(struct exec *x, const struct sundog_cmd_dispatch_indirect *cmd)
{
	struct alloc *alloc;
	VkBuffer buffer;

	if (!ready_to_dispatch(x, SUNDOG_OP_DISPATCH_INDIRECT))
		return false;
	alloc = memory_find(x, cmd->mem, SUNDOG_ACCESS_READ);
	buffer = alloc ? memory_words(x, alloc, cmd->offset, sizeof(VkDispatchIndirectCommand))
		       : VK_NULL_HANDLE;
	if (!buffer)
		return false;
	x->vk.CmdDispatchIndirect(x->draw.cmd, buffer, cmd->offset);
	batch_note_long(x);
	batch_mark(x, false);
	return true;
}

/* Dispatches of the renderer */

static void push(struct exec *x, const void *data, uint32_t size)
{
	x->vk.CmdPushConstants(x->draw.cmd, x->draw.pipeline_layout, shader_all_stages(x), 0, size,
			       data);
}

void dispatch_own(struct exec *x, VkShaderEXT shader, const void *arguments, uint32_t size)
{
	const struct shader *bound = x->draw.shaders[SUNDOG_STAGE_COMPUTE];
	VkShaderEXT shaders[NUM_STAGES] = { [SUNDOG_STAGE_COMPUTE] = shader };

	shaders_to_host(x, shaders, 1u << SUNDOG_STAGE_COMPUTE);
	push(x, arguments, size);
	/*
	 * The client may change the word of a condition in memory at any time: a draw that is not
	 * discarded must not use what an earlier dispatch made.
	 */
	condition_suspend(x);
	x->vk.CmdDispatch(x->draw.cmd, 1, 1, 1);
	condition_resume(x);
	push(x, x->draw.pushed, size);
	if (bound && shader_is_made(bound)) {
		shaders[SUNDOG_STAGE_COMPUTE] = bound->shader;
		shaders_to_host(x, shaders, 1u << SUNDOG_STAGE_COMPUTE);
	}
}
