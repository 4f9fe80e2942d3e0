/* SPDX-License-Identifier: MIT */
/*
 * VkInstance, and the entry points of the loader, which any thread may call. An instance does not
 * change after its creation, but for its list of physical devices, which Mesa guards.
 */
#include "sdvk_instance.h"

#include "sdvk_entrypoints.h"
#include "sdvk_physical_device.h"
#include "util/macros.h"
#include "vk_alloc.h"
#include "vk_log.h"
#include "vk_util.h"
#include "wsi_common_entrypoints.h"

static const struct vk_instance_extension_table common_extensions = {
   .KHR_device_group_creation = true,
   .KHR_external_fence_capabilities = true,
   .KHR_external_memory_capabilities = true,
   .KHR_external_semaphore_capabilities = true,
   .KHR_get_physical_device_properties2 = true,
   .EXT_debug_report = true,
   .EXT_debug_utils = true,
   .KHR_get_surface_capabilities2 = true,
   .KHR_surface = true,
   .KHR_surface_protected_capabilities = true,
   .EXT_headless_surface = true,
   .EXT_surface_maintenance1 = true,
#ifdef VK_USE_PLATFORM_WAYLAND_KHR
   .KHR_wayland_surface = true,
#endif
#ifdef VK_USE_PLATFORM_XCB_KHR
   .KHR_xcb_surface = true,
#endif
#ifdef VK_USE_PLATFORM_XLIB_KHR
   .KHR_xlib_surface = true,
#endif
};

/* Displays are those of a DRM device. Programs that find the extensions expect a display. */
static void
get_extensions(struct vk_instance_extension_table *out)
{
   *out = common_extensions;
#ifdef VK_USE_PLATFORM_DISPLAY_KHR
   const bool displays = sdvk_has_displays();

   out->KHR_display = displays;
   out->KHR_get_display_properties2 = displays;
   out->EXT_acquire_drm_display = displays;
   out->EXT_direct_mode_display = displays;
   out->EXT_display_surface_counter = displays;
#endif
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_EnumerateInstanceVersion(uint32_t *pApiVersion)
{
   *pApiVersion = SDVK_API_VERSION;
   return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_EnumerateInstanceExtensionProperties(const char *pLayerName, uint32_t *pPropertyCount,
                                          VkExtensionProperties *pProperties)
{
   struct vk_instance_extension_table extensions;

   if (pLayerName)
      return vk_error(NULL, VK_ERROR_LAYER_NOT_PRESENT);
   get_extensions(&extensions);
   return vk_enumerate_instance_extension_properties(&extensions, pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_EnumerateInstanceLayerProperties(uint32_t *pPropertyCount, VkLayerProperties *pProperties)
{
   *pPropertyCount = 0;
   return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_CreateInstance(const VkInstanceCreateInfo *pCreateInfo,
                    const VkAllocationCallbacks *pAllocator, VkInstance *pInstance)
{
   const VkAllocationCallbacks *alloc = pAllocator ? pAllocator : vk_default_allocator();
   struct sdvk_instance *instance =
      vk_zalloc(alloc, sizeof(*instance), 8, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
   struct vk_instance_dispatch_table dispatch_table;
   struct vk_instance_extension_table extensions;
   VkResult result;

   if (!instance)
      return vk_error(NULL, VK_ERROR_OUT_OF_HOST_MEMORY);
   vk_instance_dispatch_table_from_entrypoints(&dispatch_table, &sdvk_instance_entrypoints, true);
   vk_instance_dispatch_table_from_entrypoints(&dispatch_table, &wsi_instance_entrypoints, false);
   get_extensions(&extensions);
   result = vk_instance_init(&instance->vk, &extensions, &dispatch_table, pCreateInfo, alloc);
   if (result != VK_SUCCESS) {
      vk_free(alloc, instance);
      return vk_error(NULL, result);
   }
   instance->vk.physical_devices.enumerate = sdvk_enumerate_direct;
   instance->vk.physical_devices.try_create_for_drm = sdvk_physical_device_try_drm;
   instance->vk.physical_devices.destroy = sdvk_physical_device_destroy;
   *pInstance = sdvk_instance_to_handle(instance);
   return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
sdvk_DestroyInstance(VkInstance _instance, const VkAllocationCallbacks *pAllocator)
{
   VK_FROM_HANDLE(sdvk_instance, instance, _instance);

   if (!instance)
      return;
   vk_instance_finish(&instance->vk);
   vk_free(&instance->vk.alloc, instance);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
sdvk_GetInstanceProcAddr(VkInstance _instance, const char *pName)
{
   VK_FROM_HANDLE(vk_instance, instance, _instance);

   return vk_instance_get_proc_addr(instance, &sdvk_instance_entrypoints, pName);
}

PUBLIC VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char *pName)
{
   return sdvk_GetInstanceProcAddr(instance, pName);
}
