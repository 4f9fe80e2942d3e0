// SPDX-License-Identifier: MIT
/*
 * Descriptor sets: objects, writes, copies between sets, and binding, see set.h. Called by the
 * decoder on the worker's main thread.
 */
#include "exec/buffer_view.h"
#include "exec/image_descriptor.h"
#include "exec/set_copy.h"
#include "exec/set_dynamic.h"
#include "exec/set_layout.h"

#include <stdlib.h>
#include <string.h>

#include "exec/caps.h"
#include "exec/exec.h"
#include "exec/memory.h"
#include "gate/gate.h"
#include "gate/texture.h"
#include "sundog_run.h"

/* Objects */

static void free_parts(struct set *set)
{
	free(set->bytes);
	free(set->elements);
	free(set->kinds);
	free(set->changes);
	free(set);
}

/* Returns the bytes of a large set without its copies. */
static uint64_t own_bytes(const struct set *set)
{
	return set->layout->size + set->layout->n_elements * sizeof(set->elements[0]);
}

/*
 * Zeroed elements are empty. In a large set they use no memory until they are written, because
 * calloc() maps it lazily.
 */
static struct set *set_new(struct set_layout *layout)
{
	struct set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->object = (struct object){ .kind = SUNDOG_OBJECT_KIND_SET, .refs = 1 };
	set->layout = layout;
	set->version = 1;
	set->bytes = calloc(1, layout->size + 1);
	set->elements = calloc(layout->n_elements + 1, sizeof(set->elements[0]));
	set->kinds = calloc(layout->n_bindings + 1, sizeof(set->kinds[0]));
	if (set_is_large(set))
		set->changes = calloc(SET_CHANGES, sizeof(set->changes[0]));
	if (set->bytes && set->elements && set->kinds && (set->changes || !set_is_large(set)))
		return set;
	free_parts(set);
	return NULL;
}

static void add_large(struct exec *x, struct set *set)
{
	set->next_large = x->draw.large_sets;
	set->large_at = &x->draw.large_sets;
	if (set->next_large)
		set->next_large->large_at = &set->next_large;
	x->draw.large_sets = set;
}

static void remove_large(struct set *set)
{
	*set->large_at = set->next_large;
	if (set->next_large)
		set->next_large->large_at = set->large_at;
}

bool run_create_set(struct exec *x, const struct sundog_cmd_create_set *cmd)
{
	struct set_layout *layout;
	struct set *set;

	if (!object_id_free(x, cmd->id))
		return false;
	layout = (struct set_layout *)object_find(x, cmd->layout, SUNDOG_OBJECT_KIND_SET_LAYOUT);
	if (!layout)
		return false;
	set = set_new(layout);
	if (!set)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	if (set_is_large(set)) {
		if (!set_bytes_make(x, own_bytes(set))) {
			free_parts(set);
			return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
		}
		add_large(x, set);
	}
	object_ref(&layout->object);
	object_publish(x, cmd->id, &set->object);
	return true;
}

static void unref(struct exec *x, struct object *object)
{
	if (object)
		object_unref(x, object);
}

/* Set an element and take references to its new objects. */
static void set_element(struct exec *x, struct element *e, const struct element *to)
{
	const struct element old = *e;

	*e = *to;
	if (e->view)
		object_ref(e->view);
	if (e->sampler)
		object_ref(e->sampler);
	if (e->alloc)
		object_ref(&e->alloc->object);
	unref(x, old.view);
	unref(x, old.sampler);
	unref(x, old.alloc ? &old.alloc->object : NULL);
}

void set_free(struct exec *x, struct set *set)
{
	const struct element nothing = { 0 };

	for (uint32_t i = 0; i < set->layout->n_elements; i++)
		set_element(x, &set->elements[i], &nothing);
	set_copies_free(x, set);
	if (set_is_large(set)) {
		remove_large(set);
		x->draw.set_bytes -= own_bytes(set);
	}
	object_unref(x, &set->layout->object);
	free_parts(set);
}

/* Writing */

static bool describe_range(struct exec *x, const struct sundog_mem_range *range,
			   struct element *e, unsigned char *bytes)
{
	const bool ubo = e->slot == SLOT_UBO;
	const uint32_t align = ubo ? x->caps.min_ubo_align : x->caps.min_ssbo_align;
	const uint32_t most = ubo ? x->caps.max_ubo_range : x->caps.max_ssbo_range;

