/* SPDX-License-Identifier: MIT */
/*
 * VkBuffer: a range of a device memory allocation; the renderer has no object for it.
 */
#ifndef SDVK_BUFFER_H
#define SDVK_BUFFER_H

#include <sundog.h>

#include "sdvk_memory.h"
#include "sdvk_sparse.h"
#include "vk_buffer.h"

struct sdvk_buffer {
   struct vk_buffer vk;
   struct sundog_mem mem;
   uint64_t offset;
   uint64_t address; /* device address; 0: its memory has none */
   bool external_host; /* created for VK_EXT_external_memory_host */
   struct sdvk_host_import *import; /* import that its memory belongs to; NULL: none */
   struct sdvk_sparse sparse; /* without an object if the buffer is not sparse */
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_buffer, vk.base, VkBuffer, VK_OBJECT_TYPE_BUFFER)

#endif
