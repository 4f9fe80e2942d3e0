/* SPDX-License-Identifier: MIT */
/*
 * VkFence and binary VkSemaphore: see sdvk_sync.h. Any thread of the program calls this;
 * sdvk_syncs::lock guards the state of all of them.
 */
#include "sdvk_sync.h"

#include <errno.h>
#include <unistd.h>

#include <sundog.h>

#include "sdvk_device.h"
#include "sdvk_fault.h"
#include "sdvk_physical_device.h"
#include "util/os_time.h"
#include "util/timespec.h"
#include "vk_log.h"
#include "vk_util.h"

struct sdvk_sync {
   struct vk_sync vk;
   bool signaled;
   struct sdrm_fence *fence; /* that signals it; NULL: none */
   uint64_t order;             /* order of @fence among all that were set */
   /* a syncobj that has the state instead of the members above; never unset */
   struct vk_sync *kernel;
};

static bool
is_own(const struct vk_sync *vk)
{
   return vk->type == &sdvk_sync_type || vk->type == &sdvk_drm_sync_type;
}

static struct sdvk_sync *
to_sync(struct vk_sync *vk)
{
   assert(is_own(vk));
   return container_of(vk, struct sdvk_sync, vk);
}

static struct sdvk_device *
to_device(struct vk_device *device)
{
   return container_of(device, struct sdvk_device, vk);
}

VkResult
sdvk_syncs_init(struct sdvk_device *device)
{
   struct sdvk_syncs *syncs = &device->syncs;

   if (mtx_init(&syncs->lock, mtx_plain) != thrd_success)
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   if (u_cnd_monotonic_init(&syncs->changed) == thrd_success)
      return VK_SUCCESS;
   mtx_destroy(&syncs->lock);
   return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
}

void
sdvk_syncs_fini(struct sdvk_device *device)
{
   u_cnd_monotonic_destroy(&device->syncs.changed);
   mtx_destroy(&device->syncs.lock);
}

/* Syncobjs */

static VkResult
put_fence(struct vk_device *device, struct vk_sync *kernel, struct sdrm_fence *fence)
{
   const int fd = sdrm_fence_export(fence);
   VkResult result;

   if (fd < 0)
      return vk_errorf(device, VK_ERROR_OUT_OF_HOST_MEMORY, "cannot export a fence: %s",
                       strerror(-fd));
   result = vk_sync_import_sync_file(device, kernel, fd);
   close(fd);
   return result;
}

/* Moves the state to a syncobj. The caller holds the lock. */
static VkResult
make_kernel(struct vk_device *device, struct sdvk_sync *sync)
{
   const struct sdvk_physical_device *physical = sdvk_device_physical(to_device(device));
   struct vk_sync *kernel;
   VkResult result;

   if (sync->kernel)
      return VK_SUCCESS;
   result = vk_sync_create(device, &physical->syncobj_type, VK_SYNC_IS_SHAREABLE, sync->signaled,
                           &kernel);
   if (result != VK_SUCCESS)
      return result;
   if (sync->fence)
      result = put_fence(device, kernel, sync->fence);
   if (result != VK_SUCCESS) {
      vk_sync_destroy(device, kernel);
      return result;
   }
   sdrm_fence_del(sync->fence);
   sync->fence = NULL;
   sync->signaled = false;
   p_atomic_set(&sync->kernel, kernel);
   u_cnd_monotonic_broadcast(&to_device(device)->syncs.changed);
   return VK_SUCCESS;
}

static VkResult
lock_and_make_kernel(struct vk_device *device, struct sdvk_sync *sync)
{
   struct sdvk_syncs *syncs = &to_device(device)->syncs;
   VkResult result;

   mtx_lock(&syncs->lock);
   result = make_kernel(device, sync);
   mtx_unlock(&syncs->lock);
   return result;
}

struct vk_sync *
sdvk_sync_kernel(struct vk_sync *vk)
{
   return is_own(vk) ? p_atomic_read(&to_sync(vk)->kernel) : vk;
}

/* Moves the state of @vk to a syncobj, and calls @import with the syncobj. */
static VkResult
import_fd(struct vk_device *device, struct vk_sync *vk, int fd,
          VkResult (*import)(struct vk_device *device, struct vk_sync *kernel, int fd))
{
   const VkResult result = lock_and_make_kernel(device, to_sync(vk));

   return result == VK_SUCCESS ? import(device, to_sync(vk)->kernel, fd) : result;
}

/* As import_fd(), for a function that returns a descriptor in @fd. */
static VkResult
export_fd(struct vk_device *device, struct vk_sync *vk, int *fd,
          VkResult (*export)(struct vk_device *device, struct vk_sync *kernel, int *fd))
{
   const VkResult result = lock_and_make_kernel(device, to_sync(vk));

   return result == VK_SUCCESS ? export(device, to_sync(vk)->kernel, fd) : result;
}

static VkResult
import_opaque_fd(struct vk_device *device, struct vk_sync *vk, int fd)
{
   return import_fd(device, vk, fd, vk_sync_import_opaque_fd);
}

