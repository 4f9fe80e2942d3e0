/* SPDX-License-Identifier: MIT */
/*
 * Expands composites of one repeated value (SPV_EXT_replicated_composites), which the renderer's
 * gate refuses. sdvk_spirv.c calls this pass on a module of its own.
 */
#include <stdlib.h>

#include "sdvk_spirv_emit.h"

struct replicas {
   uint32_t bound;
   uint32_t *parts;  /* by id of a type: its number of parts; 0: not a composite */
   uint32_t *values; /* by id of a constant: its value */
   struct spirv_out out;
};

static bool
is_replica(uint32_t op)
{
   return op == SpvOpConstantCompositeReplicateEXT ||
          op == SpvOpSpecConstantCompositeReplicateEXT || op == SpvOpCompositeConstructReplicateEXT;
}

/* Records types and constants. Specialisation constants have their final values by now. */
static void
note(struct replicas *r, const uint32_t *in)
{
   switch (spirv_op(in)) {
   case SpvOpConstant:
   case SpvOpSpecConstant:
      if (in[2] < r->bound)
         r->values[in[2]] = in[3];
      break;
   case SpvOpTypeVector:
   case SpvOpTypeMatrix:
      if (in[1] < r->bound)
         r->parts[in[1]] = in[3];
      break;
   case SpvOpTypeArray:
      if (in[1] < r->bound && in[3] < r->bound)
         r->parts[in[1]] = r->values[in[3]];
      break;
   case SpvOpTypeStruct:
      if (in[1] < r->bound)
         r->parts[in[1]] = spirv_words(in) - 2;
      break;
   }
}

static uint32_t
full_op(uint32_t op)
{
   switch (op) {
   case SpvOpConstantCompositeReplicateEXT:
      return SpvOpConstantComposite;
   case SpvOpSpecConstantCompositeReplicateEXT:
      return SpvOpSpecConstantComposite;
   default:
      return SpvOpCompositeConstruct;
   }
}

static void
emit_full(struct replicas *r, const uint32_t *in)
{
   const uint32_t parts = in[1] < r->bound ? r->parts[in[1]] : 0;
   const uint32_t begun = spirv_begin(&r->out, full_op(spirv_op(in)));

   r->out.failed |= !parts || parts > SPIRV_MAX_WORDS;
   spirv_put(&r->out, in + 1, 2);
   for (uint32_t i = 0; i < parts && !r->out.failed; i++)
      spirv_put_word(&r->out, in[3]);
   spirv_end(&r->out, begun);
}

static void
expand(struct replicas *r, const struct sdvk_code *code)
{
   sdvk_code_begin(&r->out, code);
   spirv_foreach (in, code) {
      note(r, in);
      if (is_replica(spirv_op(in)))
         emit_full(r, in);
      else
         spirv_copy(&r->out, in);
   }
}

static bool
has_replicas(const struct sdvk_code *code)
{
   spirv_foreach (in, code) {
      if (is_replica(spirv_op(in)))
         return true;
   }
   return false;
}

bool
sdvk_spirv_expand_replicas(struct sdvk_code *code)
{
   struct replicas r = {.bound = code->words[SPIRV_HEADER_BOUND]};

   if (!has_replicas(code))
      return true;
   r.parts = calloc(r.bound, sizeof(*r.parts));
   r.values = calloc(r.bound, sizeof(*r.values));
   if (r.parts && r.values)
      expand(&r, code);
   else
      r.out.failed = true;
   free(r.parts);
   free(r.values);
   return sdvk_code_end(&r.out, code);
}
