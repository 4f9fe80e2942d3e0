/* SPDX-License-Identifier: MIT */
#ifndef SDVK_BUFFER_H
#define SDVK_BUFFER_H

#include <sundog.h>

#include "sdvk_memory.h"
#include "vk_buffer.h"

/* A range of memory; the renderer has no object for it. */
struct sdvk_buffer {
   struct vk_buffer vk;
   struct sundog_mem mem;
   uint64_t offset;
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_buffer, vk.base, VkBuffer, VK_OBJECT_TYPE_BUFFER)

#endif
