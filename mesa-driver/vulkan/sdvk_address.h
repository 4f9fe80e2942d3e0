/* SPDX-License-Identifier: MIT */
/*
 * Device addresses: this driver chooses where memory is, and packets that wait for the next submission put it there and
 * take it away. So an address can be given out again as soon as the packet that ends it was written.
 */
#ifndef SDVK_ADDRESS_H
#define SDVK_ADDRESS_H

#include "util/simple_mtx.h"
#include "util/vma.h"
#include "vulkan/vulkan_core.h"

struct sdvk_device;
struct sdvk_memory;

struct sdvk_addresses {
   simple_mtx_t lock;
   struct util_vma_heap heap;
};

void
sdvk_addresses_init(struct sdvk_addresses *addresses);
void
sdvk_addresses_fini(struct sdvk_addresses *addresses);

/* Give new memory an address, if @info asks for one. */
VkResult
sdvk_address_map(struct sdvk_device *device, struct sdvk_memory *memory, const VkMemoryAllocateInfo *info);
/* If it has one; while it is still listed. */
void
sdvk_address_unmap(struct sdvk_device *device, const struct sdvk_memory *memory);

#endif
