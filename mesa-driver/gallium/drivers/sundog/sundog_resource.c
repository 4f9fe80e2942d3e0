/* SPDX-License-Identifier: MIT */
#include "sundog_resource.h"

#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>
#include <xf86drm.h>

#include "drm-uapi/drm_fourcc.h"
#include "frontend/sw_winsys.h"
#include "frontend/winsys_handle.h"
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

/* What the offset of an imported image must be a multiple of. */
#define IMAGE_ALIGN 256

/* What travels with a shared resource, so that every opener makes the same image of it. */
struct shared_info {
   uint32_t vk_format;
   uint32_t width;
   uint32_t height;
   uint32_t pitch;
};

static void
rsc_set_bo(struct sdog_resource *rsc, struct sundog_bo *bo)
{
   rsc->bo = bo;
   rsc->mem = sundog_bo_mem(rsc->bo);
   rsc->map = sundog_bo_map(rsc->bo);
   rsc->batch = 0;
   rsc->read_time = 0;
   rsc->write_time = 0;
}

static void
rsc_set_memory(struct sdog_resource *rsc, struct sundog_resource *kres, uint32_t index)
{
   rsc->kres = kres;
   rsc_set_bo(rsc, sundog_resource_bo(kres, index));
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

static struct sdog_resource *
rsc_new(struct pipe_screen *pscreen, const struct pipe_resource *templ)
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
      sdog_cache_put(&screen->cache, rsc->kres, sdog_cache_round(rsc->size), rsc->batch);
}

/* The contexts destroy the image objects, when they next submit. */
static void
rsc_drop_images(struct sdog_screen *screen, struct sdog_resource *rsc)
{
   simple_mtx_lock(&screen->image_lock);
   list_for_each_entry_safe(struct sdog_image, image, &rsc->images, of_resource) {
      list_del(&image->of_resource);
      list_del(&image->of_context);
      util_dynarray_append(&image->ctx->orphan_images, uint32_t, image->id);
      FREE(image);
   }
   simple_mtx_unlock(&screen->image_lock);
}

static void
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
   struct sdog_resource *rsc = rsc_new(pscreen, templ);
   struct sundog_resource *kres;

   if (!rsc)
      return NULL;
   rsc->shared = is_shareable(templ);
   kres = rsc->shared ? alloc_shared(screen, rsc) : alloc_memory(screen, rsc->size);
   if (!kres)
      goto fail;
   rsc_set_memory(rsc, kres, 0);
   if (!rsc->map) {
      mesa_loge("sundog: cannot map %" PRIu64 " bytes", rsc->size);
      goto fail;
   }
   if (!create_display_target(screen, rsc))
      goto fail;
   return &rsc->base;

fail:
   sdog_resource_destroy(pscreen, &rsc->base);
   return NULL;
}

