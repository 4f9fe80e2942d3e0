/* SPDX-License-Identifier: MIT */
/*
 * VkBuffer: a range of a device memory allocation; the renderer has no object for it. The buffer
 * owns its transform feedback counters, which counters_lock of the device guards.
 */
#ifndef SDVK_BUFFER_H
#define SDVK_BUFFER_H

#include <sundog.h>

#include "sdvk_memory.h"
#include "util/u_dynarray.h"
#include "vk_buffer.h"

/*
 * A transform feedback counter: the program names a place in a buffer, the renderer has an object.
 */
struct sdvk_counter {
   uint64_t offset;
   uint32_t id;
};

struct sdvk_buffer {
   struct vk_buffer vk;
   struct sundog_mem mem;
   uint64_t offset;
   uint64_t address; /* device address; 0: its memory has none */
   bool external_host; /* created for VK_EXT_external_memory_host */
   struct sdvk_host_import *import; /* import that its memory belongs to; NULL: none */
   struct util_dynarray counters; /* struct sdvk_counter */
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_buffer, vk.base, VkBuffer, VK_OBJECT_TYPE_BUFFER)

#endif
