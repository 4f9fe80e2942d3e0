/* SPDX-License-Identifier: MIT */
#ifndef SDVK_DEVICE_H
#define SDVK_DEVICE_H

#include "sdvk_address.h"
#include "sdvk_host_memory.h"
#include "sdvk_layout.h"
#include "sdvk_object.h"
#include "sdvk_queue.h"
#include "sdvk_shader_object.h"
#include "sdvk_sync.h"
#include "vk_device.h"

struct hash_table_u64;

/* What resolves of depths and stencils draw with, made for the first of them; ids, 0: not made. */
enum sdvk_resolved {
   SDVK_RESOLVED_DEPTH,
   SDVK_RESOLVED_STENCIL,
   SDVK_RESOLVED_COLOR,
   SDVK_RESOLVED_COLOR_INT,
   SDVK_RESOLVED_COLOR_UINT,
   SDVK_NUM_RESOLVED,
};

struct sdvk_resolver {
   simple_mtx_t lock;
   uint32_t vertex, sampler;
   uint32_t fragment[SDVK_NUM_RESOLVED];
};

/* A client of the device of its own: objects and addresses are shared with nobody. */
struct sdvk_device {
   struct vk_device vk;
   struct sundog_device *dev;
   struct sundog_reslist *memory; /* all that is allocated: any of it may be used by any submission */
   simple_mtx_t listed_lock;
   struct hash_table_u64 *listed; /* how often each allocation is on it */
   simple_mtx_t counters_lock; /* of all buffers */
   struct sdvk_resolver resolver;
   struct sdvk_objects objects;
   struct sdvk_addresses addresses;
   struct sdvk_layouts layouts;
   struct sdvk_object_programs object_programs;
   struct sdvk_queue queue;
   struct sdvk_syncs syncs;
   struct sdvk_host_imports host_imports;
   uint32_t n_queries; /* of all pools */
   uint32_t n_large_descriptors; /* of all sets that the renderer may hold to be large */
   int drm_fd; /* -1: a direct device */
};

VK_DEFINE_HANDLE_CASTS(sdvk_device, vk.base, VkDevice, VK_OBJECT_TYPE_DEVICE)

static inline struct sdvk_physical_device *
sdvk_device_physical(const struct sdvk_device *device)
{
   return (struct sdvk_physical_device *)device->vk.physical;
}

#endif
