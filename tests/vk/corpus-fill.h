/* SPDX-License-Identifier: MIT */
/*
 * Contents of vk-corpus's buffers and images: numbers that depend on a type and a seed only, small
 * enough for loops and array indices, and no NaN.
 */
#ifndef TESTS_CORPUS_FILL_H
#define TESTS_CORPUS_FILL_H

#include "spirv-reflect.h"

/* A 16-bit float of 0.125 to 1.75. */
uint16_t half_of(uint32_t n);

/*
 * Fills a block of @type, 0 if that is unknown: then floats or integers, as @seed says. Pointers
 * are @address. @few: all integers are 1 to 3 and floats up to 1, else the first integers are
 * 0 to 3, the rest 0 to 60, and floats up to 8.
 */
void fill_buffer(const struct spirv *s, void *base, size_t size, uint32_t type, uint32_t seed,
		 uint64_t address, bool few);

enum texel_kind { TEXEL_N8, TEXEL_N16, TEXEL_F16, TEXEL_F32, TEXEL_I8, TEXEL_I16, TEXEL_I32,
		  TEXEL_I64, TEXEL_F11, TEXEL_A2 };

struct texel {
	VkFormat format;
	enum texel_kind kind;
	uint32_t size;
};

/* The format of a binding's images or texel buffer. */
struct texel texel_of(const struct spirv *s, const struct spirv_binding *b);
void fill_texels(void *to, size_t size, enum texel_kind kind, uint32_t seed);

#endif
