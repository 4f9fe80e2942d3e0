/* SPDX-License-Identifier: MIT */
/* The winsys for a socket of sundog-renderd, without a kernel driver. The software loaders call
 * it. */
#include <errno.h>
#include <string.h>

#include "sundog/sundog_public.h"
#include "sundog_drm_public.h"
#include "util/log.h"
#include "util/u_debug.h"

#include <sundog.h>

#define DEFAULT_SOCKET "/run/sundog.sock"

struct pipe_screen *
sundog_direct_screen_create(struct sw_winsys *sws)
{
   const char *path = debug_get_option("SUNDOG_SOCKET", DEFAULT_SOCKET);
   struct sdrm_device *dev = sdrm_device_new_direct(path, 0);

   if (!dev) {
      mesa_loge("sundog: cannot connect to sundog-renderd at %s (SUNDOG_SOCKET): %s", path,
                strerror(errno));
      return NULL;
   }
   return sundog_screen_create(dev, sws);
}
