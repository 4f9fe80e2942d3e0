/* SPDX-License-Identifier: MIT */
/* The passthrough tessellation control shader, which Vulkan requires and OpenGL does not, and
 * changes to the program's own for SPIR-V: see sundog_nir.h. */
#include "nir_builder.h"
#include "sundog_nir.h"

/* Returns true for outputs that a tessellation control shader cannot have, and that later stages do
 * not read. */
static bool
ends_here(gl_varying_slot slot)
{
   switch (slot) {
   case VARYING_SLOT_EDGE:
   case VARYING_SLOT_PRIMITIVE_ID:
   case VARYING_SLOT_LAYER:
   case VARYING_SLOT_VIEWPORT:
      return true;
   default:
      return false;
   }
}

static nir_variable *
add_array(nir_shader *nir, const nir_variable *of, nir_variable_mode mode)
{
   nir_variable *var = nir_variable_clone(of, nir);

   var->data.mode = mode;
   var->data.explicit_xfb_buffer = false;
   var->type = glsl_array_type(of->type, SUNDOG_MAX_PATCH_VERTICES, 0);
   nir_shader_add_variable(nir, var);
   return var;
}

static void
pass_on(nir_builder *b, const nir_variable *output, nir_def *vertex)
{
   nir_variable *in = add_array(b->shader, output, nir_var_shader_in);
   nir_variable *out = add_array(b->shader, output, nir_var_shader_out);

   nir_copy_deref(b, nir_build_deref_array(b, nir_build_deref_var(b, out), vertex),
                  nir_build_deref_array(b, nir_build_deref_var(b, in), vertex));
}

static void
write_levels(nir_builder *b, gl_varying_slot slot, unsigned count, unsigned first)
{
   nir_variable *var =
      nir_create_variable_with_location(b->shader, nir_var_shader_out, slot,
                                        glsl_array_type(glsl_float_type(), count, 0));

   var->data.patch = true;
   var->data.compact = true;
   for (unsigned i = 0; i < count; i++) {
      nir_def *level = nir_load_ubo(b, 1, 32, nir_imm_int(b, 0), nir_imm_int(b, (first + i) * 4),
                                    .align_mul = 4, .range = ~0);

      nir_store_deref(b, nir_build_deref_array_imm(b, nir_build_deref_var(b, var), i), level, 1);
   }
}

nir_shader *
sdog_nir_passthrough_shader(const nir_shader *vs)
{
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_TESS_CTRL, vs->options,
                                                  "patches as they are");
   nir_def *vertex = nir_load_invocation_id(&b);

   nir_foreach_shader_out_variable(output, vs) {
      if (!ends_here(output->data.location))
         pass_on(&b, output, vertex);
   }
   write_levels(&b, VARYING_SLOT_TESS_LEVEL_OUTER, 4, 0);
   write_levels(&b, VARYING_SLOT_TESS_LEVEL_INNER, 2, 4);
   NIR_PASS(_, b.shader, nir_split_var_copies);
   NIR_PASS(_, b.shader, nir_lower_var_copies);
   nir_shader_gather_info(b.shader, nir_shader_get_entrypoint(b.shader));
   return b.shader;
}

static bool
trim_barrier(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   nir_variable_mode modes;

   if (intr->intrinsic != nir_intrinsic_barrier ||
       !(nir_intrinsic_memory_modes(intr) & nir_var_shader_out))
      return false;
   modes = nir_intrinsic_memory_modes(intr) & ~nir_var_shader_out;
   if (!modes && nir_intrinsic_execution_scope(intr) == SCOPE_NONE) {
      nir_instr_remove(&intr->instr);
      return true;
   }
   /* The translator does not accept a barrier without memory modes. */
   nir_intrinsic_set_memory_modes(intr, modes ? modes : nir_var_mem_ssbo);
   /* SPIR-V has no memory scope for a patch. */
   nir_intrinsic_set_memory_scope(intr, SCOPE_DEVICE);
   return true;
}

bool
sdog_nir_trim_barriers(nir_shader *nir)
{
   return nir_shader_intrinsics_pass(nir, trim_barrier, nir_metadata_control_flow, NULL);
}

void
sdog_nir_set_patch_vertices(nir_shader *nir, unsigned count)
{
   nir->info.tess.tcs_vertices_out = count;
   nir_foreach_shader_out_variable(var, nir) {
      if (!var->data.patch)
         var->type = glsl_array_type(glsl_get_array_element(var->type), count, 0);
   }
   nir_fixup_deref_types(nir);
}
