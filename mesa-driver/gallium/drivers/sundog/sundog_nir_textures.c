/* SPDX-License-Identifier: MIT */
/* Texture slots: see sundog_nir.h. */
#include "nir_builder.h"
#include "sundog_format.h"
#include "sundog_nir.h"
#include "sundog_stage.h"

static bool
has_handle(const nir_tex_instr *tex)
{
   return nir_tex_instr_src_index(tex, nir_tex_src_texture_handle) >= 0;
}

/* Arrays of textures: one instruction per element, of which one executes */

static nir_def *
clone_for_slot(nir_builder *b, nir_tex_instr *tex, unsigned slot)
{
   nir_tex_instr *clone = nir_instr_as_tex(nir_instr_clone(b->shader, &tex->instr));

   clone->texture_index = slot;
   clone->sampler_index = slot;
   nir_builder_instr_insert(b, &clone->instr);
   return &clone->def;
}

static nir_def *
build_ladder(nir_builder *b, nir_tex_instr *tex, nir_def *offset, unsigned i, unsigned count)
{
   nir_def *here, *rest;

   if (i + 1 == count)
      return clone_for_slot(b, tex, tex->texture_index + i);
   nir_push_if(b, nir_ieq_imm(b, offset, i));
   here = clone_for_slot(b, tex, tex->texture_index + i);
   nir_push_else(b, NULL);
   rest = build_ladder(b, tex, offset, i + 1, count);
   nir_pop_if(b, NULL);
   return nir_if_phi(b, here, rest);
}

/* Returns the number of array elements from the instruction's first element to the end of the
 * declaration. */
static unsigned
array_length(const nir_shader *nir, const nir_tex_instr *tex)
{
   nir_foreach_uniform_variable(var, nir) {
      unsigned end = var->data.binding + MAX2(glsl_get_aoa_size(var->type), 1);

      if (glsl_type_is_sampler(glsl_without_array(var->type)) && !var->data.bindless &&
          tex->texture_index >= var->data.binding && tex->texture_index < end)
         return MIN2(end, SUNDOG_MAX_TEXTURES) - tex->texture_index;
   }
   return 1;
}

static bool
split_array(nir_builder *b, nir_instr *instr, void *data)
{
   nir_def *offset, *result;
   nir_tex_instr *tex;

   if (instr->type != nir_instr_type_tex)
      return false;
   tex = nir_instr_as_tex(instr);
   if (has_handle(tex))
      return false;
   offset = nir_steal_tex_src(tex, nir_tex_src_texture_offset);
   nir_steal_tex_src(tex, nir_tex_src_sampler_offset);
   if (!offset)
      return false;
   b->cursor = nir_before_instr(instr);
   result = build_ladder(b, tex, offset, 0, array_length(b->shader, tex));
   nir_def_replace(&tex->def, result);
   return true;
}

bool
sdog_nir_split_texture_arrays(nir_shader *nir)
{
   return nir_shader_instructions_pass(nir, split_array, nir_metadata_none, NULL);
}

/* Slots */

struct lower_textures {
   nir_variable *vars[SUNDOG_MAX_TEXTURES];
   const struct sdog_shader_key *key;
   uint32_t *slots;
   uint32_t *texels;
   /* The current round lowers queries. They run second, because a query of a texture's size does
    * not tell the type of its texels. */
   bool queries;
};

static enum glsl_sampler_dim
plain_dim(enum glsl_sampler_dim dim)
{
   return dim == GLSL_SAMPLER_DIM_EXTERNAL || dim == GLSL_SAMPLER_DIM_RECT ? GLSL_SAMPLER_DIM_2D
                                                                           : dim;
}

/* Returns the type of the result, or of the texture if the result does not tell the type of the
 * texels. */
static nir_alu_type
texel_type(const struct lower_textures *lower, const nir_tex_instr *tex, unsigned slot)
{
   if (!nir_tex_instr_is_query(tex) &&
       nir_alu_type_get_base_type(tex->dest_type) == nir_type_float)
      return nir_type_float;
   if (lower->key->sint_textures & BITFIELD_BIT(slot))
      return nir_type_int;
   if (lower->key->uint_textures & BITFIELD_BIT(slot))
      return nir_type_uint;
   return nir_tex_instr_is_query(tex) ? nir_type_float
                                      : nir_alu_type_get_base_type(tex->dest_type);
}

