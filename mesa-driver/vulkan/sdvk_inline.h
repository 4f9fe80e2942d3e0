/* SPDX-License-Identifier: MIT */
/*
 * Inline uniform blocks: uniform buffers of the pool's, which the CPU writes. A binding's count is its bytes, and its
 * elements are bytes, too.
 */
#ifndef SDVK_INLINE_H
#define SDVK_INLINE_H

#include "sdvk_descriptor.h"

struct sdvk_device;

/* Bytes of a block, and blocks of a set. */
#define SDVK_MAX_INLINE_SIZE   4096
#define SDVK_MAX_INLINE_BLOCKS 16

/* Room for the blocks of a pool's sets, if it may have such. */
VkResult
sdvk_inline_pool_init(struct sdvk_device *device, struct sdvk_descriptor_pool *pool,
                      const VkDescriptorPoolCreateInfo *info);
void
sdvk_inline_pool_fini(struct sdvk_device *device, struct sdvk_descriptor_pool *pool);

/* Where the blocks of a layout are in what its sets have. */
void
sdvk_inline_layout(const struct sdvk_device *device, struct sdvk_set_layout *layout);

/* The blocks of a set that was made. */
VkResult
sdvk_inline_allocate(struct sdvk_device *device, struct sdvk_descriptor_pool *pool, struct sdvk_set *set);
void
sdvk_inline_free(struct sdvk_descriptor_pool *pool, struct sdvk_set *set);

/* @size bytes from byte @at on of the block that @number is; NULL: there is none. */
void *
sdvk_inline_bytes(const struct sdvk_set *set, uint32_t number, uint32_t at, uint32_t size);

#endif
