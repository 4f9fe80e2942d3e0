/* SPDX-License-Identifier: MIT */
/* Lowers atomic operations that the translator does not support to compare-and-swap: see
 * sundog_nir.h. */
#include "nir_builder.h"
#include "sundog_nir.h"

/* Emits a compare-and-swap that replaces @old by the result of the operation on it. Returns the
 * previous value. */
typedef nir_def *(*try_swap)(nir_builder *b, const nir_intrinsic_instr *intr, nir_def *old,
                             const void *data);

/* Repeats @try, first with @seen, until no other invocation interfered. Returns the previous
 * value. */
static nir_def *
loop_swap(nir_builder *b, const nir_intrinsic_instr *intr, nir_def *seen, try_swap try,
          const void *data)
{
   nir_variable *var =
      nir_local_variable_create(b->impl, glsl_uintN_t_type(seen->bit_size), "seen");
   nir_def *old;

   nir_store_var(b, var, seen, 1);
   nir_push_loop(b);
   {
      old = nir_load_var(b, var);
      seen = try(b, intr, old, data);
      nir_store_var(b, var, seen, 1);
      nir_break_if(b, nir_ieq(b, seen, old));
   }
   nir_pop_loop(b, NULL);
   return nir_load_var(b, var);
}

static nir_def *
swap_word(nir_builder *b, const nir_intrinsic_instr *intr, nir_def *old, nir_def *value)
{
   if (intr->intrinsic == nir_intrinsic_shared_atomic)
      return nir_shared_atomic_swap(b, 32, intr->src[0].ssa, old, value,
                                    .base = nir_intrinsic_base(intr),
                                    .atomic_op = nir_atomic_op_cmpxchg);
   return nir_ssbo_atomic_swap(b, 32, intr->src[0].ssa, intr->src[1].ssa, old, value,
                               .atomic_op = nir_atomic_op_cmpxchg);
}

static nir_def *
try_add(nir_builder *b, const nir_intrinsic_instr *intr, nir_def *old, const void *data)
{
   bool shared = intr->intrinsic == nir_intrinsic_shared_atomic;

   return swap_word(b, intr, old, nir_fadd(b, old, intr->src[shared ? 1 : 2].ssa));
}

/* Buffers and shared memory consist of dwords, so a float addition becomes a compare-and-swap of
 * the sum. */
static bool
loop_add(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   nir_def *first;

   if ((intr->intrinsic != nir_intrinsic_shared_atomic &&
        intr->intrinsic != nir_intrinsic_ssbo_atomic) ||
       nir_intrinsic_atomic_op(intr) != nir_atomic_op_fadd)
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   first = swap_word(b, intr, nir_imm_int(b, 0), nir_imm_int(b, 0));
   nir_def_replace(&intr->def, loop_swap(b, intr, first, try_add, NULL));
   return true;
}

bool
sdog_nir_loop_float_atomics(nir_shader *nir)
{
   return nir_shader_intrinsics_pass(nir, loop_add, nir_metadata_none, NULL);
}

/* A dword of shared memory that consists of 64-bit words: half of such a word. */
struct half {
   nir_def *offset;   /* in bytes, of the 64-bit word */
   nir_def *is_high;
};

static struct half
find_half(nir_builder *b, const nir_intrinsic_instr *intr, const nir_src *offset)
{
   nir_def *bytes = nir_iadd_imm(b, offset->ssa, nir_intrinsic_base(intr));

   return (struct half){
      .offset = nir_iand_imm(b, bytes, ~7u),
      .is_high = nir_ine_imm(b, nir_iand_imm(b, bytes, 4), 0),
   };
}

static nir_def *
load_whole(nir_builder *b, const struct half *half)
{
   return nir_load_shared(b, 1, 64, half->offset, .align_mul = 8);
}

static nir_def *
read_half(nir_builder *b, const struct half *half, nir_def *whole)
{
   return nir_bcsel(b, half->is_high, nir_unpack_64_2x32_split_y(b, whole),
                    nir_unpack_64_2x32_split_x(b, whole));
}

static nir_def *
replace_half(nir_builder *b, const struct half *half, nir_def *whole, nir_def *word)
{
   nir_def *low = nir_unpack_64_2x32_split_x(b, whole);
   nir_def *high = nir_unpack_64_2x32_split_y(b, whole);

   return nir_pack_64_2x32_split(b, nir_bcsel(b, half->is_high, low, word),
                                 nir_bcsel(b, half->is_high, word, high));
}

/* Returns the result of the operation on a dword. */
static nir_def *
operate(nir_builder *b, const nir_intrinsic_instr *intr, nir_def *word)
{
   nir_atomic_op op;

   if (intr->intrinsic == nir_intrinsic_store_shared)
      return intr->src[0].ssa;
   if (intr->intrinsic == nir_intrinsic_shared_atomic_swap)
      return nir_bcsel(b, nir_ieq(b, word, intr->src[1].ssa), intr->src[2].ssa, word);
   op = nir_intrinsic_atomic_op(intr);
   if (op == nir_atomic_op_xchg)
      return intr->src[1].ssa;
   return nir_build_alu2(b, nir_atomic_op_to_alu(op), word, intr->src[1].ssa);
}

static nir_def *
try_half(nir_builder *b, const nir_intrinsic_instr *intr, nir_def *old, const void *data)
{
   const struct half *half = data;
   nir_def *word = operate(b, intr, read_half(b, half, old));

   return nir_shared_atomic_swap(b, 64, half->offset, old, replace_half(b, half, old, word),
                                 .atomic_op = nir_atomic_op_cmpxchg);
}

/* Another invocation may change the other half at the same time, so even a store needs the loop. */
static nir_def *
loop_half(nir_builder *b, const nir_intrinsic_instr *intr, const struct half *half)
{
   return read_half(b, half, loop_swap(b, intr, load_whole(b, half), try_half, half));
}

static bool
widen(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   struct half half;
   nir_def *value;

   b->cursor = nir_before_instr(&intr->instr);
   switch (intr->intrinsic) {
   case nir_intrinsic_load_shared:
      if (intr->def.bit_size == 64)
         return false;
      half = find_half(b, intr, &intr->src[0]);
      value = read_half(b, &half, load_whole(b, &half));
      break;
   case nir_intrinsic_store_shared:
      if (nir_src_bit_size(intr->src[0]) == 64)
         return false;
      half = find_half(b, intr, &intr->src[1]);
      loop_half(b, intr, &half);
      nir_instr_remove(&intr->instr);
      return true;
   case nir_intrinsic_shared_atomic:
   case nir_intrinsic_shared_atomic_swap:
      if (intr->def.bit_size == 64)
         return false;
      half = find_half(b, intr, &intr->src[0]);
      value = loop_half(b, intr, &half);
      break;
   default:
      return false;
   }
   nir_def_replace(&intr->def, value);
   return true;
}

static bool
is_wide(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   bool *any = data;

   if (intr->intrinsic == nir_intrinsic_shared_atomic ||
       intr->intrinsic == nir_intrinsic_shared_atomic_swap)
      *any |= intr->def.bit_size == 64;
   return false;
}

bool
sdog_nir_has_wide_shared(nir_shader *nir)
{
   bool any = false;

   nir_shader_intrinsics_pass(nir, is_wide, nir_metadata_all, &any);
   return any;
}

bool
sdog_nir_widen_shared(nir_shader *nir)
{
   nir->info.shared_size = ALIGN_POT(nir->info.shared_size, 8);
   return nir_shader_intrinsics_pass(nir, widen, nir_metadata_none, NULL);
}
