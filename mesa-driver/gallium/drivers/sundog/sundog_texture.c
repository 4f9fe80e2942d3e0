/* SPDX-License-Identifier: MIT */
/* Sampler views, samplers, and their bindings for draws and dispatches. Runs on the context's
 * thread. */
#include "sundog_texture.h"

#include "sundog_context.h"
#include "sundog_fetch.h"
#include "sundog_format.h"
#include "sundog_image.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "sundog_shader.h"
#include "sundog_texel.h"
#include "util/format/u_format.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

/* Returns the view type with all dimensions of @target. */
static VkImageViewType
sdog_image_view_type(enum pipe_texture_target target)
{
   switch (target) {
   case PIPE_TEXTURE_1D:
      return VK_IMAGE_VIEW_TYPE_1D;
   case PIPE_TEXTURE_3D:
      return VK_IMAGE_VIEW_TYPE_3D;
   case PIPE_TEXTURE_CUBE:
      return VK_IMAGE_VIEW_TYPE_CUBE;
   case PIPE_TEXTURE_1D_ARRAY:
      return VK_IMAGE_VIEW_TYPE_1D_ARRAY;
   case PIPE_TEXTURE_2D_ARRAY:
      return VK_IMAGE_VIEW_TYPE_2D_ARRAY;
   case PIPE_TEXTURE_CUBE_ARRAY:
      return VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
   default:
      return VK_IMAGE_VIEW_TYPE_2D;
   }
}

static VkComponentSwizzle
vk_swizzle(unsigned swizzle, bool hidden_alpha)
{
   switch (swizzle) {
   case PIPE_SWIZZLE_X:
      return VK_COMPONENT_SWIZZLE_R;
   case PIPE_SWIZZLE_Y:
      return VK_COMPONENT_SWIZZLE_G;
   case PIPE_SWIZZLE_Z:
      return VK_COMPONENT_SWIZZLE_B;
   case PIPE_SWIZZLE_W:
      return hidden_alpha ? VK_COMPONENT_SWIZZLE_ONE : VK_COMPONENT_SWIZZLE_A;
   case PIPE_SWIZZLE_0:
      return VK_COMPONENT_SWIZZLE_ZERO;
   default:
      return VK_COMPONENT_SWIZZLE_ONE;
   }
}

/* Vulkan samples a single aspect of a depth-stencil image: depth, unless the view is of stencil. */
static uint32_t
sampled_aspect(enum pipe_format format)
{
   uint32_t aspects = sdog_format_aspects(format);

   return aspects & SUNDOG_ASPECT_DEPTH ? SUNDOG_ASPECT_DEPTH : aspects;
}

/* Stencil-only views have formats that no image has. */
static enum pipe_format
image_format(enum pipe_format view, enum pipe_format resource)
{
   return util_format_is_depth_or_stencil(resource) ? resource : view;
}

static struct sundog_cmd_create_image_view
view_packet(const struct pipe_sampler_view *view)
{
   const struct pipe_resource *prsc = view->texture;
   bool is_3d = prsc->target == PIPE_TEXTURE_3D;

   return (struct sundog_cmd_create_image_view){
      .type = sdog_image_view_type(view->target),
      .format = sdog_vk_format(image_format(view->format, prsc->format)),
      .aspect = sampled_aspect(view->format),
      .base_level = view->u.tex.first_level,
      .levels = view->u.tex.last_level - view->u.tex.first_level + 1,
      .base_layer = is_3d ? 0 : view->u.tex.first_layer,
      .layers = is_3d ? 1 : view->u.tex.last_layer - view->u.tex.first_layer + 1,
      .usage = SUNDOG_IMAGE_USAGE_SAMPLED,
   };
}

