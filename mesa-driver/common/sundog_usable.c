/* SPDX-License-Identifier: MIT */
/* Tells if sundog can serve a program. See sundog_usable.h for the callers. */
#include "sundog_usable.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "util/macros.h"
#include "util/os_misc.h"
#include "util/u_debug.h"

#include <sundog.h>
#include <sundog_hw.h>

bool
sundog_usable(int fd)
{
   drmVersionPtr version = drmGetVersion(fd);
   const bool is_sundog = version && !strcmp(version->name, "sundog");

   drmFreeVersion(version);
   if (!is_sundog)
      return false;

   /* The kernel creates no client without a renderer. */
   struct sdrm_device *dev = sdrm_device_new(fd);

   sdrm_device_del(dev);
   return dev;
}

/* Returns a file of the device's render node, or -1 if the device is not usable. */
static int
open_usable(drmDevicePtr device)
{
   int fd;

   if (device->bustype != DRM_BUS_PCI || !(device->available_nodes & (1 << DRM_NODE_RENDER)) ||
       device->deviceinfo.pci->vendor_id != SUNDOG_PCI_VENDOR ||
       device->deviceinfo.pci->device_id != SUNDOG_PCI_DEVICE)
      return -1;
   fd = open(device->nodes[DRM_NODE_RENDER], O_RDWR | O_CLOEXEC);
   if (fd < 0 || sundog_usable(fd))
      return fd;
   close(fd);
   return -1;
}

bool
sundog_usable_device(drmDevicePtr device)
{
   const int fd = open_usable(device);

   if (fd >= 0)
      close(fd);
   return fd >= 0;
}

int
sundog_usable_open(void)
{
   drmDevicePtr devices[64];
   const int num = drmGetDevices2(0, devices, ARRAY_SIZE(devices));
   int fd = -1;

   for (int i = 0; i < num && fd < 0; i++)
      fd = open_usable(devices[i]);
   if (num > 0)
      drmFreeDevices(devices, num);
   return fd;
}

bool
sundog_usable_anywhere(void)
{
   const int fd = sundog_usable_open();

   if (fd >= 0)
      close(fd);
   return fd >= 0;
}

bool
sundog_wants_direct(void)
{
   const char *driver = os_get_option("GALLIUM_DRIVER");

   return driver && !strcmp(driver, "sundogpipe");
}

bool
sundog_wants_software(void)
{
   return !sundog_wants_direct() && debug_get_bool_option("LIBGL_ALWAYS_SOFTWARE", false);
}
