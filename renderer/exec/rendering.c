// SPDX-License-Identifier: MIT
/*
 * Renderings: begin, end and their attachments, see rendering.h. Called by the decoder on the
 * worker's main thread.
 */
#include "exec/rendering.h"

#include "exec/clear.h"
#include "exec/draw.h"

#include <string.h>

#include "exec/exec.h"
#include "exec/memory.h"
#include "sundog_run.h"

static VkAttachmentLoadOp load_op(uint32_t op)
{
	static const VkAttachmentLoadOp ops[] = {
		VK_ATTACHMENT_LOAD_OP_LOAD,
		VK_ATTACHMENT_LOAD_OP_CLEAR,
		VK_ATTACHMENT_LOAD_OP_DONT_CARE,
	};

	return ops[op];
}

static VkAttachmentStoreOp store_op(uint32_t op)
{
	return op == SUNDOG_STORE_OP_STORE ? VK_ATTACHMENT_STORE_OP_STORE :
					     VK_ATTACHMENT_STORE_OP_DONT_CARE;
}

/*
 * Check attachment @a against the rendering and translate it; no view means no attachment. Returns
 * false with a fault recorded if it does not fit.
 */
static bool attach(struct exec *x, const struct sundog_cmd_begin_rendering *cmd,
		   const struct sundog_attachment *a, uint32_t usage, VkImageAspectFlags aspect,
		   VkRenderingAttachmentInfo *out)
{
	const uint32_t access = SUNDOG_ACCESS_WRITE |
				(a->load == SUNDOG_LOAD_OP_LOAD ? SUNDOG_ACCESS_READ : 0);
	struct draw *d = &x->draw;
	struct image_view *view;

	*out = (VkRenderingAttachmentInfo){ .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO };
	if (!a->view)
		return true;
	view = (struct image_view *)object_find(x, a->view, SUNDOG_OBJECT_KIND_IMAGE_VIEW);
	if (!view || !memory_check(x, view->image->alloc, access))
		return false;
	if (!(view->usage & usage) || !(view->aspects & aspect) || view->levels != 1 ||
	    view->layers < cmd->layers ||
	    (uint64_t)cmd->area.x + cmd->area.width > view->extent.width ||
	    (uint64_t)cmd->area.y + cmd->area.height > view->extent.height ||
	    (d->rendering_samples && d->rendering_samples != view->image->samples) ||
	    (a->load == SUNDOG_LOAD_OP_CLEAR && !clear_value_ok(x, aspect, a->clear)))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, a->view);
	d->rendering_samples = view->image->samples;
	out->imageView = view->view;
	out->imageLayout = VK_IMAGE_LAYOUT_GENERAL;
	out->loadOp = load_op(a->load);
	out->storeOp = store_op(a->store);
	out->clearValue = clear_value(aspect, view->image->format, a->clear);
	return true;
}

/* Returns the image of a view that attach() has accepted; NULL: no view. */
static const struct image *image_of(const struct exec *x, uint32_t view)
{
	return view ? ((const struct image_view *)x->objects.by_id[view])->image : NULL;
}

static bool attach_depth_stencil(struct exec *x, const struct sundog_cmd_begin_rendering *cmd,
				 VkRenderingAttachmentInfo *depth,
				 VkRenderingAttachmentInfo *stencil)
{
	const uint32_t usage = SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT;

	if (cmd->depth.view && cmd->stencil.view && cmd->depth.view != cmd->stencil.view)
		return fault(x, SUNDOG_FAULT_CODE_OBJECT, cmd->stencil.view);
	if (!attach(x, cmd, &cmd->depth, usage, VK_IMAGE_ASPECT_DEPTH_BIT, depth) ||
	    !attach(x, cmd, &cmd->stencil, usage, VK_IMAGE_ASPECT_STENCIL_BIT, stencil))
		return false;
	/* A clear value has depth first, then stencil. */
	x->draw.depth_format = cmd->depth.view ? image_of(x, cmd->depth.view)->format :
						 VK_FORMAT_UNDEFINED;
	x->draw.depth_stencil = (cmd->depth.view ? VK_IMAGE_ASPECT_DEPTH_BIT : 0) |
				(cmd->stencil.view ? VK_IMAGE_ASPECT_STENCIL_BIT : 0);
	return true;
}

/*
 * Notes the images that a rendering attaches. If they are those of the rendering before, and its
 * fragments may read what that one wrote, breaks the scene that both would share.
 */
