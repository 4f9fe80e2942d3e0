/* SPDX-License-Identifier: MIT */
/*
 * Writes SPIR-V one instruction after the other, for passes of the renderer's gate and of the
 * Vulkan driver. The pass that writes owns the output.
 */
#ifndef SPIRV_WRITER_H
#define SPIRV_WRITER_H

#include <stddef.h>

#include "reader.h"

/*
 * Output: a module, or a part of one, which has no header and starts as zero. After a failure (no
 * memory, or an instruction that is too long) nothing more is written.
 */
struct spirv_out {
	uint32_t *words;		/* allocated with malloc() */
	size_t count, room;		/* words in use, and allocated words */
	bool failed;
	uint32_t next_id;
};

/*
 * Starts a module with the header of @code, which has @words words. spirv_out_end() ends it; a
 * caller that does not get there frees out->words.
 */
void spirv_out_begin(struct spirv_out *out, const uint32_t *code, size_t words);

/* Sets the bound of ids. Returns false and frees the words if a write failed. */
bool spirv_out_end(struct spirv_out *out);

/* Appends the words of a part, and its failure, and frees its words. */
void spirv_append(struct spirv_out *out, struct spirv_out *part);

void spirv_put(struct spirv_out *out, const uint32_t *words, size_t count);

static inline void spirv_put_word(struct spirv_out *out, uint32_t word)
{
	spirv_put(out, &word, 1);
}

/* Copies instruction @in. */
static inline void spirv_copy(struct spirv_out *out, const uint32_t *in)
{
	spirv_put(out, in, spirv_words(in));
}

/* Puts the first word of an instruction of @words words. Fails above SPIRV_MAX_WORDS. */
void spirv_put_head(struct spirv_out *out, uint32_t op, size_t words);

/* Puts an instruction of @words words, whose operands start at @in[1]. */
void spirv_put_instruction(struct spirv_out *out, uint32_t op, const uint32_t *in, size_t words);

/* Emits instruction @op with the operands that follow, if it has any. */
#define SPIRV_EMIT(out, op, ...) \
	do { \
		const uint32_t in_[] = { 0, ##__VA_ARGS__ }; \
		spirv_put_instruction(out, op, in_, sizeof(in_) / sizeof(in_[0])); \
	} while (0)

/*
 * Begin and end an instruction whose length is not known: words put in between are its operands.
 * Fails if there are too many for its word count.
 */
size_t spirv_begin(struct spirv_out *out, uint32_t op);
void spirv_end(struct spirv_out *out, size_t begun);

/* Replaces word @at. */
static inline void spirv_set(struct spirv_out *out, size_t at, uint32_t word)
{
	if (!out->failed)
		out->words[at] = word;
}

static inline uint32_t spirv_new_id(struct spirv_out *out)
{
	return out->next_id++;
}

#endif
