/* SPDX-License-Identifier: MIT */
/*
 * Window systems and displays, through Mesa's common WSI code. Mesa's runtime calls this, on any
 * thread.
 */
#include "sdvk_wsi.h"

#include <fcntl.h>
#include <unistd.h>

#include "sdvk_entrypoints.h"
#include "sdvk_physical_device.h"
#include "vk_instance.h"
#include "wsi_common_entrypoints.h"

static VKAPI_PTR PFN_vkVoidFunction
proc_addr(VkPhysicalDevice physicalDevice, const char *pName)
{
   VK_FROM_HANDLE(sdvk_physical_device, physical, physicalDevice);

   return vk_instance_get_proc_addr_unchecked(physical->vk.instance, pName);
}

static void
close_display(struct sdvk_physical_device *physical)
{
   if (physical->display_fd >= 0)
      close(physical->display_fd);
   physical->display_fd = -1;
}

/*
 * Opens the primary node, if the first to open it: the DRM master is exclusive, and other programs
 * need it, too.
 */
static void
open_display(struct sdvk_physical_device *physical, const char *primary)
{
   physical->display_fd = -1;
   if (primary && physical->vk.instance->enabled_extensions.KHR_display)
      physical->display_fd = open(primary, O_RDWR | O_CLOEXEC);
   if (physical->display_fd >= 0 && !drmIsMaster(physical->display_fd))
      close_display(physical);
}

/* Makes the device for X servers without DRI3 and for Wayland compositors without dma-bufs. The CPU
 * copies their images, as it does for all windows of a direct device. */
static void
init_copies(struct sdvk_physical_device *physical)
{
   physical->wsi_cpu = physical->wsi;
   physical->wsi_cpu.sw = true;
   /* A copied list head points to the original's entries. Only displays use the list, and they use
    * physical->wsi, which has dma-bufs. */
   list_inithead(&physical->wsi_cpu.hotplug_fences);
   physical->wsi.cpu = &physical->wsi_cpu;
}

VkResult
sdvk_wsi_init(struct sdvk_physical_device *physical, const char *primary)
{
   /* Without a DRM device there are no dma-bufs, and the CPU copies. */
   const struct wsi_device_options options = {.sw_device = physical->direct};
   VkResult result;

   open_display(physical, primary);
   result = wsi_device_init(&physical->wsi, sdvk_physical_device_to_handle(physical), proc_addr,
                            &physical->vk.instance->alloc, physical->display_fd, NULL, &options);
   if (result != VK_SUCCESS) {
      close_display(physical);
      return result;
   }
   physical->wsi.wants_linear = true;
   physical->wsi.supports_modifiers = !physical->direct;
   /* Mesa would import shared memory for images, which this driver does not support. */
   physical->wsi.has_import_memory_host = false;
   if (!physical->direct)
      init_copies(physical);
   physical->vk.wsi_device = &physical->wsi;
   return VK_SUCCESS;
}

void
sdvk_wsi_fini(struct sdvk_physical_device *physical)
{
   physical->vk.wsi_device = NULL;
   wsi_device_finish(&physical->wsi, &physical->vk.instance->alloc);
   close_display(physical);
}

/* vkReleaseDisplayEXT() closes the node, so use a duplicate of the program's file descriptor. */
VKAPI_ATTR VkResult VKAPI_CALL
sdvk_AcquireDrmDisplayEXT(VkPhysicalDevice physicalDevice, int32_t drmFd, VkDisplayKHR display)
{
   VK_FROM_HANDLE(sdvk_physical_device, physical, physicalDevice);
   const int fd = fcntl(drmFd, F_DUPFD_CLOEXEC, 0);
   VkResult result;

   if (fd < 0)
      return VK_ERROR_UNKNOWN;
   result = wsi_AcquireDrmDisplayEXT(physicalDevice, fd, display);
   if (result == VK_SUCCESS)
      physical->display_fd = fd;
   else
      close(fd);
   return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
sdvk_ReleaseDisplayEXT(VkPhysicalDevice physicalDevice, VkDisplayKHR display)
{
   VK_FROM_HANDLE(sdvk_physical_device, physical, physicalDevice);

   physical->display_fd = -1;
   return wsi_ReleaseDisplayEXT(physicalDevice, display);
}
