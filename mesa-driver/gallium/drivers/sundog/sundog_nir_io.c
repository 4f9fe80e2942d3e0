/* SPDX-License-Identifier: MIT */
/* Inputs and outputs: see sundog_nir.h. */
#include "nir_builder.h"
#include "sundog_nir.h"

/* Locations 0 to 15 are the user's varyings, the old fixed ones follow. */
static unsigned
varying_location(unsigned slot)
{
   switch (slot) {
   case VARYING_SLOT_COL0:
   case VARYING_SLOT_COL1:
      return 16 + slot - VARYING_SLOT_COL0;
   case VARYING_SLOT_BFC0:
   case VARYING_SLOT_BFC1:
      return 18 + slot - VARYING_SLOT_BFC0;
   case VARYING_SLOT_FOGC:
      return 20;
   default:
      if (slot >= VARYING_SLOT_TEX0 && slot <= VARYING_SLOT_TEX7)
         return 21 + slot - VARYING_SLOT_TEX0;
      if (slot >= VARYING_SLOT_VAR0)
         return slot - VARYING_SLOT_VAR0;
      /* Built-in, the translator knows them by slot. */
      return UINT_MAX;
   }
}

/* Edge flags say which edges of an unfilled polygon are drawn; the device has nothing like it. */
static void
drop_edge_flags(nir_shader *nir)
{
   nir_variable *var = nir_find_variable_with_location(nir, nir_var_shader_out, VARYING_SLOT_EDGE);

   if (!var)
      return;
   var->data.mode = nir_var_shader_temp;
   nir_fixup_deref_modes(nir);
   nir_remove_dead_variables(nir, nir_var_shader_temp, NULL);
}

void
sdog_nir_assign_locations(nir_shader *nir)
{
   nir_variable_mode modes = nir->info.stage == MESA_SHADER_VERTEX ? nir_var_shader_out
                                                                   : nir_var_shader_in;

   if (nir->info.stage == MESA_SHADER_VERTEX)
      drop_edge_flags(nir);
   nir_foreach_variable_with_modes(var, nir, modes)
      var->data.driver_location = varying_location(var->data.location);
}

static bool
flip(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   nir_def *flipped;

   if (intr->intrinsic != nir_intrinsic_load_point_coord &&
       intr->intrinsic != nir_intrinsic_load_point_coord_maybe_flipped)
      return false;
   b->cursor = nir_after_instr(&intr->instr);
   flipped = nir_vec2(b, nir_channel(b, &intr->def, 0),
                      nir_fsub_imm(b, 1.0f, nir_channel(b, &intr->def, 1)));
   nir_def_rewrite_uses_after(&intr->def, flipped, flipped->parent_instr);
   return true;
}

bool
sdog_nir_flip_point_coord(nir_shader *nir)
{
   return nir_shader_intrinsics_pass(nir, flip, nir_metadata_control_flow, NULL);
}
