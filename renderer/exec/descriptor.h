/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of the stream being decoded; the worker's main thread calls all of this.
 *
 * Guests never see or write descriptors. A bind packet becomes descriptor bytes; those of textures
 * are cached in the view, for its most recently used samplers. Before a draw or a dispatch, each
 * stage whose bindings changed gets a new slice of the batch's descriptor buffer with only the
 * slots that its shader declares. The sets of all stages of shaders without a pipeline layout have
 * one fixed layout, so all of them are compatible, and a slice only needs to reach the last slot in
 * use.
 */
#ifndef EXEC_DESCRIPTOR_H
#define EXEC_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "host/vk.h"
#include "sundog_packets.h"

struct exec;

#define MAX_DESCRIPTOR_SIZE 512

enum slot_kind {
	SLOT_UBO,
	SLOT_TEXTURE,
	SLOT_TEXELS,
	SLOT_SSBO,
	SLOT_IMAGE,
	SLOT_STORAGE_TEXELS,
	NUM_SLOT_KINDS,
	/* kinds that only sets have */
	SET_SAMPLER = NUM_SLOT_KINDS,
	SET_SAMPLED_IMAGE,
	NUM_DESCRIPTOR_KINDS,
	/* a kind of bindings of sets, not of descriptors */
	SET_MUTABLE = NUM_DESCRIPTOR_KINDS,
	NUM_BINDING_KINDS,
};

/* Returns true if shaders may write to descriptors of @kind. */
static inline bool slot_is_storage(enum slot_kind kind)
{
	return kind == SLOT_SSBO || kind == SLOT_IMAGE || kind == SLOT_STORAGE_TEXELS;
}

#define MAX_SLOTS 32		/* per kind */

struct slot {
	uint32_t kind;		/* texture kind of the view, see gate/texture.h */
	uint32_t handle;	/* handle of the allocation */
	bool writable;		/* the allocation is listed for writing */
	bool atomic;		/* the host has atomic operations on the view's format */
	unsigned char bytes[MAX_DESCRIPTOR_SIZE];
};

/* Slots bound to one stage. */
struct stage_bindings {
	bool dirty;		/* the set must be written before it is used */
	uint32_t bound[NUM_SLOT_KINDS];
	struct slot slots[NUM_SLOT_KINDS][MAX_SLOTS];
};

/* Unbind all slots, at the start of a stream. */
void stage_bindings_reset(struct stage_bindings *stage);

bool descriptors_init(struct exec *x);

VkDescriptorType descriptor_type(enum slot_kind kind);
/* Returns the kind of descriptor type @type, which is not one with dynamic offsets. */
enum slot_kind descriptor_kind(uint32_t type);

/*
 * Write the descriptor of a memory range to @out; a texel buffer kind reads it as @format. @size 0:
 * a null descriptor.
 */
void descriptor_of_range(struct exec *x, enum slot_kind kind, VkDeviceAddress address,
			 uint64_t size, VkFormat format, void *out);
/*
 * Write the descriptor of an image view to @out, with @sampler if @kind is SLOT_TEXTURE. Null
 * @view: a null descriptor.
 */
void descriptor_of_image(struct exec *x, enum slot_kind kind, VkImageView view, VkSampler sampler,
			 void *out);
/* Write the descriptor of a sampler without an image to @out. */
void descriptor_of_sampler(struct exec *x, VkSampler sampler, void *out);

#define MAX_DESCRIPTOR_BUFFERS 8	/* bound at once */
/* index of the handle tables' buffer, for shaders with slots */
#define DESCRIPTOR_BUFFER_HANDLES 1

/*
 * Bind these @n descriptor buffers in this order; other buffers may stay bound behind them. If they
 * were not bound yet, all offsets must be set again.
 */
void descriptors_bind(struct exec *x, const VkDeviceAddress *addresses, uint32_t n);

/* Mark all descriptor buffer offsets as invalid: each is set again before its next use. */
void descriptors_stale(struct exec *x);

/*
 * Make room for @size bytes of sets in the batch's first chunk, with a new chunk if necessary.
 * Returns false with a fault recorded if the host has no memory.
 */
bool descriptors_reserve(struct exec *x, VkDeviceSize size);
/*
 * Allocate @size bytes that descriptors_reserve() made room for. Returns their address and sets
 * *@offset to their offset in the chunk.
 */
void *descriptors_take(struct exec *x, VkDeviceSize size, VkDeviceSize *offset);

/*
 * Write the sets of the bound shaders of @stages (a mask) that changed. Returns false with a fault
 * recorded on failure.
 */
bool descriptors_flush(struct exec *x, uint32_t stages);

#endif
