/* SPDX-License-Identifier: MIT */
/*
 * Composites whose parts are all the same value (SPV_EXT_replicated_composites), which the renderer's gate does not
 * take: they get it as often as they have parts.
 */
#include "sdvk_spirv.h"

#include <stdlib.h>

#include "sdvk_spirv_emit.h"

/* Words of an instruction, but for those before its parts. */
#define MAX_PARTS (SpvOpCodeMask - 3)

struct replicas {
   uint32_t bound;
   uint32_t *parts;  /* by id of a type: how many it has, 0: it has none */
   uint32_t *values; /* by id of a constant */
   struct util_dynarray out;
   bool ok;
};

static bool
is_replica(uint32_t op)
{
   return op == SpvOpConstantCompositeReplicateEXT || op == SpvOpSpecConstantCompositeReplicateEXT ||
          op == SpvOpCompositeConstructReplicateEXT;
}

/* Constants that are specialised have their values already. */
static void
note(struct replicas *r, const uint32_t *in, uint32_t count)
{
   switch (in[0] & SpvOpCodeMask) {
   case SpvOpConstant:
   case SpvOpSpecConstant:
      if (count > 3 && in[2] < r->bound)
         r->values[in[2]] = in[3];
      break;
   case SpvOpTypeVector:
   case SpvOpTypeMatrix:
      if (count > 3 && in[1] < r->bound)
         r->parts[in[1]] = in[3];
      break;
   case SpvOpTypeArray:
      if (count > 3 && in[1] < r->bound && in[3] < r->bound)
         r->parts[in[1]] = r->values[in[3]];
      break;
   case SpvOpTypeStruct:
      if (count > 1 && in[1] < r->bound)
         r->parts[in[1]] = count - 2;
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
emit_full(struct replicas *r, const uint32_t *in, uint32_t count)
{
   const uint32_t parts = count == 4 && in[1] < r->bound ? r->parts[in[1]] : 0;
   const uint32_t first = full_op(in[0] & SpvOpCodeMask) | (parts + 3) << SpvWordCountShift;

   if (!parts || parts > MAX_PARTS) {
      r->ok = false;
      return;
   }
   spirv_put(&r->out, &first, 1);
   spirv_put(&r->out, in + 1, 2);
   for (uint32_t i = 0; i < parts; i++)
      spirv_put(&r->out, in + 3, 1);
}

static void
expand(struct replicas *r, const uint32_t *code, uint32_t dwords)
{
   spirv_put(&r->out, code, SPIRV_HEADER_WORDS);
   for (size_t at = SPIRV_HEADER_WORDS, count; at < dwords && r->ok; at += count) {
      count = code[at] >> SpvWordCountShift;
      note(r, code + at, count);
      if (is_replica(code[at] & SpvOpCodeMask))
         emit_full(r, code + at, count);
      else
         spirv_put(&r->out, code + at, count);
   }
}

static bool
has_replicas(const uint32_t *code, uint32_t dwords)
{
   for (size_t at = SPIRV_HEADER_WORDS; at < dwords; at += code[at] >> SpvWordCountShift) {
      if (is_replica(code[at] & SpvOpCodeMask))
         return true;
   }
   return false;
}

uint32_t *
sdvk_spirv_expand_replicas(uint32_t *code, uint32_t *dwords)
{
   struct replicas r = {.bound = code[SPIRV_HEADER_BOUND], .ok = true};

   if (!has_replicas(code, *dwords))
      return code;
   util_dynarray_init(&r.out, NULL);
   r.parts = calloc(r.bound, sizeof(*r.parts));
   r.values = calloc(r.bound, sizeof(*r.values));
   r.ok = r.parts && r.values;
   expand(&r, code, *dwords);
   free(r.parts);
   free(r.values);
   free(code);
   if (!r.ok) {
      util_dynarray_fini(&r.out);
      return NULL;
   }
   *dwords = util_dynarray_num_elements(&r.out, uint32_t);
   return r.out.data;
}
