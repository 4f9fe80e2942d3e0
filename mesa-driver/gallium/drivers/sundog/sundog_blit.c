/* SPDX-License-Identifier: MIT */
/* pipe_context::blit and clear_texture. A blit is a copy, a blit or resolve packet of the device,
 * or a draw by util_blitter. */
#include "sundog_blit.h"

#include "sundog_constants.h"
#include "sundog_context.h"
#include "sundog_copy.h"
#include "sundog_format.h"
#include "sundog_image.h"
#include "sundog_layout.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "util/format/u_format.h"
#include "util/log.h"
#include "util/u_blitter.h"
#include "util/u_inlines.h"
#include "util/u_surface.h"

static bool
has_blit(const struct sdog_screen *screen, enum pipe_format format)
{
   return sdog_format_features(screen, format) & SUNDOG_FORMAT_FEATURE_BLIT;
}

/* Alpha that the API format lacks must read as one, but a blit by the device copies the stored
 * value. */
static bool
shows_hidden_alpha(const struct pipe_blit_info *info)
{
   return sdog_format_hides_alpha(info->src.format) && !sdog_format_hides_alpha(info->dst.format);
}

/* Returns true if both views have the same format, so that a copy of bytes is right whatever the
 * resources' formats are. Some formats cannot be rendered to or viewed as others, but all can be
 * copied. */
static bool
is_same_view(const struct pipe_blit_info *info)
{
   return info->src.format == info->dst.format &&
          !util_format_is_compressed(info->src.resource->format) &&
          !util_format_is_compressed(info->dst.resource->format);
}

/* Returns true if a copy of bytes has the same result as the blit. */
static bool
can_copy(const struct pipe_blit_info *info)
{
   if (util_format_is_depth_or_stencil(info->src.resource->format) &&
       info->src.resource->format != info->dst.resource->format)
      return false;
   return !shows_hidden_alpha(info) &&
          util_can_blit_via_copy_region(info, is_same_view(info), false);
}

static void
copy_bytes(struct pipe_context *pctx, const struct pipe_blit_info *info)
{
   const struct pipe_box *to = &info->dst.box;

   pctx->resource_copy_region(pctx, info->dst.resource, info->dst.level, to->x, to->y, to->z,
                              info->src.resource, info->src.level, &info->src.box);
}

static bool
boxes_intersect(const struct pipe_box *a, const struct pipe_box *b)
{
   return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
          b->y < a->y + a->height && a->z < b->z + b->depth && b->z < a->z + a->depth;
}

static bool
box_inside_level(const struct pipe_resource *prsc, unsigned level, const struct pipe_box *box)
{
   return box->x >= 0 && box->y >= 0 && box->z >= 0 && box->width > 0 && box->height > 0 &&
          box->x + box->width <= u_minify(prsc->width0, level) &&
          box->y + box->height <= u_minify(prsc->height0, level) &&
          box->z + box->depth <= sdog_level_layers(prsc, level);
}

/* Returns true if @box, which may be mirrored, is inside the level. Boxes of glBlitFramebuffer()
 * can extend past the source by less than a pixel of the destination. */
static bool
corners_inside_level(const struct pipe_resource *prsc, unsigned level, const struct pipe_box *box)
{
   struct pipe_box plain = *box;

   if (box->width < 0) {
      plain.x += box->width;
      plain.width = -box->width;
   }
   if (box->height < 0) {
      plain.y += box->height;
      plain.height = -box->height;
   }
   return box_inside_level(prsc, level, &plain);
}

static uint32_t
blit_aspects(const struct pipe_blit_info *info)
{
   return (info->mask & PIPE_MASK_Z ? SUNDOG_ASPECT_DEPTH : 0) |
          (info->mask & PIPE_MASK_S ? SUNDOG_ASPECT_STENCIL : 0);
}

/* Returns true if the blit is an unscaled copy of all aspects of a depth or stencil format. A copy
 * of some aspects only is not safe: some hosts (lavapipe) copy the bytes of both whichever aspects
 * are requested. */
