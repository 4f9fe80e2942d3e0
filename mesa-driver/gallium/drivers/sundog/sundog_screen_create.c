/* SPDX-License-Identifier: MIT */
/* Creates and destroys the screen. The winsys calls it, with a device of libdrm that the screen
 * takes over. Runs on the loader's thread, before the screen is shared and after its last use. */
#include "sundog_screen.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sundog_caps.h"
#include "sundog_clock.h"
#include "sundog_compiler.h"
#include "sundog_context_create.h"
#include "sundog_disk_cache.h"
#include "sundog_fence.h"
#include "sundog_format.h"
#include "sundog_public.h"
#include "sundog_resource.h"
#include "sundog_share.h"
#include "util/disk_cache.h"
#include "util/log.h"
#include "util/u_memory.h"

static const char *
sdog_get_name(struct pipe_screen *pscreen)
{
   return sdog_screen(pscreen)->name;
}

static const char *
sdog_get_vendor(struct pipe_screen *pscreen)
{
   return "sundog";
}

static const char *
sdog_get_device_vendor(struct pipe_screen *pscreen)
{
   return sdog_screen(pscreen)->caps->host_driver;
}

static int
sdog_get_screen_fd(struct pipe_screen *pscreen)
{
   return sdrm_device_fd(sdog_screen(pscreen)->dev);
}

/* Reports only VRAM, in KiB. The rest is evicted to system memory, whose size is unknown. */
static void
sdog_query_memory_info(struct pipe_screen *pscreen, struct pipe_memory_info *info)
{
   struct sdog_screen *screen = sdog_screen(pscreen);

   *info = (struct pipe_memory_info){
      .total_device_memory = sdrm_device_vram_size(screen->dev) / 1024,
      .avail_device_memory = sdrm_device_vram_free(screen->dev) / 1024,
   };
}

void
sdog_screen_adopt(struct sdog_screen *screen)
{
   simple_mtx_lock(&screen->adopt_lock);
   if (screen->pid != getpid()) {
      screen->pid = getpid();
      screen->disk_cache = sdog_disk_cache_create(screen->caps);
      sdog_cache_trim(&screen->cache);
   }
   simple_mtx_unlock(&screen->adopt_lock);
}

static void
sdog_screen_destroy(struct pipe_screen *pscreen)
{
   struct sdog_screen *screen = sdog_screen(pscreen);

   sdog_cache_finish(&screen->cache);
   sdog_compiler_finish(screen);
   /* In a forked child this would wait for a thread that only the parent has. */
   if (screen->pid == getpid())
      disk_cache_destroy(screen->disk_cache);
   simple_mtx_destroy(&screen->adopt_lock);
   slab_destroy_parent(&screen->transfer_pool);
   sdog_handles_fini(&screen->handles);
   u_rwlock_destroy(&screen->rename_lock);
   simple_mtx_destroy(&screen->share_lock);
   simple_mtx_destroy(&screen->object_lock);
   simple_mtx_destroy(&screen->clock_lock);
   sdrm_device_del(screen->dev);
   FREE(screen);
}

/* The CPU computes the layout of textures and maps them, so the host's layout rule must be
 * known. */
static bool
usable(const struct sundog_caps *caps)
{
   if (caps->layout_rule == SUNDOG_LAYOUT_RULE_LINEAR)
      return true;
   mesa_loge("sundog: images of the host's driver %s have layout rule %u, not %u: use lavapipe",
             caps->host_driver, caps->layout_rule, SUNDOG_LAYOUT_RULE_LINEAR);
   return false;
}

/*
 * Xorg, desktop environments and Chromium take a name that contains "llvmpipe" for a driver without
 * a device and reject it, Chromium in capitals, too. So call the host's driver by its Vulkan name.
 */
static void
init_name(struct sdog_screen *screen)
{
   static const char host[] = "llvmpipe", shown[] = "lavapipe";

   snprintf(screen->name, sizeof(screen->name), "sundog (%s)", screen->caps->host_device);
   for (char *at = screen->name; (at = strstr(at, host));)
      memcpy(at, shown, strlen(shown));
}

struct pipe_screen *
sundog_screen_create(struct sdrm_device *dev, struct sw_winsys *sws)
{
   struct sdog_screen *screen;
   struct pipe_screen *pscreen;

   sdog_debug_init();
   if (!usable(sdrm_device_caps(dev)) || !(screen = CALLOC_STRUCT(sdog_screen))) {
      sdrm_device_del(dev);
      return NULL;
   }
   pscreen = &screen->base;
   screen->dev = dev;
   screen->sws = sws;
   screen->caps = sdrm_device_caps(dev);
   if (!sdog_compiler_init(screen)) {
      sdrm_device_del(dev);
      FREE(screen);
      return NULL;
   }
   init_name(screen);
   sdog_cache_init(&screen->cache);
   screen->pid = getpid();
   simple_mtx_init(&screen->adopt_lock, mtx_plain);
   screen->disk_cache = sdog_disk_cache_create(screen->caps);
   slab_create_parent(&screen->transfer_pool, 128, 16);
   simple_mtx_init(&screen->object_lock, mtx_plain);
   u_rwlock_init(&screen->rename_lock);
   simple_mtx_init(&screen->share_lock, mtx_plain);
   sdog_handles_init(&screen->handles);
   simple_mtx_init(&screen->clock_lock, mtx_plain);

   pscreen->destroy = sdog_screen_destroy;
   pscreen->get_name = sdog_get_name;
   pscreen->get_vendor = sdog_get_vendor;
   pscreen->get_device_vendor = sdog_get_device_vendor;
   pscreen->get_screen_fd = sdog_get_screen_fd;
   pscreen->query_memory_info = sdog_query_memory_info;
   pscreen->context_create = sdog_context_create;
   sdog_init_clock_functions(pscreen);
   sdog_init_compiler_functions(pscreen);
   sdog_init_disk_cache_functions(pscreen);
   sdog_init_fence_screen_functions(pscreen);
   sdog_init_format_functions(pscreen);
   sdog_init_resource_functions(pscreen);
   sdog_init_share_functions(pscreen);
   sdog_init_caps(pscreen);
   return pscreen;
}
