// SPDX-License-Identifier: MIT
/*
 * Elements of sets with dynamic offsets, see set_dynamic.h and struct dynamic_set. Called on the
 * worker's main thread.
 */
#include "exec/set_dynamic.h"

#include "exec/set_copy.h"

#include <string.h>

#include "exec/exec.h"
#include "exec/memory.h"

/*
 * Write the descriptor of @e moved by @offset. Returns false with a fault recorded if it leaves its
 * memory.
 */
static bool move(struct exec *x, const struct set_binding *b, const struct element *e,
		 uint32_t offset, unsigned char *at)
{
	const uint32_t align = b->kind == SLOT_UBO ? x->caps.min_ubo_align : x->caps.min_ssbo_align;

	if (!memory_buffer_range(x, e->alloc, e->offset + offset, e->size))
		return false;
	if (offset % align)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, e->alloc->handle);
	descriptor_of_range(x, b->kind, e->alloc->address + e->offset + offset, e->size,
			    VK_FORMAT_UNDEFINED, at);
	return true;
}

/*
 * Write an element: a null descriptor if its memory is not listed, as for elements of other
 * bindings.
 */
static bool write_element(struct exec *x, const struct set *set, const struct set_binding *b,
			  uint32_t i, uint32_t offset, unsigned char *at)
{
	const struct element *e = &set->elements[b->first + i];
	const bool shown = e->alloc && element_is_listed(x, e);

	if (shown && offset)
		return move(x, b, e, offset, at);
	memcpy(at, shown ? set_element_at(x, set->bytes, b, i) : x->draw.null[b->kind],
	       set_element_bytes(x, b));
	return true;
}

bool set_write_dynamic(struct exec *x, const struct set *set, const uint32_t *offsets,
		       unsigned char *map, const VkDeviceSize *places)
{
	const struct set_layout *layout = set->layout;

	for (const struct set_binding *b = layout->bindings;
	     b < layout->bindings + layout->n_bindings; b++) {
		unsigned char *at;

		if (!b->dynamic)
			continue;
		at = map + (places ? *places++ : b->offset);
		for (uint32_t i = 0; i < b->count; i++, at += set_element_bytes(x, b))
			if (!write_element(x, set, b, i, *offsets++, at))
				return false;
	}
	return true;
}
