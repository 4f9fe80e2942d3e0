/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing SPIR-V: see sdvk_spirv_emit.h. The passes (sdvk_spirv_*.c) call this, on a
 * module of their own.
 */
#include "sdvk_spirv_emit.h"

#include <stdlib.h>

bool
spirv_has(const struct sdvk_code *code, uint32_t op)
{
   spirv_foreach (in, code) {
      if (spirv_op(in) == op)
         return true;
   }
   return false;
}

bool
sdvk_code_end(struct spirv_out *out, struct sdvk_code *code)
{
   uint32_t *words;

   if (!spirv_out_end(out))
      return false;
   free(code->words);
   /* The driver keeps the code, but not the room behind it. */
   words = realloc(out->words, out->count * sizeof(*words));
   *code = (struct sdvk_code){words ? words : out->words, out->count};
   return true;
}