	e->alloc = memory_find(x, range->mem, SUNDOG_ACCESS_READ);
	if (!e->alloc || !memory_buffer_range(x, e->alloc, range->offset, range->size))
		return false;
	if (range->offset % align || !range->size || range->size > most)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, e->alloc->handle);
	if (!memory_buffer(x, e->alloc))
		return false;
	e->offset = range->offset;
	e->size = range->size;
	descriptor_of_range(x, e->slot, e->alloc->address + e->offset, e->size, VK_FORMAT_UNDEFINED,
			    bytes);
	return true;
}

static bool describe_texels(struct exec *x, uint32_t id, struct element *e, unsigned char *bytes)
{
	struct buffer_view *view = (struct buffer_view *)
		object_find(x, id, SUNDOG_OBJECT_KIND_BUFFER_VIEW);
	const void *descriptor;

	if (!view)
		return false;
	if (!buffer_view_can_be(x, view, e->slot))
		return fault(x, SUNDOG_FAULT_CODE_OBJECT, id);
	descriptor = buffer_view_descriptor(x, view, e->slot);
	if (!descriptor)
		return false;
	memcpy(bytes, descriptor, x->draw.descriptor_size[e->slot]);
	e->view = &view->object;
	e->alloc = view->alloc;
	e->kind = texture_kind_unsigned(view->kind);
	e->atomic = caps_format(x, view->format) & SUNDOG_FORMAT_FEATURE_ATOMIC;
	return true;
}

static bool describe_sampler(struct exec *x, uint32_t id, struct element *e, unsigned char *bytes)
{
	struct sampler *sampler = (struct sampler *)object_find(x, id, SUNDOG_OBJECT_KIND_SAMPLER);

	if (!sampler)
		return false;
	descriptor_of_sampler(x, sampler->sampler, bytes);
	e->sampler = &sampler->object;
	return true;
}

static bool describe_image(struct exec *x, const struct sundog_set_descriptor *d,
			   struct element *e, unsigned char *bytes)
{
	const bool storage = e->slot == SLOT_IMAGE;
	struct image_view *view = (struct image_view *)object_find(x, d->view,
								   SUNDOG_OBJECT_KIND_IMAGE_VIEW);
	struct sampler *sampler = NULL;
	const void *descriptor;

	if (!view)
		return false;
	/* Of several levels of a storage image shaders access the first one. */
	if (!(view->usage & (storage ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT)))
		return fault(x, SUNDOG_FAULT_CODE_OBJECT, d->view);
	if (e->slot == SLOT_TEXTURE) {
		sampler = (struct sampler *)object_find(x, d->sampler, SUNDOG_OBJECT_KIND_SAMPLER);
		if (!sampler)
			return false;
		e->sampler = &sampler->object;
	}
	descriptor = sampler ? image_view_descriptor(x, view, sampler)
			     : image_view_plain_descriptor(x, view, e->slot);
	if (!descriptor)
		return false;
	memcpy(bytes, descriptor, x->draw.descriptor_size[e->slot]);
	e->view = &view->object;
	e->alloc = view->image->alloc;
	e->kind = texture_kind_unsigned(view->kind);
	e->atomic = caps_format(x, view->format) & SUNDOG_FORMAT_FEATURE_ATOMIC;
	return true;
}

/*
 * Fill in element @e and its descriptor bytes, to be written as e->slot. Returns false with a fault
 * recorded if the packet is not valid.
 */
static bool describe(struct exec *x, const struct sundog_set_descriptor *d, struct element *e,
		     unsigned char *bytes)
{
	switch (e->slot) {
	case SLOT_UBO:
	case SLOT_SSBO:
		if (d->range.size)
			return describe_range(x, &d->range, e, bytes);
		break;
	case SLOT_TEXELS:
	case SLOT_STORAGE_TEXELS:
		if (d->view)
			return describe_texels(x, d->view, e, bytes);
		break;
	case SET_SAMPLER:
		if (d->sampler)
			return describe_sampler(x, d->sampler, e, bytes);
		break;
	default:
		if (d->view)
			return describe_image(x, d, e, bytes);
		break;
	}
	memcpy(bytes, x->draw.null[e->slot], x->draw.descriptor_size[e->slot]);
	return true;
}

/*
 * Returns binding @number of a set if it has elements @first to @first + @count; NULL with a fault
 * for @field recorded if not.
 */
