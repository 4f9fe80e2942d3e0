/* SPDX-License-Identifier: MIT */
/*
 * Descriptors.
 *
 * Guests never see or write descriptors. A bind packet turns into descriptor bytes (for textures
 * kept with the view, for each of its last samplers); before a draw or a dispatch, a stage whose bindings
 * changed gets a new slice of the batch's descriptor buffer with just the slots that its shader declares.
 * Of shaders without a layout all stages' sets have one fixed layout, so each of them is compatible with every other and
 * a slice only needs to reach the last slot in use.
 */
#ifndef DESCRIPTOR_H
#define DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_packets.h"
#include "vk.h"

struct worker;

#define MAX_DESCRIPTOR_SIZE 512

enum slot_kind {
	SLOT_UBO, SLOT_TEXTURE, SLOT_TEXELS, SLOT_SSBO, SLOT_IMAGE, SLOT_STORAGE_TEXELS, NUM_SLOT_KINDS,
	/* Those that only sets have. */
	SET_SAMPLER = NUM_SLOT_KINDS, SET_SAMPLED_IMAGE, NUM_DESCRIPTOR_KINDS,
	/* What bindings of sets can be, and no descriptor is. */
	SET_MUTABLE = NUM_DESCRIPTOR_KINDS, NUM_BINDING_KINDS,
};

/* Shaders may write to them. */
static inline bool slot_is_storage(enum slot_kind kind)
{
	return kind == SLOT_SSBO || kind == SLOT_IMAGE || kind == SLOT_STORAGE_TEXELS;
}

#define MAX_SLOTS 32		/* of a kind */

struct slot {
	uint32_t kind;		/* of the view, see texture.h */
	uint32_t handle;	/* of its memory */
	bool writable;		/* that is listed for writing */
	bool atomic;		/* the host has atomic operations on its format */
	unsigned char bytes[MAX_DESCRIPTOR_SIZE];
};

/* What is bound to one stage. */
struct stage_bindings {
	bool dirty;		/* the set must be written before it is used */
	uint32_t bound[NUM_SLOT_KINDS];
	struct slot slots[NUM_SLOT_KINDS][MAX_SLOTS];
};

/* A new stream: nothing is bound. */
void stage_bindings_reset(struct stage_bindings *stage);

bool descriptors_init(struct worker *w);

VkDescriptorType descriptor_type(enum slot_kind kind);
/* The kind that a type is, of those that do not take offsets. */
enum slot_kind descriptor_kind(uint32_t type);

/* The descriptor of a range of memory, as texels of @format where @kind is one of those; no size: a null one. */
void descriptor_of_range(struct worker *w, enum slot_kind kind, VkDeviceAddress address, uint64_t size,
			 VkFormat format, void *out);
/* Of an image view, with a sampler for textures; no view: a null one. */
void descriptor_of_image(struct worker *w, enum slot_kind kind, VkImageView view, VkSampler sampler, void *out);
/* Of a sampler without an image. */
void descriptor_of_sampler(struct worker *w, VkSampler sampler, void *out);

#define MAX_DESCRIPTOR_BUFFERS 8	/* that are bound at once */
#define DESCRIPTOR_BUFFER_HANDLES 1	/* the number of that of handles, where shaders have slots */

/* Have these buffers bound, in this order, others behind them. All offsets are to be set again if they were not. */
void descriptors_bind(struct worker *w, const VkDeviceAddress *addresses, uint32_t n);

/* No offset that the host has is right any more: all are set again before they are used. */
void descriptors_stale(struct worker *w);

/* Room for @size bytes of sets in the batch's first chunk. */
bool descriptors_reserve(struct worker *w, VkDeviceSize size);
/* Take @size bytes of that. */
void *descriptors_take(struct worker *w, VkDeviceSize size, VkDeviceSize *offset);

/* Write the sets of the bound shaders of @stages (a mask) where they changed. */
bool descriptors_flush(struct worker *w, uint32_t stages);

/* bind.c */
bool bind_ubo(struct worker *w, const struct sundog_cmd_bind_ubo *cmd);
bool bind_textures(struct worker *w, const struct sundog_cmd_bind_textures *cmd,
		   const struct sundog_texture_binding *textures);
bool bind_texel_buffers(struct worker *w, const struct sundog_cmd_bind_texel_buffers *cmd,
			const uint32_t *views);
bool bind_ssbos(struct worker *w, const struct sundog_cmd_bind_ssbos *cmd, const struct sundog_mem_range *ranges);
bool bind_images(struct worker *w, const struct sundog_cmd_bind_images *cmd, const uint32_t *views);
bool bind_storage_texels(struct worker *w, const struct sundog_cmd_bind_storage_texels *cmd,
			 const uint32_t *views);

#endif
