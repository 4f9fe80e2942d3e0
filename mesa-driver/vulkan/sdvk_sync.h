/* SPDX-License-Identifier: MIT */
/*
 * Fences and semaphores of direct devices: a place for a fence of libdrm_sundog. The kernel has its own for the
 * others, see vk_drm_syncobj.h. Who waits for any of them hears of it when the device is lost.
 */
#ifndef SDVK_SYNC_H
#define SDVK_SYNC_H

#include "vk_sync.h"

struct sdvk_physical_device;
struct sundog_fence;

extern const struct vk_sync_type sdvk_sync_type;

/* It is signalled when @fence is; takes a reference of its own. */
void
sdvk_sync_set_fence(struct vk_sync *sync, struct sundog_fence *fence);

/* Fill in syncobj_type, of the kernel at @fd, and timeline_type, of points of the first of the sync_types. */
void
sdvk_syncobj_get_type(struct sdvk_physical_device *physical, int fd);
void
sdvk_timeline_get_type(struct sdvk_physical_device *physical);

#endif
