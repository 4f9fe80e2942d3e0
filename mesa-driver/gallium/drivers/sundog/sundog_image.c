/* SPDX-License-Identifier: MIT */
/* Creates and finds the image objects and views of resources: see sundog_image.h. The lists are
 * protected by screen->object_lock, because any thread can destroy a resource. */
#include "sundog_image.h"

#include "sundog_context.h"
#include "sundog_format.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "util/format/u_format.h"
#include "util/u_memory.h"

/* Limit on the views of an image. A program that exceeds it does not reuse most of them. */
#define MAX_VIEWS 64

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

bool
sdog_image_may_be_cube(const struct pipe_resource *prsc)
{
   return prsc->target == PIPE_TEXTURE_CUBE || prsc->target == PIPE_TEXTURE_CUBE_ARRAY ||
          (prsc->target == PIPE_TEXTURE_2D_ARRAY && prsc->width0 == prsc->height0 &&
           prsc->array_size >= 6 && sdog_samples(prsc) == 1);
}

/* Returns true for the 32-bit formats that cannot be stored to, but whose texels can through a view
 * of another format. */
static bool
is_stored_as_another(const struct sdog_resource *rsc)
{
   enum pipe_format format = rsc->base.format;

   return !rsc->foreign && sdog_samples(&rsc->base) == 1 &&
          util_format_get_blocksizebits(format) == 32 &&
          (util_format_is_srgb(format) || format == PIPE_FORMAT_R9G9B9E5_FLOAT);
}

bool
sdog_image_may_be_stored_to(const struct sdog_screen *screen, const struct sdog_resource *rsc)
{
   return is_stored_as_another(rsc) ||
          sdog_format_features(screen, rsc->base.format) & SUNDOG_FORMAT_FEATURE_STORAGE;
}

static uint32_t
image_flags(const struct sdog_resource *rsc)
{
   const struct pipe_resource *prsc = &rsc->base;
   uint32_t flags = SUNDOG_IMAGE_FLAG_MUTABLE_FORMAT;

   if (is_stored_as_another(rsc))
      flags |= SUNDOG_IMAGE_FLAG_EXTENDED_USAGE;
   if (sdog_image_may_be_cube(prsc))
      flags |= SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE;
   if (prsc->target == PIPE_TEXTURE_3D)
      flags |= SUNDOG_IMAGE_FLAG_2D_ARRAY_COMPATIBLE;
   return flags;
}

static uint32_t
image_usage(const struct sdog_screen *screen, const struct sdog_resource *rsc)
{
   uint32_t features = sdog_format_features(screen, rsc->base.format);
   uint32_t usage = SUNDOG_IMAGE_USAGE_TRANSFER_SRC | SUNDOG_IMAGE_USAGE_TRANSFER_DST;

   if (features & SUNDOG_FORMAT_FEATURE_SAMPLED)
      usage |= SUNDOG_IMAGE_USAGE_SAMPLED;
   if (features & SUNDOG_FORMAT_FEATURE_COLOR)
      usage |= SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT;
   if (features & SUNDOG_FORMAT_FEATURE_DEPTH_STENCIL)
      usage |= SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT;
   if (sdog_image_may_be_stored_to(screen, rsc))
      usage |= SUNDOG_IMAGE_USAGE_STORAGE;
   return usage;
}

/* Creates an image with a layout that came from an exporter. */
static void
emit_create_linear_image(struct sdog_context *ctx, uint32_t id, const struct sdog_resource *rsc,
                         uint32_t usage)
{
   const struct pipe_resource *prsc = &rsc->base;
   struct sundog_cmd_create_linear_image cmd = {
      .id = id,
      .mem = rsc->mem,
      .offset = rsc->offset,
      .pitch = rsc->levels[0].pitch,
      .flags = image_flags(rsc),
      .format = sdog_vk_format(prsc->format),
      .width = prsc->width0,
      .height = prsc->height0,
      .usage = rsc->foreign == SDOG_FOREIGN_READ_ONLY
                  ? usage & (SUNDOG_IMAGE_USAGE_SAMPLED | SUNDOG_IMAGE_USAGE_TRANSFER_SRC)
                  : usage,
   };

   sundog_emit_create_linear_image(ctx->batch.stream, &cmd);
}

static void
emit_create_image(struct sdog_context *ctx, uint32_t id, const struct sdog_resource *rsc,
                  uint32_t usage)
{
   const struct pipe_resource *prsc = &rsc->base;
   bool is_3d = prsc->target == PIPE_TEXTURE_3D;
   struct sundog_cmd_create_image cmd = {
      .id = id,
      .mem = rsc->mem,
      .offset = rsc->offset,
      .flags = image_flags(rsc),
      .type = image_type(prsc->target),
      .format = sdog_vk_format(prsc->format),
      .extent = {prsc->width0, prsc->height0, is_3d ? prsc->depth0 : 1},
      .levels = prsc->last_level + 1,
      .layers = is_3d ? 1 : prsc->array_size,
      .samples = sdog_samples(prsc),
      .usage = usage,
   };

   sundog_emit_create_image(ctx->batch.stream, &cmd);
}

/* Caller holds screen->object_lock. */
static struct sdog_image *
find_image(const struct sdog_context *ctx, const struct sdog_resource *rsc)
{
   list_for_each_entry(struct sdog_image, image, &rsc->images, of_resource) {
      if (image->ctx == ctx)
         return image;
   }
   return NULL;
}

