/* SPDX-License-Identifier: MIT */
#include "sdvk_sync.h"

#include <errno.h>

#include <sundog.h>

#include "sdvk_device.h"
#include "sdvk_fault.h"
#include "sdvk_physical_device.h"
#include "util/cnd_monotonic.h"
#include "util/os_time.h"
#include "util/timespec.h"
#include "vk_drm_syncobj.h"
#include "vk_log.h"

/*
 * What would be submitted after a device was lost never is, nor is it signalled: who waits for that looks now and
 * then whether the device is still there.
 */
#define LOOK_AGAIN_NS (100ull * 1000 * 1000)

static uint64_t
look_again_at(uint64_t abs_timeout_ns)
{
   return MIN2(abs_timeout_ns, os_time_get_nano() + LOOK_AGAIN_NS);
}

struct sdvk_sync {
   struct vk_sync vk;
   mtx_t lock;
   struct u_cnd_monotonic changed;
   bool signaled;
   struct sundog_fence *fence; /* that signals it */
};

static struct sdvk_sync *
to_sync(struct vk_sync *vk)
{
   assert(vk->type == &sdvk_sync_type);
   return container_of(vk, struct sdvk_sync, vk);
}

static VkResult
sync_init(struct vk_device *device, struct vk_sync *vk, uint64_t initial_value)
{
   struct sdvk_sync *sync = to_sync(vk);

   if (mtx_init(&sync->lock, mtx_plain) != thrd_success)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   if (u_cnd_monotonic_init(&sync->changed) != thrd_success) {
      mtx_destroy(&sync->lock);
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   }
   sync->signaled = initial_value;
   sync->fence = NULL;
   return VK_SUCCESS;
}

static void
sync_finish(struct vk_device *device, struct vk_sync *vk)
{
   struct sdvk_sync *sync = to_sync(vk);

   sundog_fence_del(sync->fence);
   u_cnd_monotonic_destroy(&sync->changed);
   mtx_destroy(&sync->lock);
}

/* Takes over the reference to @fence. */
static void
set(struct sdvk_sync *sync, bool signaled, struct sundog_fence *fence)
{
   struct sundog_fence *old;

   mtx_lock(&sync->lock);
   old = sync->fence;
   sync->signaled = signaled;
   sync->fence = fence;
   u_cnd_monotonic_broadcast(&sync->changed);
   mtx_unlock(&sync->lock);
   sundog_fence_del(old);
}

void
sdvk_sync_set_fence(struct vk_sync *vk, struct sundog_fence *fence)
{
   set(to_sync(vk), false, sundog_fence_ref(fence));
}

static VkResult
sync_signal(struct vk_device *device, struct vk_sync *vk, uint64_t value)
{
   set(to_sync(vk), true, NULL);
   return VK_SUCCESS;
}

static VkResult
sync_reset(struct vk_device *device, struct vk_sync *vk)
{
   set(to_sync(vk), false, NULL);
   return VK_SUCCESS;
}

static VkResult
sync_move(struct vk_device *device, struct vk_sync *vk_dst, struct vk_sync *vk_src)
{
   struct sdvk_sync *src = to_sync(vk_src);
   struct sundog_fence *fence;
   bool signaled;

   mtx_lock(&src->lock);
   fence = src->fence;
   signaled = src->signaled;
   src->fence = NULL;
   src->signaled = false;
   mtx_unlock(&src->lock);
   set(to_sync(vk_dst), signaled, fence);
   return VK_SUCCESS;
}

/* Until somebody signals it or brings a fence that will; with the lock held. */
static VkResult
wait_pending(struct vk_device *device, struct sdvk_sync *sync, uint64_t abs_timeout_ns)
{
   struct timespec until;

   while (!sync->signaled && !sync->fence) {
      if (os_time_get_nano() >= MIN2(abs_timeout_ns, INT64_MAX))
         return VK_TIMEOUT;
      if (vk_device_check_status(device) != VK_SUCCESS)
         return VK_ERROR_DEVICE_LOST;
      timespec_from_nsec(&until, look_again_at(abs_timeout_ns));
      u_cnd_monotonic_timedwait(&sync->changed, &sync->lock, &until);
   }
   return VK_SUCCESS;
}

static VkResult
wait_fence(struct vk_device *device, struct sundog_fence *fence, uint64_t abs_timeout_ns)
{
   switch (sundog_fence_wait(fence, MIN2(abs_timeout_ns, SUNDOG_FOREVER))) {
   case 0:
      return VK_SUCCESS;
   case -ETIME:
      return VK_TIMEOUT;
   default:
      return sdvk_device_lost(container_of(device, struct sdvk_device, vk));
   }
}

