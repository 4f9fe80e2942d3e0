/* SPDX-License-Identifier: MIT */
/* Selects the variants of the shaders for a draw or dispatch. Runs on the context's thread. */
#include "sundog_variant.h"

#include "sundog_blend.h"
#include "sundog_context.h"
#include "sundog_edges.h"
#include "sundog_fetch.h"
#include "sundog_format.h"
#include "sundog_nir.h"
#include "sundog_rasterizer.h"
#include "sundog_render.h"
#include "sundog_screen.h"
#include "sundog_shader.h"
#include "sundog_stage.h"
#include "sundog_state.h"
#include "sundog_texture.h"
#include "util/format/u_format.h"
#include "util/log.h"
#include "util/u_framebuffer.h"
#include "util/u_prim.h"

/* The graphics stages in pipeline order. */
static const enum sundog_stage pipeline[] = {
   SUNDOG_STAGE_VERTEX, SUNDOG_STAGE_TESS_CTRL, SUNDOG_STAGE_TESS_EVAL,
   SUNDOG_STAGE_GEOMETRY, SUNDOG_STAGE_FRAGMENT,
};

struct selection {
   struct sdog_shader *shaders[SDOG_GRAPHICS_STAGES];
   struct sdog_shader_key keys[SDOG_GRAPHICS_STAGES];
};

enum mesa_prim
sdog_rasterized_prim(const struct sdog_context *ctx, enum mesa_prim prim)
{
   if (ctx->shaders[SUNDOG_STAGE_GEOMETRY])
      return ctx->shaders[SUNDOG_STAGE_GEOMETRY]->output_prim;
   if (ctx->shaders[SUNDOG_STAGE_TESS_EVAL])
      return ctx->shaders[SUNDOG_STAGE_TESS_EVAL]->output_prim;
   return prim;
}

static bool
draws_points(const struct sdog_context *ctx, enum mesa_prim prim)
{
   enum mesa_prim reduced = u_reduced_prim(prim);

   return reduced == MESA_PRIM_POINTS ||
          (reduced == MESA_PRIM_TRIANGLES &&
           sdog_rasterizer_fill(ctx) == PIPE_POLYGON_MODE_POINT);
}

static uint16_t
view_swizzle(const struct sdog_sampler_view *view)
{
   if (!view)
      return 0;
   return SDOG_SWIZZLE(view->base.swizzle_r, view->base.swizzle_g, view->base.swizzle_b,
                       view->base.swizzle_a);
}

static void
texel_key(const struct sdog_shader *shader, const struct sdog_stage *stage,
          struct sdog_shader_key *key)
{
   u_foreach_bit(i, shader->texels) {
      const struct sdog_sampler_view *view = stage->views[i];

      key->texel_swizzle[i] = view ? sdog_texel_swizzle(view->base.format) : SDOG_SWIZZLE_NONE;
   }
}

/* Records the signedness of textures. GL leaves the result undefined if the sampler type has the
 * wrong signedness, and the device returns nothing, but programs expect the bits. */
static void
integer_key(const struct sdog_shader *shader, const struct sdog_stage *stage,
            struct sdog_shader_key *key)
{
   u_foreach_bit(i, shader->integers) {
      const struct sdog_sampler_view *view = stage->views[i];

      if (view && util_format_is_pure_sint(view->base.format))
         key->sint_textures |= BITFIELD_BIT(i);
      else if (view && util_format_is_pure_uint(view->base.format))
         key->uint_textures |= BITFIELD_BIT(i);
   }
}

/* Records the slots whose samplers do not compare. A host may compare with any value then. The
 * textures that GL substitutes for incomplete ones are not compared, whatever the program
 * requested. */
