// SPDX-License-Identifier: MIT
/*
 * Packets that bind buffers, textures, images and texel buffers to slots. Called by the decoder on
 * the worker's main thread.
 */

#include <string.h>

#include "exec/buffer_view.h"
#include "exec/caps.h"
#include "exec/exec.h"
#include "exec/image_descriptor.h"
#include "exec/memory.h"
#include "sundog_run.h"

/*
 * Returns the bindings of @stage and marks them dirty. Checks that slots @first to @first + @count
 * are at most @most; returns NULL with a fault recorded if not.
 */
static struct stage_bindings *find_stage(struct exec *x, uint32_t stage, uint32_t first,
					 uint32_t count, uint32_t most)
{
	if (first + count > most) {
		fault(x, SUNDOG_FAULT_CODE_FIELD, 3);
		return NULL;
	}
	x->draw.stages[stage].dirty = true;
	return &x->draw.stages[stage];
}

static void unbind(struct stage_bindings *stage, enum slot_kind kind, uint32_t n)
{
	stage->bound[kind] &= ~(1u << n);
}

static struct slot *take_slot(struct stage_bindings *stage, enum slot_kind kind, uint32_t n,
			      const struct alloc *alloc)
{
	struct slot *slot = &stage->slots[kind][n];

	slot->handle = alloc->handle;
	slot->writable = alloc->access & SUNDOG_ACCESS_WRITE;
	slot->atomic = false;
	stage->bound[kind] |= 1u << n;
	return slot;
}

/* Uniform and storage buffers */

static bool bind_range(struct exec *x, struct stage_bindings *stage, enum slot_kind kind,
		       uint32_t n, const struct sundog_mem_range *range, uint32_t align,
		       uint32_t max_size)
{
	struct alloc *alloc;

	if (!range->size) {
		unbind(stage, kind, n);
		return true;
	}
	alloc = memory_find(x, range->mem, SUNDOG_ACCESS_READ);
	if (!alloc || !memory_buffer_range(x, alloc, range->offset, range->size))
		return false;
	if (range->offset % align || range->size > max_size)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	if (!memory_buffer(x, alloc))
		return false;
	descriptor_of_range(x, kind, alloc->address + range->offset, range->size,
			    VK_FORMAT_UNDEFINED, take_slot(stage, kind, n, alloc)->bytes);
	return true;
}

bool run_bind_ubo(struct exec *x, const struct sundog_cmd_bind_ubo *cmd)
{
	struct stage_bindings *stage = find_stage(x, cmd->stage, cmd->slot, 1, SUNDOG_MAX_UBOS);

	return stage && bind_range(x, stage, SLOT_UBO, cmd->slot, &cmd->range,
				   x->caps.min_ubo_align, x->caps.max_ubo_range);
}

bool run_bind_ssbos(struct exec *x, const struct sundog_cmd_bind_ssbos *cmd,
		    const struct sundog_mem_range *ranges)
{
	struct stage_bindings *stage;

	if (!exec_has(x, SUNDOG_FEATURE_COMPUTE))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_BIND_SSBOS);
	stage = find_stage(x, cmd->stage, cmd->first, cmd->count, SUNDOG_MAX_SSBOS);
	if (!stage)
		return false;
	for (uint32_t i = 0; i < cmd->count; i++)
		if (!bind_range(x, stage, SLOT_SSBO, cmd->first + i, &ranges[i],
				x->caps.min_ssbo_align, x->caps.max_ssbo_range))
			return false;
	return true;
}

/* Image views */

/*
 * Returns the image view with @id if it has @usage and its memory is listed for reading; NULL with
 * a fault recorded if not.
 */
static struct image_view *find_view(struct exec *x, uint32_t id, VkImageUsageFlags usage)
{
	struct image_view *view = (struct image_view *)object_find(x, id,
								   SUNDOG_OBJECT_KIND_IMAGE_VIEW);

	if (!view || !memory_check(x, view->image->alloc, SUNDOG_ACCESS_READ))
		return NULL;
	if (!(view->usage & usage)) {
		fault(x, SUNDOG_FAULT_CODE_OBJECT, id);
		return NULL;
	}
	return view;
}

static bool bind_texture(struct exec *x, struct stage_bindings *stage, uint32_t n,
			 const struct sundog_texture_binding *t)
{
	struct image_view *view;
	struct sampler *sampler;
	const void *bytes;
	struct slot *slot;

	if (!t->view) {
		unbind(stage, SLOT_TEXTURE, n);
		return true;
	}
	view = find_view(x, t->view, VK_IMAGE_USAGE_SAMPLED_BIT);
	sampler = view ? (struct sampler *)object_find(x, t->sampler, SUNDOG_OBJECT_KIND_SAMPLER)
		       : NULL;
	bytes = sampler ? image_view_descriptor(x, view, sampler) : NULL;
	if (!bytes)
		return false;
	slot = take_slot(stage, SLOT_TEXTURE, n, view->image->alloc);
	memcpy(slot->bytes, bytes, x->draw.descriptor_size[SLOT_TEXTURE]);
	slot->kind = view->kind;
	return true;
}

