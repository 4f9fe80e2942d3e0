/* SPDX-License-Identifier: MIT */
/*
 * Fuzz inputs that are shaders: the interface of a create_shader packet in a few bytes, followed by
 * SPIR-V. Mutations work on words and instructions of SPIR-V. Alternatively an input has choices
 * from which grammar.h generates a shader.
 */
#ifndef SHADER_MUTATOR_H
#define SHADER_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

#include "sundog_hw.h"
#include "sundog_packets.h"

/* Environment variable: all mutants are shaders of grammar.h, independent of the input. */
#define SHADER_GRAMMAR "SUNDOG_FUZZ_GRAMMAR"

/* choices follow if the second byte of the header is at least this */
#define SHADER_CHOICES 192
/* bytes before the code: stage, push constants, buffers, textures, 4 unused */
#define SHADER_HEADER 8
#define SHADER_SPIRV_HEADER 5	/* in words */
#define SHADER_TEXELS 2		/* slots of texel buffers, if the interface has any */
#define SHADER_STAGES 6

/*
 * Returns the shader of an input in memory of exactly its size, which the caller frees, and its
 * interface in @cmd; NULL if the input is too short.
 */
uint32_t *shader_of(const uint8_t *data, size_t size, struct sundog_cmd_create_shader *cmd);

/* Mutates an input, as LLVMFuzzerCustomMutator() does. */
size_t shader_mutate(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

#endif