static void
shadow_key(const struct sdog_shader *shader, const struct sdog_stage *stage,
           struct sdog_shader_key *key)
{
   u_foreach_bit(i, shader->shadows) {
      const struct sdog_sampler *sampler = stage->samplers[i];

      if (sampler && !sampler->state.compare_mode)
         key->uncompared |= BITFIELD_BIT(i);
      /* Since GLSL 1.30, depth comparisons return a single component. */
      else if (i < SDOG_SWIZZLE_SLOTS)
         key->shadow_swizzle[i] = view_swizzle(stage->views[i]) &
                                  (shader->legacy_shadow & BITFIELD_BIT(i) ? ~0 : 7);
   }
}

/* The parts of the key that depend on textures, in all stages. */
static void
textures_key(const struct sdog_shader *shader, const struct sdog_stage *stage,
             struct sdog_shader_key *key)
{
   texel_key(shader, stage, key);
   integer_key(shader, stage, key);
   shadow_key(shader, stage, key);
}

/* The parts of the key for the last stage before rasterization. */
static void
vertex_key(const struct sdog_context *ctx, const struct sdog_shader *shader, enum mesa_prim prim,
           struct sdog_shader_key *key)
{
   const struct pipe_rasterizer_state *rast = &ctx->rasterizer->base;

   key->disabled_planes = shader->clip_planes & ~rast->clip_plane_enable;
   if (!draws_points(ctx, prim))
      return;
   /* For any other fixed point size, the state tracker lowers the shader to write it. */
   key->drop_point_size = shader->writes_point_size && !rast->point_size_per_vertex &&
                          rast->point_size == 1.0f;
   key->wide_points = rast->point_smooth;
}

/* Returns the mode of the polygons that gl_PrimitiveID counts, or MESA_PRIM_POINTS if no conversion
 * is needed. */
static uint8_t
counted_primitive(const struct sdog_context *ctx, const struct sdog_shader *shader)
{
   bool polygons = BITFIELD_BIT(ctx->edges.source) & SDOG_EDGES_MODES;

   return shader->counts_primitives && polygons && !ctx->shaders[SUNDOG_STAGE_GEOMETRY]
             ? ctx->edges.source : MESA_PRIM_POINTS;
}

/* Returns the PIPE_FACE_* mask of faces with polygon stipple, which applies to filled polygons
 * only. A culled face is treated like the other one. */
static uint8_t
stippled_faces(const struct pipe_rasterizer_state *rast, enum mesa_prim prim)
{
   bool front = rast->fill_front == PIPE_POLYGON_MODE_FILL;
   bool back = rast->fill_back == PIPE_POLYGON_MODE_FILL;

   if (!rast->poly_stipple_enable || u_reduced_prim(prim) != MESA_PRIM_TRIANGLES)
      return 0;
   if (rast->cull_face & PIPE_FACE_FRONT)
      front = back;
   if (rast->cull_face & PIPE_FACE_BACK)
      back = front;
   return (front ? PIPE_FACE_FRONT : 0) | (back ? PIPE_FACE_BACK : 0);
}

static void
fragment_key(const struct sdog_context *ctx, const struct sdog_shader *shader,
             enum mesa_prim prim, struct sdog_shader_key *key)
{
   const struct pipe_rasterizer_state *rast = &ctx->rasterizer->base;
   unsigned samples = sdog_draws_whole_pixels(ctx)
                         ? 1 : util_framebuffer_get_num_samples(&ctx->framebuffer);

   if (draws_points(ctx, prim)) {
      if (shader->reads_texcoords) {
         key->coord_replace = rast->sprite_coord_enable;
         key->point_coord_flip = rast->sprite_coord_mode == PIPE_SPRITE_COORD_LOWER_LEFT;
      }
      key->point_smooth = rast->point_smooth;
      /* Without point sprites, which core profiles and OpenGL ES 2.0 always have, multisampled
       * points are circles (OpenGL 4.6 compatibility profile, 14.4.3 Point Multisample
       * Rasterization). */
      if (samples > 1 && rast->multisample && !rast->point_quad_rasterization)
         key->round_samples = samples;
   }
   key->counted = counted_primitive(ctx, shader);
   key->stipple = stippled_faces(rast, prim);
   key->second_color = ctx->blend->dual_source && !shader->writes_second_color;
   if (shader->broadcasts_color)
      key->color_outputs = ctx->framebuffer.nr_cbufs;
   key->per_sample = samples > 1 && ctx->min_samples > 1;
   key->single_sample = samples <= 1 && shader->knows_samples;
   u_foreach_bit(i, shader->fetched_colors)
      key->fetch[i] = sdog_fetch_key(&ctx->framebuffer, i);
}

