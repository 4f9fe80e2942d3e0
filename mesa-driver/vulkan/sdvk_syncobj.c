/* SPDX-License-Identifier: MIT */
/*
 * Mesa's syncobjs and emulated timelines, with waits that end when the device is lost. Mesa's
 * runtime calls this on any thread; there is no state to guard.
 */
#include "sdvk_device.h"
#include "sdvk_physical_device.h"
#include "sdvk_sync.h"
#include "util/os_time.h"
#include "vk_drm_syncobj.h"

static const struct sdvk_physical_device *
physical_of(const struct vk_device *device)
{
   return sdvk_device_physical(container_of(device, struct sdvk_device, vk));
}

/*
 * Returns true if a wait that timed out at @until has to go on. Sets *@result to
 * VK_ERROR_DEVICE_LOST if the device is lost.
 */
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
      until = sdvk_look_again_at(abs_timeout_ns);
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

/*
 * The kernel signals syncobjs of a lost device without an error, so check for the loss afterwards.
 */
static VkResult
syncobj_wait_many(struct vk_device *device, uint32_t wait_count, const struct vk_sync_wait *waits,
                  enum vk_sync_wait_flags flags, uint64_t abs_timeout_ns)
{
   const struct sdvk_physical_device *physical = physical_of(device);
   VkResult result;
   uint64_t until;

   do {
      until = sdvk_look_again_at(abs_timeout_ns);
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
