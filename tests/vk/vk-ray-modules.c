// SPDX-License-Identifier: MIT
/*
 * Vulkan: valid SPIR-V modules with ray queries that glslang does not make. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "ray-scene.h"

#include "vk-ray-fast.h"
#include "vk-ray-oldest.h"
#include "vk-ray-stride.h"
#include "vk-ray-unused.h"

#define WORDS 8
#define FIVE 0x40a00000		/* the bits of 5.0f */

static struct {
	struct ray_soup soup;
	struct ray_world world;
	struct ray_buffer words;
	struct vk_set set;
	VkPipelineLayout layout;
} test;

/* Modules, and the words that they write. The result of each float operation is exact. */
static const struct module {
	const char *rule;
	const uint32_t *code;
	size_t size;
	bool needs_float_controls;
	uint32_t words[WORDS];
} modules[] = {
	{ "a pointer with an ArrayStride steps by it beside ray queries", VK_CODE(vk_ray_stride),
	  false, { 0, 0, 0, 0, RAY_TRIANGLE, RAY_TRIANGLE, RAY_TRIANGLE, RAY_TRIANGLE } },
	{ "FPFastMathDefault changes no result of a ray query", VK_CODE(vk_ray_fast), true,
	  { RAY_TRIANGLE, FIVE, RAY_MISS } },
	{ "a module with the capability RayQueryKHR need not use it", VK_CODE(vk_ray_unused),
	  false, { 7 } },
	{ "a module of SPIR-V 1.0 may have ray queries", VK_CODE(vk_ray_oldest), false,
	  { RAY_TRIANGLE } },
};

static void make_world(void)
{
	static const float corners[][3] = { { -4, -4, 5 }, { -4, 4, 5 }, { 4, 0, 5 } };

	ray_soup_triangles(&test.soup, corners, 1, VK_GEOMETRY_OPAQUE_BIT_KHR);
	ray_soup_build(&test.soup, 0);
	ray_world_add(&test.world, &test.soup);
	ray_world_build(&test.world, 0);
}

static void make_set(void)
{
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};
	const VkWriteDescriptorSetAccelerationStructureKHR structures = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
		.accelerationStructureCount = 1,
		.pAccelerationStructures = &test.world.structure.handle,
	};
	VkDescriptorBufferInfo words;
	VkWriteDescriptorSet writes[2];

	test.words = ray_buffer_new(WORDS * 4);
	words = (VkDescriptorBufferInfo){ test.words.whole.buffer, test.words.offset,
					  test.words.size };
	test.set = vk_set_new(bindings, 2);
	for (uint32_t i = 0; i < 2; i++)
		writes[i] = vk_write_of(test.set.set, i, 1, bindings[i].descriptorType);
	writes[0].pNext = &structures;
	writes[1].pBufferInfo = &words;
	vkUpdateDescriptorSets(vk.device, 2, writes, 0, NULL);
	test.layout = vk_layout_new(&test.set.layout, 1, VK_SHADER_STAGE_COMPUTE_BIT, 8);
}

static bool words_are_right(const struct module *m)
{
	const uint32_t *words = test.words.map;

	for (uint32_t i = 0; i < WORDS; i++) {
		if (words[i] != m->words[i]) {
			printf("# word %u is %#x, not %#x\n", i, words[i], m->words[i]);
			return false;
		}
	}
	return true;
}

static void test_module(const struct module *m)
{
	const VkComputePipelineCreateInfo info = vk_compute_info(test.layout, m->code, m->size);
	VkPipeline pipeline;
	VkResult result;

	result = vk_compute_try(&info, &pipeline);
	if (result) {
		printf("# the result of the pipeline is %d\n", result);
		tap(false, "%s", m->rule);
		return;
	}
	memset(test.words.map, 0, test.words.size);
	vk_dispatch(pipeline, test.layout, test.set.set, &test.words.address, 8);
	tap(words_are_right(m), "%s", m->rule);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

int main(void)
{
	if (!ray_open())
		return 0;
	make_world();
	make_set();
	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		if (modules[i].needs_float_controls && !rays.float_controls.shaderFloatControls2)
			tap(true, "%s # SKIP not supported", modules[i].rule);
		else
			test_module(&modules[i]);
	}
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	ray_buffer_del(&test.words);
	ray_world_del(&test.world);
	ray_soup_del(&test.soup);
	vk_close();
	return tap_failures() != 0;
}
