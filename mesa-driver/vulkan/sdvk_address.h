/* SPDX-License-Identifier: MIT */
/*
 * Device addresses of memory (VkBufferDeviceAddress). This driver allocates them from a heap;
 * packets that are submitted before the next command buffers map and unmap them. Since packets are
 * executed in order, an address is free for reuse as soon as its unmap packet is pending.
 */
#ifndef SDVK_ADDRESS_H
#define SDVK_ADDRESS_H

#include <stdbool.h>

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

/*
 * Reserves @size device addresses, at @captured if that is not 0.
 * VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS: the captured address is in use or out of range.
 */
VkResult
sdvk_address_reserve(struct sdvk_device *device, uint64_t size, bool replayable, uint64_t captured,
                     uint64_t *address);
void
sdvk_address_release(struct sdvk_device *device, uint64_t address, uint64_t size);

/*
 * Maps @memory at a device address, if its allocation flags ask for one or the device has
 * acceleration structures.
 * VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS: the captured address is in use or out of range.
 */
VkResult
sdvk_address_map(struct sdvk_device *device, struct sdvk_memory *memory,
                 const VkMemoryAllocateInfo *info);
/*
 * Unmaps the device address of @memory, if it has one. Its BO has to be on the residency list
 * still.
 */
void
sdvk_address_unmap(struct sdvk_device *device, const struct sdvk_memory *memory);

#endif
