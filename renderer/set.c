// SPDX-License-Identifier: MIT
/*
 * Descriptor sets, see set.h.
 */
#include "set.h"

#include <stdlib.h>
#include <string.h>

#include "gate.h"
#include "memory.h"
#include "worker.h"

/* What an element names; no alloc: it has no memory, since it is a sampler or nothing was written. */
struct element {
	struct object *view;
	struct object *sampler;
	struct alloc *alloc;
	uint64_t offset, size;		/* of a range */
	uint32_t kind;			/* of a view, see texture.h */
	bool atomic;			/* the host has atomic operations on its format */
};

struct set {
	struct object object;
	struct set_layout *layout;
	unsigned char *bytes;		/* layout->size of them */
	struct element elements[];	/* layout->n_elements of them */
};

static uint32_t bytes_of(const struct worker *w, const struct set_binding *b)
{
	return w->draw.descriptor_size[b->kind];
}

static unsigned char *bytes_at(const struct worker *w, unsigned char *set, const struct set_binding *b, uint32_t i)
{
	return set + b->offset + (size_t)i * bytes_of(w, b);
}

/* Objects */

static void fill_with_nothing(const struct worker *w, const struct set_layout *layout, unsigned char *bytes)
{
	for (const struct set_binding *b = layout->bindings; b < layout->bindings + layout->n_bindings; b++)
		for (uint32_t i = 0; i < b->count; i++)
			memcpy(bytes_at(w, bytes, b, i), w->draw.null[b->kind], bytes_of(w, b));
}

