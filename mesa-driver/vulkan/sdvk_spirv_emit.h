/* SPDX-License-Identifier: MIT */
/* Reading and writing SPIR-V one instruction after the other. The pass owns the words. */
#ifndef SDVK_SPIRV_EMIT_H
#define SDVK_SPIRV_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/spirv/spirv.h"
#include "sdvk_spirv.h"
#include "util/macros.h"
#include "util/u_dynarray.h"

/* Words before the first instruction; the word at SPIRV_HEADER_BOUND is greater than all ids. */
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

/*
 * Iterates over instructions from @first to @end. All of them are complete, see
 * sdvk_spirv_of_stage().
 */
#define spirv_foreach_from(in, first, end)                                                         \
   for (__typeof__((first) + 0) in = (first); in < (end); in += spirv_words(in))

/* Iterates over the instructions of a struct sdvk_code. */
#define spirv_foreach(in, code)                                                                    \
   spirv_foreach_from (in, (code)->words + SPIRV_HEADER_WORDS, (code)->words + (code)->count)

/* Returns true if the code has an instruction @op. */
bool
spirv_has(const struct sdvk_code *code, uint32_t op);

/*
 * Returns true for decorations and types, which come after entry points, modes and names, and
 * before variables and functions (SPIR-V 2.4).
 */
static inline bool
spirv_is_annotation_or_type(uint32_t op)
{
   return (op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer) ||
          (op >= SpvOpDecorate && op <= SpvOpGroupMemberDecorate);
}

/*
 * Output: a module or a part of one. After a failure (no memory, or an instruction that is too
 * long) nothing more is written.
 */
struct spirv_out {
   struct util_dynarray words;
   bool failed;
};

void
spirv_out_init(struct spirv_out *out);
void
spirv_out_fini(struct spirv_out *out);

/* Returns the number of words. */
uint32_t
spirv_out_count(const struct spirv_out *out);

void
spirv_put(struct spirv_out *out, const uint32_t *words, uint32_t count);

static inline void
spirv_put_word(struct spirv_out *out, uint32_t word)
{
   spirv_put(out, &word, 1);
}

/* Copies the header of a module. */
static inline void
spirv_put_header(struct spirv_out *out, const struct sdvk_code *code)
{
   spirv_put(out, code->words, SPIRV_HEADER_WORDS);
}

/* Copies instruction @in. */
static inline void
spirv_copy(struct spirv_out *out, const uint32_t *in)
{
   spirv_put(out, in, spirv_words(in));
}

/* Appends all words of @from, and its failure. */
void
spirv_append(struct spirv_out *out, const struct spirv_out *from);

/* Removes the words from @at on. */
void
spirv_cut(struct spirv_out *out, uint32_t at);

/* Replaces word @at. */
void
spirv_set(struct spirv_out *out, uint32_t at, uint32_t word);

/*
 * Begin and end an instruction whose length is not known: words put in between are its operands.
 * Fails if there are too many for its word count.
 */
uint32_t
spirv_begin(struct spirv_out *out, uint32_t op);
void
spirv_end(struct spirv_out *out, uint32_t begun);

/* Emits instruction @op with the operands that follow. */
#define SPIRV_EMIT(out, op, ...)                                                                   \
   do {                                                                                            \
      const uint32_t words_[] = {(op), __VA_ARGS__};                                               \
      spirv_put_word((out), words_[0] | ARRAY_SIZE(words_) << SpvWordCountShift);                  \
      spirv_put((out), words_ + 1, ARRAY_SIZE(words_) - 1);                                        \
   } while (0)

/*
 * Moves the words to @code and frees the old ones. Returns false, and leaves @code as it was, if
 * the output has failed. Finishes @out in either case.
 */
bool
spirv_out_take(struct spirv_out *out, struct sdvk_code *code);

#endif
