// SPDX-License-Identifier: MIT
/*
 * Vulkan: accesses beyond the range of a descriptor read zero and write nothing
 * (robustBufferAccess2, robustImageAccess2). Each range is in the middle of a buffer; shaders must
 * not read or change the other words. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-robust-shaders.h"

#define N_WORDS 4096
#define FIRST 1024		/* word of the range */
#define CANARY 0xdeadbeefu
#define SIDE 4
#define N_RESULTS 10

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

enum { RESULT, WORDS, VECTORS, FIXED, UNIFORM, TEXELS, STORED, PARTS, IMAGE, BINDINGS };

static const struct {
	VkDescriptorType type;
	uint32_t words;			/* of its range */
	uint32_t step;			/* words from one element to the next */
	uint32_t skip;			/* words before the first element */
} bindings[BINDINGS] = {
	[RESULT] = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 16, 1, 0 },
	[WORDS] = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 6, 1, 2 },
	[VECTORS] = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 16, 4, 0 },
	[FIXED] = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4, 1, 0 },
	[UNIFORM] = { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 16, 4, 0 },
	[TEXELS] = { VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 4, 1, 0 },
	[STORED] = { VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 4, 1, 0 },
	[PARTS] = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 9, 2, 0 },
	[IMAGE] = { VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 0, 1, 0 },
};

/*
 * Indices that are out of bounds for all descriptors. All of them have four elements; some have the
 * beginning of a fifth one.
 */
static const uint32_t beyond[] = {
	4,	    5,		63,	    64,		1000,
	0x0fffffff, 0x10000000, 0x3ffffffe, 0x3fffffff, 0x40000000,
	0x40000001, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
};

static struct {
	struct vk_buffer buffers[BINDINGS];
	VkBufferView texels, stored;
	struct vk_image image;
	VkImageView image_view;
	struct vk_set set;
	VkPipelineLayout layout;
	VkPipeline pipeline;
} test;

static VkPhysicalDeviceRobustness2FeaturesEXT robustness = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
};

static uint32_t *words_of(int binding)
{
	return test.buffers[binding].map;
}

/*
 * The words of each range are 1, 2, 3 ...; all other words are the canary; the texels of the image
 * are 2.
 */
static void fill(void)
{
	vk_image_fill(&test.image, &(VkClearColorValue){ .uint32 = { 2 } });
	for (int b = 0; b < IMAGE; b++)
		for (uint32_t i = 0; i < N_WORDS; i++)
			words_of(b)[i] = i >= FIRST && i < FIRST + bindings[b].words ? i - FIRST + 1
										     : CANARY;
}

static bool is_untouched(int b)
{
	for (uint32_t i = 0; i < N_WORDS; i++)
		if (words_of(b)[i] !=
		    (i >= FIRST && i < FIRST + bindings[b].words ? i - FIRST + 1 : CANARY))
			return false;
	return true;
}

static VkBufferView view_new(int binding)
{
	const VkBufferViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
		.buffer = test.buffers[binding].buffer,
		.format = VK_FORMAT_R32_UINT,
		.offset = FIRST * 4,
		.range = bindings[binding].words * 4,
	};
	VkBufferView view;

	VK_CHECK(vkCreateBufferView(vk.device, &info, NULL, &view));
	return view;
}

static void write_set(void)
{
	for (uint32_t b = 0; b < BINDINGS; b++) {
		const VkDescriptorBufferInfo buffer = {
			test.buffers[b].buffer, FIRST * 4, bindings[b].words * 4,
		};
		const VkDescriptorImageInfo image = { VK_NULL_HANDLE, test.image_view, general };
		const VkWriteDescriptorSet write = {
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = test.set.set,
			.dstBinding = b,
			.descriptorCount = 1,
			.descriptorType = bindings[b].type,
			.pBufferInfo = &buffer,
			.pImageInfo = &image,
			.pTexelBufferView = b == TEXELS ? &test.texels : &test.stored,
		};

		vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
	}
}

static void make_things(void)
{
	VkDescriptorSetLayoutBinding layout[BINDINGS];

	for (uint32_t b = 0; b < BINDINGS; b++) {
		layout[b] = (VkDescriptorSetLayoutBinding){ b, bindings[b].type, 1,
							    VK_SHADER_STAGE_COMPUTE_BIT, NULL };
		test.buffers[b] = vk_buffer_new(N_WORDS * 4,
						VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
							VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
							VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
							VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT);
	}
	test.texels = view_new(TEXELS);
	test.stored = view_new(STORED);
	test.image = vk_picture_new(VK_FORMAT_R32_UINT, SIDE, VK_IMAGE_USAGE_STORAGE_BIT,
				    &test.image_view);
	test.set = vk_set_new(layout, BINDINGS);
	write_set();
	test.layout = vk_layout_new(&test.set.layout, 1, VK_SHADER_STAGE_COMPUTE_BIT, 8);
	test.pipeline = vk_compute_new(test.layout, VK_CODE(robust_comp));
}

