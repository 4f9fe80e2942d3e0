/* SPDX-License-Identifier: MIT */
/*
 * VkFence and binary VkSemaphore: a place for a fence of libdrm_sundog. The device's only queue
 * need not wait for it, and a CPU wait finds it signalled by a load from memory. On a DRM device it
 * becomes a syncobj of the kernel once something else may share it; timeline semaphores are
 * syncobjs from the beginning, see vk_drm_syncobj.h. Waits for any of them end with
 * VK_ERROR_DEVICE_LOST when the device is lost: they must return in finite time (Vulkan 1.4, "Lost
 * Device").
 */
#ifndef SDVK_SYNC_H
#define SDVK_SYNC_H

#include "util/cnd_monotonic.h"
#include "util/os_time.h"
#include "vk_sync.h"

struct sdvk_device;
struct sdvk_physical_device;
struct sdrm_fence;

/* State of all fences and semaphores of a device. */
struct sdvk_syncs {
   mtx_t lock;
   struct u_cnd_monotonic changed; /* a fence or semaphore changed its state */
   uint64_t n_set;
};

VkResult
sdvk_syncs_init(struct sdvk_device *device);
void
sdvk_syncs_fini(struct sdvk_device *device);

extern const struct vk_sync_type sdvk_sync_type;     /* of direct devices */
extern const struct vk_sync_type sdvk_drm_sync_type;

/*
 * Returns the syncobj that a submission has to wait for or signal; NULL: none, the order of the
 * queue is enough.
 */
struct vk_sync *
sdvk_sync_kernel(struct vk_sync *sync);

/* Has @fence signal @sync, which is not a syncobj by itself. Takes a reference of its own. */
VkResult
sdvk_sync_set_fence(struct sdvk_device *device, struct vk_sync *sync, struct sdrm_fence *fence);

/*
 * Fill in syncobj_type, for the DRM device @fd; and timeline_type, whose points are of the first of
 * sync_types.
 */
void
sdvk_syncobj_get_type(struct sdvk_physical_device *physical, int fd);
void
sdvk_timeline_get_type(struct sdvk_physical_device *physical);

/*
 * Returns when a wait has to check whether the device is lost, at most 100 ms from now: submissions
 * after the loss are never executed, and nothing signals their fences.
 */
static inline uint64_t
sdvk_look_again_at(uint64_t abs_timeout_ns)
{
   return MIN2(abs_timeout_ns, os_time_get_nano() + 100ull * 1000 * 1000);
}

#endif
