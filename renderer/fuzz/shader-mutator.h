/* SPDX-License-Identifier: MIT */
/*
 * Shaders as fuzz input: the interface of a create_shader packet in a few bytes, then SPIR-V.
 * Mutations know that SPIR-V is words and instructions.
 */
#ifndef SHADER_MUTATOR_H
#define SHADER_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

#include "sundog_hw.h"
#include "sundog_packets.h"

#define SHADER_HEADER 8		/* bytes before the code: stage, push constants, buffers, textures, 4 to spare */
#define SHADER_SPIRV_HEADER 5	/* words */
#define SHADER_TEXELS 2		/* slots of texel buffers, if the interface has some */
#define SHADER_STAGES 6

struct sundog_cmd_create_shader shader_interface(const uint8_t *header, size_t words);

/* As LLVMFuzzerCustomMutator(). */
size_t shader_mutate(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

#endif
