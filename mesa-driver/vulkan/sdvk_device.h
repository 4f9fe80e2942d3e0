/* SPDX-License-Identifier: MIT */
/*
 * VkDevice: one client of the renderer, with its queue, objects and residency list. Any thread of
 * the program uses it; each member names its lock.
 */
#ifndef SDVK_DEVICE_H
#define SDVK_DEVICE_H

#include "sdvk_address.h"
#include "sdvk_event.h"
#include "sdvk_host_memory.h"
#include "sdvk_layout.h"
#include "sdvk_object.h"
#include "sdvk_queue.h"
#include "sdvk_report.h"
#include "sdvk_sparse.h"
#include "sdvk_shader_object.h"
#include "sdvk_structure.h"
#include "sdvk_sync.h"
#include "vk_device.h"

struct hash_table_u64;

/*
 * Shaders of resolves by draws, see sdvk_cmd_resolve.c. They are created on first use; id 0: not
 * created.
 */
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

/* A separate client of the renderer: it shares objects and addresses with no other VkDevice. */
struct sdvk_device {
   struct vk_device vk;
   struct sdrm_device *dev;
   /*
    * residency list of each submission: all allocations, since any submission may use any of them
    */
   struct sdrm_reslist *memory;
   simple_mtx_t listed_lock;
   /* guarded by listed_lock, see sdvk_memory.c */
   struct hash_table_u64 *listed; /* the BO in @memory of each allocation */
   uint64_t listed_vram;          /* bytes of VRAM that all of these need */
   struct sdvk_resolver resolver;
   struct sdvk_builder builder;
   struct sdvk_objects objects;
   struct sdvk_addresses addresses;
   struct sdvk_sparse_state sparse;
   struct sdvk_layouts layouts;
   struct sdvk_events events;
   struct sdvk_reports reports;
   struct sdvk_object_programs object_programs;
   struct sdvk_queue queue;
   struct sdvk_syncs syncs;
   struct sdvk_host_imports host_imports;
   uint32_t n_queries; /* taken by all query pools, at most SUNDOG_MAX_CLIENT_QUERIES */
   /* descriptors in all sets that the renderer may hold to be large */
   uint32_t n_large_descriptors;
   int drm_fd; /* -1: a direct device */
};

VK_DEFINE_HANDLE_CASTS(sdvk_device, vk.base, VkDevice, VK_OBJECT_TYPE_DEVICE)

static inline struct sdvk_physical_device *
sdvk_device_physical(const struct sdvk_device *device)
{
   return (struct sdvk_physical_device *)device->vk.physical;
}

#endif