static const struct set_binding *find_elements(struct exec *x, const struct set *set,
					       uint32_t number, uint32_t first, uint32_t count,
					       uint32_t field)
{
	const struct set_binding *b = set_layout_find(set->layout, number);

	if (b && first <= b->count && count <= b->count - first)
		return b;
	fault(x, SUNDOG_FAULT_CODE_FIELD, field);
	return NULL;
}

static void sets_changed(struct exec *x)
{
	x->draw.bound_sets[0].dirty = x->draw.bound_sets[1].dirty = true;
}

/* Replace element @i of binding @b; the caller has written its bytes. */
static void change_element(struct exec *x, struct set *set, const struct set_binding *b,
			   uint32_t i, const struct element *to)
{
	const uint32_t binding = b - set->layout->bindings;
	struct element_kinds *kinds = &set->kinds[binding];

	if (set->changes)
		set->changes[set->version % SET_CHANGES] = (struct element_place){ binding, i };
	set->version++;
	if (to->view) {
		kinds->kind = !kinds->kind || kinds->kind == to->kind ? to->kind : KINDS_DIFFER;
		kinds->plain |= !to->atomic;
	}
	set_element(x, &set->elements[b->first + i], to);
}

/* Write elements of @b from @first on as descriptors of kind @slot. */
static bool write_elements(struct exec *x, struct set *set, const struct set_binding *b,
			   enum slot_kind slot, uint32_t first, uint32_t count,
			   const struct sundog_set_descriptor *descriptors)
{
	unsigned char bytes[MAX_DESCRIPTOR_SIZE];

	for (uint32_t i = 0; i < count; i++) {
		struct element e = { .slot = slot };

		memset(bytes, 0, set_element_bytes(x, b));
		if (!describe(x, &descriptors[i], &e, bytes))
			return false;
		memcpy(set_element_at(x, set->bytes, b, first + i), bytes, set_element_bytes(x, b));
		change_element(x, set, b, first + i, &e);
	}
	sets_changed(x);
	return true;
}

bool run_write_set(struct exec *x, const struct sundog_cmd_write_set *cmd,
		   const struct sundog_set_descriptor *descriptors)
{
	struct set *set = (struct set *)object_find(x, cmd->set, SUNDOG_OBJECT_KIND_SET);
	const struct set_binding *b = set ? find_elements(x, set, cmd->binding, cmd->first,
							  cmd->count, 2)
					  : NULL;

	if (!b)
		return false;
	if (b->kind == SET_MUTABLE)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 2);
	return write_elements(x, set, b, b->kind, cmd->first, cmd->count, descriptors);
}

bool run_write_mutable_set(struct exec *x, const struct sundog_cmd_write_mutable_set *cmd,
			   const struct sundog_set_descriptor *descriptors)
{
	struct set *set = (struct set *)object_find(x, cmd->set, SUNDOG_OBJECT_KIND_SET);
	const struct set_binding *b = set ? find_elements(x, set, cmd->binding, cmd->first,
							  cmd->count, 2)
					  : NULL;
	const enum slot_kind slot = descriptor_kind(cmd->type);

	if (!b)
		return false;
	if (b->kind != SET_MUTABLE)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 2);
	if (slot_is_storage(slot) && !exec_has(x, SUNDOG_FEATURE_COMPUTE))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 4);
	return write_elements(x, set, b, slot, cmd->first, cmd->count, descriptors);
}

/*
 * Returns true if elements can be copied. One of the bindings may be mutable, unless the other one
 * has dynamic offsets.
 */
static bool can_copy(const struct set_binding *from, const struct set_binding *to)
{
	if (from->kind == SET_MUTABLE || to->kind == SET_MUTABLE)
		return !from->dynamic && !to->dynamic;
	return from->type == to->type;
}

static void copy_element(struct exec *x, const struct set *src, const struct set_binding *from,
			 uint32_t i, struct set *dst, const struct set_binding *to, uint32_t j)
{
	static const struct element nothing;
	const struct element *e = &src->elements[from->first + i];

	/* An empty element's bytes are not used. */
	if (element_is_nothing(e) || (to->kind != SET_MUTABLE && e->slot != to->kind)) {
		change_element(x, dst, to, j, &nothing);
		return;
	}
	memcpy(set_element_at(x, dst->bytes, to, j), set_element_at(x, src->bytes, from, i),
	       x->draw.descriptor_size[e->slot]);
	change_element(x, dst, to, j, e);
}

/*
 * Returns true if source and destination elements overlap. In one binding, elements would be
 * overwritten before they are read.
 */