static bool
changes_fetch(const struct sdog_variant *old, const struct sdog_variant *variant)
{
   return (old ? old->fetched_colors : 0) != (variant ? variant->fetched_colors : 0);
}

static bool
set_variant(struct sdog_context *ctx, unsigned stage, struct sdog_shader *shader,
            const struct sdog_shader_key *key)
{
   struct sdog_variant *variant = NULL;

   if (shader && !(variant = sdog_variant_get(ctx, shader, key)))
      return false;
   if (variant != ctx->variants[stage])
      ctx->dirty |= SDOG_DIRTY_SHADERS | SDOG_DIRTY_BINDINGS << stage;
   if (changes_fetch(ctx->variants[stage], variant))
      ctx->dirty |= SDOG_DIRTY_BLEND;
   ctx->variants[stage] = variant;
   return true;
}

/* Returns the geometry shader that hides edges and fills in the keys of the stages for it, or
 * returns NULL. */
static struct sdog_shader *
edges_shader(const struct sdog_context *ctx, enum mesa_prim prim, struct sdog_shader_key *keys)
{
   const struct pipe_rasterizer_state *rast = &ctx->rasterizer->base;
   struct sdog_shader *vs = ctx->shaders[SUNDOG_STAGE_VERTEX];

   if (!sdog_edges_hidden(ctx, prim, &keys[SUNDOG_STAGE_GEOMETRY].edges))
      return NULL;
   if (!vs->edges)
      vs->edges = sdog_shader_new(sdog_nir_edges_shader(vs->nir));
   keys[SUNDOG_STAGE_VERTEX].pass_flags = true;
   keys[SUNDOG_STAGE_FRAGMENT].edges_slot = keys[SUNDOG_STAGE_GEOMETRY].edges.slot;
   keys[SUNDOG_STAGE_FRAGMENT].edge_modes[0] = rast->fill_front;
   keys[SUNDOG_STAGE_FRAGMENT].edge_modes[1] = rast->fill_back;
   return vs->edges;
}

/* Returns the tessellation control shader for programs without one. */
static struct sdog_shader *
passthrough_shader(const struct sdog_context *ctx, struct sdog_shader_key *keys)
{
   struct sdog_shader *vs = ctx->shaders[SUNDOG_STAGE_VERTEX];

   if (!vs->passthrough)
      vs->passthrough = sdog_shader_new(sdog_nir_passthrough_shader(vs->nir));
   keys[SUNDOG_STAGE_TESS_CTRL].patch_vertices = ctx->patch_vertices;
   return vs->passthrough;
}

static void
select_shaders(const struct sdog_context *ctx, enum mesa_prim prim, struct selection *s)
{
   memcpy(s->shaders, ctx->shaders, sizeof(s->shaders));
   if (s->shaders[SUNDOG_STAGE_TESS_EVAL] && !s->shaders[SUNDOG_STAGE_TESS_CTRL])
      s->shaders[SUNDOG_STAGE_TESS_CTRL] = passthrough_shader(ctx, s->keys);
   /* Without a tessellation evaluation shader, a control shader has no effect. */
   if (!s->shaders[SUNDOG_STAGE_TESS_EVAL])
      s->shaders[SUNDOG_STAGE_TESS_CTRL] = NULL;
   if (!s->shaders[SUNDOG_STAGE_GEOMETRY])
      s->shaders[SUNDOG_STAGE_GEOMETRY] = edges_shader(ctx, prim, s->keys);
}

/* Fills in the parts of the keys for the varyings between two stages. Returns false, after logging
 * an error, if there are too many. */
