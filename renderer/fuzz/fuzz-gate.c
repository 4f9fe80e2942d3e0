// SPDX-License-Identifier: MIT
/*
 * libFuzzer target: the gate. Whatever it lets through must be a module that spirv-val accepts, of
 * bounded size. The input is the interface of a create_shader packet, then SPIR-V; mutations know
 * that SPIR-V is words and instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The header defines this constant in every file that includes it, and gate.c does. */
#define kDefaultMaxIdBound fuzz_gate_max_id_bound
#include <spirv-tools/libspirv.h>

#include "gate.h"

#define HEADER 8		/* bytes before the code: stage, push constant dwords, bindings */
#define SPIRV_HEADER 5		/* words */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static void add_binding(struct sundog_cmd_create_shader *cmd, uint32_t binding, uint32_t count, uint32_t type)
{
	cmd->bindings[cmd->n_bindings++] = (struct sundog_shader_binding){ binding, count, type };
}

static struct sundog_cmd_create_shader interface(const uint8_t *header, size_t words)
{
	struct sundog_cmd_create_shader cmd = {
		.id = 1, .stage = header[0] % 2, .push_size = header[1] % 65 * 4, .n_dwords = words,
	};

	if (header[2] & 1)
		add_binding(&cmd, SUNDOG_BINDING_UBO0, 1, 6);
	for (uint32_t i = 0; i < header[3] % 5u; i++)
		add_binding(&cmd, SUNDOG_BINDING_TEXTURE0 + i, 1, 1);
	if (header[2] & 2)
		add_binding(&cmd, SUNDOG_BINDING_UBOS, 1 + header[4] % 15, 6);
	return cmd;
}

static void must_be_valid(const struct gate_module *module)
{
	spv_const_binary_t binary = { module->code, module->words };
	spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);

	if (spvValidate(context, &binary, NULL) != SPV_SUCCESS) {
		fprintf(stderr, "the gate let an invalid module through\n");
		abort();
	}
	spvContextDestroy(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t words = size > HEADER ? (size - HEADER) / 4 : 0;
	struct sundog_cmd_create_shader cmd;
	struct gate_module module;
	char why[256];
	uint32_t *code;

	if (words < SPIRV_HEADER)
		return 0;
	cmd = interface(data, words);
	/* A copy of just this size, aligned as a stream is. */
	code = malloc(words * 4);
	memcpy(code, data + HEADER, words * 4);
	memset(why, 0, sizeof(why));
	if (gate_shader(&cmd, code, &module, why, sizeof(why))) {
		must_be_valid(&module);
		free(module.code);
	} else if (!why[0] || !memchr(why, 0, sizeof(why))) {
		fprintf(stderr, "a refusal without a reason\n");
		abort();
	}
	free(code);
	return 0;
}

/* Where the instruction that word @at is in begins; SPIRV_HEADER if there is none. */
static size_t instruction_at(const uint32_t *code, size_t words, size_t at)
{
	size_t i = SPIRV_HEADER;

	while (i < words) {
		const size_t length = code[i] >> 16;

		if (!length || i + length > at)
			break;
		i += length;
	}
	return i < words ? i : SPIRV_HEADER;
}

/* Change, copy over, remove, or repeat: of words and instructions. */
static size_t mutate_code(uint32_t *code, size_t words, size_t max_words, unsigned int seed)
{
	const size_t a = instruction_at(code, words, SPIRV_HEADER + seed % (words - SPIRV_HEADER));
	const size_t length = (code[a] >> 16) && a + (code[a] >> 16) <= words ? code[a] >> 16 : 1;
	const size_t operand = a + (length > 1 ? 1 + (seed >> 8) % (length - 1) : 0);
	const size_t other = SPIRV_HEADER + (seed >> 4) % (words - SPIRV_HEADER);

	switch (seed >> 28) {
	case 0: case 1: case 2: case 3:
		code[operand] += (seed >> 12 & 1) ? 1 : -1;
		return words;
	case 4: case 5: case 6: case 7:
		code[operand] = code[other];
		return words;
	case 8: case 9:
		code[operand] = 1u << (seed >> 16 & 31);
		return words;
	case 10: case 11:
		code[a] = (code[a] & 0xffff0000) | ((code[a] + (seed >> 16 & 15)) & 0xffff);
		return words;
	case 12: case 13:
		memmove(code + a, code + a + length, (words - a - length) * 4);
		return words - length;
	default:
		if (words + length > max_words)
			return words;
		memmove(code + a + length, code + a, (words - a) * 4);
		return words + length;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	const size_t words = size > HEADER ? (size - HEADER) / 4 : 0;

	if (words <= SPIRV_HEADER || seed % 16 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	return HEADER + 4 * mutate_code((uint32_t *)(data + HEADER), words, (max_size - HEADER) / 4, seed);
}
