/* SPDX-License-Identifier: MIT */
/* pipe_context::set_shader_images, and the uses and views of shader images for draws and
 * dispatches. Runs on the context's thread. */
#include "sundog_shader_image.h"

#include "sundog_context.h"
#include "sundog_format.h"
#include "sundog_image.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "sundog_shader.h"
#include "sundog_texel.h"
#include "sundog_texture.h"
#include "util/u_inlines.h"

static bool
is_buffer(const struct sdog_shader_image *image)
{
   return image->base.resource->target == PIPE_BUFFER;
}

/* The state tracker binds images of any format of OpenGL, so the format must be checked. */
static bool
is_storage(const struct sdog_context *ctx, enum pipe_format format, uint32_t feature)
{
   return sdog_format_features(sdog_screen(ctx->base.screen), format) & feature;
}

void
sdog_shader_image_order(struct sdog_context *ctx, const struct pipe_image_view *view, bool written)
{
   struct sdog_resource *rsc = sdog_resource(view->resource);

   if (!written) {
      sdog_use_for_draw(ctx, rsc, SDOG_USE_STORAGE_READ);
      return;
   }
   sdog_use_for_draw(ctx, rsc, SDOG_USE_STORAGE_WRITE);
   if (view->resource->target == PIPE_BUFFER)
      util_range_add(&rsc->base, &rsc->valid_range, view->u.buf.offset,
                     view->u.buf.offset + view->u.buf.size);
}

void
sdog_shader_images_order(struct sdog_context *ctx, unsigned stage)
{
   const struct sdog_variant *variant = ctx->variants[stage];

   u_foreach_bit(i, variant->images | variant->storage_texels) {
      const struct pipe_image_view *view = &ctx->stages[stage].shader_images[i].base;

      if (view->resource)
         sdog_shader_image_order(ctx, view, variant->images_written & BITFIELD_BIT(i));
   }
}

/* Returns the type of a view of a single layer in a shader that declares an image without
 * layers. */
static VkImageViewType
single_layer_type(const struct pipe_image_view *view)
{
   enum pipe_texture_target target = view->resource->target;

   return target == PIPE_TEXTURE_1D || target == PIPE_TEXTURE_1D_ARRAY ? VK_IMAGE_VIEW_TYPE_1D
                                                                       : VK_IMAGE_VIEW_TYPE_2D;
}

static unsigned
num_layers(const struct pipe_image_view *view)
{
   return view->u.tex.last_layer - view->u.tex.first_layer + 1;
}

static bool
layers_are(const struct pipe_image_view *view, VkImageViewType type)
{
   const struct pipe_resource *prsc = view->resource;
   bool is_1d = prsc->target == PIPE_TEXTURE_1D || prsc->target == PIPE_TEXTURE_1D_ARRAY;

   switch (type) {
   case VK_IMAGE_VIEW_TYPE_1D:
      return is_1d && num_layers(view) == 1;
   case VK_IMAGE_VIEW_TYPE_1D_ARRAY:
      return is_1d;
   case VK_IMAGE_VIEW_TYPE_2D:
      return !is_1d && num_layers(view) == 1;
   case VK_IMAGE_VIEW_TYPE_2D_ARRAY:
      return !is_1d;
   case VK_IMAGE_VIEW_TYPE_CUBE:
      return sdog_image_may_be_cube(prsc) && num_layers(view) == 6;
   case VK_IMAGE_VIEW_TYPE_CUBE_ARRAY:
      return sdog_image_may_be_cube(prsc) && num_layers(view) % 6 == 0;
   default:
      return false;
   }
}

bool
sdog_shader_image_may_be(const struct pipe_image_view *view, VkImageViewType type)
{
   if (view->u.tex.single_layer_view && type == single_layer_type(view))
      return true;
   if (view->resource->target == PIPE_TEXTURE_3D)
      return type == VK_IMAGE_VIEW_TYPE_3D && !view->u.tex.single_layer_view;
   return layers_are(view, type);
}

/* For 3D images, the device has views of all slices or of a single one. */
static struct sundog_cmd_create_image_view
view_packet(const struct pipe_image_view *view, VkImageViewType type)
{
   bool is_3d = type == VK_IMAGE_VIEW_TYPE_3D;

   return (struct sundog_cmd_create_image_view){
      .type = type,
      .format = sdog_vk_format(view->format),
      .aspect = SUNDOG_ASPECT_COLOR,
      .base_level = view->u.tex.level,
      .levels = 1,
      .base_layer = is_3d ? 0 : view->u.tex.first_layer,
      .layers = is_3d ? 1 : num_layers(view),
      .usage = SUNDOG_IMAGE_USAGE_STORAGE,
   };
}

