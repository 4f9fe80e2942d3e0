// SPDX-License-Identifier: MIT
/*
 * Buffer views: creation, descriptors and destruction, see object.h. Called by the decoder on the
 * worker's main thread.
 */
#include <stdlib.h>

#include "host/format.h"
#include "exec/memory.h"
#include "exec/object.h"
#include "gate/texture.h"
#include "worker/worker.h"

static bool range_ok(struct worker *w, const struct sundog_cmd_create_buffer_view *cmd,
		     const struct alloc *alloc)
{
	const uint64_t texel = format_block_size(cmd->format), size = cmd->range.size;

	if (!memory_buffer_range(w, alloc, cmd->range.offset, size))
		return false;
	if (!size || size % texel || size / texel > w->caps.max_texel_elements ||
	    cmd->range.offset % w->caps.min_texel_align)
		return fault(w, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	return true;
}

bool buffer_view_create(struct worker *w, const struct sundog_cmd_create_buffer_view *cmd)
{
	struct buffer_view *view;
	struct alloc *alloc;

	if (!object_id_free(w, cmd->id))
		return false;
	if (!(w->caps.formats[cmd->format] &
	      (SUNDOG_FORMAT_FEATURE_TEXEL_BUFFER | SUNDOG_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER)))
		return fault(w, SUNDOG_FAULT_CODE_RANGE, cmd->id);
	alloc = memory_find(w, cmd->range.mem, 0);
	if (!alloc || !range_ok(w, cmd, alloc) || !memory_buffer(w, alloc))
		return false;
	view = calloc(1, sizeof(*view));
	if (!view)
		return fault(w, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	view->object = (struct object){ .kind = SUNDOG_OBJECT_KIND_BUFFER_VIEW, .refs = 1 };
	view->alloc = (struct alloc *)object_ref(&alloc->object);
	view->kind = texture_kind(TEXTURE_BUFFER, false, format_number(cmd->format));
	view->format = cmd->format;
	view->address = alloc->address + cmd->range.offset;
	view->size = cmd->range.size;
	object_publish(w, cmd->id, &view->object);
	return true;
}

bool buffer_view_can_be(const struct worker *w, const struct buffer_view *view, enum slot_kind kind)
{
	return w->caps.formats[view->format] &
	       (kind == SLOT_TEXELS ? SUNDOG_FORMAT_FEATURE_TEXEL_BUFFER :
				      SUNDOG_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER);
}

const void *buffer_view_descriptor(struct worker *w, struct buffer_view *view, enum slot_kind kind)
{
	void **descriptor = &view->descriptors[kind == SLOT_STORAGE_TEXELS];

	if (*descriptor)
		return *descriptor;
	*descriptor = calloc(1, w->draw.descriptor_size[kind]);
	if (*descriptor)
		descriptor_of_range(w, kind, view->address, view->size, view->format, *descriptor);
	else
		fault(w, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	return *descriptor;
}

void buffer_view_free(struct worker *w, struct buffer_view *view)
{
	for (int i = 0; i < 2; i++)
		free(view->descriptors[i]);
	object_unref(w, &view->alloc->object);
	free(view);
}
