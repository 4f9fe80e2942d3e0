/* SPDX-License-Identifier: MIT */
/* Splits 64-bit values for buffers of dwords and for attributes of four dwords: see
 * sundog_nir.h. */
#include "nir_builder.h"
#include "sundog_nir.h"

static bool
split_uniform(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   unsigned align_mul, align_offset;
   nir_def *words[2];

   if (intr->intrinsic != nir_intrinsic_load_ubo || intr->def.bit_size != 64)
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   align_mul = nir_intrinsic_align_mul(intr);
   align_offset = nir_intrinsic_align_offset(intr);
   for (unsigned i = 0; i < 2; i++)
      words[i] = nir_load_ubo(b, 1, 32, intr->src[0].ssa,
                              nir_iadd_imm(b, intr->src[1].ssa, i * 4), .align_mul = align_mul,
                              .align_offset = (align_offset + i * 4) % align_mul,
                              .range_base = nir_intrinsic_range_base(intr),
                              .range = nir_intrinsic_range(intr));
   nir_def_replace(&intr->def, nir_pack_64_2x32_split(b, words[0], words[1]));
   return true;
}

bool
sdog_nir_split_uniforms(nir_shader *nir)
{
   return nir_shader_intrinsics_pass(nir, split_uniform, nir_metadata_control_flow, NULL);
}

/* Returns one of the two attributes that replace a vector of four 64-bit components. */
static nir_variable *
half_attribute(nir_shader *nir, const nir_variable *whole, unsigned half)
{
   nir_variable *var;

   nir_foreach_shader_in_variable(in, nir) {
      if (in != whole && in->data.driver_location == whole->data.driver_location + half)
         return in;
   }
   var = nir_variable_clone(whole, nir);
   var->type = glsl_vector_type(GLSL_TYPE_UINT, 4);
   var->data.location += half;
   var->data.driver_location += half;
   nir_shader_add_variable(nir, var);
   return var;
}

static bool
split_attribute(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   nir_variable *var =
      intr->intrinsic == nir_intrinsic_load_deref ? nir_intrinsic_get_var(intr, 0) : NULL;
   nir_def *halves[2], *channels[4];

   if (!var || var->data.mode != nir_var_shader_in || var->type != glsl_dvec4_type())
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   for (unsigned i = 0; i < 2; i++)
      halves[i] = nir_load_var(b, half_attribute(b->shader, var, i));
   for (unsigned i = 0; i < 4; i++)
      channels[i] = nir_pack_64_2x32_split(b, nir_channel(b, halves[i / 2], i % 2 * 2),
                                           nir_channel(b, halves[i / 2], i % 2 * 2 + 1));
   nir_def_replace(&intr->def, nir_vec(b, channels, 4));
   return true;
}

bool
sdog_nir_split_attributes(nir_shader *nir)
{
   bool progress =
      nir_shader_intrinsics_pass(nir, split_attribute, nir_metadata_control_flow, NULL);

   if (progress) {
      nir_opt_dce(nir);
      nir_remove_dead_variables(nir, nir_var_shader_in, NULL);
   }
   return progress;
}