bool
sdog_resource_rename(struct sdog_screen *screen, struct sdog_resource *rsc)
{
   struct sundog_resource *kres;

   if (rsc->shared)
      return false;
   kres = alloc_memory(screen, rsc->size);
   if (!kres)
      return false;
   rsc_drop_images(screen, rsc);
   rsc_free_memory(screen, rsc);
   rsc_set_memory(rsc, kres, 0);
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

static uint32_t
create_image(struct sdog_context *ctx, struct sdog_resource *rsc)
{
   struct sdog_screen *screen = sdog_screen(ctx->base.screen);
   const struct pipe_resource *prsc = &rsc->base;
   bool is_3d = prsc->target == PIPE_TEXTURE_3D;
   struct sundog_cmd_create_image cmd = {
      .id = sundog_object_id_new(screen->dev),
      .mem = rsc->mem,
      .offset = rsc->offset,
      .flags = image_flags(prsc),
      .type = image_type(prsc->target),
      .format = sdog_vk_format(prsc->format),
      .extent = {prsc->width0, prsc->height0, is_3d ? prsc->depth0 : 1},
      .levels = prsc->last_level + 1,
      .layers = is_3d ? 1 : prsc->array_size,
      .samples = 1,
      .usage = image_usage(sdog_format_features(screen, prsc->format)),
   };

   sdog_batch_reserve(ctx, 0);
   sdog_batch_add(ctx, rsc, SUNDOG_ACCESS_READ);
   sundog_emit_create_image(ctx->batch.stream, &cmd);
   return cmd.id;
}

uint32_t
sdog_resource_image(struct sdog_context *ctx, struct sdog_resource *rsc)
{
   struct sdog_screen *screen = sdog_screen(ctx->base.screen);
   struct sdog_image *image;
   uint32_t id = 0;

   simple_mtx_lock(&screen->image_lock);
   list_for_each_entry(struct sdog_image, it, &rsc->images, of_resource) {
      if (it->ctx == ctx)
         id = it->id;
   }
   simple_mtx_unlock(&screen->image_lock);
   if (id)
      return id;

   image = CALLOC_STRUCT(sdog_image);
   if (!image)
      return 0;
   image->ctx = ctx;
   image->id = create_image(ctx, rsc);
   simple_mtx_lock(&screen->image_lock);
   list_add(&image->of_resource, &rsc->images);
   list_add(&image->of_context, &ctx->images);
   simple_mtx_unlock(&screen->image_lock);
   return image->id;
}

void
sdog_context_destroy_orphans(struct sdog_context *ctx)
{
   struct sdog_screen *screen = sdog_screen(ctx->base.screen);
   struct util_dynarray orphans;

   if (!ctx->orphan_images.size)
      return;
   simple_mtx_lock(&screen->image_lock);
   orphans = ctx->orphan_images;
   util_dynarray_init(&ctx->orphan_images, NULL);
   simple_mtx_unlock(&screen->image_lock);
   util_dynarray_foreach(&orphans, uint32_t, id)
      sdog_batch_destroy_object(ctx, SUNDOG_OBJECT_KIND_IMAGE, *id);
   util_dynarray_fini(&orphans);
}

void
sdog_context_drop_images(struct sdog_context *ctx)
{
   struct sdog_screen *screen = sdog_screen(ctx->base.screen);

   simple_mtx_lock(&screen->image_lock);
   list_for_each_entry_safe(struct sdog_image, image, &ctx->images, of_context) {
      list_del(&image->of_resource);
      list_del(&image->of_context);
      util_dynarray_append(&ctx->orphan_images, uint32_t, image->id);
      FREE(image);
   }
   simple_mtx_unlock(&screen->image_lock);
   sdog_context_destroy_orphans(ctx);
}

/* Sharing */

static bool
accepts_linear(const uint64_t *modifiers, int count)
{
   for (int i = 0; i < count; i++) {
      if (modifiers[i] == DRM_FORMAT_MOD_LINEAR || modifiers[i] == DRM_FORMAT_MOD_INVALID)
         return true;
   }
   return count == 0;
}

static struct pipe_resource *
sdog_resource_create_with_modifiers(struct pipe_screen *pscreen, const struct pipe_resource *templ,
                                    const uint64_t *modifiers, int count)
{
   struct pipe_resource shared = *templ;

   if (!accepts_linear(modifiers, count))
      return NULL;
   shared.bind |= PIPE_BIND_SHARED;
   return sdog_resource_create(pscreen, &shared);
}

/* Of a shared resource, or plain memory such as a dumb buffer. */
static bool
open_by_fd(struct sdog_screen *screen, struct sdog_resource *rsc, int fd)
{
   struct sundog_resource *kres;
   struct sundog_bo *bo;
   uint32_t index;

   if (!sundog_resource_open(screen->dev, fd, &index, &kres)) {
      rsc_set_memory(rsc, kres, index);
      return true;
   }
   if (sundog_bo_import(screen->dev, fd, &bo))
      return false;
   rsc_set_bo(rsc, bo);
   return true;
}

static bool
open_by_gem(struct sdog_screen *screen, struct sdog_resource *rsc, uint32_t gem)
{
   int drm = sundog_device_fd(screen->dev);
   int fd = -1;
   bool ok;

   if (drm < 0 || drmPrimeHandleToFD(drm, gem, DRM_CLOEXEC, &fd))
      return false;
   ok = open_by_fd(screen, rsc, fd);
   close(fd);
   return ok;
}

static bool
open_handle(struct sdog_screen *screen, struct sdog_resource *rsc,
            const struct winsys_handle *handle)
{
   switch (handle->type) {
   case WINSYS_HANDLE_TYPE_FD:
      return open_by_fd(screen, rsc, handle->handle);
   case WINSYS_HANDLE_TYPE_KMS:
      return open_by_gem(screen, rsc, handle->handle);
   default:
      return false;
   }
}

static struct pipe_resource *
sdog_resource_from_handle(struct pipe_screen *pscreen, const struct pipe_resource *templ,
                          struct winsys_handle *handle, unsigned usage)
{
   struct sdog_screen *screen = sdog_screen(pscreen);
   struct sdog_resource *rsc;

   if (handle->modifier != DRM_FORMAT_MOD_LINEAR && handle->modifier != DRM_FORMAT_MOD_INVALID)
      return NULL;
   rsc = rsc_new(pscreen, templ);
   if (!rsc)
      return NULL;
   rsc->shared = true;
   if (!open_handle(screen, rsc, handle))
      goto fail;
   /* The device has one layout for an image; memory laid out differently cannot be drawn to. */
   rsc->offset = handle->offset;
   rsc->levels[0].offset = handle->offset;
   if (handle->offset % IMAGE_ALIGN || handle->stride != rsc->levels[0].pitch ||
       sundog_bo_size(rsc->bo) < rsc->offset + rsc->size) {
      mesa_logd("sundog: cannot use an image of %u bytes per row at offset %u", handle->stride,
                handle->offset);
      goto fail;
   }
   return &rsc->base;

fail:
   sdog_resource_destroy(pscreen, &rsc->base);
   return NULL;
}

static bool
sdog_resource_get_handle(struct pipe_screen *pscreen, struct pipe_context *pctx,
                         struct pipe_resource *prsc, struct winsys_handle *handle, unsigned usage)
{
   struct sdog_resource *rsc = sdog_resource(prsc);
   int fd;

   if (!rsc->shared)
      return false;
   handle->stride = rsc->levels[0].pitch;
   handle->offset = rsc->levels[0].offset;
   handle->modifier = DRM_FORMAT_MOD_LINEAR;
   switch (handle->type) {
   case WINSYS_HANDLE_TYPE_KMS:
      handle->handle = sundog_bo_gem(rsc->bo);
      return handle->handle != 0;
   case WINSYS_HANDLE_TYPE_FD:
      fd = sundog_bo_export(rsc->bo);
      handle->handle = fd;
      return fd >= 0;
   default:
      return false;
   }
}

static bool
sdog_resource_get_param(struct pipe_screen *pscreen, struct pipe_context *pctx,
                        struct pipe_resource *prsc, unsigned plane, unsigned layer, unsigned level,
                        enum pipe_resource_param param, unsigned usage, uint64_t *value)
{
   const struct sdog_resource *rsc = sdog_resource(prsc);

   switch (param) {
   case PIPE_RESOURCE_PARAM_NPLANES:
      *value = 1;
      return true;
   case PIPE_RESOURCE_PARAM_STRIDE:
      *value = rsc->levels[level].pitch;
      return true;
   case PIPE_RESOURCE_PARAM_OFFSET:
      *value = rsc->levels[level].offset + layer * rsc->levels[level].slice;
      return true;
   case PIPE_RESOURCE_PARAM_MODIFIER:
      *value = DRM_FORMAT_MOD_LINEAR;
      return true;
   default:
      return false;
   }
}

static void
sdog_query_dmabuf_modifiers(struct pipe_screen *pscreen, enum pipe_format format, int max,
                            uint64_t *modifiers, unsigned *external_only, int *count)
{
   *count = 1;
   if (max < 1)
      return;
   modifiers[0] = DRM_FORMAT_MOD_LINEAR;
   if (external_only)
      external_only[0] = 0;
}

static bool
sdog_is_dmabuf_modifier_supported(struct pipe_screen *pscreen, uint64_t modifier,
                                  enum pipe_format format, bool *external_only)
{
   if (external_only)
      *external_only = false;
   return modifier == DRM_FORMAT_MOD_LINEAR;
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
   void *map;

   if (!rsc->dt)
      return;
   if (pctx)
      sdog_batch_flush(sdog_context(pctx));
   sundog_bo_wait(rsc->bo, false, SUNDOG_FOREVER);
   map = sws->displaytarget_map(sws, rsc->dt, PIPE_MAP_WRITE);
   if (!map)
      return;
   util_copy_rect(map, prsc->format, rsc->dt_stride, 0, 0, prsc->width0, prsc->height0,
                  rsc->map + rsc->levels[level].offset + layer * rsc->levels[level].slice,
                  rsc->levels[level].pitch, 0, 0);
   sws->displaytarget_unmap(sws, rsc->dt);
   sws->displaytarget_display(sws, rsc->dt, drawable, nboxes, boxes);
}

void
sundog_init_resource_functions(struct pipe_screen *pscreen)
{
   pscreen->resource_create = sdog_resource_create;
   pscreen->resource_create_with_modifiers = sdog_resource_create_with_modifiers;
   pscreen->resource_from_handle = sdog_resource_from_handle;
   pscreen->resource_get_handle = sdog_resource_get_handle;
   pscreen->resource_get_param = sdog_resource_get_param;
   pscreen->resource_destroy = sdog_resource_destroy;
   pscreen->query_dmabuf_modifiers = sdog_query_dmabuf_modifiers;
   pscreen->is_dmabuf_modifier_supported = sdog_is_dmabuf_modifier_supported;
   pscreen->flush_frontbuffer = sdog_flush_frontbuffer;
}
