/* SPDX-License-Identifier: MIT */
/*
 * Objects of a client: what its create packets made, by id.
 *
 * An object is counted: its id holds one reference, objects made from it hold one each. The last
 * reference puts it on the garbage list, and the host's objects go when every batch that may use
 * them has completed.
 */
#ifndef OBJECT_H
#define OBJECT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "descriptor.h"
#include "sundog_packets.h"
#include "vk.h"

struct worker;
struct alloc;

/* Kinds beside enum sundog_object_kind. */
#define OBJECT_ALLOC 0

struct object {
	uint32_t kind;
	uint32_t refs;
	uint64_t garbage_value;		/* free when this batch value has completed */
	struct object *next;		/* in the garbage list */
};

struct image {
	struct object object;
	VkImage image;
	struct alloc *alloc;
	uint64_t offset;		/* in that, where it is bound */
	VkImageType type;
	VkFormat format;
	VkImageAspectFlags aspects;
	VkExtent3D extent;
	uint32_t levels, layers, samples;
	uint32_t usage, flags;
};

#define VIEW_CACHED_SAMPLERS 4

/* The bytes of a combined descriptor of a view and a sampler. */
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
	VkExtent2D extent;		/* of its first level */
	uint32_t levels, layers;
	uint32_t usage;
	uint32_t kind;			/* for shaders, see texture.h */
	struct view_descriptor descriptors[VIEW_CACHED_SAMPLERS];
	uint32_t next_descriptor;	/* slot to replace next */
	void *plain_descriptors[2];	/* without a sampler: of a sampled image, of a storage image */
};

/* A range of memory as an array of texels. */
struct buffer_view {
	struct object object;
	struct alloc *alloc;
	VkFormat format;
	VkDeviceAddress address;
	uint64_t size;
	uint32_t kind;			/* for shaders, see texture.h */
	void *descriptors[2];		/* to be read, and storage: asking the host for one costs memory each time */
};

struct sampler {
	struct object object;
	VkSampler sampler;
	uint64_t serial;		/* never repeats */
};

struct objects {
	struct object **by_id;		/* MAX_OBJECTS of them */
	uint64_t next_serial;
	uint32_t n_queries;		/* of all pools, those on the garbage list among them */
	struct object *garbage, **garbage_tail;
};

bool objects_init(struct objects *o);

/* The object of @kind with @id, or NULL with a fault recorded. */
struct object *object_find(struct worker *w, uint32_t id, enum sundog_object_kind kind);

static inline struct object *object_ref(struct object *object)
{
	/* One on the garbage list does not come back. */
	assert(object->refs);
	object->refs++;
	return object;
}

void object_unref(struct worker *w, struct object *object);

/* Free garbage that no batch up to @completed needs any more. */
void objects_collect(struct worker *w, uint64_t completed);

/* Free sets that are garbage and that no batch reads: nothing else is asked of them than their copies. */
void objects_collect_sets(struct worker *w);

/* Can @id be given to a new object? */
bool object_id_free(struct worker *w, uint32_t id);
void object_publish(struct worker *w, uint32_t id, struct object *object);

/* Packets */
bool object_destroy(struct worker *w, const struct sundog_cmd_destroy *cmd);
bool image_create(struct worker *w, const struct sundog_cmd_create_image *cmd);
bool image_create_linear(struct worker *w, const struct sundog_cmd_create_linear_image *cmd);
bool image_view_create(struct worker *w, const struct sundog_cmd_create_image_view *cmd);
bool buffer_view_create(struct worker *w, const struct sundog_cmd_create_buffer_view *cmd);
bool sampler_create(struct worker *w, const struct sundog_cmd_create_sampler *cmd);

/* May the host be asked for such an image? Records a fault if not. */
bool image_info_ok(struct worker *w, uint32_t id, const VkImageCreateInfo *info);

/*
 * The image that @info, whose chain this ends, describes at @offset of @alloc: the caller's reference. NULL with a fault
 * recorded. @size: bytes that it touches, 0: what the host says.
 */
struct image *image_new(struct worker *w, VkImageCreateInfo *info, struct alloc *alloc, uint64_t offset,
			uint64_t size);

/* Is it a view of a compressed image's blocks as texels? Then of another image, whose texels they are; see there. */
bool image_view_is_of_texels(const struct image *image, const struct sundog_cmd_create_image_view *cmd);
struct image *image_of_texels(struct worker *w, const struct image *image,
			      const struct sundog_cmd_create_image_view *cmd);

/* May it be bound as @kind of texel buffer? And the descriptor for that; NULL with a fault recorded. */
bool buffer_view_can_be(const struct worker *w, const struct buffer_view *view, enum slot_kind kind);
const void *buffer_view_descriptor(struct worker *w, struct buffer_view *view, enum slot_kind kind);

/* The descriptor of a view with a sampler, or as @kind without one; NULL with a fault recorded. */
const void *image_view_descriptor(struct worker *w, struct image_view *view, const struct sampler *sampler);
const void *image_view_plain_descriptor(struct worker *w, struct image_view *view, enum slot_kind kind);
void image_view_descriptors_free(struct image_view *view);

void image_free(struct worker *w, struct image *image);
void image_view_free(struct worker *w, struct image_view *view);
void buffer_view_free(struct worker *w, struct buffer_view *view);
void sampler_free(struct worker *w, struct sampler *sampler);

#endif