static bool
match_varyings(const struct sdog_shader *before, const struct sdog_shader *shader,
               struct sdog_shader_key *before_key, struct sdog_shader_key *key)
{
   uint64_t slots = before->varyings_written | shader->varyings_read;
   uint64_t packed;

   if (key->edges_slot)
      slots |= BITFIELD64_BIT(key->edges_slot);
   packed = sdog_nir_pack_varyings(slots);
   if (util_bitcount64(packed) > 32) {
      mesa_loge("sundog: two shaders share %u varyings, at most 32: skipping their draws",
                util_bitcount64(packed));
      return false;
   }
   before_key->packed_outputs = packed;
   key->packed_inputs = packed;
   key->missing_inputs = shader->varyings_read & ~before->varyings_written;
   if (shader->stage == MESA_SHADER_TESS_EVAL)
      key->missing_patch_inputs = shader->patch_varyings & ~before->patch_varyings;
   return true;
}

static void
set_num_viewports(struct sdog_context *ctx, const struct sdog_shader *last)
{
   unsigned num_viewports = last->writes_viewport ? ctx->base.screen->caps.max_viewports : 1;

   if (num_viewports != ctx->num_viewports)
      ctx->dirty |= SDOG_DIRTY_VIEWPORT | SDOG_DIRTY_SCISSOR;
   ctx->num_viewports = num_viewports;
}

/* Fills in the parts of the keys that depend on the order of stages. Returns false if varyings do
 * not fit. */
static bool
fill_keys(struct sdog_context *ctx, enum mesa_prim prim, struct selection *s)
{
   unsigned before = SUNDOG_STAGE_VERTEX;

   for (unsigned i = 1; i < ARRAY_SIZE(pipeline); i++) {
      unsigned stage = pipeline[i];

      if (!s->shaders[stage])
         continue;
      if (!match_varyings(s->shaders[before], s->shaders[stage], &s->keys[before],
                          &s->keys[stage]))
         return false;
      if (stage == SUNDOG_STAGE_FRAGMENT)
         break;
      s->keys[before].not_last = true;
      before = stage;
   }
   prim = sdog_rasterized_prim(ctx, prim);
   vertex_key(ctx, s->shaders[before], prim, &s->keys[before]);
   fragment_key(ctx, s->shaders[SUNDOG_STAGE_FRAGMENT], prim, &s->keys[SUNDOG_STAGE_FRAGMENT]);
   set_num_viewports(ctx, s->shaders[before]);
   return true;
}

bool
sdog_shaders_update(struct sdog_context *ctx, enum mesa_prim prim)
{
   struct selection s;

   if (!ctx->shaders[SUNDOG_STAGE_VERTEX] || !ctx->shaders[SUNDOG_STAGE_FRAGMENT])
      return false;
   /* Keys are compared with memcmp(), including padding. */
   memset(&s, 0, sizeof(s));
   select_shaders(ctx, prim, &s);
   if (!fill_keys(ctx, prim, &s))
      return false;
   for (unsigned stage = 0; stage < SDOG_GRAPHICS_STAGES; stage++) {
      if (s.shaders[stage]) {
         s.keys[stage].views =
            s.shaders[stage]->knows_layers && sdog_render_views(&ctx->framebuffer);
         textures_key(s.shaders[stage], &ctx->stages[stage], &s.keys[stage]);
      }
      if (!set_variant(ctx, stage, s.shaders[stage], &s.keys[stage]))
         return false;
   }
   return true;
}

bool
sdog_shaders_update_compute(struct sdog_context *ctx)
{
   struct sdog_shader *shader = ctx->shaders[SUNDOG_STAGE_COMPUTE];
   struct sdog_shader_key key;

   memset(&key, 0, sizeof(key));
   if (!shader)
      return false;
   textures_key(shader, &ctx->stages[SUNDOG_STAGE_COMPUTE], &key);
   if (shader->takes_group_size)
      memcpy(key.group_size, ctx->group_size, sizeof(key.group_size));
   return set_variant(ctx, SUNDOG_STAGE_COMPUTE, shader, &key);
}
