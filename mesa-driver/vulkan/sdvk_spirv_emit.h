/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing the SPIR-V of a struct sdvk_code, see sundog/spirv/. The pass owns the words.
 */
#ifndef SDVK_SPIRV_EMIT_H
#define SDVK_SPIRV_EMIT_H

#include "sdvk_spirv.h"
#include "sundog/spirv/reader.h"
#include "sundog/spirv/writer.h"
#include "util/macros.h"
#include "util/u_dynarray.h"

/* Iterates over the instructions of a struct sdvk_code. */
#define spirv_foreach(in, code)                                                                    \
   spirv_foreach_from (in, (code)->words + SPIRV_HEADER_WORDS, (code)->words + (code)->count)

/* Returns true if the code has an instruction @op. */
bool
spirv_has(const struct sdvk_code *code, uint32_t op);

/*
 * Returns the id of the type from @first to @end that has the same operands as instruction @type;
 * 0: there is none. Types that are no aggregates have to be unique (SPIR-V 2.8).
 */
uint32_t
spirv_find_type(const uint32_t *first, const uint32_t *end, const uint32_t *type);

/* Starts a module with the header of @code. */
static inline void
sdvk_code_begin(struct spirv_out *out, const struct sdvk_code *code)
{
   spirv_out_begin(out, code->words, code->count);
}

/*
 * Moves the words to @code and frees the old ones. Returns false, and leaves @code as it was, if
 * the output has failed. Finishes @out in either case.
 */
bool
sdvk_code_end(struct spirv_out *out, struct sdvk_code *code);

#endif
