/* SPDX-License-Identifier: MIT */
/*
 * Sets, and the copies of them that the host reads.
 *
 * A copy is current as long as the set, the list of the submission and what shaders expect of the elements are what it
 * was made of: then it is used again, by as many draws as like to. That of a small set lies in a chunk of the batch and
 * ends with it. A large set keeps some of its own: one that no batch reads any more is brought up to date element by
 * element, so that a write costs what was written, and a draw that changes nothing costs nothing. What a batch reads is
 * never written.
 */
#ifndef SET_COPY_H
#define SET_COPY_H

#include "set.h"

#define LARGE_SET (64u << 10)		/* bytes, and more */
#define MAX_SET_COPIES (NUM_BATCHES + 1)	/* of a large set */
#define MAX_SET_BYTES (2ull << 30)	/* of all large sets and their copies: the heap ends, see jail.c */
#define SET_CHANGES 4096		/* that a large set remembers, a power of two */
#define MAX_EXPECTED 16			/* of a copy: more, and it is made anew for each draw */

/* What an element names; nothing at all: it is nothing, and its bytes do not count. */
struct element {
	struct object *view;
	struct object *sampler;
	struct alloc *alloc;		/* NULL: it has no memory */
	uint64_t offset, size;		/* of a range */
	uint32_t kind;			/* of a view, see texture.h */
	bool atomic;			/* the host has atomic operations on its format */
	uint8_t slot;			/* slot_kind that it was written as */
};

#define KINDS_DIFFER UINT32_MAX

/* What all elements of a binding ever were. */
struct element_kinds {
	uint32_t kind;			/* 0: none was a view */
	bool plain;			/* some had a format without atomic operations */
};

/* An element by the index of its binding. */
struct element_place {
	uint32_t binding, i;
};

/* That elements of a binding be of a kind. */
struct expected {
	uint32_t binding;		/* its index */
	uint32_t kind;
	bool atomic;
	bool sampled;			/* a texture, see texture_kind_as_integers() */
};

struct set_copy {
	struct set_copy *next;
	struct vk_host_buffer buffer;	/* of a large set */
	bool *shown;			/* by element: it is what the set has, and not nothing; NULL: nobody asks */
	VkDeviceAddress address;	/* of the buffer that it lies in */
	VkDeviceSize offset;		/* there */
	unsigned char *map;
	uint64_t batch;			/* the last one that reads it: its value, or its number if it is in a chunk */
	uint64_t version, list;		/* of the set and of the list when it was made; 0: never */
	uint32_t n_expected;
	struct expected expected[MAX_EXPECTED];
	uint8_t as[SUNDOG_MAX_SET_BINDINGS];	/* slot_kind that mutable bindings are declared as; SET_MUTABLE: none */
};

struct set {
	struct object object;
	struct set_layout *layout;
	uint64_t version;		/* one more with each change of an element */
	unsigned char *bytes;		/* layout->size of them */
	struct element *elements;	/* layout->n_elements of them */
	struct element_kinds *kinds;	/* by binding */
	struct element_place *changes;	/* of a large set: the last ones, by version */
	struct set_copy *copies;	/* of a large set */
	struct set *next_large, **large_at;	/* in the list of those, and what points to it there */
	struct set_copy copy;		/* in a chunk: of a small one, and of a large one that changes within a batch */
};

static inline bool element_is_nothing(const struct element *e)
{
	return !e->view && !e->sampler && !e->alloc;
}

static inline bool set_is_large(const struct set *set)
{
	return set->layout->size >= LARGE_SET;
}

/* Element @i of binding @b of a set that begins at @set, and how long it is. */
uint32_t set_element_bytes(const struct worker *w, const struct set_binding *b);
unsigned char *set_element_at(const struct worker *w, unsigned char *set, const struct set_binding *b, uint32_t i);

/* What drivers keep to: how much there is room for. */
void set_caps(struct worker *w);

/*
 * Take @size bytes more of large sets and copies. Where there is no room, what no batch needs any more makes some: sets
 * that are gone, and copies, which draws make again. May wait for batches. False: there is none still.
 */
bool set_bytes_make(struct worker *w, uint64_t size);

/* Is its memory listed, for what shaders may do with it? */
bool element_is_listed(const struct worker *w, const struct element *e);

/*
 * set_dynamic.c: elements of @set that take offsets, moved by @offsets, for the host at @map: each binding where
 * @places says, in order; NULL: where it is in the set. False: a fault is recorded.
 */
bool set_write_dynamic(struct worker *w, const struct set *set, const uint32_t *offsets, unsigned char *map,
		       const VkDeviceSize *places);

/*
 * A copy of @set as set @slot of the bound shaders of @stages, with @offsets added to what takes them; NULL: the host
 * has that elsewhere. NULL: a fault is recorded.
 */
const struct set_copy *set_copy_get(struct worker *w, struct set *set, uint32_t slot, uint32_t stages,
				    const uint32_t *offsets);

/* Does no batch read a copy of it? */
bool set_is_idle(struct worker *w, const struct set *set);
void set_copies_free(struct worker *w, struct set *set);

#endif
