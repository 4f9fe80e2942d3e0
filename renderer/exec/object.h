/* SPDX-License-Identifier: MIT */
/*
 * Objects of a client by id: images, views, samplers and other objects that its create packets
 * made. The worker's main thread owns them.
 *
 * Objects are reference counted: an id holds one reference, and each object made from another one
 * holds a reference to it. Dropping the last reference puts an object on the garbage list. The host
 * objects are destroyed when all batches that may use them have completed.
 */
#ifndef EXEC_OBJECT_H
#define EXEC_OBJECT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "exec/descriptor.h"
#include "host/vk.h"
#include "sundog_packets.h"

struct exec;
struct alloc;

/* Object kinds besides enum sundog_object_kind. */
#define OBJECT_ALLOC 0

struct object {
	uint32_t kind;
	uint32_t refs;
	/* free the object when the batch with this value has completed */
	uint64_t garbage_value;
	struct object *next;		/* in the garbage list */
};

struct image {
	struct object object;
	VkImage image;
	struct alloc *alloc;
	uint64_t offset;		/* bytes from the start of `alloc` */
	VkImageType type;
	VkFormat format;
	VkImageAspectFlags aspects;
	VkExtent3D extent;
	uint32_t levels, layers, samples;
	uint32_t usage, flags;
	/* image_flags PAGE_ROWS and RESIDENCY, which `flags` lack */
	bool page_rows, residency;
};

#define VIEW_CACHED_SAMPLERS 4

/* Cached bytes of a combined image sampler descriptor. */
struct view_descriptor {
	uint64_t sampler_serial;	/* 0: unused */
	void *bytes;
};

struct image_view {
	struct object object;
	VkImageView view;
	struct image *image;
	VkImageAspectFlags aspects;
	VkFormat format;
	VkExtent2D extent;		/* of the view's first level */
	uint32_t levels, layers;
	uint32_t usage;
	uint32_t kind;			/* texture kind, see gate/texture.h */
	struct view_descriptor descriptors[VIEW_CACHED_SAMPLERS];
	uint32_t next_descriptor;	/* slot to replace next */
	/* without a sampler: as a sampled image, as a storage image */
	void *plain_descriptors[2];
};

/* A memory range as a texel buffer. */
struct buffer_view {
	struct object object;
	struct alloc *alloc;
	VkFormat format;
	VkDeviceAddress address;
	uint64_t size;
	uint32_t kind;			/* texture kind, see gate/texture.h */
	/* uniform and storage texel buffer; cached, because each query of the host costs memory */
	void *descriptors[2];
};

struct sampler {
	struct object object;
	VkSampler sampler;
	uint64_t serial;		/* unique, never reused */
};

struct objects {
	struct object **by_id;		/* MAX_OBJECTS entries */
	uint64_t next_serial;
	/* Queries of pools that have an id, and of those on the garbage list. */
	uint32_t n_queries, n_dead_queries;
	struct object *garbage, **garbage_tail;
};

bool objects_init(struct objects *o);

/* Returns the object of @kind with @id, or NULL with a fault recorded. */
struct object *object_find(struct exec *x, uint32_t id, enum sundog_object_kind kind);

static inline struct object *object_ref(struct object *object)
{
	/* An object on the garbage list cannot get new references. */
	assert(object->refs);
	object->refs++;
	return object;
}

void object_unref(struct exec *x, struct object *object);

/* Free garbage that no batch after @completed uses. */
void objects_collect(struct exec *x, uint64_t completed);

/*
 * Free sets on the garbage list that no batch reads. A batch uses only copies of a set, so sets
 * need not wait for the batch value.
 */
void objects_collect_sets(struct exec *x);

/* Returns true if @id can be given to a new object, else false with a fault recorded. */
bool object_id_free(struct exec *x, uint32_t id);
void object_publish(struct exec *x, uint32_t id, struct object *object);

#endif
