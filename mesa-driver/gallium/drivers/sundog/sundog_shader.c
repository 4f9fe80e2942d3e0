/* SPDX-License-Identifier: MIT */
#include "sundog_shader.h"

#include "nir.h"
#include "nir/tgsi_to_nir.h"
#include "nir_to_spirv/nir_to_spirv.h"
#include "sundog_blend.h"
#include "sundog_compiler.h"
#include "sundog_context.h"
#include "sundog_edges.h"
#include "sundog_format.h"
#include "sundog_nir.h"
#include "sundog_rasterizer.h"
#include "sundog_screen.h"
#include "sundog_stage.h"
#include "sundog_texture.h"
#include "util/log.h"
#include "util/u_memory.h"
#include "util/u_prim.h"

static struct sdog_shader *
shader_new(nir_shader *nir)
{
   struct sdog_shader *shader = CALLOC_STRUCT(sdog_shader);

   if (!shader)
      return NULL;
   shader->nir = nir;
   shader->stage = shader->nir->info.stage;
   list_inithead(&shader->variants);
   sdog_compiler_scan(shader);
   return shader;
}

static void *
sdog_create_shader(struct pipe_context *pctx, const struct pipe_shader_state *state)
{
   return shader_new(state->type == PIPE_SHADER_IR_TGSI
                        ? tgsi_to_nir(state->tokens, pctx->screen, false)
                        : state->ir.nir);
}

static void
sdog_delete_shader(struct pipe_context *pctx, void *cso)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_shader *shader = cso;

   list_for_each_entry_safe(struct sdog_variant, variant, &shader->variants, link) {
      for (unsigned i = 0; i < SDOG_STAGES; i++) {
         if (ctx->variants[i] == variant)
            ctx->variants[i] = NULL;
      }
      sdog_object_destroy(ctx, SUNDOG_OBJECT_KIND_SHADER, variant->id);
      FREE(variant);
   }
   if (shader->edges)
      sdog_delete_shader(pctx, shader->edges);
   ralloc_free(shader->nir);
   FREE(shader);
}

static void
bind_shader(struct pipe_context *pctx, unsigned stage, void *cso)
{
   struct sdog_context *ctx = sdog_context(pctx);

   ctx->shaders[stage] = cso;
   ctx->dirty |= SDOG_DIRTY_SHADER_KEY;
}

static void
sdog_bind_vs(struct pipe_context *pctx, void *cso)
{
   bind_shader(pctx, SUNDOG_STAGE_VERTEX, cso);
}

static void
sdog_bind_gs(struct pipe_context *pctx, void *cso)
{
   bind_shader(pctx, SUNDOG_STAGE_GEOMETRY, cso);
}

static void
sdog_bind_fs(struct pipe_context *pctx, void *cso)
{
   bind_shader(pctx, SUNDOG_STAGE_FRAGMENT, cso);
}

/* Variants */

enum mesa_prim
sdog_rasterized_prim(const struct sdog_context *ctx, enum mesa_prim prim)
{
   const struct sdog_shader *gs = ctx->shaders[SUNDOG_STAGE_GEOMETRY];

   return gs ? gs->output_prim : prim;
}

