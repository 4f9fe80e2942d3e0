// SPDX-License-Identifier: MIT
/*
 * Barrier packets, and the cheaper ordering that suffices on lavapipe in their place. Called by the
 * decoder on the worker's main thread, see barrier.h.
 */
#include "exec/barrier.h"

#include "exec/exec.h"
#include "exec/memory.h"
#include "exec/rendering.h"
#include "sundog_run.h"

enum order {
	ORDER_ANYWAY,
	/* later commands must be in another lavapipe scene than earlier ones */
	ORDER_BY_SCENES,
	ORDER_BY_BARRIER,
};

static const uint64_t attachments = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT |
				    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |
				    VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;

/*
 * Stages that lavapipe runs before a command returns: all except fragment shading, attachments and
 * transfers.
 */
static const uint64_t run_at_once = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT |
				    VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT |
				    VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT |
				    VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT |
				    VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT |
				    VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT |
				    VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT |
				    VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT;

static bool fragments_store(uint64_t stages, uint64_t access)
{
	return stages & VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT &&
	       access & (VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT |
			 VK_ACCESS_2_MEMORY_WRITE_BIT);
}

/*
 * Returns how the host must be made to order the commands around a barrier.
 *
 * Lavapipe runs scenes in the order of recording, and turns every barrier into a flush and a wait.
 * Attachment writes need no barrier before later fragments, attachments or transfers read them.
 * Neither do fragments that sampled an image which later attachments write. But renderings with the
 * same attachments may share a scene, whose tiles run in no particular order: renderings that read
 * an attachment must not share a scene with renderings that write it. A barrier may say so at once,
 * or one barrier orders the fragments and another one the attachments; then rendering.c breaks the
 * scene if the attachments are the same. Fragment shader stores are not ordered at all.
 */
static enum order order_of(const struct exec *x, const struct sundog_cmd_barrier *cmd)
{
	const uint64_t fragments = attachments | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
	const uint64_t src = cmd->src_stages & ~run_at_once;

	if (!vk_has_quirk(&x->vk, QUIRK_SCENES_IN_ORDER))
		return ORDER_BY_BARRIER;
	if (!src)
		return ORDER_ANYWAY;
	if (src & ~fragments ||
	    cmd->dst_stages & ~(fragments | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT) ||
	    fragments_store(src, cmd->src_access) ||
	    fragments_store(cmd->dst_stages, cmd->dst_access))
		return ORDER_BY_BARRIER;
	if (!(src & ~attachments) && !(cmd->dst_access & VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT))
		return ORDER_ANYWAY;
	return cmd->dst_stages & ~fragments ? ORDER_BY_BARRIER : ORDER_BY_SCENES;
}

bool run_barrier(struct exec *x, const struct sundog_cmd_barrier *cmd)
{
	/*
	 * Stages and accesses of core Vulkan 1.0, shader accesses of 1.3, and transform feedback.
	 */
	const uint64_t stages = 0x1ffff | VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT;
	const uint64_t accesses = 0x1ffff | VK_ACCESS_2_SHADER_SAMPLED_READ_BIT |
				  VK_ACCESS_2_SHADER_STORAGE_READ_BIT |
				  VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT |
				  VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT |
				  VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT |
				  VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT;

	if (!outside_rendering(x, SUNDOG_OP_BARRIER))
		return false;
	if ((cmd->src_stages | cmd->dst_stages) & ~stages)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 1);
	if ((cmd->src_access | cmd->dst_access) & ~accesses)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 3);
	/*
	 * The masks only decide whether there is a barrier. Vulkan's table of accesses per stage is
	 * not checked: one barrier of everything is legal whatever the guest sent.
	 */
	switch (order_of(x, cmd)) {
	case ORDER_ANYWAY:
		x->draw.left_out |= !!(cmd->dst_stages & VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT);
		x->draw.fragments_left_out |=
			!!(cmd->dst_stages & VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT);
		break;
	case ORDER_BY_SCENES:
		rendering_break(x);
		break;
	case ORDER_BY_BARRIER:
		vk_full_barrier(&x->vk, x->draw.cmd);
		x->draw.left_out = x->draw.fragments_left_out = false;
		break;
	}
	return true;
}

/*
 * Record the barrier that was left out, if it is needed. Lavapipe's transfers wait for scenes that
 * draw to the image that they access. They do not find such scenes if the memory is accessed
 * through another image or buffer.
 */
static void make_up(struct exec *x)
{
	if (!x->draw.left_out || !x->memory.aliases || x->draw.scope)
		return;
	vk_full_barrier(&x->vk, x->draw.cmd);
	x->draw.left_out = false;
}

bool may_transfer(struct exec *x, uint32_t opcode)
{
	if (!outside_rendering(x, opcode))
		return false;
	make_up(x);
	return true;
}

void memory_aliased(struct exec *x)
{
	x->memory.aliases = true;
	make_up(x);
}