static VkResult
sync_wait(struct vk_device *device, struct vk_sync *vk, uint64_t wait_value,
          enum vk_sync_wait_flags flags, uint64_t abs_timeout_ns)
{
   struct sdvk_sync *sync = to_sync(vk);
   struct sundog_fence *fence = NULL;
   VkResult result;

   mtx_lock(&sync->lock);
   result = wait_pending(device, sync, abs_timeout_ns);
   if (result == VK_SUCCESS && !sync->signaled && !(flags & VK_SYNC_WAIT_PENDING))
      fence = sundog_fence_ref(sync->fence);
   mtx_unlock(&sync->lock);
   if (!fence)
      return result;
   result = wait_fence(device, fence, abs_timeout_ns);
   sundog_fence_del(fence);
   return result;
}

const struct vk_sync_type sdvk_sync_type = {
   .size = sizeof(struct sdvk_sync),
   .features = VK_SYNC_FEATURE_BINARY | VK_SYNC_FEATURE_GPU_WAIT | VK_SYNC_FEATURE_GPU_MULTI_WAIT |
               VK_SYNC_FEATURE_CPU_WAIT | VK_SYNC_FEATURE_CPU_RESET | VK_SYNC_FEATURE_CPU_SIGNAL |
               VK_SYNC_FEATURE_WAIT_PENDING,
   .init = sync_init,
   .finish = sync_finish,
   .signal = sync_signal,
   .reset = sync_reset,
   .move = sync_move,
   .wait = sync_wait,
};

/* Mesa's types, with waits that end */

static const struct sdvk_physical_device *
physical_of(const struct vk_device *device)
{
   return sdvk_device_physical(container_of(device, struct sdvk_device, vk));
}

/* After a wait until @until for @result: is there another? *@result is the device's loss, if it is lost. */
static bool
waits_on(struct vk_device *device, VkResult *result, uint64_t until, uint64_t abs_timeout_ns)
{
   if (*result != VK_TIMEOUT || until >= abs_timeout_ns)
      return false;
   if (vk_device_check_status(device) == VK_SUCCESS)
      return true;
   *result = VK_ERROR_DEVICE_LOST;
   return false;
}

static VkResult
timeline_wait(struct vk_device *device, struct vk_sync *vk, uint64_t wait_value,
              enum vk_sync_wait_flags flags, uint64_t abs_timeout_ns)
{
   const struct sdvk_physical_device *physical = physical_of(device);
   VkResult result;
   uint64_t until;

   do {
      until = look_again_at(abs_timeout_ns);
      result = physical->timeline_wait(device, vk, wait_value, flags, until);
   } while (waits_on(device, &result, until, abs_timeout_ns));
   return result;
}

void
sdvk_timeline_get_type(struct sdvk_physical_device *physical)
{
   physical->timeline_type = vk_sync_timeline_get_type(physical->sync_types[0]);
   physical->timeline_wait = physical->timeline_type.sync.wait;
   physical->timeline_type.sync.wait = timeline_wait;
}

/* Syncobjs of a lost device are signalled as if all were well. */
static VkResult
syncobj_wait_many(struct vk_device *device, uint32_t wait_count, const struct vk_sync_wait *waits,
                  enum vk_sync_wait_flags flags, uint64_t abs_timeout_ns)
{
   const struct sdvk_physical_device *physical = physical_of(device);
   VkResult result;
   uint64_t until;

   do {
      until = look_again_at(abs_timeout_ns);
      result = physical->syncobj_wait_many(device, wait_count, waits, flags, until);
   } while (waits_on(device, &result, until, abs_timeout_ns));
   return result == VK_SUCCESS ? vk_device_check_status(device) : result;
}

static VkResult
syncobj_get_value(struct vk_device *device, struct vk_sync *vk, uint64_t *value)
{
   const VkResult result = physical_of(device)->syncobj_get_value(device, vk, value);

   return result == VK_SUCCESS ? vk_device_check_status(device) : result;
}

void
sdvk_syncobj_get_type(struct sdvk_physical_device *physical, int fd)
{
   struct vk_sync_type *type = &physical->syncobj_type;

   *type = vk_drm_syncobj_get_type(fd);
   physical->syncobj_wait_many = type->wait_many;
   physical->syncobj_get_value = type->get_value;
   if (type->wait_many)
      type->wait_many = syncobj_wait_many;
   if (type->get_value)
      type->get_value = syncobj_get_value;
}
