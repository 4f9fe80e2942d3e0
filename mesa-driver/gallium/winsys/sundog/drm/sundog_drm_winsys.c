/* SPDX-License-Identifier: MIT */
/* The winsys for a DRM device file. The DRM loaders call it; it keeps one screen per device
 * file. */
#include <errno.h>
#include <string.h>

#include "sundog/sundog_public.h"
#include "sundog_drm_public.h"
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
