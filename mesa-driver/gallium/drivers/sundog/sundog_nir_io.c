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

static uint32_t
location_mask(const nir_variable *var)
{
   unsigned location = varying_location(var->data.location);

   if (location == UINT_MAX)
      return 0;
   return BITFIELD_RANGE(location, glsl_count_vec4_slots(var->type, false, false));
}

static nir_variable_mode
varying_mode(const nir_shader *nir)
{
   return nir->info.stage == MESA_SHADER_VERTEX ? nir_var_shader_out : nir_var_shader_in;
}

uint32_t
sdog_nir_varying_mask(nir_shader *nir)
{
   uint32_t mask = 0;

   nir_foreach_variable_with_modes(var, nir, varying_mode(nir))
      mask |= location_mask(var);
   return mask;
}

static bool
zero_input(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   const uint32_t *missing = data;
   nir_variable *var;
   uint32_t mask;

   switch (intr->intrinsic) {
   case nir_intrinsic_load_deref:
   case nir_intrinsic_interp_deref_at_centroid:
   case nir_intrinsic_interp_deref_at_sample:
   case nir_intrinsic_interp_deref_at_offset:
      break;
   default:
      return false;
   }
   var = nir_intrinsic_get_var(intr, 0);
   if (!var || var->data.mode != nir_var_shader_in)
      return false;
   mask = location_mask(var);
   if (!mask || (mask & ~*missing))
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   nir_def_replace(&intr->def, nir_imm_zero(b, intr->def.num_components, intr->def.bit_size));
   return true;
}

bool
sdog_nir_zero_inputs(nir_shader *nir, uint32_t missing)
{
   bool progress =
      nir_shader_intrinsics_pass(nir, zero_input, nir_metadata_control_flow, &missing);

   nir_opt_dce(nir);
   nir_remove_dead_variables(nir, nir_var_shader_in, NULL);
   return progress;
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
   if (nir->info.stage == MESA_SHADER_VERTEX)
      drop_edge_flags(nir);
   nir_foreach_variable_with_modes(var, nir, varying_mode(nir))
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
