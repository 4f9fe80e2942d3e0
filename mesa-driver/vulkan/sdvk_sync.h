/* SPDX-License-Identifier: MIT */
/*
 * Fences and semaphores: a place for a fence of libdrm_sundog, which the one queue need not wait for, and others find
 * done by a look at memory. On a DRM device they turn into syncobjs of the kernel when something else may have them,
 * too; timelines are that from the beginning, see vk_drm_syncobj.h. Who waits for any of them hears of it when the
 * device is lost.
 */
#ifndef SDVK_SYNC_H
#define SDVK_SYNC_H

#include "util/cnd_monotonic.h"
#include "util/os_time.h"
#include "vk_sync.h"

struct sdvk_device;
struct sdvk_physical_device;
struct sundog_fence;

/* Of all fences and semaphores of a device. */
struct sdvk_syncs {
   mtx_t lock;
   struct u_cnd_monotonic changed; /* one of them */
   uint64_t n_set;
};

VkResult
sdvk_syncs_init(struct sdvk_device *device);
void
sdvk_syncs_fini(struct sdvk_device *device);

extern const struct vk_sync_type sdvk_sync_type;     /* of direct devices */
extern const struct vk_sync_type sdvk_drm_sync_type;

/* What a submission has to name, NULL if nothing: then the queue's order is all there is to it. */
struct vk_sync *
sdvk_sync_kernel(struct vk_sync *sync);

/* One that is not the kernel's is signalled when @fence is; takes a reference of its own. */
VkResult
sdvk_sync_set_fence(struct sdvk_device *device, struct vk_sync *sync, struct sundog_fence *fence);

/* Fill in syncobj_type, of the kernel at @fd, and timeline_type, of points of the first of the sync_types. */
void
sdvk_syncobj_get_type(struct sdvk_physical_device *physical, int fd);
void
sdvk_timeline_get_type(struct sdvk_physical_device *physical);

/*
 * What would be submitted after a device was lost never is, nor is it signalled: who waits for that looks now and
 * then whether the device is still there.
 */
static inline uint64_t
sdvk_look_again_at(uint64_t abs_timeout_ns)
{
   return MIN2(abs_timeout_ns, os_time_get_nano() + 100ull * 1000 * 1000);
}

#endif
