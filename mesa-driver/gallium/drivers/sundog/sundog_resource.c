/* SPDX-License-Identifier: MIT */
/* Creation, destruction and replacement of the memory of resources, and presentation through the
 * software winsys. Called from all threads; the locks are in struct sdog_screen. */
#include "sundog_resource.h"

#include <inttypes.h>
#include <string.h>

#include "frontend/sw_winsys.h"
#include "sundog_context.h"
#include "sundog_image.h"
#include "sundog_layout.h"
#include "sundog_screen.h"
#include "util/format/u_format.h"
#include "util/log.h"
#include "util/u_atomic.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "util/u_resource.h"

/* Offset in its memory of an unshared resource of at least COPY_SIZE, if its allocation was rounded
 * up by so much. It avoids 4 KiB aliasing: copies larger than the CPU's caches run at a quarter of
 * the speed if the page offset of the destination is slightly above that of the source, since the
 * CPU takes each load for one of the data just stored. malloc() places large blocks 16 bytes into a
 * page, so that would apply to every read of a resource that begins at a page
 * (docs/decisions/015-copy-offset.md).
 * Resources that a program keeps mapped have offset 0: it may pass whole pages of the mapping to a
 * virtual machine. */
#define COPY_OFFSET 2048
#define COPY_SIZE (1ull << 20)

/* Number of memories that resources had so far: the source of sdog_resource::memory. */
static uint64_t memories;

void
sdog_resource_set_bo(struct sdog_resource *rsc, struct sdrm_bo *bo)
{
   rsc->bo = bo;
   rsc->mem = sdrm_bo_mem(rsc->bo);
   rsc->memory = p_atomic_inc_return(&memories);
   rsc->batch = 0;
   rsc->read_time = 0;
   rsc->write_time = 0;
   rsc->storage_time = 0;
}

void
sdog_resource_set_memory(struct sdog_resource *rsc, struct sdrm_resource *kres, uint32_t index)
{
   rsc->kres = kres;
   sdog_resource_set_bo(rsc, sdrm_resource_bo(kres, index));
}

static struct sdrm_resource *
alloc_memory(struct sdog_screen *screen, uint64_t size)
{
   struct sdrm_resource *kres = sdog_cache_get(&screen->cache, size);
   uint64_t rounded = sdog_cache_round(size);
   int ret;

   if (kres || !sdrm_resource_new(screen->dev, 0, &rounded, 1, NULL, 0, &kres))
      return kres;
   sdog_cache_trim(&screen->cache);
   ret = sdrm_resource_new(screen->dev, 0, &rounded, 1, NULL, 0, &kres);
   if (ret) {
      mesa_loge("sundog: cannot allocate %" PRIu64 " bytes: %s", rounded, strerror(-ret));
      return NULL;
   }
   return kres;
}

static struct sdrm_resource *
alloc_shared(struct sdog_screen *screen, const struct sdog_resource *rsc)
{
   struct sdrm_resource *kres = NULL;
   int ret =
      sdrm_resource_new(screen->dev, SDRM_RESOURCE_SHARED, &rsc->size, 1, NULL, 0, &kres);

   if (ret)
      mesa_loge("sundog: cannot allocate %" PRIu64 " bytes to share: %s", rsc->size,
                strerror(-ret));
   return kres;
}

/* The smallest of the limits: the device's on one allocation, llvmpipe's on an image, and Mesa's,
 * which uses signed sizes. */
static uint64_t
max_size(const struct sundog_caps *caps)
{
   return caps->max_buffer ? MIN2(caps->max_buffer, INT32_MAX) : INT32_MAX;
}

/* Returns true if the program may keep the resource mapped while the device uses it. */
static bool
is_mapped_for_good(const struct sdog_resource *rsc)
{
   return rsc->base.flags & PIPE_RESOURCE_FLAG_MAP_PERSISTENT;
}

static bool
begins_inside(const struct sundog_caps *caps, const struct sdog_resource *rsc)
{
   uint64_t rounded = sdog_cache_round(rsc->size);

   return !rsc->shared && !is_mapped_for_good(rsc) && rsc->size >= COPY_SIZE &&
          rounded - rsc->size >= COPY_OFFSET && rounded <= max_size(caps) &&
          COPY_OFFSET % caps->layout_level_align == 0;
}

static bool
is_shareable(const struct pipe_resource *templ)
{
   return templ->target != PIPE_BUFFER &&
          (templ->bind & (PIPE_BIND_SHARED | PIPE_BIND_SCANOUT));
}

static bool
create_display_target(struct sdog_screen *screen, struct sdog_resource *rsc)
{
   struct sw_winsys *sws = screen->sws;
   const struct pipe_resource *prsc = &rsc->base;

   if (!sws || !(prsc->bind & PIPE_BIND_DISPLAY_TARGET))
      return true;
   rsc->dt = sws->displaytarget_create(sws, prsc->bind, prsc->format, prsc->width0, prsc->height0,
                                       64, NULL, &rsc->dt_stride);
   return rsc->dt != NULL;
}

