// SPDX-License-Identifier: MIT
/*
 * Copies of descriptor sets, see set_copy.h. Called on the worker's main thread.
 */
#include "exec/set_copy.h"
#include "exec/set_dynamic.h"
#include "exec/set_layout.h"

#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "gate/gate.h"
#include "gate/texture.h"

uint32_t set_element_bytes(const struct exec *x, const struct set_binding *b)
{
	return x->draw.descriptor_size[b->kind];
}

unsigned char *set_element_at(const struct exec *x, unsigned char *set,
			      const struct set_binding *b, uint32_t i)
{
	return set + b->offset + (size_t)i * set_element_bytes(x, b);
}

/* Expectations of shaders */

/*
 * The host compiles texture accesses for the view and checks only the coordinates that the view
 * has; see slot_fits() in descriptor.c.
 */
static bool kind_fits(uint32_t kind, const struct expected *expected)
{
	return kind == expected->kind || (expected->sampled && kind != KINDS_DIFFER &&
					  texture_kind_as_integers(kind, expected->kind));
}

static bool fits(const struct element *e, const struct expected *expected)
{
	return kind_fits(e->kind, expected) && (e->atomic || !expected->atomic);
}

/* Returns true if all elements that were ever written to a binding fit. */
static bool all_fit(const struct element_kinds *kinds, const struct expected *expected)
{
	return !kinds->kind ||
	       (kind_fits(kinds->kind, expected) && !(kinds->plain && expected->atomic));
}

/* Returns what descriptor @d of a shader expects of binding @b, which may be mutable. */
static struct expected expected_of(const struct set_binding *b, const struct gate_descriptor *d)
{
	const enum slot_kind kind = b->kind == SET_MUTABLE ? descriptor_kind(d->type) : b->kind;

	return (struct expected){
		.kind = texture_kind_unsigned(d->kind),
		.atomic = d->atomic,
		.sampled = kind == SLOT_TEXTURE || kind == SET_SAMPLED_IMAGE,
	};
}

/*
 * Add the expectation of @d, unless all elements of the set meet it. Returns false if there is no
 * room.
 */
static bool expect(const struct set *set, const struct gate_descriptor *d, struct expected *out,
		   uint32_t *n)
{
	const struct set_binding *b = d->kind ? set_layout_find(set->layout, d->binding) : NULL;
	struct expected expected;

	if (!b)
		return true;
	expected = expected_of(b, d);
	expected.binding = b - set->layout->bindings;
	if (all_fit(&set->kinds[expected.binding], &expected))
		return true;
	for (uint32_t i = 0; i < *n; i++)
		if (out[i].binding == expected.binding && out[i].kind == expected.kind &&
		    out[i].atomic == expected.atomic)
			return true;
	if (*n == MAX_EXPECTED)
		return false;
	out[(*n)++] = expected;
	return true;
}

/*
 * Find the kind that the shaders of @stages declare for each mutable binding. They must agree,
 * because a null descriptor is one of a single kind. Returns false with a fault recorded if they do
 * not.
 */
static bool agree(struct exec *x, const struct set *set, uint32_t slot, uint32_t stages,
		  uint8_t *as)
{
	memset(as, SET_MUTABLE, set->layout->n_mutable);
	for (uint32_t s = 0; s < NUM_STAGES; s++) {
		const struct shader *shader = stages >> s & 1 ? x->draw.shaders[s] : NULL;

		for (uint32_t i = 0; shader && i < shader->n_descriptors; i++) {
			const struct gate_descriptor *d = &shader->descriptors[i];
			const struct set_binding *b = d->set == slot ? set_layout_find(set->layout,
										       d->binding)
								     : NULL;
			const enum slot_kind kind = descriptor_kind(d->type);

			if (!b || b->kind != SET_MUTABLE)
				continue;
			if (as[b->nth_mutable] != SET_MUTABLE && as[b->nth_mutable] != kind)
				return fault(x, SUNDOG_FAULT_CODE_OBJECT, shader->id);
			as[b->nth_mutable] = kind;
		}
	}
	return true;
}

/*
 * Collect what the shaders of @stages expect of set @slot. Returns false if there is no room for
 * all expectations: then the copy can be used only once.
 */
static bool describe(const struct exec *x, const struct set *set, uint32_t slot, uint32_t stages,
		     struct set_copy *out)
{
	for (uint32_t s = 0; s < NUM_STAGES; s++) {
		const struct shader *shader = stages >> s & 1 ? x->draw.shaders[s] : NULL;

		for (uint32_t i = 0; shader && i < shader->n_descriptors; i++)
			if (shader->descriptors[i].set == slot &&
			    !expect(set, &shader->descriptors[i], out->expected, &out->n_expected))
				return false;
	}
	return true;
}

