/* SPDX-License-Identifier: MIT */
/*
 * Inline uniform blocks: uniform buffers in memory of the descriptor pool that the CPU writes. As
 * in Vulkan, the descriptor count and the array element of such a binding are in bytes. The pool
 * owns the memory.
 */
#ifndef SDVK_INLINE_H
#define SDVK_INLINE_H

#include "sdvk_descriptor.h"

struct sdvk_device;

/* Limits: bytes of a block, blocks of a set. */
#define SDVK_MAX_INLINE_SIZE   4096
#define SDVK_MAX_INLINE_BLOCKS 16

/* Allocates the blocks of the pool's sets, if @info asks for any. */
VkResult
sdvk_inline_pool_init(struct sdvk_device *device, struct sdvk_descriptor_pool *pool,
                      const VkDescriptorPoolCreateInfo *info);
void
sdvk_inline_pool_fini(struct sdvk_device *device, struct sdvk_descriptor_pool *pool);

/* Assigns offsets to the blocks of a layout, in the memory of a set's blocks. */
void
sdvk_inline_layout(const struct sdvk_device *device, struct sdvk_set_layout *layout);

/* Allocates the blocks of a new set. */
VkResult
sdvk_inline_allocate(struct sdvk_device *device, struct sdvk_descriptor_pool *pool,
                     struct sdvk_set *set);
void
sdvk_inline_free(struct sdvk_descriptor_pool *pool, struct sdvk_set *set);

/* Returns @size bytes at offset @at of block @number; NULL: the set has no such block. */
void *
sdvk_inline_bytes(const struct sdvk_set *set, uint32_t number, uint32_t at, uint32_t size);

#endif
