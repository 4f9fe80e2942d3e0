/* SPDX-License-Identifier: MIT */
#ifndef SDVK_MEMORY_H
#define SDVK_MEMORY_H

#include <sundog.h>

#include "vk_device_memory.h"
#include "vk_util.h"

struct sdvk_device;
struct sdvk_host_import;

/* An allocation of @size bytes that submissions may use, until it is freed. */
VkResult
sdvk_bo_allocate(struct sdvk_device *device, uint64_t size, struct sundog_bo **out);
/* NULL is none. */
void
sdvk_bo_free(struct sdvk_device *device, struct sundog_bo *bo);

/* One allocation, which is on the residency list of its device. */
struct sdvk_memory {
   struct vk_device_memory vk;
   struct sundog_resource *resource; /* that it is one of, if it is shared; NULL: none */
   struct sundog_bo *bo;
   uint64_t address; /* of the device; 0: it has none */
   struct sdvk_host_import *import; /* of a host pointer; NULL: none */
};

/* What memory that is a file descriptor can be. */
#define SDVK_EXTERNAL_TYPES                                                                        \
   (VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT | VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT)

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_memory, vk.base, VkDeviceMemory, VK_OBJECT_TYPE_DEVICE_MEMORY)

/* How binding something to memory went, if whoever did it asks for that. */
static inline void
sdvk_memory_tell_bound(const void *pNext, VkResult result)
{
   const VkBindMemoryStatusKHR *status = vk_find_struct_const(pNext, BIND_MEMORY_STATUS_KHR);

   if (status)
      *status->pResult = result;
}

#endif
