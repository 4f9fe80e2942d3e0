/* SPDX-License-Identifier: MIT */
/*
 * Sets, and the copies of them that the host reads.
 *
 * A copy is current as long as three inputs are unchanged: the set, the submission's list and the
 * kinds that shaders expect of the elements. Any number of draws share a current copy. The copy of
 * a small set lies in a chunk of the batch and ends with it. A large set keeps some copies of its
 * own: a copy that no batch reads any more is updated element by element, so that a write costs
 * only the written elements, and a draw that changes nothing costs nothing. A copy is never written
 * while a batch reads it.
 */
#ifndef EXEC_SET_COPY_H
#define EXEC_SET_COPY_H

#include "exec/set.h"

#define LARGE_SET (64u << 10)		/* bytes from which a set is large */
#define MAX_SET_COPIES (NUM_BATCHES + 1)	/* of a large set */
/* bytes of all large sets and their copies; worker_sandbox.c limits the host's heap */
#define MAX_SET_BYTES (2ull << 30)
#define SET_CHANGES 4096		/* changes that a large set remembers, a power of two */
/* per copy; a copy with more expectations is made anew for each draw */
#define MAX_EXPECTED 16

/*
 * Objects that an element refers to. All pointers NULL: the element is empty, and its bytes are not
 * used.
 */
struct element {
	struct object *view;
	struct object *sampler;
	struct alloc *alloc;		/* NULL: it has no memory */
	uint64_t offset, size;		/* of a memory range */
	uint32_t kind;			/* texture kind of a view, see gate/texture.h */
	bool atomic;			/* the host has atomic operations on the view's format */
	uint8_t slot;			/* slot_kind that it was written as */
};

#define KINDS_DIFFER UINT32_MAX

/* Summary of all elements that were ever written to a binding. */
struct element_kinds {
	/* texture kind, 0: no element was a view, KINDS_DIFFER: several kinds */
	uint32_t kind;
	bool plain;			/* some element had a format without atomic operations */
};

/* An element, by the index of its binding. */
struct element_place {
	uint32_t binding, i;
};

/* Kind that the shaders expect of a binding's elements. */
struct expected {
	uint32_t binding;		/* index of the binding */
	uint32_t kind;
	bool atomic;
	bool sampled;			/* a sampled image, see texture_kind_as_integers() */
};

struct set_copy {
	struct set_copy *next;
	struct vk_host_buffer buffer;	/* of a large set */
	/* by element: the copy has the set's descriptor instead of a null one; NULL: not tracked */
	bool *shown;
	VkDeviceAddress address;	/* of the buffer that it lies in */
	VkDeviceSize offset;		/* offset in that buffer */
	unsigned char *map;
	/*
	 * the last batch that reads it: its timeline value, or its number (batches.begun) if the
	 * copy is in a chunk
	 */
	uint64_t batch;
	/* of the set and of the list when the copy was made; 0: never */
	uint64_t version, list;
	uint32_t n_expected;
	struct expected expected[MAX_EXPECTED];
	/* by set_binding.nth_mutable: slot_kind that shaders declare; SET_MUTABLE: none */
	uint8_t as[SUNDOG_MAX_MUTABLE_BINDINGS];
};

struct set {
	struct object object;
	struct set_layout *layout;
	uint64_t version;		/* incremented with each change of an element */
	unsigned char *bytes;		/* layout->size bytes */
	struct element *elements;	/* layout->n_elements entries */
	struct element_kinds *kinds;	/* by binding */
	struct element_place *changes;	/* of a large set: ring of the last changes, by version */
	struct set_copy *copies;	/* of a large set */
	struct set *next_large, **large_at;	/* links of draw.large_sets */
	/* the copy in a chunk: of a small set, and of a large set that changes within a batch */
	struct set_copy copy;
};

static inline bool element_is_nothing(const struct element *e)
{
	return !e->view && !e->sampler && !e->alloc;
}

static inline bool set_is_large(const struct set *set)
{
	return set->layout->size >= LARGE_SET;
}

/*
 * set_element_bytes() returns the bytes of an element of binding @b. set_element_at() returns the
 * address of element @i of @b in a set that begins at @set.
 */
uint32_t set_element_bytes(const struct exec *x, const struct set_binding *b);
unsigned char *set_element_at(const struct exec *x, unsigned char *set,
			      const struct set_binding *b, uint32_t i);

/* Set the limits that drivers must keep to: the memory for sets. */
void set_caps(struct exec *x);

/*
 * Reserve @size more bytes for large sets and copies. If there is no room, free unused memory
 * first: sets on the garbage list, and copies, which draws can make again. May wait for batches.
 * Returns false if there is still no room.
 */
bool set_bytes_make(struct exec *x, uint64_t size);

/* Returns true if the element's memory is listed for the accesses that shaders may make. */
bool element_is_listed(const struct exec *x, const struct element *e);

/*
 * Returns a current copy of @set as set @slot of the bound shaders of @stages, with @offsets added
 * to dynamic bindings. @offsets NULL: the dynamic bindings are in struct dynamic_set. Returns NULL
 * with a fault recorded on failure.
 */
const struct set_copy *set_copy_get(struct exec *x, struct set *set, uint32_t slot,
				    uint32_t stages, const uint32_t *offsets);

/* Returns true if no batch reads a copy of @set. */
bool set_is_idle(struct exec *x, const struct set *set);
void set_copies_free(struct exec *x, struct set *set);

#endif
