// SPDX-License-Identifier: MIT
/*
 * Elements of sets with dynamic offsets, see set_copy.h and struct dynamic_set. Called on the
 * worker's main thread.
 */
#include "exec/set_copy.h"

#include <string.h>

#include "exec/memory.h"
#include "worker/worker.h"

/*
 * Write the descriptor of @e moved by @offset. Returns false with a fault recorded if it leaves its
 * memory.
 */
static bool move(struct worker *w, const struct set_binding *b, const struct element *e,
		 uint32_t offset, unsigned char *at)
{
	const uint32_t align = b->kind == SLOT_UBO ? w->caps.min_ubo_align : w->caps.min_ssbo_align;

	if (!memory_buffer_range(w, e->alloc, e->offset + offset, e->size))
		return false;
	if (offset % align)
		return fault(w, SUNDOG_FAULT_CODE_RANGE, e->alloc->handle);
	descriptor_of_range(w, b->kind, e->alloc->address + e->offset + offset, e->size,
			    VK_FORMAT_UNDEFINED, at);
	return true;
}

/*
 * Write an element: a null descriptor if its memory is not listed, as for elements of other
 * bindings.
 */
static bool write_element(struct worker *w, const struct set *set, const struct set_binding *b,
			  uint32_t i, uint32_t offset, unsigned char *at)
{
	const struct element *e = &set->elements[b->first + i];
	const bool shown = e->alloc && element_is_listed(w, e);

	if (shown && offset)
		return move(w, b, e, offset, at);
	memcpy(at, shown ? set_element_at(w, set->bytes, b, i) : w->draw.null[b->kind],
	       set_element_bytes(w, b));
	return true;
}

bool set_write_dynamic(struct worker *w, const struct set *set, const uint32_t *offsets,
		       unsigned char *map, const VkDeviceSize *places)
{
	const struct set_layout *layout = set->layout;

	for (const struct set_binding *b = layout->bindings;
	     b < layout->bindings + layout->n_bindings; b++) {
		unsigned char *at;

		if (!b->dynamic)
			continue;
		at = map + (places ? *places++ : b->offset);
		for (uint32_t i = 0; i < b->count; i++, at += set_element_bytes(w, b))
			if (!write_element(w, set, b, i, *offsets++, at))
				return false;
	}
	return true;
}
