/* SPDX-License-Identifier: MIT */
/* Samples and framebuffer fetch in fragment shaders: see sundog_nir.h. */
#include "nir_builder.h"
#include "sundog_fetch.h"
#include "sundog_nir.h"
#include "sundog_state.h"

bool
sdog_nir_knows_samples(const nir_shader *nir)
{
   if (nir->info.outputs_written & BITFIELD64_BIT(FRAG_RESULT_SAMPLE_MASK))
      return true;
   nir_foreach_block(block, nir_shader_get_entrypoint((nir_shader *)nir)) {
      nir_foreach_instr(instr, block) {
         if (instr->type == nir_instr_type_intrinsic &&
             nir_instr_as_intrinsic(instr)->intrinsic == nir_intrinsic_interp_deref_at_sample)
            return true;
      }
   }
   return false;
}

static bool
interpolate_at_center(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   if (intr->intrinsic != nir_intrinsic_interp_deref_at_sample)
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   nir_def_replace(&intr->def, nir_load_deref(b, nir_src_as_deref(intr->src[0])));
   return true;
}

bool
sdog_nir_ignore_samples(nir_shader *nir)
{
   sdog_nir_drop_output(nir, (gl_varying_slot)FRAG_RESULT_SAMPLE_MASK);
   return nir_shader_intrinsics_pass(nir, interpolate_at_center, nir_metadata_control_flow, NULL);
}

void
sdog_nir_run_per_sample(nir_shader *nir)
{
   nir_builder b = nir_builder_at(nir_before_impl(nir_shader_get_entrypoint(nir)));

   nir_foreach_shader_in_variable(var, nir) {
      if (var->data.interpolation == INTERP_MODE_FLAT || var->data.location == VARYING_SLOT_POS)
         continue;
      var->data.centroid = false;
      var->data.sample = true;
   }
   /* Declaring the sample id makes the device run the shader for each sample. */
   nir_load_sample_id(&b);
   nir->info.fs.uses_sample_shading = true;
}

/* Round points */

/* Returns the mask of the samples of the pixel that are inside the circle of a point. The point
 * coordinate is linear in the pixel's position, 0 to 1 across the point. */
static nir_def *
covered_samples(nir_builder *b, unsigned samples)
{
   nir_def *center = nir_fadd_imm(b, nir_load_point_coord(b), -0.5f);
   nir_def *dx = nir_ddx(b, center);
   nir_def *dy = nir_ddy(b, center);
   nir_def *mask = nir_imm_int(b, 0);

   for (unsigned i = 0; i < samples; i++) {
      float place[2];
      nir_def *at, *inside;

      sdog_sample_position(samples, i, place);
      at = nir_fadd(b, center, nir_fadd(b, nir_fmul_imm(b, dx, place[0] - 0.5f),
                                        nir_fmul_imm(b, dy, place[1] - 0.5f)));
      inside = nir_flt_imm(b, nir_fdot2(b, at, at), 0.25f);
      mask = nir_ior(b, mask, nir_bcsel(b, inside, nir_imm_int(b, 1 << i), nir_imm_int(b, 0)));
   }
   return mask;
}

static bool
mask_store(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   if (intr->intrinsic != nir_intrinsic_store_deref ||
       nir_intrinsic_get_var(intr, 0)->data.mode != nir_var_shader_out ||
       nir_intrinsic_get_var(intr, 0)->data.location != FRAG_RESULT_SAMPLE_MASK)
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   nir_src_rewrite(&intr->src[1], nir_iand(b, intr->src[1].ssa, data));
   return true;
}

bool
sdog_nir_round_points(nir_shader *nir, unsigned samples)
{
   nir_builder b = nir_builder_at(nir_before_impl(nir_shader_get_entrypoint(nir)));
   nir_def *mask = covered_samples(&b, samples);

   /* Pixels outside have no fragment, so their shader must not store anything. */
   nir_demote_if(&b, nir_ieq_imm(&b, mask, 0));
   nir->info.fs.uses_discard = true;
   nir_metadata_preserve(b.impl, nir_metadata_control_flow);
   if (nir->info.outputs_written & BITFIELD64_BIT(FRAG_RESULT_SAMPLE_MASK)) {
      nir_shader_intrinsics_pass(nir, mask_store, nir_metadata_control_flow, mask);
      return true;
   }
   b.cursor = nir_after_impl(b.impl);
   nir_store_var(&b,
                 nir_create_variable_with_location(nir, nir_var_shader_out,
                                                   FRAG_RESULT_SAMPLE_MASK, glsl_int_type()),
                 mask, 1);
   nir->info.outputs_written |= BITFIELD64_BIT(FRAG_RESULT_SAMPLE_MASK);
   return true;
}

/* Framebuffer fetch */

static nir_def *
load_int_input(nir_builder *b, gl_varying_slot slot)
{
   nir_variable *var =
      nir_get_variable_with_location(b->shader, nir_var_shader_in, slot, glsl_int_type());

   var->data.interpolation = INTERP_MODE_FLAT;
   return nir_load_var(b, var);
}

