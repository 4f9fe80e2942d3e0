// SPDX-License-Identifier: MIT
/*
 * Fuzz inputs that are shaders, see shader-mutator.h. Used by fuzz-gate.c and fuzz-draw.c.
 */
#include "shader-mutator.h"

#include <stdlib.h>
#include <string.h>

#include "grammar.h"

#define MAX_CHOICES 600			/* bytes */

/* Mutator of libFuzzer. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static void add_binding(struct sundog_cmd_create_shader *cmd, uint32_t binding, uint32_t count,
			uint32_t type)
{
	cmd->bindings[cmd->n_bindings++] = (struct sundog_shader_binding){ binding, count, type };
}

static struct sundog_cmd_create_shader shader_interface(const uint8_t *header, size_t words)
{
	struct sundog_cmd_create_shader cmd = {
		.id = 1,
		.stage = header[0] % SHADER_STAGES,
		.push_size = header[1] % 65 * 4,
		.n_dwords = words,
	};

	if (header[2] & 1)
		add_binding(&cmd, SUNDOG_BINDING_UBO0, 1, 6);
	for (uint32_t i = 0; i < header[3] % 5u; i++)
		add_binding(&cmd, SUNDOG_BINDING_TEXTURE0 + i, 1, 1);
	if (header[2] & 2)
		add_binding(&cmd, SUNDOG_BINDING_UBOS, 15, 6);
	for (uint32_t i = 0; header[2] & 4 && i < SHADER_TEXELS; i++)
		add_binding(&cmd, SUNDOG_BINDING_TEXELS0 + i, 1, 4);
	if (header[2] & 8)
		add_binding(&cmd, SUNDOG_BINDING_SSBOS, SUNDOG_MAX_SSBOS, 7);
	for (uint32_t i = 0; header[2] & 16 && i < SUNDOG_MAX_IMAGES; i++) {
		add_binding(&cmd, SUNDOG_BINDING_IMAGE0 + i, 1, 3);
		add_binding(&cmd, SUNDOG_BINDING_STORAGE_TEXELS0 + i, 1, 5);
	}
	return cmd;
}

/* Generates a shader from choices, with an interface that has all that such a shader declares. */
static uint32_t *make_shader(const uint8_t *data, size_t size, struct sundog_cmd_create_shader *cmd)
{
	static const uint8_t stages[] = {
		SUNDOG_STAGE_VERTEX,   SUNDOG_STAGE_FRAGMENT,  SUNDOG_STAGE_COMPUTE,
		SUNDOG_STAGE_GEOMETRY, SUNDOG_STAGE_TESS_CTRL, SUNDOG_STAGE_TESS_EVAL,
		SUNDOG_STAGE_TASK,     SUNDOG_STAGE_MESH,
	};
	const uint32_t stage = stages[data[0] % sizeof(stages)];
	const uint8_t header[SHADER_HEADER] = { stage, 64, 9 };
	uint32_t *code = malloc(GRAMMAR_WORDS * sizeof(*code)), *exact;
	size_t words;

	if (!code)
		return NULL;
	words = grammar_module(stage, data + SHADER_HEADER, size - SHADER_HEADER, code);
	*cmd = shader_interface(header, words);
	cmd->stage = stage;
	exact = realloc(code, words * sizeof(*code));
	return exact ? exact : code;
}

uint32_t *shader_of(const uint8_t *data, size_t size, struct sundog_cmd_create_shader *cmd)
{
	const size_t words = size > SHADER_HEADER ? (size - SHADER_HEADER) / 4 : 0;
	uint32_t *code;

	if (words < SHADER_SPIRV_HEADER)
		return NULL;
	if (data[1] >= SHADER_CHOICES)
		return make_shader(data, size, cmd);
	*cmd = shader_interface(data, words);
	code = malloc(words * sizeof(*code));
	if (code)
		memcpy(code, data + SHADER_HEADER, words * sizeof(*code));
	return code;
}

/* Returns the start of the instruction that contains word @at, SPIRV_HEADER if there is none. */
static size_t instruction_at(const uint32_t *code, size_t words, size_t at)
{
	size_t i = SHADER_SPIRV_HEADER;

	while (i < words) {
		const size_t length = code[i] >> 16;

		if (!length || i + length > at)
			break;
		i += length;
	}
	return i < words ? i : SHADER_SPIRV_HEADER;
}

/*
 * Changes an operand or opcode, copies a word, or removes or repeats an instruction. Returns the
 * new number of words.
 */
static size_t mutate_code(uint32_t *code, size_t words, size_t max_words, unsigned int seed)
{
	const size_t a = instruction_at(code, words,
					SHADER_SPIRV_HEADER + seed % (words - SHADER_SPIRV_HEADER));
	const size_t length = (code[a] >> 16) && a + (code[a] >> 16) <= words ? code[a] >> 16 : 1;
	const size_t operand = a + (length > 1 ? 1 + (seed >> 8) % (length - 1) : 0);
	const size_t other = SHADER_SPIRV_HEADER + (seed >> 4) % (words - SHADER_SPIRV_HEADER);

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

/*
 * Makes choices that are independent of the input, so that each execution has another shader of
 * grammar.h.
 */
static size_t make_choices(uint8_t *data, size_t max_size, unsigned int seed)
{
	const size_t least = SHADER_HEADER + 32,
		     most = max_size < MAX_CHOICES ? max_size : MAX_CHOICES;
	uint64_t state = seed | 1ull << 32;
	size_t size;

	if (most <= least)
		return 0;
	size = least + seed % (most - least);
	for (size_t i = 0; i < size; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		data[i] = state >> 56;
	}
	data[1] |= SHADER_CHOICES;
	return size;
}

size_t shader_mutate(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	const size_t words = size > SHADER_HEADER ? (size - SHADER_HEADER) / 4 : 0;

	if (getenv(SHADER_GRAMMAR))
		return make_choices(data, max_size, seed);
	if (words <= SHADER_SPIRV_HEADER || seed % 16 == 0 || data[1] >= SHADER_CHOICES)
		return LLVMFuzzerMutate(data, size, max_size);
	if (seed % 4 == 1) {
		data[(seed >> 2) % SHADER_HEADER] = seed >> 16;
		return size;
	}
	return SHADER_HEADER + 4 * mutate_code((uint32_t *)(data + SHADER_HEADER), words,
					       (max_size - SHADER_HEADER) / 4, seed);
}