uint32_t
sdog_shader_image_id(struct sdog_context *ctx, struct sdog_shader_image *image,
                     VkImageViewType type)
{
   struct sundog_cmd_create_image_view cmd;
   struct sdog_resource *rsc = sdog_resource(image->base.resource);

   if (!rsc || is_buffer(image) || rsc->foreign == SDOG_FOREIGN_READ_ONLY ||
       !is_storage(ctx, image->base.format, SUNDOG_FORMAT_FEATURE_STORAGE) ||
       !sdog_image_may_be_stored_to(sdog_screen(ctx->base.screen), rsc) ||
       !sdog_shader_image_may_be(&image->base, type))
      return 0;
   cmd = view_packet(&image->base, type);
   return sdog_image_view_id(ctx, rsc, &cmd);
}

uint32_t
sdog_shader_texels_id(struct sdog_context *ctx, struct sdog_shader_image *image)
{
   if (!image->base.resource || !is_buffer(image) ||
       !is_storage(ctx, image->base.format, SUNDOG_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER))
      return 0;
   return sdog_texel_view_id(ctx, sdog_resource(image->base.resource), image->base.format,
                             image->base.u.buf.offset, image->base.u.buf.size, &image->texels);
}

static void
emit_images(struct sdog_context *ctx, unsigned stage)
{
   uint32_t slots = ctx->variants[stage]->images;
   uint32_t views[SUNDOG_MAX_IMAGES] = {0};
   struct sundog_cmd_bind_images cmd = {.stage = stage, .count = util_last_bit(slots)};

   u_foreach_bit(i, slots)
      views[i] = sdog_shader_image_id(ctx, &ctx->stages[stage].shader_images[i],
                                      ctx->variants[stage]->image_types[i]);
   if (cmd.count)
      sundog_emit_bind_images(ctx->batch.stream, &cmd, views);
}

static void
emit_texels(struct sdog_context *ctx, unsigned stage)
{
   uint32_t slots = ctx->variants[stage]->storage_texels;
   uint32_t views[SUNDOG_MAX_IMAGES] = {0};
   struct sundog_cmd_bind_storage_texels cmd = {.stage = stage, .count = util_last_bit(slots)};

   u_foreach_bit(i, slots)
      views[i] = sdog_shader_texels_id(ctx, &ctx->stages[stage].shader_images[i]);
   if (cmd.count)
      sundog_emit_bind_storage_texels(ctx->batch.stream, &cmd, views);
}

void
sdog_shader_images_emit(struct sdog_context *ctx, unsigned stage)
{
   emit_images(ctx, stage);
   emit_texels(ctx, stage);
}

static void
set_image(struct sdog_context *ctx, struct sdog_shader_image *image,
          const struct pipe_image_view *view)
{
   sdog_texel_view_drop(ctx, &image->texels);
   pipe_resource_reference(&image->base.resource, view ? view->resource : NULL);
   if (view)
      image->base = *view;
   else
      memset(&image->base, 0, sizeof(image->base));
}

static bool
is_set(const struct sdog_shader_image *image, const struct pipe_image_view *view)
{
   if (!view || !view->resource || !image->base.resource)
      return (!view || !view->resource) && !image->base.resource;
   return image->base.resource == view->resource && image->base.format == view->format &&
          !memcmp(&image->base.u, &view->u,
                  is_buffer(image) ? sizeof(view->u.buf) : sizeof(view->u.tex));
}

static void
sdog_set_shader_images(struct pipe_context *pctx, enum pipe_shader_type shader, unsigned start,
                       unsigned count, unsigned unbind_trailing,
                       const struct pipe_image_view *views)
{
   struct sdog_context *ctx = sdog_context(pctx);
   unsigned stage = sdog_stage_index(shader);

   assert(start + count + unbind_trailing <= SUNDOG_MAX_IMAGES);
   for (unsigned i = 0; i < count + unbind_trailing; i++) {
      const struct pipe_image_view *view = views && i < count ? &views[i] : NULL;
      struct sdog_shader_image *image = &ctx->stages[stage].shader_images[start + i];

      if (is_set(image, view))
         continue;
      set_image(ctx, image, view);
      ctx->dirty |= SDOG_DIRTY_IMAGES << stage;
   }
}

void
sdog_shader_images_unbind(struct sdog_context *ctx, unsigned stage)
{
   for (unsigned i = 0; i < SUNDOG_MAX_IMAGES; i++)
      set_image(ctx, &ctx->stages[stage].shader_images[i], NULL);
}

void
sdog_shader_images_rebind_buffer(struct sdog_context *ctx, const struct sdog_resource *rsc)
{
   for (unsigned stage = 0; stage < SDOG_STAGES; stage++) {
      for (unsigned i = 0; i < SUNDOG_MAX_IMAGES; i++) {
         if (ctx->stages[stage].shader_images[i].base.resource == &rsc->base)
            ctx->dirty |= SDOG_DIRTY_IMAGES << stage;
      }
   }
}

void
sdog_init_shader_image_functions(struct pipe_context *pctx)
{
   pctx->set_shader_images = sdog_set_shader_images;
}
