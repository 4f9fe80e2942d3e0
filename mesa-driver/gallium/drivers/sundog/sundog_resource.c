/* SPDX-License-Identifier: MIT */
#include "sundog_resource.h"

#include <inttypes.h>

#include "frontend/sw_winsys.h"
#include "sundog_context.h"
#include "sundog_format.h"
#include "sundog_layout.h"
#include "sundog_screen.h"
#include "sundog_transfer.h"
#include "util/format/u_format.h"
#include "util/log.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "util/u_resource.h"

/* What travels with a shared resource, so that every opener makes the same image of it. */
struct shared_info {
   uint32_t vk_format;
   uint32_t width;
   uint32_t height;
   uint32_t pitch;
};

void
sdog_resource_set_bo(struct sdog_resource *rsc, struct sundog_bo *bo)
{
   rsc->bo = bo;
   rsc->mem = sundog_bo_mem(rsc->bo);
   rsc->batch = 0;
   rsc->read_time = 0;
   rsc->write_time = 0;
}

void
sdog_resource_set_memory(struct sdog_resource *rsc, struct sundog_resource *kres, uint32_t index)
{
   rsc->kres = kres;
   sdog_resource_set_bo(rsc, sundog_resource_bo(kres, index));
}

static struct sundog_resource *
alloc_memory(struct sdog_screen *screen, uint64_t size)
{
   struct sundog_resource *kres = sdog_cache_get(&screen->cache, size);
   uint64_t rounded = sdog_cache_round(size);

   if (kres || !sundog_resource_new(screen->dev, 0, &rounded, 1, NULL, 0, &kres))
      return kres;
   sdog_cache_trim(&screen->cache);
   if (sundog_resource_new(screen->dev, 0, &rounded, 1, NULL, 0, &kres)) {
      mesa_loge("sundog: no memory for %" PRIu64 " bytes", rounded);
      return NULL;
   }
   return kres;
}

static struct sundog_resource *
alloc_shared(struct sdog_screen *screen, const struct sdog_resource *rsc)
{
   struct shared_info info = {
      .vk_format = sdog_vk_format(rsc->base.format),
      .width = rsc->base.width0,
      .height = rsc->base.height0,
      .pitch = rsc->levels[0].pitch,
   };
   struct sundog_resource *kres = NULL;

   if (sundog_resource_new(screen->dev, SUNDOG_RESOURCE_SHARED, &rsc->size, 1, &info,
                           sizeof(info), &kres))
      mesa_loge("sundog: no memory for %" PRIu64 " bytes to share", rsc->size);
   return kres;
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
   struct sdog_resource *rsc = CALLOC_STRUCT(sdog_resource);

   if (!rsc)
      return NULL;
   rsc->base = *templ;
   rsc->base.screen = pscreen;
   pipe_reference_init(&rsc->base.reference, 1);
   list_inithead(&rsc->images);
   util_range_init(&rsc->valid_range);
   if (templ->target == PIPE_BUFFER)
      rsc->size = templ->width0;
   else
      sdog_layout_image(sdog_screen(pscreen)->caps, rsc);
   return rsc;
}

static void
rsc_free_memory(struct sdog_screen *screen, struct sdog_resource *rsc)
{
   if (!rsc->kres)
      sundog_bo_del(rsc->bo);
   else if (rsc->shared)
      sundog_resource_del(rsc->kres);
   else
      sdog_cache_put(&screen->cache, rsc->kres, sdog_cache_round(rsc->size));
}

/* Under screen->object_lock. The context destroys the image object when it next submits. */
static void
drop_image(struct sdog_image *image)
{
   list_del(&image->of_resource);
   list_del(&image->of_context);
   sdog_object_orphan(image->ctx, SUNDOG_OBJECT_KIND_IMAGE, image->id);
   FREE(image);
}