static nir_def *
fetch_layer(nir_builder *b, const struct sdog_fetch_key *key)
{
   if (!key->layered)
      return nir_imm_int(b, 0);
   return key->views ? nir_load_view_index(b) : load_int_input(b, VARYING_SLOT_LAYER);
}

static nir_def *
fetch_coordinates(nir_builder *b, const struct sdog_fetch_key *key)
{
   nir_variable *position = nir_get_variable_with_location(b->shader, nir_var_shader_in,
                                                           VARYING_SLOT_POS, glsl_vec4_type());
   nir_def *pixel = nir_f2i32(b, nir_load_var(b, position));
   nir_def *layer = fetch_layer(b, key);
   unsigned count = key->dim == GLSL_SAMPLER_DIM_1D ? 1 : 2;
   nir_def *channels[3] = {nir_channel(b, pixel, 0), nir_channel(b, pixel, 1)};

   if (key->dim == GLSL_SAMPLER_DIM_3D)
      channels[count++] = nir_iadd_imm(b, layer, key->slice);
   else if (key->layered)
      channels[count++] = layer;
   return nir_vec(b, channels, count);
}

/* @type is the type of the output, which EXT_shader_framebuffer_fetch requires to match the
 * buffer. */
static nir_def *
fetch_color(nir_builder *b, const struct sdog_fetch_key *key, unsigned index, nir_alu_type type)
{
   bool multisampled = key->dim == GLSL_SAMPLER_DIM_MS;
   nir_tex_instr *tex = nir_tex_instr_create(b->shader, 2);

   tex->op = multisampled ? nir_texop_txf_ms : nir_texop_txf;
   tex->sampler_dim = key->dim;
   tex->is_array = key->layered && key->dim != GLSL_SAMPLER_DIM_3D;
   tex->dest_type = type;
   tex->texture_index = SDOG_FETCH_SLOT + index;
   tex->sampler_index = SDOG_FETCH_SLOT + index;
   tex->src[0] = nir_tex_src_for_ssa(nir_tex_src_coord, fetch_coordinates(b, key));
   tex->coord_components = tex->src[0].src.ssa->num_components;
   tex->src[1] = multisampled ? nir_tex_src_for_ssa(nir_tex_src_ms_index, nir_load_sample_id(b))
                              : nir_tex_src_for_ssa(nir_tex_src_lod, nir_imm_int(b, 0));
   nir_def_init(&tex->instr, &tex->def, 4, 32);
   nir_builder_instr_insert(b, &tex->instr);
   return &tex->def;
}

static bool
is_fetched(const nir_variable *var)
{
   return var && var->data.mode == nir_var_shader_out && var->data.fb_fetch_output;
}

/* Returns the colour buffer of an access to a fetched output. Arrays of outputs have constant
 * indices only, because Mesa first copies them to a temporary variable. */
static unsigned
color_index(const nir_intrinsic_instr *intr)
{
   const nir_deref_instr *deref = nir_src_as_deref(intr->src[0]);
   int location = nir_intrinsic_get_var(intr, 0)->data.location;

   if (deref->deref_type == nir_deref_type_array) {
      assert(nir_src_is_const(deref->arr.index));
      location += nir_src_as_uint(deref->arr.index);
   }
   /* FRAG_RESULT_COLOR is below FRAG_RESULT_DATA0. */
   location = MAX2(location - FRAG_RESULT_DATA0, 0);
   return MIN2(location, SUNDOG_MAX_COLOR_ATTACHMENTS - 1);
}

static void
lower_load(nir_builder *b, nir_intrinsic_instr *intr, const struct sdog_fetch_key *keys)
{
   const struct glsl_type *type = glsl_without_array(nir_intrinsic_get_var(intr, 0)->type);
   nir_deref_instr *deref = nir_src_as_deref(intr->src[0]);
   unsigned index = color_index(intr);
   nir_def *color;

   b->cursor = nir_before_instr(&intr->instr);
   color = fetch_color(b, &keys[index], index,
                       nir_get_nir_type_for_glsl_base_type(glsl_get_base_type(type)));
   nir_def_replace(&intr->def, nir_trim_vector(b, color, intr->def.num_components));
   /* Otherwise gl_LastFragData would remain an output, at the location of gl_FragColor. */
   nir_deref_instr_remove_if_unused(deref);
}

/* Outputs, and the temporary variables that Mesa creates for them, whose accesses keep the
 * qualifier of the output. */
#define OUTPUT_MODES (nir_var_shader_out | nir_var_shader_temp | nir_var_function_temp)

static bool
lower_fetch(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   bool loads = intr->intrinsic == nir_intrinsic_load_deref;

   if ((!loads && intr->intrinsic != nir_intrinsic_store_deref) ||
       !nir_deref_mode_is_one_of(nir_src_as_deref(intr->src[0]), OUTPUT_MODES))
      return false;
   if (loads && is_fetched(nir_intrinsic_get_var(intr, 0)))
      lower_load(b, intr, data);
   else
      /* The translator would take the qualifier for one of a buffer and emit an atomic access. */
      nir_intrinsic_set_access(intr, nir_intrinsic_access(intr) & ~ACCESS_COHERENT);
   return true;
}

