/* SPDX-License-Identifier: MIT */
/* Shader objects, their variants and the packets that create and bind them. Runs on the context's
 * thread. */
#include "sundog_shader.h"

#include "nir.h"
#include "nir/tgsi_to_nir.h"
#include "nir_to_spirv/nir_to_spirv.h"
#include "sundog_compiler.h"
#include "sundog_context.h"
#include "sundog_screen.h"
#include "sundog_stage.h"
#include "sundog_texture.h"
#include "util/log.h"
#include "util/u_memory.h"
#include "util/u_prim.h"

struct sdog_shader *
sdog_shader_new(nir_shader *nir)
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
   return sdog_shader_new(state->type == PIPE_SHADER_IR_TGSI
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
         if (ctx->variants[i] == variant) {
            ctx->variants[i] = NULL;
            ctx->dirty |= SDOG_DIRTY_SHADERS;
         }
      }
      sdog_object_destroy(ctx, SUNDOG_OBJECT_KIND_SHADER, &variant->object);
      FREE(variant);
   }
   if (shader->edges)
      sdog_delete_shader(pctx, shader->edges);
   if (shader->passthrough)
      sdog_delete_shader(pctx, shader->passthrough);
   ralloc_free(shader->nir);
   FREE(shader);
}

static void
bind_shader(struct pipe_context *pctx, unsigned stage, void *cso)
{
   struct sdog_context *ctx = sdog_context(pctx);

   ctx->shaders[stage] = cso;
   ctx->dirty |= sdog_dirty_key(stage);
}

static void *
sdog_create_compute(struct pipe_context *pctx, const struct pipe_compute_state *state)
{
   return sdog_shader_new(state->ir_type == PIPE_SHADER_IR_TGSI
                        ? tgsi_to_nir(state->prog, pctx->screen, false)
                        : (nir_shader *)state->prog);
}

static void
sdog_bind_compute(struct pipe_context *pctx, void *cso)
{
   bind_shader(pctx, SUNDOG_STAGE_COMPUTE, cso);
}

static void
sdog_bind_vs(struct pipe_context *pctx, void *cso)
{
   bind_shader(pctx, SUNDOG_STAGE_VERTEX, cso);
}

static void
sdog_bind_tcs(struct pipe_context *pctx, void *cso)
{
   bind_shader(pctx, SUNDOG_STAGE_TESS_CTRL, cso);
}