struct sdog_resource *
sdog_resource_new(struct pipe_screen *pscreen, const struct pipe_resource *templ)
{
   const struct sundog_caps *caps = sdog_screen(pscreen)->caps;
   struct sdog_resource *rsc =
      CALLOC_VARIANT_LENGTH_STRUCT(sdog_resource, (templ->last_level + 1) * sizeof(*rsc->levels));

   if (!rsc)
      return NULL;
   rsc->base = *templ;
   rsc->base.screen = pscreen;
   if (templ->target == PIPE_BUFFER)
      rsc->size = templ->width0;
   else
      sdog_layout_image(caps, rsc);
   if (rsc->size > max_size(caps)) {
      FREE(rsc);
      return NULL;
   }
   pipe_reference_init(&rsc->base.reference, 1);
   list_inithead(&rsc->images);
   util_range_init(&rsc->valid_range);
   return rsc;
}

static void
rsc_free_memory(struct sdog_screen *screen, struct sdog_resource *rsc)
{
   if (!rsc->kres)
      sdrm_bo_del(rsc->bo);
   else if (rsc->shared)
      sdrm_resource_del(rsc->kres);
   else
      sdog_cache_put(&screen->cache, rsc->kres, sdog_cache_round(rsc->size));
}

void
sdog_resource_destroy(struct pipe_screen *pscreen, struct pipe_resource *prsc)
{
   struct sdog_screen *screen = sdog_screen(pscreen);
   struct sdog_resource *rsc = sdog_resource(prsc);

   simple_mtx_lock(&screen->object_lock);
   sdog_images_drop(rsc);
   simple_mtx_unlock(&screen->object_lock);
   rsc_free_memory(screen, rsc);
   if (rsc->dt)
      screen->sws->displaytarget_destroy(screen->sws, rsc->dt);
   util_range_destroy(&rsc->valid_range);
   FREE(rsc);
}

static struct pipe_resource *
sdog_resource_create(struct pipe_screen *pscreen, const struct pipe_resource *templ)
{
   struct sdog_screen *screen = sdog_screen(pscreen);
   struct sdog_resource *rsc = sdog_resource_new(pscreen, templ);
   struct sdrm_resource *kres;

   if (!rsc)
      return NULL;
   rsc->shared = is_shareable(templ);
   rsc->offset = begins_inside(screen->caps, rsc) ? COPY_OFFSET : 0;
   kres = rsc->shared ? alloc_shared(screen, rsc) : alloc_memory(screen, rsc->size);
   if (!kres)
      goto fail;
   sdog_resource_set_memory(rsc, kres, 0);
   if (!create_display_target(screen, rsc))
      goto fail;
   return &rsc->base;

fail:
   sdog_resource_destroy(pscreen, &rsc->base);
   return NULL;
}

/* Caller holds screen->object_lock. */
static void
replace_memory(struct sdog_screen *screen, struct sdog_resource *rsc, struct sdrm_resource *kres)
{
   sdog_images_drop(rsc);
   rsc_free_memory(screen, rsc);
   sdog_resource_set_memory(rsc, kres, 0);
   rsc->cpu_writes++;
}

/* Returns memory to replace that of @rsc, with a copy of the first @keep bytes, or NULL if @rsc has
 * to keep its memory. */
static struct sdrm_resource *
other_memory(struct sdog_screen *screen, struct sdog_resource *rsc, uint32_t keep)
{
   const void *from = keep ? sdog_resource_map(rsc) : NULL;
   struct sdrm_resource *kres;
   uint8_t *to;

   if (rsc->shared || is_mapped_for_good(rsc) || (keep && !from))
      return NULL;
   kres = alloc_memory(screen, rsc->size);
   if (!kres)
      return NULL;
   to = sdrm_bo_map(sdrm_resource_bo(kres, 0));
   if (!to) {
      sdrm_resource_del(kres);
      return NULL;
   }
   if (keep)
      memcpy(to + rsc->offset, from, keep);
   return kres;
}

void
sdog_buffer_add_user(struct sdog_context *ctx, struct sdog_resource *rsc)
{
   const struct sdog_context *user = p_atomic_read(&rsc->user);

   /* Once set, neither changes any more. */
   if (user == ctx || rsc->several_users)
      return;
   if (!user)
      user = p_atomic_cmpxchg_ptr(&rsc->user, NULL, ctx);
   if (user && user != ctx)
      rsc->several_users = true;
}

bool
sdog_buffer_rename(struct sdog_context *ctx, struct sdog_resource *rsc, uint32_t keep)
{
   struct sdog_screen *screen = sdog_screen(ctx->base.screen);
   struct sdrm_resource *kres;
   bool elsewhere;

   sdog_buffer_add_user(ctx, rsc);
   kres = ctx->naming || (keep && rsc->several_users) ? NULL : other_memory(screen, rsc, keep);
   if (!kres)
      return false;
   u_rwlock_wrlock(&screen->rename_lock);
   /* Another context may have begun to use it in the meantime. */
   elsewhere = keep && rsc->several_users;
   if (!elsewhere) {
      simple_mtx_lock(&screen->object_lock);
      replace_memory(screen, rsc, kres);
      simple_mtx_unlock(&screen->object_lock);
   }
   screen->renames += !elsewhere && rsc->several_users;
   u_rwlock_wrunlock(&screen->rename_lock);
   if (elsewhere)
      sdog_cache_put(&screen->cache, kres, sdog_cache_round(rsc->size));
   return !elsewhere;
}

