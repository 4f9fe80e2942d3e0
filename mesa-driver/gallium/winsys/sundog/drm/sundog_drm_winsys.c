/* SPDX-License-Identifier: MIT */
/* The winsys for a DRM device file. The DRM loaders call it; it keeps one screen per device
 * file. The software loaders call it for window systems that take no buffers of a device. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sundog/sundog_public.h"
#include "sundog_drm_public.h"
#include "sundog_usable.h"
#include "util/log.h"
#include "util/u_screen.h"

#include <sundog.h>

static struct pipe_screen *
screen_create(int fd, const struct pipe_screen_config *config, struct renderonly *ro)
{
   struct sdrm_device *dev = sdrm_device_new(fd);

   if (!dev) {
      mesa_loge("sundog: cannot open the DRM device, see dmesg: %s", strerror(errno));
      return NULL;
   }
   return sundog_screen_create(dev, NULL);
}

struct pipe_screen *
sundog_drm_screen_create(int fd, const struct pipe_screen_config *config)
{
   return u_pipe_screen_lookup_or_create(fd, config, NULL, screen_create);
}

struct pipe_screen *
sundog_copied_screen_create(struct sw_winsys *sws)
{
   const int fd = sundog_usable_open();
   struct sdrm_device *dev;

   if (fd < 0) {
      mesa_loge("sundog: no DRM device of sundog has a renderer and may be opened, see dmesg");
      return NULL;
   }
   dev = sdrm_device_new(fd);
   close(fd);
   return dev ? sundog_screen_create(dev, sws) : NULL;
}
