/* SPDX-License-Identifier: MIT */
/* Creates the screen's cache of compiled shaders on disk, which the state tracker uses. Runs once
 * per screen, before it is shared. */
#include "sundog_disk_cache.h"

#include "sundog_screen.h"
#include "util/disk_cache.h"
#include "util/mesa-sha1.h"

struct disk_cache *
sdog_disk_cache_create(const struct sundog_caps *caps)
{
   unsigned char sha1[SHA1_DIGEST_LENGTH];
   char id[2 * sizeof(sha1) + 1];
   struct mesa_sha1 ctx;
   struct disk_cache *cache;

   _mesa_sha1_init(&ctx);
   /* The key covers the build of the driver and the device's capabilities, both of which determine
    * how shaders are lowered. */
   if (!disk_cache_get_function_identifier(sdog_disk_cache_create, &ctx))
      return NULL;
   _mesa_sha1_update(&ctx, caps, sizeof(*caps));
   _mesa_sha1_final(&ctx, sha1);
   _mesa_sha1_format(id, sha1);
   cache = disk_cache_create("sundog", id, 0);
   /* At its start the cache's thread holds locks of Mesa's. In the children of a program that forks
    * meanwhile nobody would release them. */
   if (cache)
      disk_cache_wait_for_idle(cache);
   return cache;
}

static struct disk_cache *
sdog_get_disk_shader_cache(struct pipe_screen *pscreen)
{
   return sdog_screen(pscreen)->disk_cache;
}

void
sdog_init_disk_cache_functions(struct pipe_screen *pscreen)
{
   pscreen->get_disk_shader_cache = sdog_get_disk_shader_cache;
}