bool
sdog_texture_rename(struct sdog_context *ctx, struct sdog_resource *rsc)
{
   struct sdog_screen *screen = sdog_screen(ctx->base.screen);
   struct sdrm_resource *kres;
   bool elsewhere;

   simple_mtx_lock(&screen->object_lock);
   elsewhere = sdog_images_elsewhere(ctx, rsc);
   simple_mtx_unlock(&screen->object_lock);
   kres = elsewhere ? NULL : other_memory(screen, rsc, 0);
   if (!kres)
      return false;
   /* Another context may have created an image of it or shared it in the meantime. */
   simple_mtx_lock(&screen->object_lock);
   elsewhere = rsc->shared || rsc->sharing || sdog_images_elsewhere(ctx, rsc);
   if (!elsewhere)
      replace_memory(screen, rsc, kres);
   simple_mtx_unlock(&screen->object_lock);
   if (elsewhere)
      sdog_cache_put(&screen->cache, kres, sdog_cache_round(rsc->size));
   return !elsewhere;
}

/* While @sharing is set, other contexts do not replace the memory. */
static void
set_sharing(struct sdog_screen *screen, struct sdog_resource *rsc, bool sharing)
{
   simple_mtx_lock(&screen->object_lock);
   rsc->sharing = sharing;
   simple_mtx_unlock(&screen->object_lock);
}

/* Caller holds screen->share_lock. */
static bool
move_to_shared(struct sdog_screen *screen, struct sdog_resource *rsc)
{
   struct sdrm_resource *kres = alloc_shared(screen, rsc);
   const void *from = sdog_resource_map(rsc);
   void *to;

   if (!kres)
      return false;
   to = sdrm_bo_map(sdrm_resource_bo(kres, 0));
   if (!from || !to || sdrm_bo_wait(rsc->bo, false, SDRM_FOREVER)) {
      sdrm_resource_del(kres);
      return false;
   }
   memcpy(to, from, rsc->size);
   /* The lock excludes contexts that are emitting packets which name the old memory. */
   u_rwlock_wrlock(&screen->rename_lock);
   simple_mtx_lock(&screen->object_lock);
   replace_memory(screen, rsc, kres);
   rsc->offset = 0;
   rsc->shared = true;
   simple_mtx_unlock(&screen->object_lock);
   u_rwlock_wrunlock(&screen->rename_lock);
   return true;
}

bool
sdog_resource_make_shared(struct sdog_screen *screen, struct sdog_resource *rsc)
{
   bool shared;

   /* Another thread may be moving the same resource; once it is done, rsc->shared is set. */
   simple_mtx_lock(&screen->share_lock);
   set_sharing(screen, rsc, true);
   shared = rsc->shared || move_to_shared(screen, rsc);
   set_sharing(screen, rsc, false);
   simple_mtx_unlock(&screen->share_lock);
   return shared;
}

/* Presents @prsc through the software winsys, which needs a copy in its own memory. */
static void
sdog_flush_frontbuffer(struct pipe_screen *pscreen, struct pipe_context *pctx,
                       struct pipe_resource *prsc, unsigned level, unsigned layer, void *drawable,
                       unsigned nboxes, struct pipe_box *boxes)
{
   struct sdog_screen *screen = sdog_screen(pscreen);
   struct sdog_resource *rsc = sdog_resource(prsc);
   struct sw_winsys *sws = screen->sws;
   const uint8_t *from;
   void *map;

   if (!rsc->dt)
      return;
   if (pctx)
      sdog_batch_flush(sdog_context(pctx));
   from = sdog_resource_map(rsc);
   if (!from)
      return;
   sdrm_bo_wait(rsc->bo, false, SDRM_FOREVER);
   map = sws->displaytarget_map(sws, rsc->dt, PIPE_MAP_WRITE);
   if (!map)
      return;
   util_copy_rect(map, prsc->format, rsc->dt_stride, 0, 0, prsc->width0, prsc->height0,
                  from + rsc->levels[level].offset + layer * rsc->levels[level].slice,
                  rsc->levels[level].pitch, 0, 0);
   sws->displaytarget_unmap(sws, rsc->dt);
   sws->displaytarget_display(sws, rsc->dt, drawable, nboxes, boxes);
}

void
sdog_init_resource_functions(struct pipe_screen *pscreen)
{
   pscreen->resource_create = sdog_resource_create;
   pscreen->resource_destroy = sdog_resource_destroy;
   pscreen->flush_frontbuffer = sdog_flush_frontbuffer;
}
