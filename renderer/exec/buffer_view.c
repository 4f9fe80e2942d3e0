// SPDX-License-Identifier: MIT
/*
 * Buffer views: creation, descriptors and destruction, see buffer_view.h. Called by the decoder on
 * the worker's main thread.
 */
#include "exec/buffer_view.h"

#include <stdlib.h>

#include "exec/caps.h"
#include "exec/exec.h"
#include "exec/memory.h"
#include "exec/object.h"
#include "gate/texture.h"
#include "host/format.h"
#include "sundog_run.h"

static bool range_ok(struct exec *x, const struct sundog_cmd_create_buffer_view *cmd,
		     const struct alloc *alloc)
{
	const uint64_t texel = format_block_size(format_of_stream(cmd->format));
	const uint64_t size = cmd->range.size;

	if (!memory_buffer_range(x, alloc, cmd->range.offset, size))
		return false;
	if (!size || size % texel || size / texel > x->caps.max_texel_elements ||
	    cmd->range.offset % x->caps.min_texel_align)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	return true;
}

bool run_create_buffer_view(struct exec *x, const struct sundog_cmd_create_buffer_view *cmd)
{
	const VkFormat format = format_of_stream(cmd->format);
	struct buffer_view *view;
	struct alloc *alloc;

	if (!object_id_free(x, cmd->id))
		return false;
	if (!(caps_format(x, format) &
	      (SUNDOG_FORMAT_FEATURE_TEXEL_BUFFER | SUNDOG_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER)))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->id);
	alloc = memory_find(x, cmd->range.mem, 0);
	if (!alloc || !range_ok(x, cmd, alloc) || !memory_buffer(x, alloc))
		return false;
	view = calloc(1, sizeof(*view));
	if (!view)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	view->object = (struct object){ .kind = SUNDOG_OBJECT_KIND_BUFFER_VIEW, .refs = 1 };
	view->alloc = (struct alloc *)object_ref(&alloc->object);
	view->kind = texture_kind(TEXTURE_BUFFER, false, format_number(format));
	view->format = format;
	view->address = alloc->address + cmd->range.offset;
	view->size = cmd->range.size;
	object_publish(x, cmd->id, &view->object);
	return true;
}

bool buffer_view_can_be(const struct exec *x, const struct buffer_view *view, enum slot_kind kind)
{
	return caps_format(x, view->format) &
	       (kind == SLOT_TEXELS ? SUNDOG_FORMAT_FEATURE_TEXEL_BUFFER :
				      SUNDOG_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER);
}

const void *buffer_view_descriptor(struct exec *x, struct buffer_view *view, enum slot_kind kind)
{
	void **descriptor = &view->descriptors[kind == SLOT_STORAGE_TEXELS];

	if (*descriptor)
		return *descriptor;
	*descriptor = calloc(1, x->draw.descriptor_size[kind]);
	if (*descriptor)
		descriptor_of_range(x, kind, view->address, view->size, view->format, *descriptor);
	else
		fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	return *descriptor;
}

void buffer_view_free(struct exec *x, struct buffer_view *view)
{
	for (int i = 0; i < 2; i++)
		free(view->descriptors[i]);
	object_unref(x, &view->alloc->object);
	free(view);
}