bool run_bind_textures(struct exec *x, const struct sundog_cmd_bind_textures *cmd,
		       const struct sundog_texture_binding *textures)
{
	struct stage_bindings *stage = find_stage(x, cmd->stage, cmd->first, cmd->count,
						  SUNDOG_MAX_TEXTURES);

	if (!stage)
		return false;
	for (uint32_t i = 0; i < cmd->count; i++)
		if (!bind_texture(x, stage, cmd->first + i, &textures[i]))
			return false;
	return true;
}

static bool bind_image(struct exec *x, struct stage_bindings *stage, uint32_t n, uint32_t id)
{
	struct image_view *view;
	struct slot *slot;

	if (!id) {
		unbind(stage, SLOT_IMAGE, n);
		return true;
	}
	view = find_view(x, id, VK_IMAGE_USAGE_STORAGE_BIT);
	if (!view)
		return false;
	if (view->levels != 1)
		return fault(x, SUNDOG_FAULT_CODE_OBJECT, id);
	slot = take_slot(stage, SLOT_IMAGE, n, view->image->alloc);
	descriptor_of_image(x, SLOT_IMAGE, view->view, VK_NULL_HANDLE, slot->bytes);
	slot->kind = view->kind;
	slot->atomic = caps_format(x, view->format) & SUNDOG_FORMAT_FEATURE_ATOMIC;
	return true;
}

bool run_bind_images(struct exec *x, const struct sundog_cmd_bind_images *cmd,
		     const uint32_t *views)
{
	struct stage_bindings *stage;

	if (!exec_has(x, SUNDOG_FEATURE_COMPUTE))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_BIND_IMAGES);
	stage = find_stage(x, cmd->stage, cmd->first, cmd->count, SUNDOG_MAX_IMAGES);
	if (!stage)
		return false;
	for (uint32_t i = 0; i < cmd->count; i++)
		if (!bind_image(x, stage, cmd->first + i, views[i]))
			return false;
	return true;
}

/* Uniform and storage texel buffers */

static bool bind_texels(struct exec *x, struct stage_bindings *stage, enum slot_kind kind,
			uint32_t n, uint32_t id)
{
	struct buffer_view *view;
	const void *bytes;
	struct slot *slot;

	if (!id) {
		unbind(stage, kind, n);
		return true;
	}
	view = (struct buffer_view *)object_find(x, id, SUNDOG_OBJECT_KIND_BUFFER_VIEW);
	if (!view || !memory_check(x, view->alloc, SUNDOG_ACCESS_READ))
		return false;
	if (!buffer_view_can_be(x, view, kind))
		return fault(x, SUNDOG_FAULT_CODE_OBJECT, id);
	bytes = buffer_view_descriptor(x, view, kind);
	if (!bytes)
		return false;
	slot = take_slot(stage, kind, n, view->alloc);
	memcpy(slot->bytes, bytes, x->draw.descriptor_size[kind]);
	slot->kind = view->kind;
	slot->atomic = caps_format(x, view->format) & SUNDOG_FORMAT_FEATURE_ATOMIC;
	return true;
}

bool run_bind_texel_buffers(struct exec *x, const struct sundog_cmd_bind_texel_buffers *cmd,
			    const uint32_t *views)
{
	struct stage_bindings *stage = find_stage(x, cmd->stage, cmd->first, cmd->count,
						  SUNDOG_MAX_TEXEL_BUFFERS);

	if (!stage)
		return false;
	for (uint32_t i = 0; i < cmd->count; i++)
		if (!bind_texels(x, stage, SLOT_TEXELS, cmd->first + i, views[i]))
			return false;
	return true;
}

bool run_bind_storage_texels(struct exec *x, const struct sundog_cmd_bind_storage_texels *cmd,
			     const uint32_t *views)
{
	struct stage_bindings *stage;

	if (!exec_has(x, SUNDOG_FEATURE_COMPUTE))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_BIND_STORAGE_TEXELS);
	stage = find_stage(x, cmd->stage, cmd->first, cmd->count, SUNDOG_MAX_IMAGES);
	if (!stage)
		return false;
	for (uint32_t i = 0; i < cmd->count; i++)
		if (!bind_texels(x, stage, SLOT_STORAGE_TEXELS, cmd->first + i, views[i]))
			return false;
	return true;
}