static bool
is_depth_stencil_copy(const struct pipe_blit_info *info)
{
   const struct pipe_box *from = &info->src.box, *to = &info->dst.box;
   const struct pipe_resource *src = info->src.resource, *dst = info->dst.resource;

   return util_format_is_depth_or_stencil(src->format) && src->format == dst->format &&
          !(sdog_format_aspects(src->format) & ~blit_aspects(info)) &&
          sdog_samples(src) == sdog_samples(dst) && !info->scissor_enable &&
          !info->num_window_rectangles && from->width == to->width &&
          from->height == to->height && from->depth == to->depth &&
          (src != dst || info->src.level != info->dst.level ||
           !boxes_intersect(from, to)) &&
          box_inside_level(src, info->src.level, from) &&
          box_inside_level(dst, info->dst.level, to);
}

static void
copy_depth_stencil(struct sdog_context *ctx, const struct pipe_blit_info *info)
{
   const struct pipe_box *to = &info->dst.box;

   sdog_copy_image(ctx, sdog_resource(info->dst.resource), info->dst.level, to->x, to->y, to->z,
              sdog_resource(info->src.resource), info->src.level, &info->src.box,
              sdog_format_aspects(info->src.resource->format));
}

/* Integer formats can only be blitted to integer formats of the same signedness. */
static bool
is_same_kind(enum pipe_format a, enum pipe_format b)
{
   return util_format_is_pure_sint(a) == util_format_is_pure_sint(b) &&
          util_format_is_pure_uint(a) == util_format_is_pure_uint(b);
}

/* Returns true if the blit packet of the device can do the blit. */
static bool
can_blit_image(const struct sdog_screen *screen, const struct pipe_blit_info *info)
{
   const struct pipe_resource *src = info->src.resource, *dst = info->dst.resource;

   return !info->scissor_enable && !info->alpha_blend && !info->swizzle_enable &&
          !info->num_window_rectangles && info->mask == PIPE_MASK_RGBA &&
          info->src.format == src->format && info->dst.format == dst->format &&
          !util_format_is_depth_or_stencil(src->format) && sdog_samples(src) == 1 &&
          sdog_samples(dst) == 1 && info->src.box.depth == 1 &&
          info->dst.box.depth == 1 && src != dst &&
          corners_inside_level(src, info->src.level, &info->src.box) &&
          corners_inside_level(dst, info->dst.level, &info->dst.box) &&
          src->target != PIPE_TEXTURE_3D && dst->target != PIPE_TEXTURE_3D &&
          !shows_hidden_alpha(info) && is_same_kind(src->format, dst->format) &&
          has_blit(screen, src->format) && has_blit(screen, dst->format) &&
          (info->filter == PIPE_TEX_FILTER_NEAREST || !util_format_is_pure_integer(src->format)) &&
          sdog_resource(info->dst.resource)->foreign != SDOG_FOREIGN_READ_ONLY;
}

/* Returns true if the resolve packet of the device can do the blit. */
static bool
can_resolve(const struct pipe_blit_info *info)
{
   const struct pipe_resource *src = info->src.resource, *dst = info->dst.resource;
   const struct pipe_box *from = &info->src.box, *to = &info->dst.box;

   return !info->scissor_enable && !info->alpha_blend && !info->swizzle_enable &&
          !info->num_window_rectangles && !info->sample0_only && info->mask == PIPE_MASK_RGBA &&
          sdog_samples(src) > 1 && sdog_samples(dst) == 1 && src->format == dst->format &&
          info->src.format == src->format && info->dst.format == dst->format &&
          !util_format_is_depth_or_stencil(src->format) &&
          (dst->target == PIPE_TEXTURE_2D || dst->target == PIPE_TEXTURE_2D_ARRAY) &&
          from->width == to->width && from->height == to->height && from->depth == to->depth &&
          box_inside_level(src, info->src.level, from) &&
          box_inside_level(dst, info->dst.level, to) &&
          sdog_resource(info->dst.resource)->foreign != SDOG_FOREIGN_READ_ONLY;
}

