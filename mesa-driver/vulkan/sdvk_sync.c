/* SPDX-License-Identifier: MIT */
#include "sdvk_sync.h"

#include <errno.h>

#include <sundog.h>

#include "util/cnd_monotonic.h"
#include "util/os_time.h"
#include "util/timespec.h"
#include "vk_device.h"
#include "vk_log.h"

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

/* Until somebody signals it or brings a fence that will; with the lock held. False: the time is over. */
static bool
wait_pending(struct sdvk_sync *sync, uint64_t abs_timeout_ns)
{
   struct timespec until;

   timespec_from_nsec(&until, MIN2(abs_timeout_ns, INT64_MAX));
   while (!sync->signaled && !sync->fence) {
      if (os_time_get_nano() >= MIN2(abs_timeout_ns, INT64_MAX))
         return false;
      u_cnd_monotonic_timedwait(&sync->changed, &sync->lock, &until);
   }
   return true;
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
      return vk_device_set_lost(device, "the context is lost");
   }
}

static VkResult
sync_wait(struct vk_device *device, struct vk_sync *vk, uint64_t wait_value,
          enum vk_sync_wait_flags flags, uint64_t abs_timeout_ns)
{
   struct sdvk_sync *sync = to_sync(vk);
   struct sundog_fence *fence = NULL;
   VkResult result = VK_SUCCESS;

   mtx_lock(&sync->lock);
   if (!wait_pending(sync, abs_timeout_ns))
      result = VK_TIMEOUT;
   else if (!sync->signaled && !(flags & VK_SYNC_WAIT_PENDING))
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
