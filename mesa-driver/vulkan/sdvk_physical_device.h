/* SPDX-License-Identifier: MIT */
/*
 * A sundog device: a DRM render node, or a socket of sundog-renderd where SUNDOG_SOCKET names one. Only what it can
 * do is kept; each logical device opens it anew, and is a client of its own.
 */
#ifndef SDVK_PHYSICAL_DEVICE_H
#define SDVK_PHYSICAL_DEVICE_H

#include <sys/types.h>

#include <sundog.h>
#include <xf86drm.h>

#include "vk_physical_device.h"
#include "vk_sync_timeline.h"
#include "wsi_common.h"

/*
 * VRAM is visible to the CPU, and coherent. Imports of host pointers are not coherent: they have a
 * type of their own. Its flags are a subset of the other's, so that Vulkan wants it to come first
 * (VkPhysicalDeviceMemoryProperties).
 */
#define SDVK_HOST_MEMORY_TYPE 0
#define SDVK_MEMORY_TYPE 1
/* Workers are processes, and equal. */
#define SDVK_PRIORITY VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR

struct sdvk_physical_device {
   struct vk_physical_device vk;
   char *path;
   bool direct;          /* path is a socket */
   drmPciBusInfo pci;    /* of a DRM device */
   dev_t primary, render; /* its nodes; 0: none */
   struct sundog_caps caps;
   uint64_t vram_size;
   struct sundog_device *dev; /* that says how much of it is free; NULL: its memory is a client's own */
   uint64_t allocated;        /* bytes, by all devices that the program made of it */
   struct vk_sync_type syncobj_type; /* of a DRM device */
   struct vk_sync_timeline_type timeline_type;
   /* What Mesa has in these types, where we have ours: see sdvk_sync.c. */
   VkResult (*syncobj_wait_many)(struct vk_device *, uint32_t, const struct vk_sync_wait *,
                                 enum vk_sync_wait_flags, uint64_t);
   VkResult (*syncobj_get_value)(struct vk_device *, struct vk_sync *, uint64_t *);
   VkResult (*timeline_wait)(struct vk_device *, struct vk_sync *, uint64_t, enum vk_sync_wait_flags,
                             uint64_t);
   const struct vk_sync_type *sync_types[3];
   struct wsi_device wsi;
   int display_fd;       /* the primary node, where the program wants displays; -1: none */
};

VK_DEFINE_HANDLE_CASTS(sdvk_physical_device, vk.base, VkPhysicalDevice,
                       VK_OBJECT_TYPE_PHYSICAL_DEVICE)

/* For struct vk_instance. */
VkResult
sdvk_enumerate_direct(struct vk_instance *instance);
VkResult
sdvk_physical_device_try_drm(struct vk_instance *instance, struct _drmDevice *drm,
                             struct vk_physical_device **out);
void
sdvk_physical_device_destroy(struct vk_physical_device *physical);

/* A connection; NULL with errno. */
struct sundog_device *
sdvk_physical_device_open(const struct sdvk_physical_device *physical);

/* sdvk_caps.c */
void
sdvk_get_extensions(const struct sdvk_physical_device *physical,
                    struct vk_device_extension_table *out);
void
sdvk_get_features(const struct sdvk_physical_device *physical, struct vk_features *out);
void
sdvk_get_properties(const struct sdvk_physical_device *physical, struct vk_properties *out);

#endif
