/* SPDX-License-Identifier: MIT */
#include "sdvk_wsi.h"

#include "sdvk_physical_device.h"
#include "vk_instance.h"

static VKAPI_PTR PFN_vkVoidFunction
proc_addr(VkPhysicalDevice physicalDevice, const char *pName)
{
   VK_FROM_HANDLE(sdvk_physical_device, physical, physicalDevice);

   return vk_instance_get_proc_addr_unchecked(physical->vk.instance, pName);
}

VkResult
sdvk_wsi_init(struct sdvk_physical_device *physical)
{
   /* Windows get dma-bufs; without a kernel there are none, and the CPU copies. */
   const struct wsi_device_options options = {.sw_device = physical->direct};
   VkResult result =
      wsi_device_init(&physical->wsi, sdvk_physical_device_to_handle(physical), proc_addr,
                      &physical->vk.instance->alloc, -1, NULL, &options);

   if (result != VK_SUCCESS)
      return result;
   physical->wsi.wants_linear = true;
   physical->wsi.supports_modifiers = !physical->direct;
   physical->vk.wsi_device = &physical->wsi;
   return VK_SUCCESS;
}

void
sdvk_wsi_fini(struct sdvk_physical_device *physical)
{
   physical->vk.wsi_device = NULL;
   wsi_device_finish(&physical->wsi, &physical->vk.instance->alloc);
}