static VkResult
export_opaque_fd(struct vk_device *device, struct vk_sync *vk, int *fd)
{
   return export_fd(device, vk, fd, vk_sync_export_opaque_fd);
}

static VkResult
import_sync_file(struct vk_device *device, struct vk_sync *vk, int fd)
{
   return import_fd(device, vk, fd, vk_sync_import_sync_file);
}

static VkResult
export_sync_file(struct vk_device *device, struct vk_sync *vk, int *fd)
{
   return export_fd(device, vk, fd, vk_sync_export_sync_file);
}

/* State */

static VkResult
sync_init(struct vk_device *device, struct vk_sync *vk, uint64_t initial_value)
{
   struct sdvk_sync *sync = to_sync(vk);

   sync->signaled = initial_value;
   sync->fence = NULL;
   sync->kernel = NULL;
   return vk->flags & VK_SYNC_IS_SHAREABLE ? lock_and_make_kernel(device, sync) : VK_SUCCESS;
}

static void
sync_finish(struct vk_device *device, struct vk_sync *vk)
{
   struct sdvk_sync *sync = to_sync(vk);

   sdrm_fence_del(sync->fence);
   if (sync->kernel)
      vk_sync_destroy(device, sync->kernel);
}

/*
 * Sets the state, and takes over the reference to @fence. Returns false if a syncobj has the state.
 */
static bool
set(struct vk_device *device, struct sdvk_sync *sync, bool signaled, struct sdrm_fence *fence)
{
   struct sdvk_syncs *syncs = &to_device(device)->syncs;
   struct sdrm_fence *old;
   bool own;

   mtx_lock(&syncs->lock);
   own = !sync->kernel;
   old = own ? sync->fence : fence;
   if (own) {
      sync->signaled = signaled;
      sync->fence = fence;
      sync->order = ++syncs->n_set;
      u_cnd_monotonic_broadcast(&syncs->changed);
   }
   mtx_unlock(&syncs->lock);
   sdrm_fence_del(old);
   return own;
}

VkResult
sdvk_sync_set_fence(struct sdvk_device *device, struct vk_sync *vk, struct sdrm_fence *fence)
{
   struct sdvk_sync *sync = to_sync(vk);

   if (set(&device->vk, sync, false, sdrm_fence_ref(fence)))
      return VK_SUCCESS;
   /* It became a syncobj after the submission was assembled. */
   return put_fence(&device->vk, sync->kernel, fence);
}

static VkResult
sync_signal(struct vk_device *device, struct vk_sync *vk, uint64_t value)
{
   struct sdvk_sync *sync = to_sync(vk);

   return set(device, sync, true, NULL) ? VK_SUCCESS : vk_sync_signal(device, sync->kernel, value);
}

static VkResult
sync_reset(struct vk_device *device, struct vk_sync *vk)
{
   struct sdvk_sync *sync = to_sync(vk);

   return set(device, sync, false, NULL) ? VK_SUCCESS : vk_sync_reset(device, sync->kernel);
}

/* The caller holds the lock. */
static void
move_own(struct sdvk_syncs *syncs, struct sdvk_sync *dst, struct sdvk_sync *src)
{
   sdrm_fence_del(dst->fence);
   dst->signaled = src->signaled;
   dst->fence = src->fence;
   dst->order = src->order;
   src->signaled = false;
   src->fence = NULL;
   u_cnd_monotonic_broadcast(&syncs->changed);
}

static VkResult
sync_move(struct vk_device *device, struct vk_sync *vk_dst, struct vk_sync *vk_src)
{
   struct sdvk_sync *dst = to_sync(vk_dst), *src = to_sync(vk_src);
   struct sdvk_syncs *syncs = &to_device(device)->syncs;
   VkResult result = VK_SUCCESS;
   bool own;

   mtx_lock(&syncs->lock);
   own = !dst->kernel && !src->kernel;
   if (own)
      move_own(syncs, dst, src);
   else
      result = make_kernel(device, src);
   if (!own && result == VK_SUCCESS)
      result = make_kernel(device, dst);
   mtx_unlock(&syncs->lock);
   return own || result != VK_SUCCESS ? result : vk_sync_move(device, dst->kernel, src->kernel);
}

/* Waiting */

/*
 * Returns a sync that is signalled, or is a syncobj, or else the one whose fence was set first.
 * NULL: none has a fence. The caller holds the lock.
 */
static const struct sdvk_sync *
find_first(uint32_t n, const struct vk_sync_wait *waits)
{
   const struct sdvk_sync *first = NULL;

   for (uint32_t i = 0; i < n; i++) {
      const struct sdvk_sync *sync = to_sync(waits[i].sync);

      if (sync->signaled)
         return sync;
      if (sync->kernel ||
          (sync->fence && (!first || (!first->kernel && sync->order < first->order))))
         first = sync;
   }
   return first;
}