static void
rsc_drop_images(struct sdog_screen *screen, struct sdog_resource *rsc)
{
   simple_mtx_lock(&screen->object_lock);
   list_for_each_entry_safe(struct sdog_image, image, &rsc->images, of_resource)
      drop_image(image);
   rsc->image_version++;
   simple_mtx_unlock(&screen->object_lock);
}

void
sdog_resource_destroy(struct pipe_screen *pscreen, struct pipe_resource *prsc)
{
   struct sdog_screen *screen = sdog_screen(pscreen);
   struct sdog_resource *rsc = sdog_resource(prsc);

   rsc_drop_images(screen, rsc);
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
   struct sundog_resource *kres;

   if (!rsc)
      return NULL;
   rsc->shared = is_shareable(templ);
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

static void
replace_memory(struct sdog_screen *screen, struct sdog_resource *rsc, struct sundog_resource *kres)
{
   rsc_drop_images(screen, rsc);
   rsc_free_memory(screen, rsc);
   sdog_resource_set_memory(rsc, kres, 0);
}

bool
sdog_resource_rename(struct sdog_screen *screen, struct sdog_resource *rsc, uint32_t keep)
{
   const void *from = keep ? sdog_resource_map(rsc) : NULL;
   struct sundog_resource *kres;
   void *to;

   if (rsc->shared || (keep && !from))
      return false;
   kres = alloc_memory(screen, rsc->size);
   if (!kres)
      return false;
   to = sundog_bo_map(sundog_resource_bo(kres, 0));
   if (!to) {
      sundog_resource_del(kres);
      return false;
   }
   if (keep)
      memcpy(to, from, keep);
   replace_memory(screen, rsc, kres);
   return true;
}

bool
sdog_resource_make_shared(struct sdog_screen *screen, struct sdog_resource *rsc)
{
   struct sundog_resource *kres;
   const void *from = sdog_resource_map(rsc);
   void *to;

   kres = alloc_shared(screen, rsc);
   if (!kres)
      return false;
   to = sundog_bo_map(sundog_resource_bo(kres, 0));
   if (!from || !to || sundog_bo_wait(rsc->bo, false, SUNDOG_FOREVER)) {
      sundog_resource_del(kres);
      return false;
   }
   memcpy(to, from, rsc->size);
   replace_memory(screen, rsc, kres);
   rsc->shared = true;
   return true;
}

static VkImageType
image_type(enum pipe_texture_target target)
{
   switch (target) {
   case PIPE_TEXTURE_1D:
   case PIPE_TEXTURE_1D_ARRAY:
      return VK_IMAGE_TYPE_1D;
   case PIPE_TEXTURE_3D:
      return VK_IMAGE_TYPE_3D;
   default:
      return VK_IMAGE_TYPE_2D;
   }
}

static uint32_t
image_flags(const struct pipe_resource *prsc)
{
   uint32_t flags = SUNDOG_IMAGE_FLAG_MUTABLE_FORMAT;

   if (prsc->target == PIPE_TEXTURE_CUBE || prsc->target == PIPE_TEXTURE_CUBE_ARRAY)
      flags |= SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE;
   if (prsc->target == PIPE_TEXTURE_3D)
      flags |= SUNDOG_IMAGE_FLAG_2D_ARRAY_COMPATIBLE;
   return flags;
}

static uint32_t
image_usage(uint32_t features)
{
   uint32_t usage = SUNDOG_IMAGE_USAGE_TRANSFER_SRC | SUNDOG_IMAGE_USAGE_TRANSFER_DST;

   if (features & SUNDOG_FORMAT_FEATURE_SAMPLED)
      usage |= SUNDOG_IMAGE_USAGE_SAMPLED;
   if (features & SUNDOG_FORMAT_FEATURE_COLOR)
      usage |= SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT;
   if (features & SUNDOG_FORMAT_FEATURE_DEPTH_STENCIL)
      usage |= SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT;
   return usage;
}

/* Memory that others laid out. */
static uint32_t
create_linear_image(struct sdog_context *ctx, struct sdog_resource *rsc, uint32_t usage)
{
   const struct pipe_resource *prsc = &rsc->base;
   struct sundog_cmd_create_linear_image cmd = {
      .id = sdog_object_new(ctx),
      .mem = rsc->mem,
      .offset = rsc->offset,
      .pitch = rsc->levels[0].pitch,
      .flags = image_flags(prsc),
      .format = sdog_vk_format(prsc->format),
      .width = prsc->width0,
      .height = prsc->height0,
      .usage = rsc->foreign == SDOG_FOREIGN_READ_ONLY
                  ? usage & (SUNDOG_IMAGE_USAGE_SAMPLED | SUNDOG_IMAGE_USAGE_TRANSFER_SRC)
                  : usage,
   };

   sundog_emit_create_linear_image(ctx->batch.stream, &cmd);
   return cmd.id;
}

static uint32_t
create_image(struct sdog_context *ctx, struct sdog_resource *rsc, uint32_t usage)
{
   const struct pipe_resource *prsc = &rsc->base;
   bool is_3d = prsc->target == PIPE_TEXTURE_3D;
   struct sundog_cmd_create_image cmd = {
      .id = sdog_object_new(ctx),
      .mem = rsc->mem,
      .offset = rsc->offset,
      .flags = image_flags(prsc),
      .type = image_type(prsc->target),
      .format = sdog_vk_format(prsc->format),
      .extent = {prsc->width0, prsc->height0, is_3d ? prsc->depth0 : 1},
      .levels = prsc->last_level + 1,
      .layers = is_3d ? 1 : prsc->array_size,
      .samples = 1,
      .usage = usage,
   };

   sundog_emit_create_image(ctx->batch.stream, &cmd);
   return cmd.id;
}

uint32_t
sdog_resource_image(struct sdog_context *ctx, struct sdog_resource *rsc)
{
   struct sdog_screen *screen = sdog_screen(ctx->base.screen);
   struct sdog_image *image;
   uint32_t id = 0, usage;

   simple_mtx_lock(&screen->object_lock);
   list_for_each_entry(struct sdog_image, it, &rsc->images, of_resource) {
      if (it->ctx == ctx)
         id = it->id;
   }
   simple_mtx_unlock(&screen->object_lock);
   if (id)
      return id;

   image = CALLOC_STRUCT(sdog_image);
   if (!image)
      return 0;
   image->ctx = ctx;
   usage = image_usage(sdog_format_features(screen, rsc->base.format));
   sdog_batch_reserve(ctx, 0);
   sdog_batch_add(ctx, rsc, SUNDOG_ACCESS_READ);
   image->id = rsc->foreign ? create_linear_image(ctx, rsc, usage) : create_image(ctx, rsc, usage);
   simple_mtx_lock(&screen->object_lock);
   list_add(&image->of_resource, &rsc->images);
   list_add(&image->of_context, &ctx->images);
   simple_mtx_unlock(&screen->object_lock);
   return image->id;
}

void
sdog_context_drop_images(struct sdog_context *ctx)
{
   struct sdog_screen *screen = sdog_screen(ctx->base.screen);

   simple_mtx_lock(&screen->object_lock);
   list_for_each_entry_safe(struct sdog_image, image, &ctx->images, of_context)
      drop_image(image);
   simple_mtx_unlock(&screen->object_lock);
   sdog_objects_begin(ctx);
}

/* Show @prsc through the software winsys: copy it to where that can reach it. */
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
   sundog_bo_wait(rsc->bo, false, SUNDOG_FOREVER);
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
sundog_init_resource_functions(struct pipe_screen *pscreen)
{
   pscreen->resource_create = sdog_resource_create;
   pscreen->resource_destroy = sdog_resource_destroy;
   pscreen->flush_frontbuffer = sdog_flush_frontbuffer;
}