static bool same_expected(const struct set *set, const struct set_copy *a, const struct set_copy *b)
{
	if (a->n_expected != b->n_expected ||
	    memcmp(a->as, b->as, set->layout->n_mutable))
		return false;
	for (uint32_t i = 0; i < a->n_expected; i++)
		if (a->expected[i].binding != b->expected[i].binding ||
		    a->expected[i].kind != b->expected[i].kind ||
		    a->expected[i].atomic != b->expected[i].atomic)
			return false;
	return true;
}

/* Elements */

bool element_is_listed(const struct exec *x, const struct element *e)
{
	const uint32_t access = SUNDOG_ACCESS_READ |
				(slot_is_storage(e->slot) ? SUNDOG_ACCESS_WRITE : 0);

	return memory_is_listed(&x->memory, e->alloc) && (e->alloc->access & access) == access;
}

/* Returns the kind of the host's descriptors for a binding of the copy. */
static enum slot_kind kind_in(const struct set *set, const struct set_copy *copy, uint32_t binding)
{
	const struct set_binding *b = &set->layout->bindings[binding];

	return b->kind == SET_MUTABLE ? copy->as[b->nth_mutable] : b->kind;
}

/*
 * Returns true if the host can read a descriptor written as @slot as kind @as. A combined image
 * sampler contains a sampled image and a sampler.
 */
static bool can_be(enum slot_kind slot, enum slot_kind as)
{
	return slot == as ||
	       (slot == SLOT_TEXTURE && (as == SET_SAMPLER || as == SET_SAMPLED_IMAGE));
}

/* Returns true if the copy must have the element; false if it must have a null descriptor. */
static bool shows(const struct exec *x, const struct set *set, const struct set_copy *copy,
		  uint32_t binding, uint32_t i)
{
	const struct set_binding *b = &set->layout->bindings[binding];
	const struct element *e = &set->elements[b->first + i];

	if (element_is_nothing(e) || !can_be(e->slot, kind_in(set, copy, binding)))
		return false;
	if (e->alloc && !element_is_listed(x, e))
		return false;
	for (uint32_t n = 0; n < copy->n_expected; n++)
		if (copy->expected[n].binding == binding && !fits(e, &copy->expected[n]))
			return false;
	return true;
}

static void settle(const struct exec *x, const struct set *set, struct set_copy *copy,
		   uint32_t binding, uint32_t i)
{
	const struct set_binding *b = &set->layout->bindings[binding];
	const bool shown = shows(x, set, copy, binding, i);

	memcpy(set_element_at(x, copy->map, b, i),
	       shown ? set_element_at(x, set->bytes, b, i)
		     : x->draw.null[kind_in(set, copy, binding)],
	       set_element_bytes(x, b));
	if (copy->shown)
		copy->shown[b->first + i] = shown;
}

static void settle_all(const struct exec *x, const struct set *set, struct set_copy *copy)
{
	for (uint32_t b = 0; b < set->layout->n_bindings; b++)
		for (uint32_t i = 0; i < set->layout->bindings[b].count; i++)
			settle(x, set, copy, b, i);
}

/*
 * Update the elements written since the copy was made, or all if the set no longer remembers them.
 */
static void settle_changes(const struct exec *x, const struct set *set, struct set_copy *copy)
{
	if (set->version - copy->version > SET_CHANGES) {
		settle_all(x, set, copy);
		return;
	}
	for (uint64_t v = copy->version; v < set->version; v++) {
		const struct element_place *place = &set->changes[v % SET_CHANGES];

		settle(x, set, copy, place->binding, place->i);
	}
}

/* Update the elements whose memory is listed now and was not, or the reverse. */
static void settle_listed(const struct exec *x, const struct set *set, struct set_copy *copy)
{
	for (uint32_t b = 0; b < set->layout->n_bindings; b++) {
		const struct set_binding *binding = &set->layout->bindings[b];

		for (uint32_t i = 0; i < binding->count; i++)
			if (shows(x, set, copy, b, i) != copy->shown[binding->first + i])
				settle(x, set, copy, b, i);
	}
}

/* Copies in chunks */

static struct set_copy *small_copy(struct exec *x, struct set *set, const struct set_copy *want,
				   bool again)
{
	struct set_copy *copy = &set->copy;

	if (again && copy->batch == x->batches.begun && copy->version == want->version &&
	    copy->list == want->list && same_expected(set, copy, want))
		return copy;
	if (!descriptors_reserve(x, set->layout->size))
		return NULL;
	*copy = *want;
	copy->batch = x->batches.begun;
	copy->address = x->batches.recording->chunks->buffer.address;
	copy->map = descriptors_take(x, set->layout->size, &copy->offset);
	settle_all(x, set, copy);
	return copy;
}

