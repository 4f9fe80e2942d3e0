// SPDX-License-Identifier: MIT
/*
 * Buffer views, see object.h.
 */
#include <stdlib.h>

#include "format.h"
#include "memory.h"
#include "object.h"
#include "texture.h"
#include "worker.h"

static bool range_ok(struct worker *w, const struct sundog_cmd_create_buffer_view *cmd, const struct alloc *alloc)
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
	if (!(w->caps.formats[cmd->format] & SUNDOG_FORMAT_FEATURE_TEXEL_BUFFER))
		return fault(w, SUNDOG_FAULT_CODE_RANGE, cmd->id);
	alloc = memory_find(w, cmd->range.mem, 0);
	if (!alloc || !range_ok(w, cmd, alloc) || !memory_buffer(w, alloc))
		return false;
	view = calloc(1, sizeof(*view) + w->draw.texel_size);
	if (!view)
		return fault(w, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	view->object = (struct object){ .kind = SUNDOG_OBJECT_KIND_BUFFER_VIEW, .refs = 1 };
	view->alloc = (struct alloc *)object_ref(&alloc->object);
	view->kind = texture_kind(TEXTURE_BUFFER, false, format_number(cmd->format));
	get_texel_buffer(w, alloc->address + cmd->range.offset, cmd->range.size, cmd->format, view->descriptor);
	object_publish(w, cmd->id, &view->object);
	return true;
}

void buffer_view_free(struct worker *w, struct buffer_view *view)
{
	object_unref(w, &view->alloc->object);
	free(view);
}
