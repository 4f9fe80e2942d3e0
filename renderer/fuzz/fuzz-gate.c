// SPDX-License-Identifier: MIT
/*
 * libFuzzer target: the gate. Whatever it lets through must be a module that spirv-val accepts, of
 * bounded size.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The header defines this constant in every file that includes it, and gate.c does. */
#define kDefaultMaxIdBound fuzz_gate_max_id_bound
#include <spirv-tools/libspirv.h>

#include "gate-caps.h"
#include "gate.h"
#include "shader-mutator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

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
	const size_t words = size > SHADER_HEADER ? (size - SHADER_HEADER) / 4 : 0;
	struct sundog_cmd_create_shader cmd;
	struct gate_module module;
	char why[256];
	uint32_t *code;

	if (words < SHADER_SPIRV_HEADER)
		return 0;
	cmd = shader_interface(data, words);
	/* A copy of just this size, aligned as a stream is. */
	code = malloc(words * 4);
	memcpy(code, data + SHADER_HEADER, words * 4);
	memset(why, 0, sizeof(why));
	if (gate_shader(&cmd, code, &gate_caps, &module, why, sizeof(why))) {
		must_be_valid(&module);
		free(module.code);
	} else if (!why[0] || !memchr(why, 0, sizeof(why))) {
		fprintf(stderr, "a refusal without a reason\n");
		abort();
	}
	free(code);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return shader_mutate(data, size, max_size, seed);
}