static void
fill_swizzle(struct sundog_cmd_create_image_view *cmd, const struct pipe_sampler_view *view)
{
   bool hidden = sdog_format_hides_alpha(view->format);

   cmd->swizzle[0] = vk_swizzle(view->swizzle_r, hidden);
   cmd->swizzle[1] = vk_swizzle(view->swizzle_g, hidden);
   cmd->swizzle[2] = vk_swizzle(view->swizzle_b, hidden);
   cmd->swizzle[3] = vk_swizzle(view->swizzle_a, hidden);
}

enum sdog_use
sdog_texture_use(unsigned stage)
{
   return stage == SUNDOG_STAGE_FRAGMENT ? SDOG_USE_FRAGMENT_TEXTURE : SDOG_USE_VERTEX_TEXTURE;
}

void
sdog_textures_order(struct sdog_context *ctx, unsigned stage)
{
   const struct sdog_variant *variant = ctx->variants[stage];

   if (variant->fetched_colors)
      sdog_fetch_order(ctx);
   u_foreach_bit(i, variant->textures | variant->texels) {
      struct sdog_sampler_view *view = ctx->stages[stage].views[i];

      if (view)
         sdog_use_for_draw(ctx, sdog_resource(view->base.texture), sdog_texture_use(stage));
   }
}

static struct pipe_sampler_view *
sdog_create_sampler_view(struct pipe_context *pctx, struct pipe_resource *prsc,
                         const struct pipe_sampler_view *templ)
{
   struct sdog_sampler_view *view = prsc ? CALLOC_STRUCT(sdog_sampler_view) : NULL;

   if (!view)
      return NULL;
   view->base = *templ;
   view->base.context = pctx;
   view->base.texture = NULL;
   pipe_reference_init(&view->base.reference, 1);
   pipe_resource_reference(&view->base.texture, prsc);
   if (prsc->target != PIPE_BUFFER) {
      view->plain_cmd = view_packet(&view->base);
      view->cmd = view->plain_cmd;
      fill_swizzle(&view->cmd, &view->base);
   }
   return &view->base;
}

static void
sdog_sampler_view_destroy(struct pipe_context *pctx, struct pipe_sampler_view *pview)
{
   struct sdog_sampler_view *view = sdog_sampler_view(pview);

   sdog_texel_view_drop(sdog_context(pctx), &view->texels);
   pipe_resource_reference(&view->base.texture, NULL);
   FREE(view);
}

static void
set_view(struct sdog_sampler_view **slot, struct pipe_sampler_view *pview, bool take_ownership)
{
   struct pipe_sampler_view **pslot = (struct pipe_sampler_view **)slot;

   if (take_ownership) {
      pipe_sampler_view_reference(pslot, NULL);
      *pslot = pview;
   } else {
      pipe_sampler_view_reference(pslot, pview);
   }
}

static void
sdog_set_sampler_views(struct pipe_context *pctx, enum pipe_shader_type shader, unsigned start,
                       unsigned count, unsigned unbind_trailing, bool take_ownership,
                       struct pipe_sampler_view **views)
{
   struct sdog_context *ctx = sdog_context(pctx);
   unsigned index = sdog_stage_index(shader);
   struct sdog_stage *stage = &ctx->stages[index];

   assert(start + count + unbind_trailing <= SUNDOG_MAX_TEXTURES);
   for (unsigned i = 0; i < count; i++)
      set_view(&stage->views[start + i], views ? views[i] : NULL, take_ownership);
   for (unsigned i = 0; i < unbind_trailing; i++)
      set_view(&stage->views[start + count + i], NULL, false);
   ctx->dirty |= SDOG_DIRTY_TEXTURES << index | sdog_dirty_key(index);
}

/* Samplers */

static VkSamplerAddressMode
address_mode(unsigned wrap)
{
   switch (wrap) {
   case PIPE_TEX_WRAP_REPEAT:
      return VK_SAMPLER_ADDRESS_MODE_REPEAT;
   case PIPE_TEX_WRAP_CLAMP_TO_BORDER:
      return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
   case PIPE_TEX_WRAP_MIRROR_REPEAT:
      return VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
   case PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE:
      return VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE;
   default:
      return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
   }
}