static enum glsl_base_type
glsl_type_of(nir_alu_type type)
{
   switch (type) {
   case nir_type_int:
      return GLSL_TYPE_INT;
   case nir_type_uint:
      return GLSL_TYPE_UINT;
   default:
      return GLSL_TYPE_FLOAT;
   }
}

static nir_variable *
slot_var(struct lower_textures *lower, nir_shader *nir, const nir_tex_instr *tex, unsigned slot)
{
   nir_variable *var = lower->vars[slot];
   bool is_buffer = tex->sampler_dim == GLSL_SAMPLER_DIM_BUF;
   const struct glsl_type *type;

   if (var)
      return var;
   type = glsl_sampler_type(plain_dim(tex->sampler_dim), tex->is_shadow, tex->is_array,
                            glsl_type_of(texel_type(lower, tex, slot)));
   var = nir_variable_create(nir, nir_var_uniform, type, ralloc_asprintf(nir, "texture%u", slot));
   var->data.descriptor_set = sdog_stage_index(nir->info.stage);
   var->data.binding = (is_buffer ? SUNDOG_BINDING_TEXELS0 : SUNDOG_BINDING_TEXTURE0) + slot;
   var->data.driver_location = slot;
   lower->vars[slot] = var;
   *(is_buffer ? lower->texels : lower->slots) |= BITFIELD_BIT(slot);
   return var;
}

static void
set_slot(nir_builder *b, struct lower_textures *lower, nir_tex_instr *tex, unsigned slot)
{
   nir_deref_instr *deref;

   slot = MIN2(slot, SUNDOG_MAX_TEXTURES - 1);
   /* The result has no type in NIR: its bits are interpreted as the type that the program
    * declared. */
   if (!nir_tex_instr_is_query(tex))
      tex->dest_type = texel_type(lower, tex, slot) | nir_alu_type_get_type_size(tex->dest_type);
   b->cursor = nir_before_instr(&tex->instr);
   deref = nir_build_deref_var(b, slot_var(lower, b->shader, tex, slot));
   nir_tex_instr_add_src(tex, nir_tex_src_texture_deref, &deref->def);
   tex->sampler_dim = plain_dim(tex->sampler_dim);
   tex->texture_index = slot;
   tex->sampler_index = slot;
}

static bool
lower_tex(nir_builder *b, nir_tex_instr *tex, void *data)
{
   struct lower_textures *lower = data;

   if (nir_tex_instr_is_query(tex) != lower->queries || has_handle(tex) ||
       nir_tex_instr_src_index(tex, nir_tex_src_texture_deref) >= 0)
      return false;
   set_slot(b, lower, tex, tex->texture_index);
   return true;
}

static bool
lower_tex_instr(nir_builder *b, nir_instr *instr, void *data)
{
   return instr->type == nir_instr_type_tex && lower_tex(b, nir_instr_as_tex(instr), data);
}

bool
sdog_nir_lower_textures(nir_shader *nir, const struct sdog_shader_key *key, uint32_t *slots,
                        uint32_t *texels)
{
   struct lower_textures lower = {.key = key, .slots = slots, .texels = texels};
   bool progress =
      nir_shader_instructions_pass(nir, lower_tex_instr, nir_metadata_none, &lower);

   lower.queries = true;
   return nir_shader_instructions_pass(nir, lower_tex_instr, nir_metadata_none, &lower) ||
          progress;
}

/* Rectangle textures */

static bool
nudge_rectangle(nir_builder *b, nir_instr *instr, void *data)
{
   nir_tex_instr *tex;
   int coord;

   if (instr->type != nir_instr_type_tex)
      return false;
   tex = nir_instr_as_tex(instr);
   coord = nir_tex_instr_src_index(tex, nir_tex_src_coord);
   if (tex->sampler_dim != GLSL_SAMPLER_DIM_RECT || tex->op == nir_texop_txf || coord < 0)
      return false;
   b->cursor = nir_before_instr(instr);
   nir_src_rewrite(&tex->src[coord].src,
                   nir_fmul_imm(b, tex->src[coord].src.ssa, 1.0 + 0x1p-21));
   return true;
}

bool
sdog_nir_nudge_rectangles(nir_shader *nir)
{
   return nir_shader_instructions_pass(nir, nudge_rectangle, nir_metadata_control_flow, NULL);
}

/* Swizzles that the device does not support */

