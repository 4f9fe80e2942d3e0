/* SPDX-License-Identifier: MIT */
/* Draw parameters (gl_DrawID, gl_BaseVertex, gl_InstanceID): see sundog_nir.h. */
#include "nir_builder.h"
#include "sundog_nir.h"
#include "sundog_stage.h"

static bool
subtract_base(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   nir_def *number;

   if (intr->intrinsic != nir_intrinsic_load_instance_id)
      return false;
   b->cursor = nir_after_instr(&intr->instr);
   number = nir_isub(b, &intr->def, nir_load_base_instance(b));
   nir_def_rewrite_uses_after(&intr->def, number, number->parent_instr);
   return true;
}

bool
sdog_nir_count_instances_from_zero(nir_shader *nir)
{
   return nir_shader_intrinsics_pass(nir, subtract_base, nir_metadata_control_flow, NULL);
}

bool
sdog_nir_knows_draw(const nir_shader *nir)
{
   return BITSET_TEST(nir->info.system_values_read, SYSTEM_VALUE_DRAW_ID) ||
          BITSET_TEST(nir->info.system_values_read, SYSTEM_VALUE_BASE_VERTEX);
}

static nir_def *
load_parameter(nir_builder *b, unsigned vector, unsigned dword)
{
   return nir_load_push_constant_zink(b, 1, 32, nir_imm_int(b, vector), .component = dword);
}

static bool
add_parameter(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   const unsigned *vector = data;
   nir_def *value;

   b->cursor = nir_after_instr(&intr->instr);
   switch (intr->intrinsic) {
   case nir_intrinsic_load_draw_id:
      value = load_parameter(b, *vector, SDOG_DRAW_FIRST_ID);
      /* Fragment shaders have no draw id of their own. */
      if (b->shader->info.stage == MESA_SHADER_VERTEX)
         value = nir_iadd(b, &intr->def, value);
      break;
   case nir_intrinsic_load_base_vertex:
      value = nir_iand(b, &intr->def, load_parameter(b, *vector, SDOG_DRAW_INDEXED));
      break;
   default:
      return false;
   }
   nir_def_rewrite_uses_after(&intr->def, value, value->parent_instr);
   return true;
}

bool
sdog_nir_add_draw_parameters(nir_shader *nir, unsigned vector)
{
   return nir_shader_intrinsics_pass(nir, add_parameter, nir_metadata_control_flow, &vector);
}
