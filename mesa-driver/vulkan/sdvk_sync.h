/* SPDX-License-Identifier: MIT */
/*
 * Fences and semaphores of direct devices: a place for a fence of libdrm_sundog. The kernel has its own for the
 * others, see vk_drm_syncobj.h.
 */
#ifndef SDVK_SYNC_H
#define SDVK_SYNC_H

#include "vk_sync.h"

struct sundog_fence;

extern const struct vk_sync_type sdvk_sync_type;

/* It is signalled when @fence is; takes a reference of its own. */
void
sdvk_sync_set_fence(struct vk_sync *sync, struct sundog_fence *fence);

#endif
