/* SPDX-License-Identifier: MIT */
/*
 * VkPhysicalDevice: a DRM render node, or the socket of sundog-renderd that SUNDOG_SOCKET names. It
 * keeps the device's capabilities only; each VkDevice opens the device again, as a client of its
 * own. It is constant, except for the atomic counter `allocated`.
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
 * VRAM is host-visible and host-coherent. Imports of host pointers are not coherent and have a
 * memory type of their own. Its property flags are a subset of the other type's, so that Vulkan
 * requires it to come first (VkPhysicalDeviceMemoryProperties).
 */
#define SDVK_HOST_MEMORY_TYPE 0
#define SDVK_MEMORY_TYPE 1
/* Each device has a worker process of its own. All have the same priority, so LOW is MEDIUM. */
#define SDVK_MAX_PRIORITY VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR

struct sdvk_physical_device {
   struct vk_physical_device vk;
   char *path;
   bool direct;          /* path is a socket */
   drmPciBusInfo pci;    /* of a DRM device */
   dev_t primary, render; /* device numbers of its DRM nodes; 0: none */
   struct sundog_caps caps;
   uint64_t vram_size;
   /* queried for free VRAM; NULL: a direct device, whose VRAM belongs to one client */
   struct sdrm_device *dev;
   uint64_t allocated;        /* bytes allocated by all VkDevices of this program */
   struct vk_sync_type syncobj_type; /* of a DRM device */
   struct vk_sync_timeline_type timeline_type;
   /* Mesa's functions of these types, which ours wrap: see sdvk_syncobj.c. */
   VkResult (*syncobj_wait_many)(struct vk_device *, uint32_t, const struct vk_sync_wait *,
                                 enum vk_sync_wait_flags, uint64_t);
   VkResult (*syncobj_get_value)(struct vk_device *, struct vk_sync *, uint64_t *);
   VkResult (*timeline_wait)(struct vk_device *, struct vk_sync *, uint64_t,
                             enum vk_sync_wait_flags, uint64_t);
   const struct vk_sync_type *sync_types[3];
   struct wsi_device wsi;
   struct wsi_device wsi_cpu; /* for window systems that take no dma-bufs; not of a direct device */
   int display_fd;       /* primary node, if the program enables VK_KHR_display; -1: none */
};

VK_DEFINE_HANDLE_CASTS(sdvk_physical_device, vk.base, VkPhysicalDevice,
                       VK_OBJECT_TYPE_PHYSICAL_DEVICE)

/* Callbacks of struct vk_instance. */
VkResult
sdvk_enumerate_direct(struct vk_instance *instance);
VkResult
sdvk_physical_device_try_drm(struct vk_instance *instance, struct _drmDevice *drm,
                             struct vk_physical_device **out);
void
sdvk_physical_device_destroy(struct vk_physical_device *physical);

/* Returns true if a device that the callbacks above enumerate has a primary node. */
bool
sdvk_has_displays(void);

/* The size of the only memory heap. Command streams need the rest of VRAM. */
static inline uint64_t
sdvk_physical_device_heap_size(const struct sdvk_physical_device *physical)
{
   return physical->vram_size - physical->vram_size / 16;
}

/* Opens a connection. NULL: failed, see errno. */
struct sdrm_device *
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