static nir_def *
swizzle_result(nir_builder *b, nir_def *value, nir_alu_type type, uint16_t swizzle)
{
   bool is_float = nir_alu_type_get_base_type(type) == nir_type_float;
   nir_def *channels[4];

   for (unsigned i = 0; i < 4; i++) {
      unsigned channel = swizzle >> 3 * i & 7;

      if (channel == PIPE_SWIZZLE_0)
         channels[i] = nir_imm_int(b, 0);
      else if (channel == PIPE_SWIZZLE_1)
         channels[i] = is_float ? nir_imm_float(b, 1.0f) : nir_imm_int(b, 1);
      else
         channels[i] = nir_channel(b, value, MIN2(channel, value->num_components - 1));
   }
   return nir_vec(b, channels, 4);
}

static bool
swizzle_texel(nir_builder *b, nir_instr *instr, void *data)
{
   const uint16_t *swizzles = data;
   nir_tex_instr *tex;
   nir_def *result;

   if (instr->type != nir_instr_type_tex)
      return false;
   tex = nir_instr_as_tex(instr);
   if (tex->sampler_dim != GLSL_SAMPLER_DIM_BUF || tex->op != nir_texop_txf || has_handle(tex) ||
       tex->texture_index >= SDOG_SWIZZLE_SLOTS ||
       swizzles[tex->texture_index] == SDOG_SWIZZLE_NONE)
      return false;
   b->cursor = nir_after_instr(instr);
   result = swizzle_result(b, &tex->def, tex->dest_type, swizzles[tex->texture_index]);
   nir_def_rewrite_uses_after(&tex->def, result, result->parent_instr);
   return true;
}

bool
sdog_nir_swizzle_texels(nir_shader *nir, const uint16_t *swizzles)
{
   return nir_shader_instructions_pass(nir, swizzle_texel, nir_metadata_control_flow,
                                       (void *)swizzles);
}

/* Depth comparison */

struct lower_shadow {
   const struct sdog_shader_key *key;
   uint32_t *slots;
};

/* Comparisons through a handle return luminance. */
static uint16_t
shadow_swizzle(const struct lower_shadow *lower, const nir_tex_instr *tex)
{
   unsigned slot = MIN2(tex->texture_index, SDOG_SWIZZLE_SLOTS - 1);

   return has_handle(tex) ? PIPE_SWIZZLE_1 << 9 : lower->key->shadow_swizzle[slot];
}

/* Removes the comparison, so that the texture is sampled directly. */
static void
uncompare(nir_builder *b, nir_tex_instr *tex)
{
   unsigned components = tex->def.num_components;
   nir_def *result;

   nir_tex_instr_remove_src(tex, nir_tex_instr_src_index(tex, nir_tex_src_comparator));
   tex->is_shadow = false;
   tex->is_new_style_shadow = false;
   tex->def.num_components = 4;
   b->cursor = nir_after_instr(&tex->instr);
   result = nir_trim_vector(b, &tex->def, components);
   if (components < 4)
      nir_def_rewrite_uses_after(&tex->def, result, result->parent_instr);
}

static bool
is_uncompared(const struct lower_shadow *lower, const nir_tex_instr *tex)
{
   return tex->is_shadow && !nir_tex_instr_is_query(tex) && !has_handle(tex) &&
          lower->key->uncompared & BITFIELD_BIT(tex->texture_index);
}

static bool
lower_shadow_instr(nir_builder *b, nir_instr *instr, void *data)
{
   struct lower_shadow *lower = data;
   unsigned components;
   nir_tex_instr *tex;
   nir_def *result;

   if (instr->type != nir_instr_type_tex)
      return false;
   tex = nir_instr_as_tex(instr);
   if (is_uncompared(lower, tex)) {
      uncompare(b, tex);
      return true;
   }
   if (!tex->is_shadow || nir_tex_instr_is_query(tex) || tex->op == nir_texop_tg4)
      return false;
   if (!has_handle(tex))
      *lower->slots |= BITFIELD_BIT(MIN2(tex->texture_index, SUNDOG_MAX_TEXTURES - 1));
   components = tex->def.num_components;
   tex->def.num_components = 1;
   tex->is_new_style_shadow = true;
   b->cursor = nir_after_instr(instr);
   result = swizzle_result(b, &tex->def, nir_type_float32, shadow_swizzle(lower, tex));
   result = nir_trim_vector(b, result, components);
   nir_def_rewrite_uses_after(&tex->def, result, result->parent_instr);
   return true;
}

bool
sdog_nir_lower_shadow(nir_shader *nir, const struct sdog_shader_key *key, uint32_t *slots)
{
   struct lower_shadow lower = {key, slots};

   return nir_shader_instructions_pass(nir, lower_shadow_instr, nir_metadata_control_flow, &lower);
}
