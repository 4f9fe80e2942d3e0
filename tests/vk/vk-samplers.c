// SPDX-License-Identifier: MIT
/*
 * Vulkan: sets with separate images and samplers, and arrays of descriptors. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-samplers.comp.h"

#define SIDE 4
#define N_WORDS 10
/* samplers: texels outside of the image are those of its edge, or white, or black */
#define EDGE 0
#define WHITE 1
#define BLACK 2

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

static struct {
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkDescriptorPool pool;
	VkSampler samplers[3], shadow;
	struct vk_buffer result, add, source;
	struct vk_image pictures[3], depth;
	VkImageView views[3], depth_view;
} test;

static VkSampler sampler_new(VkSamplerAddressMode mode, VkBorderColor border, bool compare)
{
	return vk_sampler_new((VkSamplerCreateInfo){
		.addressModeU = mode,
		.addressModeV = mode,
		.addressModeW = mode,
		.borderColor = border,
		.compareEnable = compare,
		.compareOp = VK_COMPARE_OP_LESS,
	});
}

static void make_depth(void)
{
	const VkImageSubresourceRange all = { VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1 };
	const VkClearDepthStencilValue half = { 0.5f, 0 };
	VkCommandBuffer cmd;

	test.depth = vk_picture_new(VK_FORMAT_D32_SFLOAT, SIDE, VK_IMAGE_USAGE_SAMPLED_BIT,
				    &test.depth_view);
	cmd = vk_begin();
	vkCmdClearDepthStencilImage(cmd, test.depth.image, general, &half, 1, &all);
	vk_run(cmd);
}

static void make_things(void)
{
	test.samplers[EDGE] = sampler_new(VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0, false);
	test.samplers[WHITE] = sampler_new(VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
					   VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE, false);
	test.samplers[BLACK] = sampler_new(VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
					   VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK, false);
	test.shadow = sampler_new(VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0, true);
	test.result = vk_buffer_new(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.add = vk_buffer_new(4096, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
	test.source = vk_buffer_new(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	for (uint32_t i = 0; i < 3; i++) {
		const VkClearColorValue color = { .float32 = { (10 + i) / 255.0f } };

		test.pictures[i] = vk_picture_new(VK_FORMAT_R8G8B8A8_UNORM, SIDE,
						  VK_IMAGE_USAGE_SAMPLED_BIT, &test.views[i]);
		vk_image_fill(&test.pictures[i], &color);
	}
	make_depth();
	for (uint32_t i = 0; i < 2; i++) {
		((uint32_t *)test.add.map)[i * 64] = 20 + i;
		for (uint32_t k = 0; k < 3; k++)
			((uint32_t *)test.source.map)[i * 64 + k] = 30 + i * 10 + k;
	}
}

static void make_pipeline(void)
{
	test.layout = vk_layout_new(&test.set_layout, 1, VK_SHADER_STAGE_COMPUTE_BIT, 8);
	test.pipeline = vk_compute_new(test.layout, VK_CODE(vk_samplers_comp));
}

static void make_layout(void)
{
	const VkShaderStageFlags stage = VK_SHADER_STAGE_COMPUTE_BIT;
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stage, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_SAMPLER, 2, stage, NULL },
		{ 2, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 3, stage, NULL },
		{ 3, VK_DESCRIPTOR_TYPE_SAMPLER, 1, stage, &test.samplers[BLACK] },
		{ 4, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, stage, NULL },
		{ 5, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2, stage, NULL },
		{ 6, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, stage, NULL },
		{ 8, VK_DESCRIPTOR_TYPE_SAMPLER, 1, stage, &test.shadow },
		{ 9, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1, stage, NULL },
	};

	test.set_layout = vk_set_layout_new(bindings, sizeof(bindings) / sizeof(bindings[0]));
}

static void make_pool(void)
{
	const VkDescriptorPoolSize sizes[] = {
		{ VK_DESCRIPTOR_TYPE_SAMPLER, 8 },
		{ VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 8 },
		{ VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2 },
		{ VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 4 },
		{ VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 6 },
	};
	const VkDescriptorPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 2,
		.poolSizeCount = 5,
		.pPoolSizes = sizes,
	};

	VK_CHECK(vkCreateDescriptorPool(vk.device, &info, NULL, &test.pool));
}

static VkDescriptorSet set_new(void)
{
	const VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = test.pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &test.set_layout,
	};
	VkDescriptorSet set;

	VK_CHECK(vkAllocateDescriptorSets(vk.device, &info, &set));
	return set;
}

