/* SPDX-License-Identifier: MIT */
/* Uniforms and uniform blocks: see sundog_nir.h. Loads are scalar and 32 bits wide here. */
#include "nir_builder.h"
#include "sundog_nir.h"
#include "sundog_stage.h"

static bool
is_buffer_load(const nir_intrinsic_instr *intr)
{
   return intr->intrinsic == nir_intrinsic_load_ubo;
}

/* Slot 0 has the uniforms outside of blocks. A non-constant index is always of a block. */
static bool
is_uniform_load(const nir_intrinsic_instr *intr)
{
   return is_buffer_load(intr) && nir_src_is_const(intr->src[0]) &&
          nir_src_as_uint(intr->src[0]) == 0;
}

uint32_t
sdog_nir_uniform_size(const nir_shader *nir, bool *constant)
{
   /* num_uniforms is in vec4 slots. Passes of the state tracker may have appended some. */
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

uint32_t
sdog_nir_block_mask(const nir_shader *nir)
{
   const uint32_t all = BITFIELD_RANGE(1, MAX2(nir->info.num_ubos, 1) - 1);
   uint32_t mask = 0;

   nir_foreach_block(block, nir_shader_get_entrypoint((nir_shader *)nir)) {
      nir_foreach_instr(instr, block) {
         nir_intrinsic_instr *intr;

         if (instr->type != nir_instr_type_intrinsic)
            continue;
         intr = nir_instr_as_intrinsic(instr);
         if (!is_buffer_load(intr))
            continue;
         mask |= nir_src_is_const(intr->src[0]) ? BITFIELD_BIT(nir_src_as_uint(intr->src[0]))
                                                : all;
      }
   }
   return mask & ~1u;
}

/* Arrays of buffers of the type struct { uvec4 base[size / 16]; }. */

struct buffers {
   nir_variable *uniforms;
   nir_variable *blocks;
};

static nir_variable *
create_buffers(nir_shader *nir, const char *name, unsigned binding, uint32_t size, unsigned count)
{
   struct glsl_struct_field field = {
      .name = "base",
      .type = glsl_array_type(glsl_vector_type(GLSL_TYPE_UINT, 4), size / 16, 16),
   };
   const struct glsl_type *block =
      glsl_interface_type(&field, 1, GLSL_INTERFACE_PACKING_STD140, false, name);
   nir_variable *var =
      nir_variable_create(nir, nir_var_mem_ubo, glsl_array_type(block, count, 0), name);

   var->interface_type = var->type;
   var->data.descriptor_set = sdog_stage_index(nir->info.stage);
   var->data.binding = binding;
   /* The translator expects 0 for the uniforms outside of blocks. */
   var->data.driver_location = binding == SUNDOG_BINDING_UBO0 ? 0 : 1;
   return var;
}

/* Returns the index of the loaded dword in its vector. */
static nir_def *
word_of_vector(nir_builder *b, const nir_intrinsic_instr *intr, nir_def *offset)
{
   /* nir_lower_uniforms_to_ubo() sets a wrong alignment for constant offsets. */
   if (!nir_src_is_const(intr->src[1]) && nir_intrinsic_align_mul(intr) >= 16)
      return nir_imm_int(b, nir_intrinsic_align_offset(intr) % 16 / 4);
   return nir_iand_imm(b, nir_ushr_imm(b, offset, 2), 3);
}

static bool
to_buffer(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   const struct buffers *buffers = data;
   bool is_uniform = is_uniform_load(intr);
   nir_variable *var = is_uniform ? buffers->uniforms : buffers->blocks;
   nir_deref_instr *deref;
   nir_def *offset, *index, *value;

   if (!is_buffer_load(intr) || !var)
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   offset = intr->src[1].ssa;
   index = is_uniform ? nir_imm_int(b, 0) : nir_iadd_imm(b, intr->src[0].ssa, -1);
   deref = nir_build_deref_array(b, nir_build_deref_var(b, var), index);
   deref = nir_build_deref_struct(b, deref, 0);
   deref = nir_build_deref_array(b, deref, nir_ushr_imm(b, offset, 4));
   value = nir_vector_extract(b, nir_load_deref(b, deref), word_of_vector(b, intr, offset));
   nir_def_replace(&intr->def, value);
   return true;
}

bool
sdog_nir_lower_uniforms_to_buffers(nir_shader *nir, uint32_t size, uint32_t blocks,
                                   uint32_t block_size)
{
   struct buffers buffers = {0};

   if (size)
      buffers.uniforms = create_buffers(nir, "uniforms", SUNDOG_BINDING_UBO0, size, 1);
   if (blocks)
      buffers.blocks = create_buffers(nir, "blocks", SUNDOG_BINDING_UBOS, block_size,
                                      util_last_bit(blocks) - 1);
   return nir_shader_intrinsics_pass(nir, to_buffer, nir_metadata_control_flow, &buffers);
}

/* Push constants: struct { uint vec4_0[4]; uint vec4_1[4]; ... }. A fragment shader's are in the
 * second half. */

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
sdog_nir_lower_uniforms_to_push(nir_shader *nir, uint32_t size, bool draw)
{
   unsigned first = nir->info.stage == MESA_SHADER_FRAGMENT ? SDOG_PUSH_DWORDS * 4 : 0;
   struct glsl_struct_field fields[SDOG_PUSH_DWORDS / 4] = {0};
   unsigned num_fields = size / 16;
   nir_variable *var;

   for (unsigned i = 0; i < num_fields; i++)
      fields[i].offset = first + i * 16;
   if (draw)
      fields[num_fields++].offset = first + SDOG_DRAW_PARAMETERS * 4;
   for (unsigned i = 0; i < num_fields; i++) {
      fields[i].name = ralloc_asprintf(nir, "vec4_%u", i);
      fields[i].type = glsl_array_type(glsl_uint_type(), 4, 0);
   }
   var = nir_variable_create(nir, nir_var_mem_push_const,
                             glsl_struct_type(fields, num_fields, "uniforms", false), "uniforms");
   var->data.location = INT_MAX;
   return nir_shader_intrinsics_pass(nir, to_push, nir_metadata_control_flow, NULL);
}
