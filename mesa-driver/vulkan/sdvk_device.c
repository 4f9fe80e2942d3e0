/* SPDX-License-Identifier: MIT */
/*
 * VkDevice: creation and destruction of the device and of all that its files share. Each function
 * runs once, before and after any other use of the device.
 */
#include "sdvk_device.h"

#include <errno.h>

#include "sdvk_cmd_buffer.h"
#include "sdvk_entrypoints.h"
#include "sdvk_fault.h"
#include "sdvk_memory.h"
#include "sdvk_physical_device.h"
#include "util/hash_table.h"
#include "util/os_time.h"
#include "vk_log.h"
#include "vk_alloc.h"
#include "wsi_common_entrypoints.h"

static VkResult
open_device(struct sdvk_device *device, const struct sdvk_physical_device *physical)
{
   device->dev = sdvk_physical_device_open(physical);
   if (!device->dev)
      return vk_errorf(physical, VK_ERROR_INITIALIZATION_FAILED, "cannot open %s: %s",
                       physical->path, strerror(errno));
   device->listed = _mesa_hash_table_u64_create(NULL);
   if (!device->listed || sdrm_reslist_new(device->dev, &device->memory)) {
      _mesa_hash_table_u64_destroy(device->listed);
      sdrm_device_del(device->dev);
      return vk_error(physical, VK_ERROR_OUT_OF_HOST_MEMORY);
   }
   sdvk_host_imports_init(&device->host_imports);
   simple_mtx_init(&device->listed_lock, mtx_plain);
   simple_mtx_init(&device->resolver.lock, mtx_plain);
   sdvk_builder_init(&device->builder);
   device->drm_fd = sdrm_device_fd(device->dev);
   if (device->drm_fd >= 0)
      vk_device_set_drm_fd(&device->vk, device->drm_fd);
   return VK_SUCCESS;
}

static void
close_device(struct sdvk_device *device)
{
   sdvk_host_imports_fini(&device->host_imports);
   sdrm_reslist_del(device->memory);
   simple_mtx_destroy(&device->listed_lock);
   simple_mtx_destroy(&device->resolver.lock);
   sdvk_builder_fini(&device->builder);
   _mesa_hash_table_u64_destroy(device->listed);
   sdrm_device_del(device->dev);
}

/* vk_device::get_timestamp; used only by devices with calibrated timestamps, see sdvk_caps.c. */
static VkResult
get_timestamp(struct vk_device *vk, uint64_t *timestamp)
{
   *timestamp = os_time_get_nano();
   return VK_SUCCESS;
}

/* Initialises the caches that pipelines share. */
static bool
init_shared(struct sdvk_device *device)
{
   const bool layouts = sdvk_layouts_init(&device->layouts);

   return sdvk_object_programs_init(&device->object_programs) && layouts;
}

static void
fini_shared(struct sdvk_device *device)
{
   sdvk_object_programs_fini(&device->object_programs);
   sdvk_layouts_fini(&device->layouts);
}

static VkResult
init(struct sdvk_device *device, struct sdvk_physical_device *physical,
     const VkDeviceCreateInfo *info, const VkAllocationCallbacks *alloc)
{
   struct vk_device_dispatch_table dispatch_table;
   VkResult result;
   bool objects;

   vk_device_dispatch_table_from_entrypoints(&dispatch_table, &sdvk_device_entrypoints, true);
   vk_device_dispatch_table_from_entrypoints(&dispatch_table, &wsi_device_entrypoints, false);
   result = vk_device_init(&device->vk, &physical->vk, &dispatch_table, info, alloc);
   if (result != VK_SUCCESS)
      return result;
   device->vk.command_buffer_ops = &sdvk_cmd_buffer_ops;
   device->vk.check_status = sdvk_check_status;
   device->vk.get_timestamp = get_timestamp;
   device->vk.shader_ops = &sdvk_shader_ops;
   result = sdvk_syncs_init(device);
   if (result != VK_SUCCESS) {
      vk_device_finish(&device->vk);
      return result;
   }
   result = open_device(device, physical);
   if (result != VK_SUCCESS) {
      sdvk_syncs_fini(device);
      vk_device_finish(&device->vk);
      return result;
   }
   objects = sdvk_objects_init(&device->objects);
   sdvk_addresses_init(&device->addresses);
   sdvk_sparse_state_init(&device->sparse);
   sdvk_events_init(&device->events);
   sdvk_reports_init(&device->reports);
   result = init_shared(device) && objects
               ? sdvk_queue_init(device, info->pQueueCreateInfos)
               : vk_error(physical, VK_ERROR_OUT_OF_HOST_MEMORY);
   if (result != VK_SUCCESS) {
      fini_shared(device);
      sdvk_reports_fini(device);
      sdvk_events_fini(&device->events);
      sdvk_sparse_state_fini(device);
      sdvk_addresses_fini(&device->addresses);
      sdvk_objects_fini(device);
      close_device(device);
      sdvk_syncs_fini(device);
      vk_device_finish(&device->vk);
   }
   return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateDevice(VkPhysicalDevice physicalDevice, const VkDeviceCreateInfo *pCreateInfo,
                  const VkAllocationCallbacks *pAllocator, VkDevice *pDevice)
{
   VK_FROM_HANDLE(sdvk_physical_device, physical, physicalDevice);
   struct sdvk_device *device =
      vk_zalloc2(&physical->vk.instance->alloc, pAllocator, sizeof(*device), 8,
                 VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
   VkResult result;

   if (!device)
      return vk_error(physical, VK_ERROR_OUT_OF_HOST_MEMORY);
   result = init(device, physical, pCreateInfo, pAllocator);
   if (result != VK_SUCCESS) {
      vk_free2(&physical->vk.instance->alloc, pAllocator, device);
      return result;
   }
   *pDevice = sdvk_device_to_handle(device);
   return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_DestroyDevice(VkDevice _device, const VkAllocationCallbacks *pAllocator)
{
   VK_FROM_HANDLE(sdvk_device, device, _device);

   if (!device)
      return;
   sdvk_reports_fini(device);
   sdvk_sparse_state_fini(device);
   sdvk_builder_forget(device, &device->builder);
   sdvk_queue_fini(&device->queue);
   fini_shared(device);
   sdvk_events_fini(&device->events);
   sdvk_addresses_fini(&device->addresses);
   sdvk_objects_fini(device);
   close_device(device);
   sdvk_syncs_fini(device);
   vk_device_finish(&device->vk);
   vk_free(&device->vk.alloc, device);
}