static void
resolve_image(struct sdog_context *ctx, const struct pipe_blit_info *info)
{
   struct sdog_resource *src = sdog_resource(info->src.resource);
   struct sdog_resource *dst = sdog_resource(info->dst.resource);
   const struct pipe_box *from = &info->src.box, *to = &info->dst.box;
   struct sundog_cmd_resolve_image cmd = {
      .extent = {from->width, from->height, from->depth},
   };

   sdog_transfer_begin(ctx, src, dst);
   cmd.src = sdog_image_region(sdog_image_id(ctx, src), SUNDOG_ASPECT_COLOR, info->src.level,
                               from->x, from->y, from->z);
   cmd.dst = sdog_image_region(sdog_image_id(ctx, dst), SUNDOG_ASPECT_COLOR, info->dst.level,
                               to->x, to->y, to->z);
   sundog_emit_resolve_image(ctx->batch.stream, &cmd);
}

static void
blit_image(struct sdog_context *ctx, const struct pipe_blit_info *info)
{
   struct sdog_resource *src = sdog_resource(info->src.resource);
   struct sdog_resource *dst = sdog_resource(info->dst.resource);
   const struct pipe_box *from = &info->src.box, *to = &info->dst.box;
   struct sundog_cmd_blit_image cmd = {
      .src_end = {from->x + from->width, from->y + from->height, from->z + from->depth},
      .dst_end = {to->x + to->width, to->y + to->height, to->z + to->depth},
      .filter = info->filter == PIPE_TEX_FILTER_LINEAR ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
   };

   sdog_transfer_begin(ctx, src, dst);
   cmd.src = sdog_image_region(sdog_image_id(ctx, src), SUNDOG_ASPECT_COLOR, info->src.level,
                               from->x, from->y, from->z);
   cmd.dst = sdog_image_region(sdog_image_id(ctx, dst), SUNDOG_ASPECT_COLOR, info->dst.level,
                               to->x, to->y, to->z);
   sundog_emit_blit_image(ctx->batch.stream, &cmd);
}

/* With @conditional false, the blitter gets the render condition to disable and restore. */
static void
save_state(struct sdog_context *ctx, bool conditional)
{
   struct blitter_context *blitter = ctx->blitter;
   struct sdog_stage *fs = &ctx->stages[SUNDOG_STAGE_FRAGMENT];
   struct pipe_constant_buffer constants;

   util_blitter_save_blend(blitter, ctx->blend);
   util_blitter_save_depth_stencil_alpha(blitter, ctx->zsa);
   util_blitter_save_rasterizer(blitter, ctx->rasterizer);
   util_blitter_save_stencil_ref(blitter, &ctx->stencil_ref);
   util_blitter_save_vertex_elements(blitter, ctx->vertex_elements);
   util_blitter_save_vertex_buffers(blitter, ctx->vertex_buffers, ctx->num_vertex_buffers);
   util_blitter_save_vertex_shader(blitter, ctx->shaders[SUNDOG_STAGE_VERTEX]);
   util_blitter_save_tessctrl_shader(blitter, ctx->shaders[SUNDOG_STAGE_TESS_CTRL]);
   util_blitter_save_tesseval_shader(blitter, ctx->shaders[SUNDOG_STAGE_TESS_EVAL]);
   util_blitter_save_geometry_shader(blitter, ctx->shaders[SUNDOG_STAGE_GEOMETRY]);
   util_blitter_save_fragment_shader(blitter, ctx->shaders[SUNDOG_STAGE_FRAGMENT]);
   util_blitter_save_so_targets(blitter, ctx->feedback.num_targets, ctx->feedback.targets,
                                MESA_PRIM_UNKNOWN);
   util_blitter_save_viewport(blitter, &ctx->viewports[0]);
   util_blitter_save_scissor(blitter, &ctx->scissors[0]);
   util_blitter_save_framebuffer(blitter, &ctx->framebuffer);
   util_blitter_save_sample_mask(blitter, ctx->sample_mask, ctx->min_samples);
   util_blitter_save_fragment_sampler_states(blitter, SUNDOG_MAX_TEXTURES, (void **)fs->samplers);
   util_blitter_save_fragment_sampler_views(blitter, SUNDOG_MAX_TEXTURES,
                                            (struct pipe_sampler_view **)fs->views);
   sdog_constants_save(ctx, SUNDOG_STAGE_FRAGMENT, &constants);
   util_blitter_save_fragment_constant_buffer_slot(blitter, &constants);
   util_blitter_save_render_condition(blitter, conditional ? NULL : ctx->condition.query,
                                      ctx->condition.inverted, ctx->condition.mode);
}