bool set_create(struct worker *w, const struct sundog_cmd_create_set *cmd)
{
	struct set_layout *layout;
	struct set *set;

	if (!object_id_free(w, cmd->id))
		return false;
	layout = (struct set_layout *)object_find(w, cmd->layout, SUNDOG_OBJECT_KIND_SET_LAYOUT);
	if (!layout)
		return false;
	set = calloc(1, sizeof(*set) + layout->n_elements * sizeof(set->elements[0]));
	if (set)
		set->bytes = calloc(1, layout->size + 1);
	if (!set || !set->bytes) {
		free(set);
		return fault(w, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	}
	object_ref(&layout->object);
	set->object = (struct object){ .kind = SUNDOG_OBJECT_KIND_SET, .refs = 1 };
	set->layout = layout;
	fill_with_nothing(w, layout, set->bytes);
	object_publish(w, cmd->id, &set->object);
	return true;
}

static void unref(struct worker *w, struct object *object)
{
	if (object)
		object_unref(w, object);
}

/* The references are the caller's. */
static void set_element(struct worker *w, struct element *e, const struct element *to)
{
	const struct element old = *e;

	*e = *to;
	if (e->view)
		object_ref(e->view);
	if (e->sampler)
		object_ref(e->sampler);
	if (e->alloc)
		object_ref(&e->alloc->object);
	unref(w, old.view);
	unref(w, old.sampler);
	unref(w, old.alloc ? &old.alloc->object : NULL);
}

void set_free(struct worker *w, struct set *set)
{
	const struct element nothing = { 0 };

	for (uint32_t i = 0; i < set->layout->n_elements; i++)
		set_element(w, &set->elements[i], &nothing);
	object_unref(w, &set->layout->object);
	free(set->bytes);
	free(set);
}

/* Writing */

static bool describe_range(struct worker *w, const struct set_binding *b, const struct sundog_mem_range *range,
			   struct element *e, unsigned char *bytes)
{
	const bool ubo = b->kind == SLOT_UBO;
	const uint32_t align = ubo ? w->caps.min_ubo_align : w->caps.min_ssbo_align;
	const uint32_t most = ubo ? w->caps.max_ubo_range : w->caps.max_ssbo_range;

	e->alloc = memory_find(w, range->mem, SUNDOG_ACCESS_READ);
	if (!e->alloc || !memory_buffer_range(w, e->alloc, range->offset, range->size))
		return false;
	if (range->offset % align || !range->size || range->size > most)
		return fault(w, SUNDOG_FAULT_CODE_RANGE, e->alloc->handle);
	if (!memory_buffer(w, e->alloc))
		return false;
	e->offset = range->offset;
	e->size = range->size;
	descriptor_of_range(w, b->kind, e->alloc->address + e->offset, e->size, VK_FORMAT_UNDEFINED, bytes);
	return true;
}

static bool describe_texels(struct worker *w, const struct set_binding *b, uint32_t id, struct element *e,
			    unsigned char *bytes)
{
	struct buffer_view *view = (struct buffer_view *)object_find(w, id, SUNDOG_OBJECT_KIND_BUFFER_VIEW);
	const void *descriptor;

	if (!view)
		return false;
	if (!buffer_view_can_be(w, view, b->kind))
		return fault(w, SUNDOG_FAULT_CODE_OBJECT, id);
	descriptor = buffer_view_descriptor(w, view, b->kind);
	if (!descriptor)
		return false;
	memcpy(bytes, descriptor, bytes_of(w, b));
	e->view = &view->object;
	e->alloc = view->alloc;
	e->kind = view->kind;
	e->atomic = w->caps.formats[view->format] & SUNDOG_FORMAT_FEATURE_ATOMIC;
	return true;
}

static bool describe_sampler(struct worker *w, uint32_t id, struct element *e, unsigned char *bytes)
{
	struct sampler *sampler = (struct sampler *)object_find(w, id, SUNDOG_OBJECT_KIND_SAMPLER);

	if (!sampler)
		return false;
	descriptor_of_sampler(w, sampler->sampler, bytes);
	e->sampler = &sampler->object;
	return true;
}

static bool describe_image(struct worker *w, const struct set_binding *b, const struct sundog_set_descriptor *d,
			   struct element *e, unsigned char *bytes)
{
	const bool storage = b->kind == SLOT_IMAGE;
	struct image_view *view = (struct image_view *)object_find(w, d->view, SUNDOG_OBJECT_KIND_IMAGE_VIEW);
	struct sampler *sampler = NULL;

	if (!view)
		return false;
	if (!(view->usage & (storage ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT)) ||
	    (storage && view->levels != 1))
		return fault(w, SUNDOG_FAULT_CODE_OBJECT, d->view);
	if (b->kind == SLOT_TEXTURE) {
		sampler = (struct sampler *)object_find(w, d->sampler, SUNDOG_OBJECT_KIND_SAMPLER);
		if (!sampler)
			return false;
		e->sampler = &sampler->object;
	}
	descriptor_of_image(w, b->kind, view->view, sampler ? sampler->sampler : VK_NULL_HANDLE, bytes);
	e->view = &view->object;
	e->alloc = view->image->alloc;
	e->kind = view->kind;
	e->atomic = w->caps.formats[view->format] & SUNDOG_FORMAT_FEATURE_ATOMIC;
	return true;
}

static bool describe(struct worker *w, const struct set_binding *b, const struct sundog_set_descriptor *d,
		     struct element *e, unsigned char *bytes)
{
	switch (b->kind) {
	case SLOT_UBO:
	case SLOT_SSBO:
		if (d->range.size)
			return describe_range(w, b, &d->range, e, bytes);
		break;
	case SLOT_TEXELS:
	case SLOT_STORAGE_TEXELS:
		if (d->view)
			return describe_texels(w, b, d->view, e, bytes);
		break;
	case SET_SAMPLER:
		if (d->sampler)
			return describe_sampler(w, d->sampler, e, bytes);
		break;
	default:
		if (d->view)
			return describe_image(w, b, d, e, bytes);
		break;
	}
	memcpy(bytes, w->draw.null[b->kind], bytes_of(w, b));
	return true;
}

/* @count elements of a binding of a set from @first; NULL with a fault recorded. */
static const struct set_binding *find_elements(struct worker *w, const struct set *set, uint32_t number,
					       uint32_t first, uint32_t count, uint32_t field)
{
	const struct set_binding *b = set_layout_find(set->layout, number);

	if (b && first <= b->count && count <= b->count - first)
		return b;
	fault(w, SUNDOG_FAULT_CODE_FIELD, field);
	return NULL;
}

static void sets_changed(struct worker *w)
{
	w->draw.bound_sets[0].dirty = w->draw.bound_sets[1].dirty = true;
}

bool write_set(struct worker *w, const struct sundog_cmd_write_set *cmd,
	       const struct sundog_set_descriptor *descriptors)
{
	struct set *set = (struct set *)object_find(w, cmd->set, SUNDOG_OBJECT_KIND_SET);
	const struct set_binding *b = set ? find_elements(w, set, cmd->binding, cmd->first, cmd->count, 2) : NULL;
	unsigned char bytes[MAX_DESCRIPTOR_SIZE];

	if (!b)
		return false;
	for (uint32_t i = 0; i < cmd->count; i++) {
		struct element e = { 0 };

		memset(bytes, 0, sizeof(bytes));
		if (!describe(w, b, &descriptors[i], &e, bytes))
			return false;
		memcpy(bytes_at(w, set->bytes, b, cmd->first + i), bytes, bytes_of(w, b));
		set_element(w, &set->elements[b->first + cmd->first + i], &e);
	}
	sets_changed(w);
	return true;
}

bool copy_set(struct worker *w, const struct sundog_cmd_copy_set *cmd)
{
	struct set *src = (struct set *)object_find(w, cmd->src, SUNDOG_OBJECT_KIND_SET);
	struct set *dst = src ? (struct set *)object_find(w, cmd->dst, SUNDOG_OBJECT_KIND_SET) : NULL;
	const struct set_binding *from, *to;

	from = dst ? find_elements(w, src, cmd->src_binding, cmd->src_first, cmd->count, 2) : NULL;
	to = from ? find_elements(w, dst, cmd->dst_binding, cmd->dst_first, cmd->count, 5) : NULL;
	if (!to)
		return false;
	/* Within one binding elements would be overwritten before they are read. */
	if (from->type != to->type || (src == dst && from == to))
		return fault(w, SUNDOG_FAULT_CODE_FIELD, 5);
	memcpy(bytes_at(w, dst->bytes, to, cmd->dst_first), bytes_at(w, src->bytes, from, cmd->src_first),
	       (size_t)cmd->count * bytes_of(w, from));
	for (uint32_t i = 0; i < cmd->count; i++)
		set_element(w, &dst->elements[to->first + cmd->dst_first + i],
			    &src->elements[from->first + cmd->src_first + i]);
	sets_changed(w);
	return true;
}

/* Binding */

static void bind(struct worker *w, struct bound_sets *bound, uint32_t slot, struct set *set)
{
	if (set)
		object_ref(&set->object);
	unref(w, bound->sets[slot] ? &bound->sets[slot]->object : NULL);
	bound->sets[slot] = set;
	bound->dirty = true;
}

void bound_sets_reset(struct worker *w, struct bound_sets *bound)
{
	for (uint32_t i = 0; i < SUNDOG_MAX_SETS; i++)
		bind(w, bound, i, NULL);
}

bool bind_set(struct worker *w, const struct sundog_cmd_bind_set *cmd, const uint32_t *offsets)
{
	struct bound_sets *bound = &w->draw.bound_sets[cmd->compute];
	struct set *set = NULL;

	if (cmd->set) {
		set = (struct set *)object_find(w, cmd->set, SUNDOG_OBJECT_KIND_SET);
		if (!set)
			return false;
	}
	if (cmd->count != (set ? set->layout->n_dynamic : 0))
		return fault(w, SUNDOG_FAULT_CODE_FIELD, 4);
	bind(w, bound, cmd->slot, set);
	memcpy(bound->offsets[cmd->slot], offsets, cmd->count * sizeof(*offsets));
	return true;
}

/* Use */

bool sets_layout(struct worker *w, uint32_t stages, const struct pipeline_layout **out)
{
	bool first = true;

	*out = NULL;
	for (uint32_t s = 0; s < NUM_STAGES; s++) {
		const struct shader *shader = w->draw.shaders[s];

		if (!(stages >> s & 1) || !shader)
			continue;
		if (!first && shader->layout != *out)
			return fault(w, SUNDOG_FAULT_CODE_OBJECT, shader->id);
		*out = shader->layout;
		first = false;
	}
	return true;
}

/* Do sets of the one fit shaders of the other? */
static bool same_layout(const struct set_layout *a, const struct set_layout *b)
{
	if (a == b)
		return true;
	if (a->n_bindings != b->n_bindings)
		return false;
	for (uint32_t i = 0; i < a->n_bindings; i++)
		if (a->bindings[i].number != b->bindings[i].number || a->bindings[i].type != b->bindings[i].type ||
		    a->bindings[i].count != b->bindings[i].count)
			return false;
	return true;
}

/* A mask of the sets that shaders of @stages declare something in. */
static uint32_t sets_used(const struct draw *d, uint32_t stages)
{
	uint32_t used = 0;

	for (uint32_t s = 0; s < NUM_STAGES; s++)
		for (uint32_t i = 0; stages >> s & 1 && d->shaders[s] && i < d->shaders[s]->n_descriptors; i++)
			used |= 1u << d->shaders[s]->descriptors[i].set;
	return used;
}

static bool is_listed(const struct worker *w, const struct element *e, const struct set_binding *b)
{
	const uint32_t access = SUNDOG_ACCESS_READ | (slot_is_storage(b->kind) ? SUNDOG_ACCESS_WRITE : 0);

	return e->alloc->stamp == w->memory.stamp && (e->alloc->access & access) == access;
}

/* The host compiles for the view, and checks those coordinates that it has; see slot_fits() in descriptor.c. */
static bool fits(const struct element *e, const struct gate_descriptor *d)
{
	return !d->kind || (e->kind == d->kind && (e->atomic || !d->atomic));
}

/* The range moves by an offset, and must stay in its memory. */
static bool add_offset(struct worker *w, const struct set_binding *b, const struct element *e, uint32_t offset,
		       unsigned char *at)
{
	const uint32_t align = b->kind == SLOT_UBO ? w->caps.min_ubo_align : w->caps.min_ssbo_align;

	if (!memory_buffer_range(w, e->alloc, e->offset + offset, e->size))
		return false;
	if (offset % align)
		return fault(w, SUNDOG_FAULT_CODE_RANGE, e->alloc->handle);
	descriptor_of_range(w, b->kind, e->alloc->address + e->offset + offset, e->size, VK_FORMAT_UNDEFINED, at);
	return true;
}

/* Of the copy at @at stays what may; offsets are added. */
static bool settle_binding(struct worker *w, const struct set *set, const struct set_binding *b,
			   const uint32_t **offsets, unsigned char *at)
{
	for (uint32_t i = 0; i < b->count; i++) {
		const struct element *e = &set->elements[b->first + i];
		const uint32_t offset = b->dynamic ? *(*offsets)++ : 0;

		if (!e->alloc)
			continue;
		if (!is_listed(w, e, b))
			memcpy(bytes_at(w, at, b, i), w->draw.null[b->kind], bytes_of(w, b));
		else if (offset && !add_offset(w, b, e, offset, bytes_at(w, at, b, i)))
			return false;
	}
	return true;
}

static void drop_misfits(struct worker *w, const struct set *set, const struct gate_descriptor *d, unsigned char *at)
{
	const struct set_binding *b = set_layout_find(set->layout, d->binding);

	for (uint32_t i = 0; i < b->count; i++)
		if (!fits(&set->elements[b->first + i], d))
			memcpy(bytes_at(w, at, b, i), w->draw.null[b->kind], bytes_of(w, b));
}

static bool copy_to(struct worker *w, const struct set *set, const uint32_t *offsets, uint32_t slot, uint32_t stages,
		    unsigned char *at)
{
	const struct set_layout *layout = set->layout;

	memcpy(at, set->bytes, layout->size);
	for (const struct set_binding *b = layout->bindings; b < layout->bindings + layout->n_bindings; b++)
		if (!settle_binding(w, set, b, &offsets, at))
			return false;
	for (uint32_t s = 0; s < NUM_STAGES; s++) {
		const struct shader *shader = stages >> s & 1 ? w->draw.shaders[s] : NULL;

		for (uint32_t i = 0; shader && i < shader->n_descriptors; i++)
			if (shader->descriptors[i].set == slot)
				drop_misfits(w, set, &shader->descriptors[i], at);
	}
	return true;
}

static bool flush_set(struct worker *w, uint32_t stages, const struct pipeline_layout *layout, uint32_t slot)
{
	const VkPipelineBindPoint point = stages_bind_point(stages);
	const struct bound_sets *bound = &w->draw.bound_sets[point == VK_PIPELINE_BIND_POINT_COMPUTE];
	const struct set *set = bound->sets[slot];
	const uint32_t buffer = 0;
	VkDeviceSize offset;
	unsigned char *at;

	if (!set || !same_layout(set->layout, layout->sets[slot]))
		return fault(w, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_BIND_SET);
	at = descriptors_take(w, set->layout->size, &offset);
	if (!copy_to(w, set, bound->offsets[slot], slot, stages, at))
		return false;
	w->vk.CmdSetDescriptorBufferOffsetsEXT(w->draw.cmd, point, layout->layout, slot, 1, &buffer, &offset);
	return true;
}

bool sets_flush(struct worker *w, uint32_t stages, const struct pipeline_layout *layout)
{
	struct bound_sets *bound = &w->draw.bound_sets[!(stages & GRAPHICS_STAGES)];
	const uint32_t used = sets_used(&w->draw, stages);
	VkDeviceSize size = 0;

	if (!used || (!bound->dirty && w->draw.buffers_bound))
		return true;
	for (uint32_t i = 0; i < SUNDOG_MAX_SETS; i++)
		if (used >> i & 1)
			size += layout->sets[i]->size + w->vk.descriptor.descriptorBufferOffsetAlignment;
	if (!descriptors_reserve(w, size))
		return false;
	for (uint32_t i = 0; i < SUNDOG_MAX_SETS; i++)
		if (used >> i & 1 && !flush_set(w, stages, layout, i))
			return false;
	/*
	 * lavapipe sets them for all stages of their layout, whatever the bind point is; and the set of handles is of
	 * another layout.
	 */
	descriptors_stale(w);
	bound->dirty = false;
	return true;
}
