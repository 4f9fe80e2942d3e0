/* SPDX-License-Identifier: MIT */
/* Subgroups, work groups and views: see sundog_nir.h. */
#include "nir_builder.h"
#include "sundog_nir.h"

static nir_def *
alone(nir_builder *b, const nir_intrinsic_instr *intr)
{
   const unsigned components = intr->def.num_components, bits = intr->def.bit_size;

   switch (intr->intrinsic) {
   case nir_intrinsic_vote_any:
   case nir_intrinsic_vote_all:
   case nir_intrinsic_read_first_invocation:
   case nir_intrinsic_read_invocation:
      return intr->src[0].ssa;
   case nir_intrinsic_vote_ieq:
   case nir_intrinsic_vote_feq:
      return nir_imm_true(b);
   case nir_intrinsic_ballot:
      return nir_pad_vector_imm_int(b, nir_b2iN(b, intr->src[0].ssa, bits), 0, components);
   case nir_intrinsic_load_subgroup_size:
      return nir_imm_int(b, 1);
   case nir_intrinsic_load_subgroup_invocation:
      return nir_imm_int(b, 0);
   case nir_intrinsic_load_subgroup_eq_mask:
   case nir_intrinsic_load_subgroup_ge_mask:
   case nir_intrinsic_load_subgroup_le_mask:
      return nir_pad_vector_imm_int(b, nir_imm_intN_t(b, 1, bits), 0, components);
   case nir_intrinsic_load_subgroup_gt_mask:
   case nir_intrinsic_load_subgroup_lt_mask:
      return nir_imm_zero(b, components, bits);
   default:
      return NULL;
   }
}

static bool
vote_alone(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   nir_def *def;

   b->cursor = nir_before_instr(&intr->instr);
   def = alone(b, intr);
   if (def)
      nir_def_replace(&intr->def, def);
   return def;
}

bool
sdog_nir_vote_alone(nir_shader *nir)
{
   return nir_shader_intrinsics_pass(nir, vote_alone, nir_metadata_control_flow, NULL);
}

void
sdog_nir_set_group_size(nir_shader *nir, const uint16_t *size)
{
   memcpy(nir->info.workgroup_size, size, sizeof(nir->info.workgroup_size));
   nir->info.workgroup_size_variable = false;
   NIR_PASS(_, nir, nir_lower_compute_system_values, NULL);
}

static bool
view_of_none(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   if (intr->intrinsic != nir_intrinsic_load_view_index)
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   nir_def_replace(&intr->def, nir_imm_int(b, 0));
   return true;
}

bool
sdog_nir_know_no_views(nir_shader *nir)
{
   return nir_shader_intrinsics_pass(nir, view_of_none, nir_metadata_control_flow, NULL);
}
