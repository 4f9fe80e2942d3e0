/* SPDX-License-Identifier: MIT */
/* Storage buffers and shared memory: see sundog_nir.h. */
#include "nir_builder.h"
#include "sundog_nir.h"
#include "sundog_stage.h"

/* Splits accesses into dwords, because the translator creates a variable per access size. If *@data
 * is true, shared memory consists of 64-bit words, and aligned accesses can use whole ones. */
static nir_mem_access_size_align
access_word(nir_intrinsic_op op, uint8_t bytes, uint8_t bit_size, uint32_t align_mul,
            uint32_t align_offset, bool offset_is_const, enum gl_access_qualifier access,
            const void *data)
{
   const bool *wide = data;
   const bool shared = op == nir_intrinsic_load_shared || op == nir_intrinsic_store_shared;
   const bool whole =
      *wide && shared && bytes >= 8 && nir_combined_align(align_mul, align_offset) >= 8;

   return (nir_mem_access_size_align){
      .num_components = 1,
      .bit_size = whole ? 64 : 32,
      .align = whole ? 8 : 4,
      .shift = nir_mem_access_shift_method_scalar,
   };
}

bool
sdog_nir_split_accesses(nir_shader *nir)
{
   bool wide = sdog_nir_has_wide_shared(nir);
   const nir_lower_mem_access_bit_sizes_options options = {
      .modes = nir_var_mem_ssbo | nir_var_mem_shared,
      .callback = access_word,
      .cb_data = &wide,
   };
   bool progress = nir_lower_mem_access_bit_sizes(nir, &options);

   return (wide && sdog_nir_widen_shared(nir)) || progress;
}

/* Returns the source with the buffer index, or NULL if @intr does not access a storage buffer. */
static nir_src *
buffer_index(nir_intrinsic_instr *intr)
{
   switch (intr->intrinsic) {
   case nir_intrinsic_load_ssbo:
   case nir_intrinsic_ssbo_atomic:
   case nir_intrinsic_ssbo_atomic_swap:
   case nir_intrinsic_get_ssbo_size:
      return &intr->src[0];
   case nir_intrinsic_store_ssbo:
      return &intr->src[1];
   default:
      return NULL;
   }
}

static bool
writes_buffer(const nir_intrinsic_instr *intr)
{
   return intr->intrinsic != nir_intrinsic_load_ssbo &&
          intr->intrinsic != nir_intrinsic_get_ssbo_size;
}

void
sdog_nir_storage_masks(const nir_shader *nir, uint32_t *used, uint32_t *written)
{
   *used = *written = 0;
   nir_foreach_block(block, nir_shader_get_entrypoint((nir_shader *)nir)) {
      nir_foreach_instr(instr, block) {
         nir_intrinsic_instr *intr;
         uint32_t slots = BITFIELD_MASK(nir->info.num_ssbos);
         nir_src *index;

         if (instr->type != nir_instr_type_intrinsic)
            continue;
         intr = nir_instr_as_intrinsic(instr);
         index = buffer_index(intr);
         if (!index)
            continue;
         if (nir_src_is_const(*index))
            slots = BITFIELD_BIT(MIN2(nir_src_as_uint(*index), SUNDOG_MAX_SSBOS - 1));
         *used |= slots;
         if (writes_buffer(intr))
            *written |= slots;
      }
   }
}

/* Creates an array of buffers of words with @bits bits: struct { uint base[]; }. */
static nir_variable *
create_buffers(nir_shader *nir, unsigned count, unsigned bits)
{
   struct glsl_struct_field field = {
      .name = "base",
      .type = glsl_array_type(glsl_uintN_t_type(bits), 0, bits / 8),
   };
   const struct glsl_type *block =
      glsl_interface_type(&field, 1, GLSL_INTERFACE_PACKING_STD430, false, "storage");
   nir_variable *var =
      nir_variable_create(nir, nir_var_mem_ssbo, glsl_array_type(block, count, 0), "storage");

   var->interface_type = var->type;
   var->data.descriptor_set = sdog_stage_index(nir->info.stage);
   var->data.binding = SUNDOG_BINDING_SSBOS;
   return var;
}