static bool overlap(const struct sundog_cmd_copy_set *cmd)
{
	const uint32_t src = cmd->src_first, dst = cmd->dst_first;

	return (src < dst ? dst - src : src - dst) < cmd->count;
}

bool run_copy_set(struct exec *x, const struct sundog_cmd_copy_set *cmd)
{
	struct set *src = (struct set *)object_find(x, cmd->src, SUNDOG_OBJECT_KIND_SET);
	struct set *dst = src ? (struct set *)object_find(x, cmd->dst, SUNDOG_OBJECT_KIND_SET)
			      : NULL;
	const struct set_binding *from, *to;

	from = dst ? find_elements(x, src, cmd->src_binding, cmd->src_first, cmd->count, 2) : NULL;
	to = from ? find_elements(x, dst, cmd->dst_binding, cmd->dst_first, cmd->count, 5) : NULL;
	if (!to)
		return false;
	if (!can_copy(from, to) || (src == dst && from == to && overlap(cmd)))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 5);
	for (uint32_t i = 0; i < cmd->count; i++)
		copy_element(x, src, from, cmd->src_first + i, dst, to, cmd->dst_first + i);
	sets_changed(x);
	return true;
}

/* Binding */

static void bind(struct exec *x, struct bound_sets *bound, uint32_t slot, struct set *set)
{
	if (set)
		object_ref(&set->object);
	unref(x, bound->sets[slot] ? &bound->sets[slot]->object : NULL);
	bound->sets[slot] = set;
	bound->dirty = true;
}

void bound_sets_reset(struct exec *x, struct bound_sets *bound)
{
	for (uint32_t i = 0; i < SUNDOG_MAX_SETS; i++)
		bind(x, bound, i, NULL);
}

bool run_bind_set(struct exec *x, const struct sundog_cmd_bind_set *cmd, const uint32_t *offsets)
{
	struct bound_sets *bound = &x->draw.bound_sets[cmd->compute];
	struct set *set = NULL;

	if (cmd->set) {
		set = (struct set *)object_find(x, cmd->set, SUNDOG_OBJECT_KIND_SET);
		if (!set)
			return false;
	}
	if (cmd->count != (set ? set->layout->n_dynamic : 0))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 4);
	bind(x, bound, cmd->slot, set);
	memcpy(bound->offsets[cmd->slot], offsets, cmd->count * sizeof(*offsets));
	return true;
}

/* Use */

bool sets_layout(struct exec *x, uint32_t stages, const struct pipeline_layout **out)
{
	bool first = true;

	*out = NULL;
	for (uint32_t s = 0; s < NUM_STAGES; s++) {
		const struct shader *shader = x->draw.shaders[s];

		if (!(stages >> s & 1) || !shader)
			continue;
		if (!first && shader->layout != *out)
			return fault(x, SUNDOG_FAULT_CODE_OBJECT, shader->id);
		*out = shader->layout;
		first = false;
	}
	return true;
}

/* Returns true if a set of one layout can be used with shaders of the other. */
static bool same_layout(const struct set_layout *a, const struct set_layout *b)
{
	if (a == b)
		return true;
	if (a->n_bindings != b->n_bindings)
		return false;
	for (uint32_t i = 0; i < a->n_bindings; i++)
		if (a->bindings[i].number != b->bindings[i].number ||
		    a->bindings[i].type != b->bindings[i].type ||
		    a->bindings[i].count != b->bindings[i].count)
			return false;
	return true;
}

/* Returns the mask of the sets that shaders of @stages use. */
static uint32_t sets_used(const struct draw *d, uint32_t stages)
{
	uint32_t used = 0;

	for (uint32_t s = 0; s < NUM_STAGES; s++)
		for (uint32_t i = 0;
		     stages >> s & 1 && d->shaders[s] && i < d->shaders[s]->n_descriptors; i++)
			used |= 1u << d->shaders[s]->descriptors[i].set;
	return used;
}

/* Where the copy of a set lies. */
struct place {
	VkDeviceAddress address;
	VkDeviceSize offset;
	uint32_t buffer;		/* index of the bound descriptor buffer */
};