static bool
uses_border(const struct pipe_sampler_state *state)
{
   return state->wrap_s == PIPE_TEX_WRAP_CLAMP_TO_BORDER ||
          state->wrap_t == PIPE_TEX_WRAP_CLAMP_TO_BORDER ||
          state->wrap_r == PIPE_TEX_WRAP_CLAMP_TO_BORDER;
}

static uint32_t
reduction_flag(const struct pipe_sampler_state *state)
{
   /* The results of comparisons are averaged, whatever the reduction mode is. */
   if (state->compare_mode)
      return 0;
   switch (state->reduction_mode) {
   case PIPE_TEX_REDUCTION_MIN:
      return SUNDOG_SAMPLER_FLAG_REDUCE_MIN;
   case PIPE_TEX_REDUCTION_MAX:
      return SUNDOG_SAMPLER_FLAG_REDUCE_MAX;
   default:
      return 0;
   }
}

/* UNNORMALIZED is not needed: shaders scale the coordinates of rectangle textures, so that any
 * sampler works. */
static uint32_t
sampler_flags(const struct pipe_sampler_state *state)
{
   return (state->compare_mode ? SUNDOG_SAMPLER_FLAG_COMPARE : 0) |
          (state->max_anisotropy > 1 ? SUNDOG_SAMPLER_FLAG_ANISOTROPY : 0) |
          (state->seamless_cube_map ? 0 : SUNDOG_SAMPLER_FLAG_NON_SEAMLESS) |
          reduction_flag(state);
}

static void
fill_sampler(const struct sundog_caps *caps, struct sundog_cmd_create_sampler *cmd,
             const struct pipe_sampler_state *state)
{
   bool mip = state->min_mip_filter != PIPE_TEX_MIPFILTER_NONE;

   cmd->flags = sampler_flags(state);
   cmd->mag_filter = state->mag_img_filter == PIPE_TEX_FILTER_LINEAR;
   cmd->min_filter = state->min_img_filter == PIPE_TEX_FILTER_LINEAR;
   cmd->mipmap_mode = state->min_mip_filter == PIPE_TEX_MIPFILTER_LINEAR;
   cmd->address_u = address_mode(state->wrap_s);
   cmd->address_v = address_mode(state->wrap_t);
   cmd->address_w = address_mode(state->wrap_r);
   cmd->compare_op = state->compare_func;
   cmd->lod_bias = CLAMP(state->lod_bias, -caps->max_lod_bias, caps->max_lod_bias);
   cmd->max_anisotropy = state->max_anisotropy;
   cmd->min_lod = state->min_lod;
   cmd->max_lod = MAX2(state->max_lod, state->min_lod);
   if (!mip) {
      /* Without mipmaps, Vulkan still uses the level of detail to choose between minification and
       * magnification. A maximum of 0.25 permits that and always selects level 0 (Vulkan, chapter
       * Samplers, "Mapping of OpenGL to Vulkan filter modes"). */
      cmd->min_lod = CLAMP(cmd->min_lod, 0.0f, 0.25f);
      cmd->max_lod = CLAMP(cmd->max_lod, 0.0f, 0.25f);
   }
   if (uses_border(state)) {
      memcpy(cmd->border, state->border_color.ui, sizeof(cmd->border));
      cmd->border_int = state->border_color_is_integer;
   }
}

static void
create_sampler(struct sdog_context *ctx, const struct sdog_sampler *sampler)
{
   struct sundog_cmd_create_sampler cmd = {.id = sampler->object.id};

   fill_sampler(sdog_screen(ctx->base.screen)->caps, &cmd, &sampler->state);
   sundog_emit_create_sampler(ctx->batch.stream, &cmd);
}

/* The device object is created when the sampler is first bound. */
static void *
sdog_create_sampler_state(struct pipe_context *pctx, const struct pipe_sampler_state *state)
{
   struct sdog_sampler *sampler = CALLOC_STRUCT(sdog_sampler);

   if (sampler)
      sampler->state = *state;
   return sampler;
}

