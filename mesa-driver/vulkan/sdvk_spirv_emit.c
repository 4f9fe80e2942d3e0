/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing SPIR-V instructions: see sdvk_spirv_emit.h. The passes (sdvk_spirv_*.c) call
 * this, on a module of their own.
 */
#include "sdvk_spirv_emit.h"

#include <stdlib.h>
#include <string.h>

bool
spirv_has(const struct sdvk_code *code, uint32_t op)
{
   spirv_foreach (in, code) {
      if (spirv_op(in) == op)
         return true;
   }
   return false;
}

void
spirv_out_init(struct spirv_out *out)
{
   util_dynarray_init(&out->words, NULL);
   out->failed = false;
}

void
spirv_out_fini(struct spirv_out *out)
{
   util_dynarray_fini(&out->words);
}

uint32_t
spirv_out_count(const struct spirv_out *out)
{
   return util_dynarray_num_elements(&out->words, uint32_t);
}

void
spirv_put(struct spirv_out *out, const uint32_t *words, uint32_t count)
{
   uint32_t *at = count && !out->failed ? util_dynarray_grow(&out->words, uint32_t, count) : NULL;

   if (at)
      memcpy(at, words, count * sizeof(*words));
   else if (count)
      out->failed = true;
}

void
spirv_append(struct spirv_out *out, const struct spirv_out *from)
{
   out->failed |= from->failed;
   spirv_put(out, from->words.data, spirv_out_count(from));
}

void
spirv_cut(struct spirv_out *out, uint32_t at)
{
   if (!out->failed)
      out->words.size = at * sizeof(uint32_t);
}

void
spirv_set(struct spirv_out *out, uint32_t at, uint32_t word)
{
   if (!out->failed)
      *util_dynarray_element(&out->words, uint32_t, at) = word;
}

uint32_t
spirv_begin(struct spirv_out *out, uint32_t op)
{
   const uint32_t begun = spirv_out_count(out);

   spirv_put_word(out, op);
   return begun;
}

void
spirv_end(struct spirv_out *out, uint32_t begun)
{
   const uint32_t count = spirv_out_count(out) - begun;

   if (out->failed || count > SpvOpCodeMask)
      out->failed = true;
   else
      *util_dynarray_element(&out->words, uint32_t, begun) |= count << SpvWordCountShift;
}

bool
spirv_out_take(struct spirv_out *out, struct sdvk_code *code)
{
   if (out->failed) {
      spirv_out_fini(out);
      return false;
   }
   free(code->words);
   *code = (struct sdvk_code){out->words.data, spirv_out_count(out)};
   return true;
}