static bool find_copies(struct exec *x, uint32_t stages, const struct pipeline_layout *layout,
			uint32_t used, struct place *out)
{
	const struct bound_sets *bound = &x->draw.bound_sets[!(stages & GRAPHICS_STAGES)];

	for (uint32_t i = 0; i < SUNDOG_MAX_SETS; i++) {
		struct set *set = bound->sets[i];
		const struct set_copy *copy;

		if (!(used >> i & 1))
			continue;
		if (!set || !same_layout(set->layout, layout->sets[i]))
			return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_BIND_SET);
		copy = set_copy_get(x, set, i, stages,
				    layout->dynamic.layout ? NULL : bound->offsets[i]);
		if (!copy)
			return false;
		out[i] = (struct place){ copy->address, copy->offset, 0 };
	}
	return true;
}

/* Returns true if any of the used sets has dynamic offsets. */
static bool takes_offsets(const struct pipeline_layout *layout, uint32_t used)
{
	for (uint32_t i = 0; i < layout->n_sets; i++)
		if (used >> i & 1 && layout->sets[i]->n_dynamic)
			return true;
	return false;
}

/*
 * Write the host set that has the dynamic bindings of all sets. Returns false with a fault recorded
 * on failure.
 */
static bool place_dynamic(struct exec *x, const struct bound_sets *bound,
			  const struct pipeline_layout *layout, uint32_t used, struct place *out)
{
	const VkDeviceSize *places = layout->dynamic.offsets;
	unsigned char *map;

	if (!descriptors_reserve(x, layout->dynamic.size))
		return false;
	out->address = x->batches.recording->chunks->buffer.address;
	map = descriptors_take(x, layout->dynamic.size, &out->offset);
	for (uint32_t i = 0; i < layout->n_sets; i++) {
		if (used >> i & 1 &&
		    !set_write_dynamic(x, bound->sets[i], bound->offsets[i], map, places))
			return false;
		places += layout->sets[i]->n_dynamic_bindings;
	}
	return true;
}

/*
 * Returns the index of a buffer in @table, which gets it if there is room; MAX_DESCRIPTOR_BUFFERS
 * if there is no room.
 */
static uint32_t find_buffer(VkDeviceAddress *table, uint32_t *n, VkDeviceAddress address)
{
	uint32_t i = 0;

	while (i < *n && table[i] != address)
		i++;
	if (i == *n && i < MAX_DESCRIPTOR_BUFFERS)
		table[(*n)++] = address;
	return i;
}

/*
 * Bind the descriptor buffers of @places. Bound buffers stay as long as there is room, because they
 * may be needed again.
 */
static void bind_places(struct exec *x, uint32_t used, struct place *places)
{
	VkDeviceAddress table[MAX_DESCRIPTOR_BUFFERS];
	uint32_t n = x->draw.n_descriptor_buffers;

	memcpy(table, x->draw.descriptor_buffers, n * sizeof(table[0]));
	for (uint32_t i = 0; i < SUNDOG_MAX_SETS; i++) {
		if (!(used >> i & 1))
			continue;
		places[i].buffer = find_buffer(table, &n, places[i].address);
		if (places[i].buffer < MAX_DESCRIPTOR_BUFFERS)
			continue;
		/* There is no room: start again with only the necessary buffers. */
		n = 0;
		for (i = 0; i < SUNDOG_MAX_SETS; i++)
			if (used >> i & 1)
				places[i].buffer = find_buffer(table, &n, places[i].address);
	}
	descriptors_bind(x, table, n);
}

bool sets_flush(struct exec *x, uint32_t stages, const struct pipeline_layout *layout)
{
	const VkPipelineBindPoint point = stages_bind_point(stages);
	struct bound_sets *bound = &x->draw.bound_sets[point == VK_PIPELINE_BIND_POINT_COMPUTE];
	uint32_t used = sets_used(&x->draw, stages);
	struct place places[SUNDOG_MAX_SETS];

	if (!used || !bound->dirty)
		return true;
	if (!find_copies(x, stages, layout, used, places))
		return false;
	if (layout->dynamic.layout && takes_offsets(layout, used)) {
		if (!place_dynamic(x, bound, layout, used, &places[layout->n_sets]))
			return false;
		used |= 1u << layout->n_sets;
	}
	bind_places(x, used, places);
	for (uint32_t i = 0; i < SUNDOG_MAX_SETS; i++)
		if (used >> i & 1)
			x->vk.CmdSetDescriptorBufferOffsetsEXT(x->draw.cmd, point, layout->layout,
							       i, 1, &places[i].buffer,
							       &places[i].offset);
	/*
	 * lavapipe sets the offsets for all stages of the layout, whatever the bind point is, and
	 * the handle set belongs to another layout.
	 */
	descriptors_stale(x);
	bound->dirty = false;
	return true;
}