/* Handles that the descriptor type does not use may be invalid. */
static void write_textures(VkDescriptorSet set)
{
	const VkImageView wild_view = (VkImageView)(uintptr_t)0xdead0;
	const VkSampler wild_sampler = (VkSampler)(uintptr_t)0xdead0;
	const VkDescriptorImageInfo samplers[] = {
		{ test.samplers[EDGE], wild_view, general },
		{ test.samplers[WHITE], wild_view, general },
	};
	const VkDescriptorImageInfo depth = { wild_sampler, test.depth_view, general };
	const VkDescriptorImageInfo both = { test.samplers[WHITE], test.views[2], general };
	VkDescriptorImageInfo images[3];
	VkWriteDescriptorSet writes[] = {
		vk_write_of(set, 1, 2, VK_DESCRIPTOR_TYPE_SAMPLER),
		vk_write_of(set, 2, 3, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE),
		vk_write_of(set, 4, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER),
		vk_write_of(set, 9, 1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE),
	};

	for (int i = 0; i < 3; i++)
		images[i] = (VkDescriptorImageInfo){ wild_sampler, test.views[i], general };
	writes[0].pImageInfo = samplers;
	writes[1].pImageInfo = images;
	writes[2].pImageInfo = &both;
	writes[3].pImageInfo = &depth;
	vkUpdateDescriptorSets(vk.device, 4, writes, 0, NULL);
}

static void write_buffers(VkDescriptorSet set)
{
	const VkDescriptorBufferInfo result = { test.result.buffer, 0, VK_WHOLE_SIZE };
	const VkDescriptorBufferInfo adds[] = { { test.add.buffer, 0, 16 },
						{ test.add.buffer, 256, 16 } };
	const VkDescriptorBufferInfo sources[] = { { test.source.buffer, 0, 16 },
						   { test.source.buffer, 256, 16 } };
	VkWriteDescriptorSet writes[] = {
		vk_write_of(set, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
		vk_write_of(set, 5, 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER),
		vk_write_of(set, 6, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
	};

	writes[0].pBufferInfo = &result;
	writes[1].pBufferInfo = adds;
	writes[2].pBufferInfo = sources;
	vkUpdateDescriptorSets(vk.device, 3, writes, 0, NULL);
}

static void run(VkDescriptorSet set, uint32_t image, uint32_t which)
{
	const uint32_t push[] = { image, which };

	memset(test.result.map, 0xff, 4096);
	vk_dispatch(test.pipeline, test.layout, set, push, sizeof(push));
}

static bool results_are(uint32_t image, uint32_t which)
{
	const uint32_t color = 10 + image;
	const uint32_t expected[N_WORDS] = {
		which == EDGE ? color : 255,
		0,
		color,
		which == EDGE ? 12 : 255,
		255,
		255,
		20 + which,
		30 + which * 10 + image,
		2,
		SIDE * 10 + 1,
	};
	const uint32_t *words = test.result.map;
	bool ok = true;

	for (uint32_t i = 0; i < N_WORDS; i++) {
		if (words[i] != expected[i])
			printf("# image %u, sampler %u, word %u: %u, not %u\n", image, which, i,
			       words[i], expected[i]);
		ok &= words[i] == expected[i];
	}
	return ok;
}

static void test_elements(VkDescriptorSet set)
{
	bool ok = true;

	for (uint32_t image = 0; image < 3; image++) {
		run(set, image, EDGE);
		ok &= results_are(image, EDGE);
	}
	tap(ok, "several images are seen through one sampler");
	run(set, 1, WHITE);
	tap(results_are(1, WHITE), "and one image through several");
}

/* Copies a set, and updates an element of the original. */
static void test_updates(VkDescriptorSet set)
{
	static const uint32_t counts[] = { 1, 2, 3, 0, 1, 2, 2, 0, 0, 1 };
	const VkDescriptorSet other = set_new();
	VkCopyDescriptorSet copies[10];
	uint32_t n = 0;

	for (uint32_t i = 0; i < 10; i++)
		if (counts[i])
			copies[n++] = (VkCopyDescriptorSet){
				.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
				.srcSet = set,
				.srcBinding = i,
				.dstSet = other,
				.dstBinding = i,
				.descriptorCount = counts[i],
			};
	vkUpdateDescriptorSets(vk.device, 0, NULL, n, copies);
	run(other, 2, EDGE);
	tap(results_are(2, EDGE), "samplers and images are copied");
	vk_write_image(set, 1, 0, VK_DESCRIPTOR_TYPE_SAMPLER, test.samplers[WHITE], VK_NULL_HANDLE);
	run(set, 0, 0);
	tap(*(uint32_t *)test.result.map == 255, "a sampler is written anew");
	run(other, 0, EDGE);
	tap(results_are(0, EDGE), "the copy is as it was");
}

static void drop_things(void)
{
	vkDestroyDescriptorPool(vk.device, test.pool, NULL);
	vkDestroyPipeline(vk.device, test.pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vkDestroyDescriptorSetLayout(vk.device, test.set_layout, NULL);
	for (int i = 0; i < 3; i++) {
		vkDestroySampler(vk.device, test.samplers[i], NULL);
		vkDestroyImageView(vk.device, test.views[i], NULL);
		vk_image_del(&test.pictures[i]);
	}
	vkDestroySampler(vk.device, test.shadow, NULL);
	vkDestroyImageView(vk.device, test.depth_view, NULL);
	vk_image_del(&test.depth);
	vk_buffer_del(&test.result);
	vk_buffer_del(&test.add);
	vk_buffer_del(&test.source);
}

int main(void)
{
	VkDescriptorSet set;

	vk_open();
	make_things();
	make_layout();
	make_pipeline();
	make_pool();
	set = set_new();
	write_textures(set);
	write_buffers(set);
	test_elements(set);
	test_updates(set);
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
