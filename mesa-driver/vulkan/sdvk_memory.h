/* SPDX-License-Identifier: MIT */
/*
 * VkDeviceMemory, and memory of the driver itself. Each BO is on the residency list of its device
 * until it is freed. The VkDeviceMemory owns its BO.
 */
#ifndef SDVK_MEMORY_H
#define SDVK_MEMORY_H

#include <sundog.h>

#include "util/list.h"
#include "vk_device_memory.h"
#include "vk_util.h"

struct sdvk_device;
struct sdvk_host_import;

/* Allocates a BO of @size bytes, which submissions may use until it is freed. */
VkResult
sdvk_bo_allocate(struct sdvk_device *device, uint64_t size, struct sdrm_bo **out);
/* Frees a BO; NULL is ignored. */
void
sdvk_bo_free(struct sdvk_device *device, struct sdrm_bo *bo);

struct sdvk_memory {
   struct vk_device_memory vk;
   struct sdrm_resource *resource; /* shared resource that owns `bo`; NULL: not shared */
   struct sdrm_bo *bo;
   uint64_t address; /* device address; 0: none */
   struct sdvk_host_import *import; /* import of a host pointer; NULL: none */
   struct list_head pieces; /* of sparse resources, see sdvk_sparse.c */
};

/* Handle types of file descriptors that memory is exported to and imported from. */
#define SDVK_EXTERNAL_TYPES                                                                        \
   (VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT | VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT)

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_memory, vk.base, VkDeviceMemory, VK_OBJECT_TYPE_DEVICE_MEMORY)

/* Stores the result of one bind operation in VkBindMemoryStatus, if the program chained one. */
static inline void
sdvk_memory_tell_bound(const void *pNext, VkResult result)
{
   const VkBindMemoryStatusKHR *status = vk_find_struct_const(pNext, BIND_MEMORY_STATUS_KHR);

   if (status)
      *status->pResult = result;
}

#endif