static bool
draws_points(const struct pipe_rasterizer_state *rast, enum mesa_prim prim)
{
   enum mesa_prim reduced = u_reduced_prim(prim);

   return reduced == MESA_PRIM_POINTS ||
          (reduced == MESA_PRIM_TRIANGLES && rast->fill_front == PIPE_POLYGON_MODE_POINT);
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

/* Of the last stage before rasterisation. */
static void
vertex_key(const struct sdog_context *ctx, const struct sdog_shader *shader, enum mesa_prim prim,
           struct sdog_shader_key *key)
{
   const struct pipe_rasterizer_state *rast = &ctx->rasterizer->base;

   key->disabled_planes = shader->clip_planes & ~rast->clip_plane_enable;
   /* Any other size that is the API's, the state tracker has the shader write. */
   key->drop_point_size = shader->writes_point_size && draws_points(rast, prim) &&
                          !rast->point_size_per_vertex && rast->point_size == 1.0f;
}

static void
fragment_key(const struct sdog_context *ctx, const struct sdog_shader *shader,
             enum mesa_prim prim, struct sdog_shader_key *key)
{
   const struct pipe_rasterizer_state *rast = &ctx->rasterizer->base;

   if (draws_points(rast, prim)) {
      if (shader->reads_texcoords) {
         key->coord_replace = rast->sprite_coord_enable;
         key->point_coord_flip = rast->sprite_coord_mode == PIPE_SPRITE_COORD_LOWER_LEFT;
      }
      key->point_smooth = rast->point_smooth;
   }
   key->stipple = rast->poly_stipple_enable && u_reduced_prim(prim) == MESA_PRIM_TRIANGLES;
   key->second_color = ctx->blend->dual_source && !shader->writes_second_color;
   if (shader->broadcasts_color)
      key->color_outputs = ctx->framebuffer.nr_cbufs;
   u_foreach_bit(i, shader->legacy_shadow)
      key->shadow_swizzle[i] = view_swizzle(ctx->stages[SUNDOG_STAGE_FRAGMENT].views[i]);
}

static void
declare_bindings(const struct sdog_variant *variant, struct sundog_cmd_create_shader *cmd)
{
   if (variant->uniform_size && !variant->push)
      cmd->bindings[cmd->n_bindings++] = (struct sundog_shader_binding){
         .binding = SUNDOG_BINDING_UBO0,
         .count = 1,
         .type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
      };
   if (variant->blocks)
      cmd->bindings[cmd->n_bindings++] = (struct sundog_shader_binding){
         .binding = SUNDOG_BINDING_UBOS,
         .count = util_last_bit(variant->blocks) - 1,
         .type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
      };
   u_foreach_bit(i, variant->textures)
      cmd->bindings[cmd->n_bindings++] = (struct sundog_shader_binding){
         .binding = SUNDOG_BINDING_TEXTURE0 + i,
         .count = 1,
         .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      };
   u_foreach_bit(i, variant->texels)
      cmd->bindings[cmd->n_bindings++] = (struct sundog_shader_binding){
         .binding = SUNDOG_BINDING_TEXELS0 + i,
         .count = 1,
         .type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
      };
}

static bool
emit_create(struct sdog_context *ctx, const struct sdog_shader *shader,
            struct sdog_variant *variant, const struct spirv_shader *spirv)
{
   struct sundog_cmd_create_shader cmd = {
      .stage = sdog_stage_index(shader->stage),
      .n_dwords = spirv->num_words,
   };

   if (variant->push)
      cmd.push_size = variant->uniform_size +
                      (cmd.stage == SUNDOG_STAGE_FRAGMENT ? SDOG_PUSH_DWORDS * 4 : 0);
   if (spirv->num_words > SDOG_BATCH_DWORDS - 2 * SDOG_BATCH_RESERVE) {
      mesa_loge("sundog: a shader of %zu words is too large", spirv->num_words);
      return false;
   }
   variant->id = sdog_object_new(ctx);
   cmd.id = variant->id;
   declare_bindings(variant, &cmd);
   sdog_batch_reserve(ctx, spirv->num_words + 256);
   sundog_emit_create_shader(ctx->batch.stream, &cmd, spirv->words);
   ctx->batch.new_shaders++;
   return true;
}

static struct sdog_variant *
variant_create(struct sdog_context *ctx, struct sdog_shader *shader,
               const struct sdog_shader_key *key)
{
   struct sdog_variant *variant = CALLOC_STRUCT(sdog_variant);
   struct spirv_shader *spirv;

   if (!variant)
      return NULL;
   variant->key = *key;
   spirv = sdog_compile(sdog_screen(ctx->base.screen), shader, variant);
   if (!spirv || !emit_create(ctx, shader, variant, spirv)) {
      FREE(variant);
      variant = NULL;
   } else {
      list_add(&variant->link, &shader->variants);
   }
   if (spirv)
      spirv_shader_delete(spirv);
   return variant;
}

static struct sdog_variant *
variant_get(struct sdog_context *ctx, struct sdog_shader *shader,
            const struct sdog_shader_key *key)
{
   list_for_each_entry(struct sdog_variant, variant, &shader->variants, link) {
      if (!memcmp(&variant->key, key, sizeof(*key)))
         return variant;
   }
   return variant_create(ctx, shader, key);
}

static bool
set_variant(struct sdog_context *ctx, unsigned stage, struct sdog_shader *shader,
            const struct sdog_shader_key *key)
{
   struct sdog_variant *variant = NULL;

   if (shader && !(variant = variant_get(ctx, shader, key)))
      return false;
   if (variant != ctx->variants[stage])
      ctx->dirty |= SDOG_DIRTY_SHADERS | SDOG_DIRTY_CONSTANTS << stage |
                    SDOG_DIRTY_BLOCKS << stage | SDOG_DIRTY_TEXTURES << stage;
   ctx->variants[stage] = variant;
   return true;
}

static uint64_t
missing_inputs(const struct sdog_shader *before, const struct sdog_shader *shader)
{
   return shader->varyings_read & ~before->varyings_written;
}

static bool
pack_varyings(const struct sdog_shader *gs, const struct sdog_shader *fs,
              struct sdog_shader_key *keys)
{
   uint64_t packed = sdog_nir_pack_varyings(gs->varyings_written | fs->varyings_read);

   if (util_bitcount64(packed) > 32) {
      mesa_loge("sundog: %u varyings between two shaders are too many", util_bitcount64(packed));
      return false;
   }
   keys[SUNDOG_STAGE_GEOMETRY].packed_varyings = packed;
   keys[SUNDOG_STAGE_FRAGMENT].packed_varyings = packed;
   return true;
}

/* The geometry shader that hides edges, or NULL; and what it takes of the others. */
static struct sdog_shader *
edges_shader(const struct sdog_context *ctx, enum mesa_prim prim, struct sdog_shader_key *keys)
{
   const struct pipe_rasterizer_state *rast = &ctx->rasterizer->base;
   struct sdog_shader *vs = ctx->shaders[SUNDOG_STAGE_VERTEX];

   if (!sdog_edges_hidden(ctx, prim, &keys[SUNDOG_STAGE_GEOMETRY].edges))
      return NULL;
   if (!vs->edges)
      vs->edges = shader_new(sdog_nir_edges_shader(vs->nir));
   keys[SUNDOG_STAGE_VERTEX].pass_flags = true;
   keys[SUNDOG_STAGE_FRAGMENT].edge_modes[0] = rast->fill_front;
   keys[SUNDOG_STAGE_FRAGMENT].edge_modes[1] = rast->fill_back;
   return vs->edges;
}

bool
sdog_shaders_update(struct sdog_context *ctx, enum mesa_prim prim)
{
   struct sdog_shader *vs = ctx->shaders[SUNDOG_STAGE_VERTEX];
   struct sdog_shader *gs = ctx->shaders[SUNDOG_STAGE_GEOMETRY];
   struct sdog_shader *fs = ctx->shaders[SUNDOG_STAGE_FRAGMENT];
   struct sdog_shader *shaders[SDOG_GRAPHICS_STAGES] = {0};
   struct sdog_shader_key keys[SDOG_GRAPHICS_STAGES];

   /* They are compared as bytes, padding included. */
   memset(keys, 0, sizeof(keys));
   if (!vs || !fs)
      return false;
   if (!gs)
      gs = edges_shader(ctx, prim, keys);
   if (gs) {
      keys[SUNDOG_STAGE_GEOMETRY].missing_inputs = missing_inputs(vs, gs);
      if (!pack_varyings(gs, fs, keys))
         return false;
   }
   vertex_key(ctx, gs ? gs : vs, sdog_rasterized_prim(ctx, prim),
              &keys[gs ? SUNDOG_STAGE_GEOMETRY : SUNDOG_STAGE_VERTEX]);
   fragment_key(ctx, fs, sdog_rasterized_prim(ctx, prim), &keys[SUNDOG_STAGE_FRAGMENT]);
   keys[SUNDOG_STAGE_FRAGMENT].missing_inputs = missing_inputs(gs ? gs : vs, fs);
   shaders[SUNDOG_STAGE_VERTEX] = vs;
   shaders[SUNDOG_STAGE_GEOMETRY] = gs;
   shaders[SUNDOG_STAGE_FRAGMENT] = fs;
   for (unsigned stage = 0; stage < SDOG_GRAPHICS_STAGES; stage++) {
      if (shaders[stage])
         texel_key(shaders[stage], &ctx->stages[stage], &keys[stage]);
      if (!set_variant(ctx, stage, shaders[stage], &keys[stage]))
         return false;
   }
   return true;
}

void
sdog_shaders_emit(struct sdog_context *ctx)
{
   struct sundog_cmd_bind_shaders cmd = {0};

   for (unsigned i = 0; i < SDOG_STAGES; i++)
      cmd.shaders[i] = ctx->variants[i] ? ctx->variants[i]->id : 0;
   sundog_emit_bind_shaders(ctx->batch.stream, &cmd);
}

void
sdog_init_shader_functions(struct pipe_context *pctx)
{
   pctx->create_vs_state = sdog_create_shader;
   pctx->create_gs_state = sdog_create_shader;
   pctx->create_fs_state = sdog_create_shader;
   pctx->bind_vs_state = sdog_bind_vs;
   pctx->bind_gs_state = sdog_bind_gs;
   pctx->bind_fs_state = sdog_bind_fs;
   pctx->delete_vs_state = sdog_delete_shader;
   pctx->delete_gs_state = sdog_delete_shader;
   pctx->delete_fs_state = sdog_delete_shader;
}