static void note_attached(struct exec *x, const struct sundog_cmd_begin_rendering *cmd,
			  const struct sundog_attachment *colors)
{
	const struct image *attached[SUNDOG_MAX_COLOR_ATTACHMENTS + 2];
	struct draw *d = &x->draw;
	uint32_t n = 0;

	for (; n < cmd->count; n++)
		attached[n] = image_of(x, colors[n].view);
	attached[n++] = image_of(x, cmd->depth.view);
	attached[n++] = image_of(x, cmd->stencil.view);
	if (d->fragments_left_out && n == d->n_attached &&
	    !memcmp(attached, d->attached, n * sizeof(*attached)))
		rendering_break(x);
	d->fragments_left_out = false;
	memcpy(d->attached, attached, n * sizeof(*attached));
	d->n_attached = n;
}

static bool area_ok(struct exec *x, const struct sundog_rect *area)
{
	return area->width && area->height &&
	       (uint64_t)area->x + area->width <= x->caps.max_image_2d &&
	       (uint64_t)area->y + area->height <= x->caps.max_image_2d;
}

/*
 * Begin a rendering. With a view mask, @cmd->layers is the number of views up to the highest one.
 */
static bool begin(struct exec *x, const struct sundog_cmd_begin_rendering *cmd,
		  const struct sundog_attachment *colors, uint32_t view_mask)
{
	VkRenderingAttachmentInfo color[SUNDOG_MAX_COLOR_ATTACHMENTS], depth, stencil;
	struct draw *d = &x->draw;
	VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = { { cmd->area.x, cmd->area.y },
				{ cmd->area.width, cmd->area.height } },
		.layerCount = cmd->layers,
		.viewMask = view_mask,
		.colorAttachmentCount = cmd->count,
		.pColorAttachments = color,
	};

	handles_settle(x);
	if (!area_ok(x, &cmd->area) || cmd->count > x->caps.max_color_attachments ||
	    cmd->layers > x->caps.max_image_layers)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 1);
	d->rendering_samples = 0;
	d->color_mask = 0;
	for (uint32_t i = 0; i < cmd->count; i++) {
		if (!attach(x, cmd, &colors[i], SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT,
			    VK_IMAGE_ASPECT_COLOR_BIT, &color[i]))
			return false;
		d->color_mask |= (uint32_t)!!colors[i].view << i;
	}
	if (!attach_depth_stencil(x, cmd, &depth, &stencil))
		return false;
	info.pDepthAttachment = cmd->depth.view ? &depth : NULL;
	info.pStencilAttachment = cmd->stencil.view ? &stencil : NULL;
	d->color_count = cmd->count;
	d->rendering_layers = view_mask ? 1 : cmd->layers;
	d->view_mask = view_mask;
	d->area = info.renderArea;
	d->scope = ++d->renderings;
	note_attached(x, cmd, colors);
	x->vk.CmdBeginRendering(d->cmd, &info);
	return true;
}

bool run_begin_rendering(struct exec *x, const struct sundog_cmd_begin_rendering *cmd,
			 const struct sundog_attachment *colors)
{
	return outside_rendering(x, SUNDOG_OP_BEGIN_RENDERING) && begin(x, cmd, colors, 0);
}

bool run_begin_multiview(struct exec *x, const struct sundog_cmd_begin_multiview *cmd,
			 const struct sundog_attachment *colors)
{
	const struct sundog_cmd_begin_rendering rendering = {
		.area = cmd->area,
		.layers = 32 - __builtin_clz(cmd->view_mask),
		.depth = cmd->depth,
		.stencil = cmd->stencil,
		.count = cmd->count,
	};

	if (!exec_has(x, SUNDOG_FEATURE_MULTIVIEW))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_BEGIN_MULTIVIEW);
	if (!outside_rendering(x, SUNDOG_OP_BEGIN_MULTIVIEW))
		return false;
	if (cmd->view_mask >> x->caps.max_views)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 5);
	return begin(x, &rendering, colors, cmd->view_mask);
}

void rendering_break(struct exec *x)
{
	static const VkRenderingInfo none = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = { .extent = { 1, 1 } },
		.layerCount = 1,
	};

	x->vk.CmdBeginRendering(x->draw.cmd, &none);
	x->vk.CmdEndRendering(x->draw.cmd);
}

bool run_end_rendering(struct exec *x)
{
	if (!x->draw.scope)
		return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_END_RENDERING);
	if (x->draw.feedback.on)
		return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_END_FEEDBACK);
	if (!queries_closed(x, x->draw.scope) || !condition_closed(x, x->draw.scope))
		return false;
	x->vk.CmdEndRendering(x->draw.cmd);
	/*
	 * Lavapipe's queries use as many slots as the last rendering had views, even after it
	 * ended: record a rendering without views.
	 */
	if (x->draw.view_mask)
		rendering_break(x);
	x->draw.scope = 0;
	x->draw.view_mask = 0;
	batch_mark(x, true);
	return true;
}
