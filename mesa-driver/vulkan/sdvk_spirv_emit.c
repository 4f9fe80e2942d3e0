/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing SPIR-V: see sdvk_spirv_emit.h. The passes (sdvk_spirv_*.c) call this, on a
 * module of their own.
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

uint32_t
spirv_find_type(const uint32_t *first, const uint32_t *end, const uint32_t *type)
{
   spirv_foreach_from (in, first, end) {
      if (in[0] == type[0] && !memcmp(in + 2, type + 2, (spirv_words(type) - 2) * 4))
         return in[1];
   }
   return 0;
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