static void delete_things(void)
{
	vkDestroyPipeline(vk.device, test.pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	vkDestroyImageView(vk.device, test.image_view, NULL);
	vk_image_del(&test.image);
	vkDestroyBufferView(vk.device, test.texels, NULL);
	vkDestroyBufferView(vk.device, test.stored, NULL);
	for (int b = 0; b < BINDINGS; b++)
		vk_buffer_del(&test.buffers[b]);
}

/* Dispatches and returns the words that the shader read. */
static const uint32_t *dispatch(uint32_t index, bool write)
{
	const uint32_t push[] = { index, write };

	vk_dispatch(test.pipeline, test.layout, test.set.set, push, sizeof(push));
	return words_of(RESULT) + FIRST;
}

/* Returns the value of element @index of a binding, of its first or second word. */
static uint32_t value_of(int binding, uint32_t index, uint32_t word)
{
	return bindings[binding].skip + index * bindings[binding].step + word + 1;
}

static void test_within(void)
{
	const uint32_t *result;

	fill();
	result = dispatch(3, false);
	tap(result[0] == value_of(WORDS, 3, 0) &&
		    result[1] == (value_of(VECTORS, 3, 0) | value_of(VECTORS, 3, 3)) &&
		    result[2] == value_of(FIXED, 3, 0) && result[3] == value_of(UNIFORM, 3, 1) &&
		    result[4] == value_of(TEXELS, 3, 0) && result[5] == value_of(STORED, 3, 0) &&
		    result[6] == 2 && result[7] == value_of(PARTS, 4, 0),
	    "the last elements are what they are");
	tap(result[8] == 4 && result[9] == 4, "arrays at the end of buffers have as many as fit");
	dispatch(3, true);
	tap(words_of(WORDS)[FIRST + 5] == 14 && words_of(VECTORS)[FIRST + 15] == 7 &&
		    words_of(FIXED)[FIRST + 3] == 7 && words_of(STORED)[FIRST + 3] == 7 &&
		    words_of(PARTS)[FIRST + 8] == 7,
	    "and are written");
}

static bool all_zero(const uint32_t *result)
{
	bool ok = true;

	for (int i = 0; i < N_RESULTS - 2; i++) {
		if (result[i])
			printf("# result %d is %#x\n", i, result[i]);
		ok &= !result[i];
	}
	return ok;
}

static void test_beyond(uint32_t index)
{
	const uint32_t *result;
	bool ok = true;

	fill();
	result = dispatch(index, false);
	printf("# element %#x\n", index);
	tap(all_zero(result), "what lies beyond is zero");
	fill();
	dispatch(index, true);
	for (int b = 0; b < IMAGE; b++) {
		if (!is_untouched(b))
			printf("# binding %d was changed\n", b);
		ok &= is_untouched(b);
	}
	tap(ok, "and is not written");
}

/* Blocks that are identically defined, each with the length of its own range. */
static void test_alike(void)
{
	/* of the result, the two elements of an array, and the other block */
	static const uint32_t lengths[] = { 4, 3, 5, 7 };
	const VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
	const VkDescriptorSetLayoutBinding layout[] = {
		{ 0, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 1, type, 2, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 2, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};
	struct vk_set set = vk_set_new(layout, 3);
	const VkPipelineLayout pipeline_layout =
		vk_layout_new(&set.layout, 1, VK_SHADER_STAGE_COMPUTE_BIT, 8);
	const VkPipeline pipeline = vk_compute_new(pipeline_layout, VK_CODE(alike_comp));
	const uint32_t *result = words_of(RESULT) + FIRST;
	VkDescriptorBufferInfo infos[4];
	bool ok = true;

	fill();
	for (uint32_t i = 0; i < 4; i++)
		infos[i] = (VkDescriptorBufferInfo){ test.buffers[RESULT + i].buffer, FIRST * 4,
						     lengths[i] * 4 };
	for (uint32_t b = 0; b < 3; b++) {
		VkWriteDescriptorSet write =
			vk_write_of(set.set, b, layout[b].descriptorCount, type);

		write.pBufferInfo = &infos[b + (b > 1)];
		vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
	}
	for (uint32_t i = 0; i < 16; i++) {
		const uint32_t index = i / 2, which = 1 + i % 2, push[] = { index, i % 2 };

		vk_dispatch(pipeline, pipeline_layout, set.set, push, sizeof(push));
		ok &= result[0] == (index < lengths[which] ? words_of(RESULT + which)[FIRST + index]
							   : 0) &&
		      result[1] == (index < lengths[3] ? words_of(RESULT + 3)[FIRST + index] : 0) &&
		      result[2] == lengths[which] && result[3] == lengths[3];
	}
	tap(ok, "blocks that are alike are as long as each of them is");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, pipeline_layout, NULL);
	vk_set_del(&set);
}

static void use(const uint32_t *code, size_t size)
{
	vkDestroyPipeline(vk.device, test.pipeline, NULL);
	test.pipeline = vk_compute_new(test.layout, code, size);
}

int main(void)
{
	static const char *const extensions[] = { VK_EXT_ROBUSTNESS_2_EXTENSION_NAME };

	vk.features = &robustness;
	vk_open_with(NULL, 0, extensions, 1);
	tap(robustness.robustBufferAccess2 && robustness.robustImageAccess2,
	    "there is robust access of the second kind");
	make_things();
	test_within();
	for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++)
		test_beyond(beyond[i]);
	/* The same indices as constants. */
	use(VK_CODE(robust_last_comp));
	test_within();
	use(VK_CODE(robust_beyond_comp));
	test_beyond(0x3ffffffe);
	test_alike();
	delete_things();
	vk_close();
	return tap_failures() != 0;
}