/* Waits until one of them is signalled or has a fence or syncobj. The caller holds the lock. */
static VkResult
wait_submitted(struct vk_device *device, uint32_t n, const struct vk_sync_wait *waits,
               uint64_t abs_timeout_ns, const struct sdvk_sync **first)
{
   struct sdvk_syncs *syncs = &to_device(device)->syncs;
   struct timespec until;

   while (!(*first = find_first(n, waits))) {
      if (os_time_get_nano() >= MIN2(abs_timeout_ns, INT64_MAX))
         return VK_TIMEOUT;
      if (vk_device_check_status(device) != VK_SUCCESS)
         return VK_ERROR_DEVICE_LOST;
      timespec_from_nsec(&until, sdvk_look_again_at(abs_timeout_ns));
      u_cnd_monotonic_timedwait(&syncs->changed, &syncs->lock, &until);
   }
   return VK_SUCCESS;
}

static VkResult
wait_fence(struct vk_device *device, struct sdrm_fence *fence, uint64_t abs_timeout_ns)
{
   switch (sdrm_fence_wait(fence, MIN2(abs_timeout_ns, SDRM_FOREVER))) {
   case 0:
      return VK_SUCCESS;
   case -ETIME:
      return VK_TIMEOUT;
   case -ENOMEM:
      return vk_error(device, VK_ERROR_OUT_OF_HOST_MEMORY);
   default:
      return sdvk_device_lost(to_device(device));
   }
}

/* Waits in the kernel: if one of them is a syncobj, all become syncobjs. */
static VkResult
wait_kernel(struct vk_device *device, uint32_t n, const struct vk_sync_wait *waits,
            enum vk_sync_wait_flags flags, uint64_t abs_timeout_ns)
{
   STACK_ARRAY(struct vk_sync_wait, kernel, n);
   VkResult result = VK_SUCCESS;

   for (uint32_t i = 0; i < n && result == VK_SUCCESS; i++) {
      result = lock_and_make_kernel(device, to_sync(waits[i].sync));
      kernel[i] = waits[i];
      kernel[i].sync = to_sync(waits[i].sync)->kernel;
   }
   if (result == VK_SUCCESS)
      result = vk_sync_wait_many(device, n, kernel, flags, abs_timeout_ns);
   STACK_ARRAY_FINISH(kernel);
   return result;
}

static VkResult
wait_any(struct vk_device *device, uint32_t n, const struct vk_sync_wait *waits,
         enum vk_sync_wait_flags flags, uint64_t abs_timeout_ns)
{
   struct sdvk_syncs *syncs = &to_device(device)->syncs;
   const struct sdvk_sync *first;
   struct sdrm_fence *fence = NULL;
   bool kernel = false;
   VkResult result;

   mtx_lock(&syncs->lock);
   result = wait_submitted(device, n, waits, abs_timeout_ns, &first);
   if (result == VK_SUCCESS) {
      kernel = first->kernel;
      if (!kernel && !first->signaled && !(flags & VK_SYNC_WAIT_PENDING))
         fence = sdrm_fence_ref(first->fence);
   }
   mtx_unlock(&syncs->lock);
   if (kernel)
      return wait_kernel(device, n, waits, flags, abs_timeout_ns);
   if (!fence)
      return result;
   result = wait_fence(device, fence, abs_timeout_ns);
   sdrm_fence_del(fence);
   return result;
}

static VkResult
sync_wait_many(struct vk_device *device, uint32_t n, const struct vk_sync_wait *waits,
               enum vk_sync_wait_flags flags, uint64_t abs_timeout_ns)
{
   VkResult result = VK_SUCCESS;

   if (flags & VK_SYNC_WAIT_ANY)
      return wait_any(device, n, waits, flags, abs_timeout_ns);
   for (uint32_t i = 0; i < n && result == VK_SUCCESS; i++)
      result = wait_any(device, 1, &waits[i], flags, abs_timeout_ns);
   return result;
}

#define OWN_TYPE                                                                                   \
   .size = sizeof(struct sdvk_sync),                                                               \
   .features = VK_SYNC_FEATURE_BINARY | VK_SYNC_FEATURE_GPU_WAIT |                                 \
               VK_SYNC_FEATURE_GPU_MULTI_WAIT | VK_SYNC_FEATURE_CPU_WAIT |                         \
               VK_SYNC_FEATURE_CPU_RESET | VK_SYNC_FEATURE_CPU_SIGNAL | VK_SYNC_FEATURE_WAIT_ANY | \
               VK_SYNC_FEATURE_WAIT_PENDING,                                                       \
   .init = sync_init, .finish = sync_finish, .signal = sync_signal, .reset = sync_reset,           \
   .move = sync_move, .wait_many = sync_wait_many

const struct vk_sync_type sdvk_sync_type = {OWN_TYPE};

const struct vk_sync_type sdvk_drm_sync_type = {
   OWN_TYPE,
   .import_opaque_fd = import_opaque_fd,
   .export_opaque_fd = export_opaque_fd,
   .import_sync_file = import_sync_file,
   .export_sync_file = export_sync_file,
};