/* Copies of large sets */

void set_caps(struct exec *x)
{
	uint64_t size = 1;

	if (!exec_has(x, SUNDOG_FEATURE_DESCRIPTOR_INDEXING))
		return;
	for (int kind = 0; kind < NUM_DESCRIPTOR_KINDS; kind++)
		size = x->draw.descriptor_size[kind] > size ? x->draw.descriptor_size[kind] : size;
	x->caps.large_set = LARGE_SET / size;
	/* Count what the set itself takes, and two copies. */
	x->caps.max_large_descriptors = MAX_SET_BYTES / (size + sizeof(struct element) + 2 * size);
}

static bool take_bytes(struct exec *x, uint64_t size)
{
	if (size > MAX_SET_BYTES - x->draw.set_bytes)
		return false;
	x->draw.set_bytes += size;
	return true;
}

/* Free the copy of @set that *@at points to. */
static void free_copy(struct exec *x, const struct set *set, struct set_copy **at)
{
	struct set_copy *copy = *at;

	*at = copy->next;
	vk_host_buffer_fini(&x->vk, &copy->buffer);
	x->draw.set_bytes -= set->layout->size;
	free(copy->shown);
	free(copy);
}

static void free_idle_copies(struct exec *x)
{
	const uint64_t done = batches_done(x);

	for (struct set *set = x->draw.large_sets; set; set = set->next_large) {
		struct set_copy **at = &set->copies;

		while (*at)
			if ((*at)->batch <= done)
				free_copy(x, set, at);
			else
				at = &(*at)->next;
	}
}

bool set_is_idle(struct exec *x, const struct set *set)
{
	const uint64_t done = batches_done(x);

	for (const struct set_copy *copy = set->copies; copy; copy = copy->next)
		if (copy->batch > done)
			return false;
	return true;
}

bool set_bytes_make(struct exec *x, uint64_t size)
{
	if (take_bytes(x, size))
		return true;
	objects_collect_sets(x);
	if (take_bytes(x, size))
		return true;
	free_idle_copies(x);
	if (take_bytes(x, size))
		return true;
	batches_wait(x, x->batches.submitted);
	objects_collect_sets(x);
	free_idle_copies(x);
	return take_bytes(x, size);
}

/*
 * Create a copy of a large set. If @must, free other memory when there is no room; then pointers to
 * idle copies are invalid afterwards. Returns NULL if there is no memory.
 */
static struct set_copy *add_copy(struct exec *x, struct set *set, bool must)
{
	struct set_copy *copy = calloc(1, sizeof(*copy));

	if (!copy || !(must ? set_bytes_make : take_bytes)(x, set->layout->size)) {
		free(copy);
		return NULL;
	}
	copy->shown = malloc(set->layout->n_elements);
	if (!copy->shown ||
	    !vk_host_buffer_init(&x->vk, &copy->buffer, set->layout->size,
				 VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
					 VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT)) {
		x->draw.set_bytes -= set->layout->size;
		free(copy->shown);
		free(copy);
		return NULL;
	}
	copy->address = copy->buffer.address;
	copy->map = copy->buffer.map;
	copy->next = set->copies;
	set->copies = copy;
	return copy;
}

/*
 * Returns the copy that takes the least work to update, of those that no batch reads any more; NULL
 * if there is none.
 */
static struct set_copy *find_idle(struct exec *x, const struct set *set,
				  const struct set_copy *want)
{
	const uint64_t done = batches_done(x);
	struct set_copy *best = NULL;

	for (struct set_copy *copy = set->copies; copy; copy = copy->next) {
		if (copy->batch > done)
			continue;
		if (same_expected(set, copy, want) &&
		    (!best || !same_expected(set, best, want) || copy->version > best->version))
			best = copy;
		else if (!best)
			best = copy;
	}
	return best;
}

/* Wait for the copy that is idle first. Returns NULL if the recorded batch reads all copies. */
static struct set_copy *wait_for_idle(struct exec *x, const struct set *set)
{
	struct set_copy *first = set->copies;

	for (struct set_copy *copy = set->copies; copy; copy = copy->next)
		if (copy->batch < first->batch)
			first = copy;
	return first && batches_wait(x, first->batch) ? first : NULL;
}

/*
 * One copy per batch and one to write to. Very large sets have only two, or else they would use up
 * MAX_SET_BYTES.
 */
static uint32_t max_copies(const struct set *set)
{
	return set->layout->size > MAX_SET_BYTES / 64 ? 2 : MAX_SET_COPIES;
}

static struct set_copy *idle_copy(struct exec *x, struct set *set, const struct set_copy *want)
{
	struct set_copy *copy = find_idle(x, set, want), *more = NULL;
	uint32_t n = 0;

