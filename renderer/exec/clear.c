// SPDX-License-Identifier: MIT
/*
 * Clears of images outside renderings, and the check of depths and clear values, see clear.h.
 * Called by the decoder on the worker's main thread.
 */
#include "exec/clear.h"

#include <math.h>
#include <string.h>

#include "exec/barrier.h"
#include "exec/exec.h"
#include "exec/memory.h"
#include "host/format.h"
#include "sundog_run.h"

bool depth_ok(const struct exec *x, float depth)
{
	return exec_has(x, SUNDOG_FEATURE_DEPTH_RANGE) ? isfinite(depth) :
							 depth >= 0.0f && depth <= 1.0f;
}

bool clear_value_ok(const struct exec *x, VkImageAspectFlags aspect, const uint32_t *clear)
{
	float depth;

	memcpy(&depth, clear, sizeof(depth));
	return !(aspect & VK_IMAGE_ASPECT_DEPTH_BIT) || depth_ok(x, depth) ||
	       (exec_has(x, SUNDOG_FEATURE_DEPTH_RANGE) && isinf(depth));
}

VkClearValue clear_value(VkImageAspectFlags aspect, VkFormat format, const uint32_t *clear)
{
	VkClearValue out;

	memcpy(&out, clear, sizeof(out));
	if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
		out.depthStencil.depth = 0.0f;
	else if (aspect & VK_IMAGE_ASPECT_DEPTH_BIT && !format_has_float_depth(format))
		out.depthStencil.depth = fminf(fmaxf(out.depthStencil.depth, 0.0f), 1.0f);
	return out;
}

static bool range_ok(const struct image *image, const struct sundog_cmd_clear_image *cmd)
{
	return cmd->base_level + cmd->levels <= image->levels &&
	       cmd->base_layer + cmd->layers <= image->layers && cmd->aspect &&
	       !(cmd->aspect & ~image->aspects);
}

bool run_clear_image(struct exec *x, const struct sundog_cmd_clear_image *cmd)
{
	struct image *image = (struct image *)object_find(x, cmd->image, SUNDOG_OBJECT_KIND_IMAGE);
	const VkImageSubresourceRange range = {
		cmd->aspect, cmd->base_level, cmd->levels, cmd->base_layer, cmd->layers,
	};
	VkClearValue value;

	if (!image || !memory_check(x, image->alloc, SUNDOG_ACCESS_WRITE) ||
	    !may_transfer(x, SUNDOG_OP_CLEAR_IMAGE))
		return false;
	if (!(image->usage & SUNDOG_IMAGE_USAGE_TRANSFER_DST) ||
	    format_is_compressed(image->format) || !range_ok(image, cmd))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->image);
	if (!clear_value_ok(x, cmd->aspect, cmd->clear))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 7);
	value = clear_value(cmd->aspect, image->format, cmd->clear);
	if (cmd->aspect == SUNDOG_ASPECT_COLOR) {
		x->vk.CmdClearColorImage(x->draw.cmd, image->image, VK_IMAGE_LAYOUT_GENERAL,
					 &value.color, 1, &range);
	} else {
		value.depthStencil.stencil &= 0xff;
		x->vk.CmdClearDepthStencilImage(x->draw.cmd, image->image, VK_IMAGE_LAYOUT_GENERAL,
						&value.depthStencil, 1, &range);
	}
	return true;
}
