/* SPDX-License-Identifier: MIT */
#ifndef SDVK_MEMORY_H
#define SDVK_MEMORY_H

#include <sundog.h>

#include "vk_device_memory.h"

/* One allocation, which is on the residency list of its device. */
struct sdvk_memory {
   struct vk_device_memory vk;
   struct sundog_bo *bo;
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_memory, vk.base, VkDeviceMemory, VK_OBJECT_TYPE_DEVICE_MEMORY)

#endif
