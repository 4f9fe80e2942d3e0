/* SPDX-License-Identifier: MIT */
/*
 * Reads SPIR-V one instruction after the other, for the renderer's gate and the Vulkan driver. The
 * functions have no state, so any thread may call them.
 */
#ifndef SPIRV_READER_H
#define SPIRV_READER_H

#include <stdbool.h>
#include <stdint.h>

/* Mesa's source tree has its own copy. */
#if __has_include("compiler/spirv/spirv.h")
#include "compiler/spirv/spirv.h"
#else
#include <spirv/unified1/spirv.h>
#endif

/* Words before the first instruction; the word at SPIRV_HEADER_BOUND is greater than all ids. */
#define SPIRV_HEADER_WORDS 5
#define SPIRV_HEADER_VERSION 1
#define SPIRV_HEADER_BOUND 3

/* The most words of an instruction (SPIR-V 2.3). */
#define SPIRV_MAX_WORDS 0xffff

static inline uint32_t spirv_op(const uint32_t *in)
{
	return in[0] & SpvOpCodeMask;
}

static inline uint32_t spirv_words(const uint32_t *in)
{
	return in[0] >> SpvWordCountShift;
}

/* Iterates over instructions from @first to @end, all of which are complete. */
#define spirv_foreach_from(in, first, end) \
	for (__typeof__((first) + 0) in = (first); in < (end); in += spirv_words(in))

/*
 * Returns true for decorations and types, which come after entry points, modes and names, and
 * before variables and functions (SPIR-V 2.4).
 */
static inline bool spirv_is_annotation_or_type(uint32_t op)
{
	return (op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer) ||
	       (op >= SpvOpDecorate && op <= SpvOpGroupMemberDecorate);
}

/* Returns true if instructions of @op precede the code of the first block of a function. */
static inline bool spirv_begins_block(uint32_t op)
{
	switch (op) {
	case SpvOpFunction:
	case SpvOpLabel:
	case SpvOpVariable:
	case SpvOpLine:
	case SpvOpNoLine:
		return true;
	default:
		return false;
	}
}

#endif
