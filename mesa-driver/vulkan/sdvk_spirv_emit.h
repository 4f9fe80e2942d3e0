/* SPDX-License-Identifier: MIT */
/* Words of a module, which are written one instruction after the other. */
#ifndef SDVK_SPIRV_EMIT_H
#define SDVK_SPIRV_EMIT_H

#include <stdint.h>
#include <string.h>

#include "compiler/spirv/spirv.h"
#include "util/macros.h"
#include "util/u_dynarray.h"

/* Words before the first instruction, one of which is an upper bound of all ids. */
#define SPIRV_HEADER_WORDS 5
#define SPIRV_HEADER_VERSION 1
#define SPIRV_HEADER_BOUND 3

static inline void
spirv_put(struct util_dynarray *out, const uint32_t *words, uint32_t count)
{
   uint32_t *at = count ? util_dynarray_grow(out, uint32_t, count) : NULL;

   if (at)
      memcpy(at, words, count * 4);
}

/* Instruction @op with the operands that follow. */
#define SPIRV_EMIT(out, op, ...)                                                                   \
   do {                                                                                            \
      const uint32_t words_[] = {0, __VA_ARGS__};                                                  \
      const uint32_t first_ = (op) | ARRAY_SIZE(words_) << SpvWordCountShift;                      \
      spirv_put((out), &first_, 1);                                                                \
      spirv_put((out), words_ + 1, ARRAY_SIZE(words_) - 1);                                        \
   } while (0)

/* What stands behind entry points, modes and names, and before variables and functions. */
static inline bool
spirv_is_annotation_or_type(uint32_t op)
{
   return (op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer) ||
          (op >= SpvOpDecorate && op <= SpvOpGroupMemberDecorate);
}

#endif