static void
clear_stencil(struct sdog_context *ctx, const struct pipe_blit_info *info)
{
   const struct pipe_box *box = &info->dst.box;
   int x0 = box->x, y0 = box->y, x1 = box->x + box->width, y1 = box->y + box->height;
   struct pipe_surface templ, *dst;

   if (info->scissor_enable) {
      x0 = MAX2(x0, info->scissor.minx);
      y0 = MAX2(y0, info->scissor.miny);
      x1 = MIN2(x1, info->scissor.maxx);
      y1 = MIN2(y1, info->scissor.maxy);
   }
   util_blitter_default_dst_texture(&templ, info->dst.resource, info->dst.level, box->z);
   dst = ctx->base.create_surface(&ctx->base, info->dst.resource, &templ);
   if (dst && x0 < x1 && y0 < y1)
      ctx->base.clear_depth_stencil(&ctx->base, dst, PIPE_CLEAR_STENCIL, 0.0, 0, x0, y0, x1 - x0,
                                    y1 - y0, false);
   pipe_surface_reference(&dst, NULL);
}

/* The fragment shader cannot write stencil: clear it, then draw once for each bit. */
static void
blit_stencil(struct sdog_context *ctx, const struct pipe_blit_info *info)
{
   clear_stencil(ctx, info);
   save_state(ctx, false);
   util_blitter_stencil_fallback(ctx->blitter, info->dst.resource, info->dst.level,
                                 &info->dst.box, info->src.resource, info->src.level,
                                 &info->src.box, info->scissor_enable ? &info->scissor : NULL);
}

/* Returns true if the draw would sample the level that it renders to. */
static bool
reads_itself(const struct pipe_blit_info *info)
{
   return info->src.resource == info->dst.resource && info->src.level == info->dst.level;
}

static struct pipe_resource *
box_resource(struct pipe_context *pctx, const struct pipe_resource *like,
             const struct pipe_box *box)
{
   struct pipe_resource templ = *like;

   templ.target = box->depth > 1 ? PIPE_TEXTURE_2D_ARRAY : PIPE_TEXTURE_2D;
   templ.width0 = box->width;
   templ.height0 = box->height;
   templ.depth0 = 1;
   templ.array_size = box->depth;
   templ.last_level = 0;
   templ.usage = PIPE_USAGE_DEFAULT;
   templ.bind = PIPE_BIND_SAMPLER_VIEW;
   templ.flags = 0;
   return pctx->screen->resource_create(pctx->screen, &templ);
}

/* The blitter's stencil shader fetches from a 2D texture; a host returns nothing for a texture of
 * another type. */
static bool
is_stencil_of_layer(const struct pipe_blit_info *info)
{
   return (info->mask & PIPE_MASK_S) && info->src.resource->target != PIPE_TEXTURE_2D;
}

/* Clips @box, which may be mirrored and extend past the level's edges, to the level. Returns false
 * if nothing is left. */
static bool
box_of_level(const struct pipe_resource *prsc, unsigned level, const struct pipe_box *box,
             struct pipe_box *out)
{
   const int x = box->x + MIN2(box->width, 0), y = box->y + MIN2(box->height, 0);
   const int end_x = MIN2(x + abs(box->width), (int)u_minify(prsc->width0, level));
   const int end_y = MIN2(y + abs(box->height), (int)u_minify(prsc->height0, level));

   *out = *box;
   out->x = MAX2(x, 0);
   out->y = MAX2(y, 0);
   out->width = end_x - out->x;
   out->height = end_y - out->y;
   return out->width > 0 && out->height > 0;
}

/* Lets the blit read a copy of its source, because a host may read pixels that the same draw has
 * just written. Returns the copy, or NULL and leaves @info as it was. */