static void
sdog_bind_tes(struct pipe_context *pctx, void *cso)
{
   bind_shader(pctx, SUNDOG_STAGE_TESS_EVAL, cso);
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

static void
declare_binding(struct sundog_cmd_create_shader *cmd, VkDescriptorType type, unsigned binding,
                unsigned count)
{
   cmd->bindings[cmd->n_bindings++] = (struct sundog_shader_binding){
      .binding = binding,
      .count = count,
      .type = type,
   };
}

/* Declares one binding per slot. */
static void
declare_slots(struct sundog_cmd_create_shader *cmd, VkDescriptorType type, unsigned first,
              uint32_t slots)
{
   u_foreach_bit(i, slots)
      declare_binding(cmd, type, first + i, 1);
}

static void
declare_bindings(const struct sdog_variant *variant, struct sundog_cmd_create_shader *cmd)
{
   if (variant->uniform_size && !variant->push)
      declare_binding(cmd, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, SUNDOG_BINDING_UBO0, 1);
   if (variant->blocks)
      declare_binding(cmd, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, SUNDOG_BINDING_UBOS,
                      util_last_bit(variant->blocks) - 1);
   if (variant->ssbos)
      declare_binding(cmd, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, SUNDOG_BINDING_SSBOS,
                      util_last_bit(variant->ssbos));
   declare_slots(cmd, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, SUNDOG_BINDING_TEXTURE0,
                 variant->textures);
   declare_slots(cmd, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, SUNDOG_BINDING_TEXELS0,
                 variant->texels);
   declare_slots(cmd, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, SUNDOG_BINDING_IMAGE0, variant->images);
   declare_slots(cmd, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, SUNDOG_BINDING_STORAGE_TEXELS0,
                 variant->storage_texels);
}

static bool
emit_create(struct sdog_context *ctx, const struct sdog_shader *shader,
            struct sdog_variant *variant, const struct spirv_shader *spirv)
{
   struct sundog_cmd_create_shader cmd = {
      .stage = sdog_stage_index(shader->stage),
      .n_dwords = spirv->num_words,
   };

   if (variant->push || variant->knows_draw) {
      cmd.push_size = variant->knows_draw ? SDOG_PUSH_DWORDS * 4 : variant->uniform_size;
      if (cmd.stage == SUNDOG_STAGE_FRAGMENT)
         cmd.push_size += SDOG_PUSH_DWORDS * 4;
   }
   if (spirv->num_words > SDOG_BATCH_DWORDS - 2 * SDOG_BATCH_RESERVE) {
      mesa_loge("sundog: a shader has %zu words, at most %u: skipping its draws", spirv->num_words,
                SDOG_BATCH_DWORDS - 2 * SDOG_BATCH_RESERVE);
      return false;
   }
   ctx->residents.wanted |= variant->handles;
   declare_bindings(variant, &cmd);
   sdog_batch_reserve(ctx, spirv->num_words + 256);
   if (!sdog_object_make(ctx, &variant->object))
      return true;
   cmd.id = variant->object.id;
   sundog_emit_create_shader(ctx->batch.stream, &cmd, spirv->words);
   ctx->batch.new_shaders++;
   return true;
}

static bool
variant_compile(struct sdog_context *ctx, struct sdog_shader *shader, struct sdog_variant *variant)
{
   struct spirv_shader *spirv = sdog_compile(sdog_screen(ctx->base.screen), shader, variant);
   bool made = spirv && emit_create(ctx, shader, variant, spirv);

   if (spirv)
      spirv_shader_delete(spirv);
   return made;
}

static struct sdog_variant *
variant_create(struct sdog_context *ctx, struct sdog_shader *shader,
               const struct sdog_shader_key *key)
{
   struct sdog_variant *variant = CALLOC_STRUCT(sdog_variant);

   if (!variant)
      return NULL;
   variant->key = *key;
   variant->refused = !variant_compile(ctx, shader, variant);
   list_add(&variant->link, &shader->variants);
   return variant;
}

static struct sdog_variant *
find_variant(struct sdog_shader *shader, const struct sdog_shader_key *key)
{
   list_for_each_entry(struct sdog_variant, variant, &shader->variants, link) {
      if (!memcmp(&variant->key, key, sizeof(*key)))
         return variant;
   }
   return NULL;
}

struct sdog_variant *
sdog_variant_get(struct sdog_context *ctx, struct sdog_shader *shader,
                 const struct sdog_shader_key *key)
{
   struct sdog_variant *variant = find_variant(shader, key);

   if (!variant)
      variant = variant_create(ctx, shader, key);
   else if (!variant->refused && !sdog_object_exists(ctx, &variant->object) &&
            !sdog_loss_is_final(ctx))
      /* The object belonged to an earlier client. */
      variant->refused = !variant_compile(ctx, shader, variant);
   return variant && !variant->refused ? variant : NULL;
}

/* Returns true if the bound variants are complete. They are not if a shader of the last draw was
 * deleted, and a dispatch comes before the next draw, which binds others. */
static bool
can_draw(const struct sdog_context *ctx)
{
   return ctx->variants[SUNDOG_STAGE_VERTEX] &&
          !ctx->variants[SUNDOG_STAGE_TESS_CTRL] == !ctx->variants[SUNDOG_STAGE_TESS_EVAL];
}

void
sdog_shaders_emit(struct sdog_context *ctx)
{
   struct sundog_cmd_bind_shaders cmd = {0};
   bool drawable = can_draw(ctx);

   for (unsigned i = 0; i < SDOG_STAGES; i++)
      cmd.shaders[i] = ctx->variants[i] && (drawable || i == SUNDOG_STAGE_COMPUTE)
                          ? ctx->variants[i]->object.id
                          : 0;
   sundog_emit_bind_shaders(ctx->batch.stream, &cmd);
}

void
sdog_init_shader_functions(struct pipe_context *pctx)
{
   pctx->create_vs_state = sdog_create_shader;
   pctx->create_tcs_state = sdog_create_shader;
   pctx->create_tes_state = sdog_create_shader;
   pctx->create_gs_state = sdog_create_shader;
   pctx->create_fs_state = sdog_create_shader;
   pctx->create_compute_state = sdog_create_compute;
   pctx->bind_vs_state = sdog_bind_vs;
   pctx->bind_tcs_state = sdog_bind_tcs;
   pctx->bind_tes_state = sdog_bind_tes;
   pctx->bind_gs_state = sdog_bind_gs;
   pctx->bind_fs_state = sdog_bind_fs;
   pctx->bind_compute_state = sdog_bind_compute;
   pctx->delete_vs_state = sdog_delete_shader;
   pctx->delete_tcs_state = sdog_delete_shader;
   pctx->delete_tes_state = sdog_delete_shader;
   pctx->delete_gs_state = sdog_delete_shader;
   pctx->delete_fs_state = sdog_delete_shader;
   pctx->delete_compute_state = sdog_delete_shader;
}
