/* SPDX-License-Identifier: MIT */
/* Uniforms: see sundog_nir.h. Loads are scalar and of 32 bits here. */
#include "nir_builder.h"
#include "sundog_nir.h"
#include "sundog_stage.h"

static bool
is_uniform_load(const nir_intrinsic_instr *intr)
{
   return intr->intrinsic == nir_intrinsic_load_ubo;
}

uint32_t
sdog_nir_uniform_size(const nir_shader *nir, bool *constant)
{
   /* In vec4 slots. Passes of the state tracker may have added some at the end. */
   uint32_t size = nir->num_uniforms * 16;

   *constant = true;
   nir_foreach_block(block, nir_shader_get_entrypoint((nir_shader *)nir)) {
      nir_foreach_instr(instr, block) {
         nir_intrinsic_instr *intr;

         if (instr->type != nir_instr_type_intrinsic)
            continue;
         intr = nir_instr_as_intrinsic(instr);
         if (!is_uniform_load(intr))
            continue;
         if (nir_src_is_const(intr->src[1]))
            size = MAX2(size, nir_src_as_uint(intr->src[1]) + intr->num_components * 4);
         else
            *constant = false;
      }
   }
   return align(size, 16);
}

/* Buffer: struct { uvec4 base[size / 16]; }, in an array of one. */

static bool
to_buffer(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   nir_deref_instr *deref;
   nir_def *offset, *value;

   if (!is_uniform_load(intr))
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   offset = intr->src[1].ssa;
   deref = nir_build_deref_array_imm(b, nir_build_deref_var(b, data), 0);
   deref = nir_build_deref_struct(b, deref, 0);
   deref = nir_build_deref_array(b, deref, nir_ushr_imm(b, offset, 4));
   value = nir_vector_extract(b, nir_load_deref(b, deref),
                              nir_iand_imm(b, nir_ushr_imm(b, offset, 2), 3));
   nir_def_replace(&intr->def, value);
   return true;
}

bool
sdog_nir_lower_uniforms_to_buffer(nir_shader *nir, uint32_t size)
{
   struct glsl_struct_field field = {
      .name = "base",
      .type = glsl_array_type(glsl_vector_type(GLSL_TYPE_UINT, 4), size / 16, 16),
   };
   const struct glsl_type *block =
      glsl_interface_type(&field, 1, GLSL_INTERFACE_PACKING_STD140, false, "uniforms");
   nir_variable *var = nir_variable_create(nir, nir_var_mem_ubo, glsl_array_type(block, 1, 0),
                                           "uniforms");

   var->interface_type = var->type;
   var->data.descriptor_set = nir->info.stage == MESA_SHADER_FRAGMENT ? SUNDOG_STAGE_FRAGMENT
                                                                      : SUNDOG_STAGE_VERTEX;
   var->data.binding = SUNDOG_BINDING_UBO0;
   var->data.driver_location = 0;
   return nir_shader_intrinsics_pass(nir, to_buffer, nir_metadata_control_flow, var);
}

/* Push constants: struct { uint vec4_0[4]; uint vec4_1[4]; ... }, behind the other stage's. */

static bool
to_push(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   nir_def *load;
   unsigned dword;

   if (!is_uniform_load(intr))
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   dword = nir_src_as_uint(intr->src[1]) / 4;
   load = nir_load_push_constant_zink(b, 1, 32, nir_imm_int(b, dword / 4), .component = dword % 4);
   nir_def_replace(&intr->def, load);
   return true;
}

bool
sdog_nir_lower_uniforms_to_push(nir_shader *nir, uint32_t size)
{
   unsigned first = nir->info.stage == MESA_SHADER_FRAGMENT ? SDOG_PUSH_DWORDS * 4 : 0;
   struct glsl_struct_field fields[SDOG_PUSH_DWORDS / 4] = {0};
   nir_variable *var;

   for (unsigned i = 0; i < size / 16; i++) {
      fields[i].name = ralloc_asprintf(nir, "vec4_%u", i);
      fields[i].type = glsl_array_type(glsl_uint_type(), 4, 0);
      fields[i].offset = first + i * 16;
   }
   var = nir_variable_create(nir, nir_var_mem_push_const,
                             glsl_struct_type(fields, size / 16, "uniforms", false), "uniforms");
   var->data.location = INT_MAX;
   return nir_shader_intrinsics_pass(nir, to_push, nir_metadata_control_flow, NULL);
}
