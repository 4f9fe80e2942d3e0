/* SPDX-License-Identifier: MIT */
/* Modules are read, and written, one instruction after the other. */
#ifndef SDVK_SPIRV_EMIT_H
#define SDVK_SPIRV_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/spirv/spirv.h"
#include "sdvk_spirv.h"
#include "util/macros.h"
#include "util/u_dynarray.h"

/* Words before the first instruction, one of which is an upper bound of all ids. */
#define SPIRV_HEADER_WORDS 5
#define SPIRV_HEADER_VERSION 1
#define SPIRV_HEADER_BOUND 3

static inline uint32_t
spirv_op(const uint32_t *in)
{
   return in[0] & SpvOpCodeMask;
}

static inline uint32_t
spirv_words(const uint32_t *in)
{
   return in[0] >> SpvWordCountShift;
}

/* Each instruction @in from @first on, up to @end. They are as long as they say, see sdvk_spirv_of_stage(). */
#define spirv_foreach_from(in, first, end)                                                         \
   for (__typeof__((first) + 0) in = (first); in < (end); in += spirv_words(in))

/* Those of a struct sdvk_code. */
#define spirv_foreach(in, code)                                                                    \
   spirv_foreach_from (in, (code)->words + SPIRV_HEADER_WORDS, (code)->words + (code)->count)

/* Is there an instruction @op? */
bool
spirv_has(const struct sdvk_code *code, uint32_t op);

/* What stands behind entry points, modes and names, and before variables and functions. */
static inline bool
spirv_is_annotation_or_type(uint32_t op)
{
   return (op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer) ||
          (op >= SpvOpDecorate && op <= SpvOpGroupMemberDecorate);
}

/* What is written: a module, or a part of one. Once it has failed, for lack of memory or otherwise, nothing is. */
struct spirv_out {
   struct util_dynarray words;
   bool failed;
};

void
spirv_out_init(struct spirv_out *out);
void
spirv_out_fini(struct spirv_out *out);

/* How many words there are. */
uint32_t
spirv_out_count(const struct spirv_out *out);

void
spirv_put(struct spirv_out *out, const uint32_t *words, uint32_t count);

static inline void
spirv_put_word(struct spirv_out *out, uint32_t word)
{
   spirv_put(out, &word, 1);
}

/* Words of one module. */
static inline void
spirv_put_header(struct spirv_out *out, const struct sdvk_code *code)
{
   spirv_put(out, code->words, SPIRV_HEADER_WORDS);
}

/* Of instruction @in. */
static inline void
spirv_copy(struct spirv_out *out, const uint32_t *in)
{
   spirv_put(out, in, spirv_words(in));
}

/* All of @from, which may have failed. */
void
spirv_append(struct spirv_out *out, const struct spirv_out *from);

/* Words from @at on are taken back. */
void
spirv_cut(struct spirv_out *out, uint32_t at);

/* Word @at becomes another. */
void
spirv_set(struct spirv_out *out, uint32_t at, uint32_t word);

/* An instruction whose length is not known: what is put in between is its operands. It fails if they are too many. */
uint32_t
spirv_begin(struct spirv_out *out, uint32_t op);
void
spirv_end(struct spirv_out *out, uint32_t begun);

/* Instruction @op with the operands that follow. */
#define SPIRV_EMIT(out, op, ...)                                                                   \
   do {                                                                                            \
      const uint32_t words_[] = {(op), __VA_ARGS__};                                               \
      spirv_put_word((out), words_[0] | ARRAY_SIZE(words_) << SpvWordCountShift);                  \
      spirv_put((out), words_ + 1, ARRAY_SIZE(words_) - 1);                                        \
   } while (0)

/* It becomes @code, and what that was is freed. False: it has failed, and @code is what it was. @out is gone. */
bool
spirv_out_take(struct spirv_out *out, struct sdvk_code *code);

#endif
