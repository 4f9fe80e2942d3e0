/* SPDX-License-Identifier: MIT */
#ifndef SDVK_BUFFER_H
#define SDVK_BUFFER_H

#include <sundog.h>

#include "sdvk_memory.h"
#include "util/u_dynarray.h"
#include "vk_buffer.h"

/* A counter of transform feedback, which the program has in a buffer and the renderer as an object. */
struct sdvk_counter {
   uint64_t offset;
   uint32_t id;
};

/* A range of memory; the renderer has no object for it. */
struct sdvk_buffer {
   struct vk_buffer vk;
   struct sundog_mem mem;
   uint64_t offset;
   uint64_t address; /* of the device; 0: its memory has none */
   bool external_host; /* it may be in imported host memory */
   struct sdvk_host_import *import; /* of its memory; NULL: none */
   struct util_dynarray counters; /* struct sdvk_counter */
};

VK_DEFINE_NONDISP_HANDLE_CASTS(sdvk_buffer, vk.base, VkBuffer, VK_OBJECT_TYPE_BUFFER)

#endif