static struct pipe_resource *
detach_source(struct pipe_context *pctx, struct pipe_blit_info *info)
{
   struct pipe_resource *src = info->src.resource;
   struct pipe_box box;
   struct pipe_resource *copy;

   if (src->target == PIPE_TEXTURE_3D || !box_of_level(src, info->src.level, &info->src.box, &box))
      return NULL;
   copy = box_resource(pctx, src, &box);
   if (!copy)
      return NULL;
   pctx->resource_copy_region(pctx, copy, 0, 0, 0, 0, src, info->src.level, &box);
   info->src.resource = copy;
   info->src.level = 0;
   info->src.box.x -= box.x;
   info->src.box.y -= box.y;
   info->src.box.z -= box.z;
   return copy;
}

static void
draw_blit(struct sdog_context *ctx, struct pipe_blit_info *info, bool conditional)
{
   if (info->mask & PIPE_MASK_S) {
      blit_stencil(ctx, info);
      info->mask &= ~PIPE_MASK_S;
   }
   if (!info->mask)
      return;
   if (!util_blitter_is_blit_supported(ctx->blitter, info)) {
      mesa_loge("sundog: cannot blit %s to %s, skipping the blit: report it",
                util_format_short_name(info->src.format),
                util_format_short_name(info->dst.format));
      return;
   }
   save_state(ctx, conditional);
   util_blitter_blit(ctx->blitter, info, NULL);
}

/* Returns true if a single draw can do the blit. */
static bool
is_draw(const struct sdog_context *ctx, const struct pipe_blit_info *info)
{
   return !(info->mask & PIPE_MASK_S) && sdog_samples(info->src.resource) == 1 &&
          sdog_samples(info->dst.resource) == 1 && !reads_itself(info) &&
          util_blitter_is_blit_supported(ctx->blitter, info);
}

/* Handles a blit with a render condition. Returns true if the blit is done or must be skipped,
 * false if the caller must do it unconditionally. */
static bool
blit_conditionally(struct sdog_context *ctx, struct pipe_blit_info *info)
{
   if (!sdog_condition_passes(ctx))
      return true;
   if (!sdog_condition_streams(ctx))
      return false;
   if (!is_draw(ctx, info))
      return !sdog_condition_wait(ctx);
   draw_blit(ctx, info, true);
   return true;
}

static void
sdog_blit(struct pipe_context *pctx, const struct pipe_blit_info *whole)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct pipe_blit_info rest = *whole;
   struct pipe_blit_info *info = &rest;
   struct pipe_resource *copy = NULL;

   if (info->render_condition_enable && blit_conditionally(ctx, info))
      return;
   if (is_depth_stencil_copy(info)) {
      copy_depth_stencil(ctx, info);
      return;
   }
   if (can_copy(info)) {
      copy_bytes(pctx, info);
      return;
   }
   if (can_blit_image(sdog_screen(pctx->screen), info)) {
      blit_image(ctx, info);
      return;
   }
   if (can_resolve(info)) {
      resolve_image(ctx, info);
      return;
   }
   if (reads_itself(info) || is_stencil_of_layer(info))
      copy = detach_source(pctx, info);
   draw_blit(ctx, info, false);
   pipe_resource_reference(&copy, NULL);
}

/* Clears with a draw where the format can be rendered to, otherwise on the CPU. */
static void
sdog_clear_texture(struct pipe_context *pctx, struct pipe_resource *prsc, unsigned level,
                   const struct pipe_box *box, const void *data)
{
   const uint32_t features = sdog_format_features(sdog_screen(pctx->screen), prsc->format);

   if (util_format_is_depth_or_stencil(prsc->format) || (features & SUNDOG_FORMAT_FEATURE_COLOR))
      u_default_clear_texture(pctx, prsc, level, box, data);
   else
      util_clear_texture_sw(pctx, prsc, level, box, data);
}

void
sdog_init_blit_functions(struct pipe_context *pctx)
{
   pctx->blit = sdog_blit;
   pctx->clear_texture = sdog_clear_texture;
}
