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
#include "sundog_packets.h"
#include "host/vk.h"

struct worker;
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
	uint32_t kind;			/* texture kind, see texture.h */
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
	uint32_t kind;			/* texture kind, see texture.h */
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
	uint32_t n_queries;		/* of all pools, including those on the garbage list */
	struct object *garbage, **garbage_tail;
};

bool objects_init(struct objects *o);

/* Returns the object of @kind with @id, or NULL with a fault recorded. */
struct object *object_find(struct worker *w, uint32_t id, enum sundog_object_kind kind);

static inline struct object *object_ref(struct object *object)
{
	/* An object on the garbage list cannot get new references. */
	assert(object->refs);
	object->refs++;
	return object;
}

void object_unref(struct worker *w, struct object *object);

/* Free garbage that no batch after @completed uses. */
void objects_collect(struct worker *w, uint64_t completed);

/*
 * Free sets on the garbage list that no batch reads. A batch uses only copies of a set, so sets
 * need not wait for the batch value.
 */
void objects_collect_sets(struct worker *w);

/* Returns true if @id can be given to a new object, else false with a fault recorded. */
bool object_id_free(struct worker *w, uint32_t id);
void object_publish(struct worker *w, uint32_t id, struct object *object);

/* Packets */
bool object_destroy(struct worker *w, const struct sundog_cmd_destroy *cmd);
bool image_create(struct worker *w, const struct sundog_cmd_create_image *cmd);
bool image_create_linear(struct worker *w, const struct sundog_cmd_create_linear_image *cmd);
bool image_view_create(struct worker *w, const struct sundog_cmd_create_image_view *cmd);
bool buffer_view_create(struct worker *w, const struct sundog_cmd_create_buffer_view *cmd);
bool sampler_create(struct worker *w, const struct sundog_cmd_create_sampler *cmd);

/* Returns true if the host supports such an image, else false with a fault for @id recorded. */
bool image_info_ok(struct worker *w, uint32_t id, const VkImageCreateInfo *info);

/*
 * Create the image that @info describes at @offset of @alloc; adds to the end of @info's pNext
 * chain. @size: bytes that the image touches, 0: the size that the host reports. Returns the
 * caller's reference, or NULL with a fault recorded.
 */
struct image *image_new(struct worker *w, VkImageCreateInfo *info, struct alloc *alloc,
			uint64_t offset, uint64_t size);

/*
 * image_texels.c: returns true if the packet asks for a view of a compressed image's blocks as
 * texels. Such a view is one of the image that image_of_texels() creates.
 */
bool image_view_is_of_texels(const struct image *image,
			     const struct sundog_cmd_create_image_view *cmd);
struct image *image_of_texels(struct worker *w, const struct image *image,
			      const struct sundog_cmd_create_image_view *cmd);

/*
 * Returns true if @view can be bound as @kind of texel buffer. buffer_view_descriptor() returns the
 * descriptor for that; NULL with a fault recorded.
 */
bool buffer_view_can_be(const struct worker *w, const struct buffer_view *view,
			enum slot_kind kind);
const void *buffer_view_descriptor(struct worker *w, struct buffer_view *view, enum slot_kind kind);

/*
 * Return the descriptor of a view with a sampler, or as @kind without one; NULL with a fault
 * recorded.
 */
const void *image_view_descriptor(struct worker *w, struct image_view *view,
				  const struct sampler *sampler);
const void *image_view_plain_descriptor(struct worker *w, struct image_view *view,
					enum slot_kind kind);
void image_view_descriptors_free(struct image_view *view);

void image_free(struct worker *w, struct image *image);
void image_view_free(struct worker *w, struct image_view *view);
void buffer_view_free(struct worker *w, struct buffer_view *view);
void sampler_free(struct worker *w, struct sampler *sampler);

#endif
