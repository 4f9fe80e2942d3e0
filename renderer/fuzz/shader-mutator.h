/* SPDX-License-Identifier: MIT */
/*
 * Shaders as fuzz input: the interface of a create_shader packet in a few bytes, then SPIR-V. Mutations know that SPIR-V is
 * words and instructions. Or choices, of which grammar.h makes a shader.
 */
#ifndef SHADER_MUTATOR_H
#define SHADER_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

#include "sundog_hw.h"
#include "sundog_packets.h"

/* In the environment: mutants are shaders of grammar.h only, and have nothing of the input. */
#define SHADER_GRAMMAR "SUNDOG_FUZZ_GRAMMAR"

#define SHADER_CHOICES 192	/* of the second byte of the header: from here on choices follow */
#define SHADER_HEADER 8		/* bytes before the code: stage, push constants, buffers, textures, 4 to spare */
#define SHADER_SPIRV_HEADER 5	/* words */
#define SHADER_TEXELS 2		/* slots of texel buffers, if the interface has some */
#define SHADER_STAGES 6

/*
 * The shader of an input, with its interface in @cmd. Returns its words in memory of just that size, which the caller frees;
 * NULL: the input is too short.
 */
uint32_t *shader_of(const uint8_t *data, size_t size, struct sundog_cmd_create_shader *cmd);

/* As LLVMFuzzerCustomMutator(). */
size_t shader_mutate(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

#endif