/* The array of buffers as dwords, and as 64-bit words for 64-bit atomic operations, which is
 * created when needed. */
struct storage {
   unsigned count;
   nir_variable *words, *longs;
};

static nir_deref_instr *
word_deref(nir_builder *b, struct storage *storage, unsigned bits, nir_def *index, nir_def *offset)
{
   nir_deref_instr *deref;

   if (bits == 64 && !storage->longs)
      storage->longs = create_buffers(b->shader, storage->count, bits);
   deref = nir_build_deref_var(b, bits == 64 ? storage->longs : storage->words);
   deref = nir_build_deref_array(b, deref, index);
   deref = nir_build_deref_struct(b, deref, 0);
   return nir_build_deref_array(b, deref, nir_ushr_imm(b, offset, bits == 64 ? 3 : 2));
}

static nir_def *
deref_atomic(nir_builder *b, const nir_intrinsic_instr *intr, nir_deref_instr *deref)
{
   const nir_atomic_op op = nir_intrinsic_atomic_op(intr);
   const unsigned bits = intr->def.bit_size;

   if (intr->intrinsic == nir_intrinsic_ssbo_atomic_swap)
      return nir_deref_atomic_swap(b, bits, &deref->def, intr->src[2].ssa, intr->src[3].ssa,
                                   .atomic_op = op);
   return nir_deref_atomic(b, bits, &deref->def, intr->src[2].ssa, .atomic_op = op);
}

static bool
to_deref(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   struct storage *storage = data;
   nir_deref_instr *deref;
   nir_def *value;

   b->cursor = nir_before_instr(&intr->instr);
   switch (intr->intrinsic) {
   case nir_intrinsic_load_ssbo:
      deref = word_deref(b, storage, 32, intr->src[0].ssa, intr->src[1].ssa);
      value = nir_load_deref_with_access(b, deref, nir_intrinsic_access(intr));
      break;
   case nir_intrinsic_ssbo_atomic:
   case nir_intrinsic_ssbo_atomic_swap:
      deref = word_deref(b, storage, intr->def.bit_size, intr->src[0].ssa, intr->src[1].ssa);
      value = deref_atomic(b, intr, deref);
      break;
   case nir_intrinsic_store_ssbo:
      deref = word_deref(b, storage, 32, intr->src[1].ssa, intr->src[2].ssa);
      nir_store_deref_with_access(b, deref, intr->src[0].ssa, 1, nir_intrinsic_access(intr));
      nir_instr_remove(&intr->instr);
      return true;
   default:
      return false;
   }
   nir_def_replace(&intr->def, value);
   return true;
}

bool
sdog_nir_lower_storage_to_derefs(nir_shader *nir, uint32_t slots)
{
   struct storage storage = {.count = util_last_bit(slots)};

   if (!slots)
      return false;
   /* The dword variable always exists, because queries of a buffer's size use it. */
   storage.words = create_buffers(nir, storage.count, 32);
   return nir_shader_intrinsics_pass(nir, to_deref, nir_metadata_control_flow, &storage);
}

static bool
shared_to_words(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   unsigned bits;
   nir_src *offset;

   switch (intr->intrinsic) {
   case nir_intrinsic_load_shared:
      offset = &intr->src[0];
      bits = intr->def.bit_size;
      break;
   case nir_intrinsic_store_shared:
      offset = &intr->src[1];
      bits = nir_src_bit_size(intr->src[0]);
      break;
   default:
      return false;
   }
   b->cursor = nir_before_instr(&intr->instr);
   nir_src_rewrite(offset, nir_ushr_imm(b, nir_iadd_imm(b, offset->ssa, nir_intrinsic_base(intr)),
                                        bits == 64 ? 3 : 2));
   nir_intrinsic_set_base(intr, 0);
   return true;
}

bool
sdog_nir_lower_shared_to_words(nir_shader *nir)
{
   return nir_shader_intrinsics_pass(nir, shared_to_words, nir_metadata_control_flow, NULL);
}