static void
sdog_delete_sampler_state(struct pipe_context *pctx, void *cso)
{
   struct sdog_sampler *sampler = cso;

   sdog_object_destroy(sdog_context(pctx), SUNDOG_OBJECT_KIND_SAMPLER, &sampler->object);
   FREE(sampler);
}

static void
sdog_bind_sampler_states(struct pipe_context *pctx, enum pipe_shader_type shader, unsigned start,
                         unsigned count, void **samplers)
{
   struct sdog_context *ctx = sdog_context(pctx);
   unsigned index = sdog_stage_index(shader);

   for (unsigned i = 0; i < count; i++)
      ctx->stages[index].samplers[start + i] = samplers ? samplers[i] : NULL;
   ctx->dirty |= SDOG_DIRTY_TEXTURES << index;
}

/* Bindings */

/* The device has no textures without samplers, though texel fetches do not use one. */
static struct sdog_sampler *
plain_sampler(struct sdog_context *ctx)
{
   static const struct pipe_sampler_state plain = {.seamless_cube_map = true};

   if (!ctx->plain_sampler)
      ctx->plain_sampler = ctx->base.create_sampler_state(&ctx->base, &plain);
   return ctx->plain_sampler;
}

uint32_t
sdog_sampler_id(struct sdog_context *ctx, struct sdog_sampler *sampler)
{
   if (!sampler)
      sampler = plain_sampler(ctx);
   if (!sampler)
      return 0;
   if (sdog_object_make(ctx, &sampler->object))
      create_sampler(ctx, sampler);
   return sampler->object.id;
}

void
sdog_textures_finish(struct sdog_context *ctx)
{
   if (ctx->plain_sampler)
      ctx->base.delete_sampler_state(&ctx->base, ctx->plain_sampler);
}

void
sdog_textures_emit(struct sdog_context *ctx, unsigned stage)
{
   const struct sdog_variant *variant = ctx->variants[stage];
   struct sundog_texture_binding textures[SUNDOG_MAX_TEXTURES];
   struct sundog_cmd_bind_textures cmd = {.stage = stage};

   cmd.first = variant->textures ? ffs(variant->textures) - 1 : 0;
   cmd.count = util_last_bit(variant->textures) - cmd.first;
   memset(&textures[cmd.first], 0, cmd.count * sizeof(textures[0]));
   u_foreach_bit(i, variant->fetched_colors) {
      textures[SDOG_FETCH_SLOT + i].view = sdog_fetch_view(ctx, i);
      textures[SDOG_FETCH_SLOT + i].sampler = sdog_sampler_id(ctx, NULL);
   }
   u_foreach_bit(i, variant->textures) {
      struct sdog_sampler_view *view = ctx->stages[stage].views[i];

      if (!view || view->base.texture->target == PIPE_BUFFER)
         continue;
      textures[i].view = sdog_image_view_id(
         ctx, sdog_resource(view->base.texture),
         variant->plain_textures & BITFIELD_BIT(i) ? &view->plain_cmd : &view->cmd);
      textures[i].sampler = sdog_sampler_id(ctx, ctx->stages[stage].samplers[i]);
   }
   if (cmd.count)
      sundog_emit_bind_textures(ctx->batch.stream, &cmd, &textures[cmd.first]);
   if (variant->texels)
      sdog_texels_emit(ctx, stage);
}

void
sdog_init_texture_functions(struct pipe_context *pctx)
{
   pctx->create_sampler_view = sdog_create_sampler_view;
   pctx->sampler_view_destroy = sdog_sampler_view_destroy;
   pctx->set_sampler_views = sdog_set_sampler_views;
   pctx->create_sampler_state = sdog_create_sampler_state;
   pctx->delete_sampler_state = sdog_delete_sampler_state;
   pctx->bind_sampler_states = sdog_bind_sampler_states;
}