	for (const struct set_copy *c = set->copies; c; c = c->next)
		n++;
	if ((!copy || !same_expected(set, copy, want)) && n < max_copies(set))
		more = add_copy(x, set, false);
	if (more || copy)
		return more ? more : copy;
	copy = wait_for_idle(x, set);
	/*
	 * A draw of the recorded batch uses each copy, so one more is needed, unless it fits in a
	 * chunk.
	 */
	if (!copy && set->layout->size > DESCRIPTOR_CHUNK_SIZE)
		copy = add_copy(x, set, true);
	return copy;
}

static struct set_copy *find_current(const struct set *set, const struct set_copy *want)
{
	for (struct set_copy *copy = set->copies; copy; copy = copy->next)
		if (copy->version == want->version && copy->list == want->list &&
		    same_expected(set, copy, want))
			return copy;
	return NULL;
}

static void bring_up_to_date(const struct exec *x, const struct set *set, struct set_copy *copy,
			     const struct set_copy *want)
{
	if (copy->version && same_expected(set, copy, want)) {
		settle_changes(x, set, copy);
		if (copy->list != want->list)
			settle_listed(x, set, copy);
	} else {
		copy->n_expected = want->n_expected;
		memcpy(copy->expected, want->expected, sizeof(copy->expected));
		memcpy(copy->as, want->as, sizeof(copy->as));
		settle_all(x, set, copy);
	}
	copy->version = want->version;
	copy->list = want->list;
}

/* Returns a current copy of a large set, NULL without a fault if there is none. */
static struct set_copy *large_copy(struct exec *x, struct set *set, const struct set_copy *want,
				   bool again)
{
	struct set_copy *copy = again ? find_current(set, want) : NULL;

	if (!copy) {
		copy = idle_copy(x, set, want);
		if (!copy)
			return NULL;
		bring_up_to_date(x, set, copy, want);
	}
	copy->batch = batches_recording_value(&x->batches);
	return copy;
}

static struct set_copy *get(struct exec *x, struct set *set, const struct set_copy *want,
			    bool again)
{
	const bool fits = set->layout->size <= DESCRIPTOR_CHUNK_SIZE;
	struct set_copy *copy = NULL;

	if (set_is_large(set) && (again || !fits))
		copy = large_copy(x, set, want, again);
	if (copy)
		return copy;
	if (fits)
		return small_copy(x, set, want, again);
	fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	return NULL;
}

/*
 * For expectations that a copy has no room for: replace elements that do not meet @d by null
 * descriptors.
 */
static void drop_misfits(const struct exec *x, const struct set *set,
			 const struct gate_descriptor *d, struct set_copy *copy)
{
	const struct set_binding *b = d->kind ? set_layout_find(set->layout, d->binding) : NULL;
	const struct expected expected = b ? expected_of(b, d) : (struct expected){ 0 };
	const enum slot_kind kind = b ? kind_in(set, copy, b - set->layout->bindings) : SET_MUTABLE;

	for (uint32_t i = 0; b && i < b->count; i++)
		if (!fits(&set->elements[b->first + i], &expected))
			memcpy(set_element_at(x, copy->map, b, i), x->draw.null[kind],
			       set_element_bytes(x, b));
}

static void drop_all_misfits(const struct exec *x, const struct set *set, uint32_t slot,
			     uint32_t stages, struct set_copy *copy)
{
	for (uint32_t s = 0; s < NUM_STAGES; s++) {
		const struct shader *shader = stages >> s & 1 ? x->draw.shaders[s] : NULL;

		for (uint32_t i = 0; shader && i < shader->n_descriptors; i++)
			if (shader->descriptors[i].set == slot)
				drop_misfits(x, set, &shader->descriptors[i], copy);
	}
}

/*
 * A copy with dynamic offsets, or with more expectations than it has room for, is valid for one
 * draw: version 0 marks it as outdated.
 */
const struct set_copy *set_copy_get(struct exec *x, struct set *set, uint32_t slot,
				    uint32_t stages, const uint32_t *offsets)
{
	struct set_copy want = { .version = set->version, .list = memory_list_version(x) }, *copy;
	bool all, again;

	if (set->layout->n_mutable && !agree(x, set, slot, stages, want.as))
		return NULL;
	all = describe(x, set, slot, stages, &want);
	again = all && !(offsets && set->layout->n_dynamic);
	copy = get(x, set, &want, again);
	if (!copy)
		return NULL;
	if (!again)
		copy->version = 0;
	if (!all)
		drop_all_misfits(x, set, slot, stages, copy);
	return !offsets || set_write_dynamic(x, set, offsets, copy->map, NULL) ? copy : NULL;
}

void set_copies_free(struct exec *x, struct set *set)
{
	while (set->copies)
		free_copy(x, set, &set->copies);
}