static struct sdog_image *
add_image(struct sdog_context *ctx, struct sdog_resource *rsc)
{
   struct sdog_image *image = CALLOC_STRUCT(sdog_image);

   if (!image)
      return NULL;
   image->ctx = ctx;
   util_dynarray_init(&image->views, NULL);
   list_add(&image->of_resource, &rsc->images);
   list_add(&image->of_context, &ctx->images);
   return image;
}

static struct sdog_object
view_object(const struct sdog_image *image, const struct sundog_cmd_create_image_view *view)
{
   return (struct sdog_object){.id = view->id, .client = image->object.client};
}

/* Leaves the destruction to the context, which does it when it begins its next submission. Caller
 * holds screen->object_lock. */
static void
drop_views(struct sdog_image *image)
{
   util_dynarray_foreach(&image->views, struct sundog_cmd_create_image_view, view)
      sdog_object_destroy_later(image->ctx, SUNDOG_OBJECT_KIND_IMAGE_VIEW,
                                view_object(image, view));
   util_dynarray_clear(&image->views);
}

static void
create_image(struct sdog_context *ctx, struct sdog_image *image, struct sdog_resource *rsc)
{
   const struct sdog_screen *screen = sdog_screen(ctx->base.screen);
   uint32_t usage = image_usage(screen, rsc);

   sdog_batch_add(ctx, rsc, SUNDOG_ACCESS_READ);
   if (rsc->foreign)
      emit_create_linear_image(ctx, image->object.id, rsc, usage);
   else
      emit_create_image(ctx, image->object.id, rsc, usage);
}

/* Caller holds screen->object_lock and has reserved stream space. */
static struct sdog_image *
find_or_create_image(struct sdog_context *ctx, struct sdog_resource *rsc)
{
   struct sdog_image *image = find_image(ctx, rsc);

   if (!image)
      image = add_image(ctx, rsc);
   if (!image || sdog_object_exists(ctx, &image->object))
      return image;
   /* These views belong to an earlier client. */
   drop_views(image);
   if (sdog_object_make(ctx, &image->object))
      create_image(ctx, image, rsc);
   return image;
}

static bool
has_many_views(const struct sdog_image *image)
{
   return util_dynarray_num_elements(&image->views, struct sundog_cmd_create_image_view) >
          MAX_VIEWS;
}

static uint32_t
find_or_create_view(struct sdog_context *ctx, struct sdog_image *image,
                    const struct sundog_cmd_create_image_view *wanted)
{
   struct sundog_cmd_create_image_view cmd = *wanted;
   struct sdog_object object = {0};

   cmd.image = image->object.id;
   util_dynarray_foreach(&image->views, struct sundog_cmd_create_image_view, view) {
      cmd.id = view->id;
      if (!memcmp(view, &cmd, sizeof(cmd)))
         return view->id;
   }
   if (!sdog_object_make(ctx, &object))
      return 0;
   cmd.id = object.id;
   sundog_emit_create_image_view(ctx->batch.stream, &cmd);
   util_dynarray_append(&image->views, struct sundog_cmd_create_image_view, cmd);
   ctx->many_views |= has_many_views(image);
   return cmd.id;
}

uint32_t
sdog_image_id(struct sdog_context *ctx, struct sdog_resource *rsc)
{
   struct sdog_screen *screen = sdog_screen(ctx->base.screen);
   struct sdog_image *image;
   uint32_t id;

   sdog_batch_reserve(ctx, 0);
   simple_mtx_lock(&screen->object_lock);
   image = find_or_create_image(ctx, rsc);
   id = image ? image->object.id : 0;
   simple_mtx_unlock(&screen->object_lock);
   return id;
}

uint32_t
sdog_image_view_id(struct sdog_context *ctx, struct sdog_resource *rsc,
                   const struct sundog_cmd_create_image_view *cmd)
{
   struct sdog_screen *screen = sdog_screen(ctx->base.screen);
   struct sdog_image *image;
   uint32_t id;

   sdog_batch_reserve(ctx, 0);
   simple_mtx_lock(&screen->object_lock);
   image = find_or_create_image(ctx, rsc);
   id = image ? find_or_create_view(ctx, image, cmd) : 0;
   simple_mtx_unlock(&screen->object_lock);
   return id;
}

bool
sdog_images_elsewhere(const struct sdog_context *ctx, const struct sdog_resource *rsc)
{
   bool found = false;

   list_for_each_entry(struct sdog_image, image, &rsc->images, of_resource)
      found |= image->ctx != ctx;
   return found;
}

static void
drop_image(struct sdog_image *image)
{
   drop_views(image);
   util_dynarray_fini(&image->views);
   list_del(&image->of_resource);
   list_del(&image->of_context);
   sdog_object_destroy_later(image->ctx, SUNDOG_OBJECT_KIND_IMAGE, image->object);
   FREE(image);
}

void
sdog_images_drop(struct sdog_resource *rsc)
{
   list_for_each_entry_safe(struct sdog_image, image, &rsc->images, of_resource)
      drop_image(image);
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

void
sdog_context_trim_views(struct sdog_context *ctx)
{
   struct sdog_screen *screen = sdog_screen(ctx->base.screen);

   if (!ctx->many_views)
      return;
   ctx->many_views = false;
   simple_mtx_lock(&screen->object_lock);
   list_for_each_entry(struct sdog_image, image, &ctx->images, of_context) {
      if (has_many_views(image))
         drop_views(image);
   }
   simple_mtx_unlock(&screen->object_lock);
}