static uint8_t
accessed_color(nir_instr *instr, nir_intrinsic_op op)
{
   nir_intrinsic_instr *intr;

   if (instr->type != nir_instr_type_intrinsic)
      return 0;
   intr = nir_instr_as_intrinsic(instr);
   if (intr->intrinsic != op || !is_fetched(nir_intrinsic_get_var(intr, 0)))
      return 0;
   return BITFIELD_BIT(color_index(intr));
}

/* Returns the mask of colour buffers whose fetched outputs are accessed by instructions @op. */
static uint8_t
accessed_colors(const nir_shader *nir, nir_intrinsic_op op)
{
   uint8_t colors = 0;

   STATIC_ASSERT(SUNDOG_MAX_COLOR_ATTACHMENTS <= 8);
   nir_foreach_block(block, nir_shader_get_entrypoint((nir_shader *)nir)) {
      nir_foreach_instr(instr, block)
         colors |= accessed_color(instr, op);
   }
   return colors;
}

uint8_t
sdog_nir_fetched_colors(const nir_shader *nir)
{
   return accessed_colors(nir, nir_intrinsic_load_deref);
}

/* Returns the mask of colour buffers that @var is an output to. */
static uint8_t
colors_of(const nir_variable *var)
{
   const unsigned count = glsl_type_is_array(var->type) ? glsl_get_length(var->type) : 1;

   if (var->data.location == FRAG_RESULT_COLOR)
      return BITFIELD_MASK(SUNDOG_MAX_COLOR_ATTACHMENTS);
   return var->data.location < FRAG_RESULT_DATA0
             ? 0
             : BITFIELD_RANGE(var->data.location - FRAG_RESULT_DATA0, count);
}

/* Returns true for gl_LastFragData and the input of advanced blending. Other outputs write these
 * buffers. */
static bool
is_only_read(const nir_shader *nir, const nir_variable *var)
{
   nir_foreach_shader_out_variable(other, nir) {
      if (other != var && (colors_of(other) & colors_of(var)) &&
          other->data.location_frac == var->data.location_frac)
         return true;
   }
   return var->data.location < FRAG_RESULT_DATA0;
}

/* Restores all components, because Mesa removes those that are not read from the type. */
static void
widen(nir_variable *var)
{
   const struct glsl_type *type =
      glsl_vector_type(glsl_get_base_type(glsl_without_array(var->type)),
                       4 - var->data.location_frac);

   var->type = glsl_type_is_array(var->type) ? glsl_array_type(type, glsl_get_length(var->type), 0)
                                             : type;
}

static void
store_fetched(nir_builder *b, nir_variable *var, uint8_t stored)
{
   bool is_array = glsl_type_is_array(var->type);
   unsigned count = is_array ? glsl_get_length(var->type) : 1;

   for (unsigned i = 0; i < count; i++) {
      nir_deref_instr *deref;
      nir_def *color;

      if (stored & BITFIELD_BIT(var->data.location - FRAG_RESULT_DATA0 + i))
         continue;
      deref = nir_build_deref_var(b, var);
      if (is_array)
         deref = nir_build_deref_array_imm(b, deref, i);
      color = nir_load_deref(b, deref);
      nir_store_deref(b, deref, color, BITFIELD_MASK(color->num_components));
   }
}

static void
fix_load_types(nir_shader *nir)
{
   /* Derefs of variables that were widened still have the old type. */
   nir_foreach_block(block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr(instr, block) {
         nir_deref_instr *deref;

         if (instr->type != nir_instr_type_deref)
            continue;
         deref = nir_instr_as_deref(instr);
         if (deref->deref_type == nir_deref_type_var)
            deref->type = deref->var->type;
         else if (deref->deref_type == nir_deref_type_array &&
                  nir_deref_mode_is(deref, nir_var_shader_out))
            deref->type = glsl_get_array_element(nir_deref_instr_parent(deref)->type);
      }
   }
}

bool
sdog_nir_store_fetched(nir_shader *nir)
{
   const uint8_t stored = accessed_colors(nir, nir_intrinsic_store_deref);
   nir_builder b = nir_builder_at(nir_after_impl(nir_shader_get_entrypoint(nir)));

   nir_foreach_shader_out_variable(var, nir) {
      if (!is_fetched(var) || is_only_read(nir, var) || !(colors_of(var) & ~stored))
         continue;
      if (!(colors_of(var) & stored))
         widen(var);
      fix_load_types(nir);
      store_fetched(&b, var, stored);
   }
   nir_metadata_preserve(b.impl, nir_metadata_control_flow);
   return true;
}

bool
sdog_nir_lower_fetch(nir_shader *nir, const struct sdog_fetch_key *keys)
{
   u_foreach_bit(i, sdog_nir_fetched_colors(nir)) {
      /* EXT_shader_framebuffer_fetch requires that such a shader runs per sample. */
      if (keys[i].dim == GLSL_SAMPLER_DIM_MS)
         nir->info.fs.uses_sample_shading = true;
   }
   return nir_shader_intrinsics_pass(nir, lower_fetch, nir_metadata_control_flow, (void *)keys);
}
