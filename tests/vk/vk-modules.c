// SPDX-License-Identifier: MIT
/*
 * Vulkan: malformed SPIR-V modules, as a web page may give to a browser. Creating a pipeline
 * returns an error or a shader that the renderer refuses, and the process continues. Prints TAP;
 * the caller detects a hang.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "vk-pipeline.h"

#include "vk-lost.comp.h"

#define HEADER 5
#define BOUND 3
#define MAX_WORDS (1 << 20)
#define DAMAGES 1000

static struct {
	VkDescriptorSetLayout set;
	VkPipelineLayout layout;
	uint32_t code[MAX_WORDS];
	size_t used;
} test;

static void put(uint32_t word)
{
	test.code[test.used++] = word;
}

static void op(uint32_t op, uint32_t words)
{
	put(op | words << 16);
}

static void begin(uint32_t bound)
{
	const uint32_t header[HEADER] = { SpvMagicNumber, 0x10300, 0, bound, 0 };

	test.used = 0;
	for (int i = 0; i < HEADER; i++)
		put(header[i]);
}

/* An OpEntryPoint for function @id with @words words; 4 are correct for this name. */
static void entry(uint32_t id, uint32_t words)
{
	op(SpvOpEntryPoint, words);
	put(SpvExecutionModelGLCompute);
	put(id);
	put('m');
	for (uint32_t i = 4; i < words; i++)
		put(1);
}

/* Creates a pipeline with any result, as long as the call returns. */
static void make(const char *name)
{
	VkComputePipelineCreateInfo info = vk_compute_info(test.layout, test.code, test.used * 4);
	VkPipeline pipeline = VK_NULL_HANDLE;

	info.stage.pName = name;
	vk_compute_try(&info, &pipeline);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

static void test_entries(void)
{
	begin(10);
	for (int i = 0; i < 64; i++)
		entry(0, 4);
	make("m");
	begin(10);
	entry(1000, 4);
	make("m");
	begin(10);
	entry(1, 0xffff);
	make("m");
	begin(0);
	entry(1, 4);
	op(SpvOpVariable, 4);
	put(1);
	put(2);
	put(SpvStorageClassPrivate);
	make("m");
	tap(true, "entry points of no function, of too many variables, in a module with no ids");
}

/* The last instruction of an otherwise correct module is too short. */
static void test_truncated(void)
{
	static const uint32_t ops[] = {
		SpvOpVariable,	SpvOpFunction,	   SpvOpDecorate,   SpvOpCapability,
		SpvOpTypeImage, SpvOpTypePointer,  SpvOpName,	    SpvOpLabel,
		SpvOpLoad,	SpvOpFunctionCall, SpvOpEntryPoint, SpvOpCopyLogical,
		SpvOpExtInst,
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		for (uint32_t words = 1; words < 4; words++) {
			begin(10);
			entry(1, 4);
			op(ops[i], words);
			for (uint32_t w = 1; w < words; w++)
				put(2);
			make("m");
		}
	}
	tap(true, "instructions that lack words");
}

/* Functions without an OpFunctionEnd, each of which calls the next one. */
static void test_functions(void)
{
	const uint32_t count = 60000;

	begin(count + 10);
	entry(1, 4);
	for (uint32_t i = 1; i <= count; i++) {
		op(SpvOpFunction, 5);
		put(count + 2);
		put(i);
		put(0);
		put(count + 3);
		op(SpvOpFunctionCall, 4);
		put(count + 2);
		put(count + 4);
		put(i + 1);
	}
	make("m");
	tap(true, "60,000 functions that have no end");
}

/*
 * This submission sends the pipelines that were created above to the renderer, which may have
 * refused shaders only.
 */
static void test_device(void)
{
	vk_run(vk_begin());
	tap(true, "the device goes on");
}

/* A correct module with one wrong word, or cut off. */
static void test_damage(void)
{
	const size_t words = sizeof(vk_lost_comp) / 4;
	uint32_t seed = 1;

	for (int i = 0; i < DAMAGES; i++) {
		size_t at;

		memcpy(test.code, vk_lost_comp, sizeof(vk_lost_comp));
		test.used = words;
		seed = seed * 1664525 + 1013904223;
		at = 1 + (seed >> 8) % (words - 1);
		seed = seed * 1664525 + 1013904223;
		if (i % 4 == 0)
			test.used = at;
		else if (i % 4 == 1)
			test.code[at] = seed;
		else if (i % 4 == 2)
			test.code[at] ^= 1u << (seed >> 27);
		else
			test.code[at] = (test.code[at] & 0xffff) | (seed & 0xffff0000);
		make("main");
	}
	tap(true, "%d modules with a word that is wrong, or that end too early", DAMAGES);
}

static void make_layout(void)
{
	const VkDescriptorSetLayoutBinding binding = {
		0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL,
	};

	test.set = vk_set_layout_new(&binding, 1);
	test.layout = vk_layout_new(&test.set, 1, VK_SHADER_STAGE_COMPUTE_BIT, 4);
}

/* Drivers need not tolerate malformed modules, and lavapipe does not. */
int main(void)
{
	vk_open();
	if (!strstr(vk.properties.deviceName, "sundog")) {
		printf("ok - # SKIP it is not sundog\n");
	} else {
		make_layout();
		test_entries();
		test_truncated();
		test_functions();
		test_damage();
		test_device();
		vkDestroyPipelineLayout(vk.device, test.layout, NULL);
		vkDestroyDescriptorSetLayout(vk.device, test.set, NULL);
	}
	vk_close();
	return tap_failures() != 0;
}
