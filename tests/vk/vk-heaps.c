// SPDX-License-Identifier: MIT
/*
 * Vulkan: descriptor sets with as many descriptors as a device allows, used so that the driver
 * makes many copies of them: dynamic offsets that change with each dispatch, shaders that use a set
 * as several types, sets that are bound but not used, sets with short lifetimes. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-heaps-shaders.h"

#define MOST 1000000	/* descriptors of the largest set */
#define ROOM 16		/* descriptors left for the other sets */
#define MANY 4096	/* descriptors of a large set that is not the largest */
#define STEP 256	/* bytes between words; a multiple of all alignments of offsets */
#define WORDS 64
#define BUFFERS 16	/* command buffers that are recorded at the same time */
#define MOVES 700	/* dispatches, more than there may be copies of a set of MANY descriptors */
#define FIRST VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
#define TYPES 6		/* from FIRST on */
#define KINDS 4		/* image types that shaders declare and the descriptors do not have */
#define NONE 0xffffffff
#define MAX_SETS 8

static const VkDescriptorType heap_types[TYPES] = {
	VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,	 VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
	VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
	VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,	 VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
};

static struct {
	struct vk_buffer result, words;	/* word i is i, STEP apart */
	struct vk_image image;		/* all texels are 3 */
	VkImageView view;
	VkBufferView texels;
} things;

/* A set with a buffer for results, and one with very many descriptors. */
static struct {
	VkDescriptorSetLayout layouts[2];
	VkPipelineLayout layout;
	VkDescriptorPool pool;
	VkDescriptorSet sets[2];
} test;

/* Objects */

static void make_things(void)
{
	const VkBufferUsageFlags usage =
		VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
		VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32_UINT,
		.extent = { 4, 4, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = 1,
		.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
			 VK_IMAGE_USAGE_STORAGE_BIT,
	};
	VkBufferViewCreateInfo texels = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
		.format = VK_FORMAT_R32_UINT,
		.offset = 5 * STEP,
		.range = 16,
	};

	things.result = vk_buffer_new(MOVES * 8, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	things.words = vk_buffer_new(WORDS * STEP, usage);
	for (uint32_t i = 0; i < WORDS; i++)
		((uint32_t *)things.words.map)[i * STEP / 4] = i;
	things.image = vk_image_new(&info);
	things.view = vk_view_new(&things.image, VK_IMAGE_VIEW_TYPE_2D, info.format,
				  vk_image_all(&things.image));
	vk_image_fill(&things.image, &(VkClearColorValue){ .uint32 = { 3 } });
	texels.buffer = things.words.buffer;
	VK_CHECK(vkCreateBufferView(vk.device, &texels, NULL, &things.texels));
}

static void drop_things(void)
{
	vkDestroyBufferView(vk.device, things.texels, NULL);
	vkDestroyImageView(vk.device, things.view, NULL);
	vk_image_del(&things.image);
	vk_buffer_del(&things.words);
	vk_buffer_del(&things.result);
}

/*
 * Returns the value that a shader reads from a descriptor: images have 3, buffers words 1 and 2,
 * texel buffers word 5.
 */
static uint32_t value_of(VkDescriptorType type)
{
	switch (type) {
	case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
	case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
		return 3;
	case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
		return 1;
	case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
		return 2;
	default:
		return 5;
	}
}

static void write_thing(VkDescriptorSet set, uint32_t element, VkDescriptorType type)
{
	const VkDescriptorImageInfo image = { VK_NULL_HANDLE, things.view,
					      VK_IMAGE_LAYOUT_GENERAL };
	const VkDescriptorBufferInfo range = { things.words.buffer,
					       (VkDeviceSize)value_of(type) * STEP, STEP };
	VkWriteDescriptorSet write = vk_write_of(set, 0, 1, type);

	write.dstArrayElement = element;
	write.pImageInfo = &image;
	write.pBufferInfo = &range;
	write.pTexelBufferView = &things.texels;
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
}

/* Heaps */

static VkResult make_heap_layout(VkDescriptorSetLayoutBinding binding, VkDescriptorSetLayout *out)
{
	const VkDescriptorBindingFlags flags = VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT |
					       VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT;
	const VkMutableDescriptorTypeListEXT list = { TYPES, heap_types };
	const VkMutableDescriptorTypeCreateInfoEXT types = {
		VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT, NULL, 1, &list };
	const VkDescriptorSetLayoutBindingFlagsCreateInfo binding_flags = {
		VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
		binding.descriptorType == VK_DESCRIPTOR_TYPE_MUTABLE_EXT ? &types : NULL, 1, &flags
	};
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.pNext = &binding_flags,
		.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
		.bindingCount = 1,
		.pBindings = &binding,
	};

	return vkCreateDescriptorSetLayout(vk.device, &info, NULL, out);
}

static void make_pool(uint32_t count)
{
	const VkMutableDescriptorTypeListEXT lists[] = { { TYPES, heap_types }, { 0, NULL } };
	const VkMutableDescriptorTypeCreateInfoEXT types = {
		VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT, NULL, 2, lists };
	const VkDescriptorPoolSize sizes[] = { { VK_DESCRIPTOR_TYPE_MUTABLE_EXT, count },
					       { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 } };
	const VkDescriptorPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .pNext = &types,
		.flags = VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT, .maxSets = 2,
		.poolSizeCount = 2, .pPoolSizes = sizes };

	VK_CHECK(vkCreateDescriptorPool(vk.device, &info, NULL, &test.pool));
}

static void allocate(void)
{
	const VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = test.pool,
		.descriptorSetCount = 2,
		.pSetLayouts = test.layouts
	};

	VK_CHECK(vkAllocateDescriptorSets(vk.device, &info, test.sets));
	vk_write_buffer(test.sets[0], 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &things.result);
}

static void make_heap(uint32_t count)
{
	const VkDescriptorSetLayoutBinding result = {
		0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL };

	test.layouts[0] = vk_set_layout_new(&result, 1);
	VK_CHECK(make_heap_layout(
		(VkDescriptorSetLayoutBinding){ 0, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, count,
						VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		&test.layouts[1]));
	test.layout = vk_layout_new(test.layouts, 2, VK_SHADER_STAGE_COMPUTE_BIT, 8);
}

static void drop_heap(void)
{
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	for (uint32_t i = 0; i < 2; i++)
		vkDestroyDescriptorSetLayout(vk.device, test.layouts[i], NULL);
}

static void record(VkCommandBuffer cmd, VkPipeline pipeline, uint32_t n_sets, uint32_t at,
		   uint32_t element)
{
	const uint32_t push[] = { at, element };

	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, n_sets,
				test.sets, 0, NULL);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), push);
	vkCmdDispatch(cmd, 1, 1, 1);
}

static uint32_t result_at(uint32_t i)
{
	return ((const uint32_t *)things.result.map)[i];
}

/* The pipeline layout of the command buffers has a set that no shader declares. */
static void test_unnamed(void)
{
	VkCommandBuffer cmds[BUFFERS];
	VkPipeline pipeline;
	bool ok = true;

	make_heap(MOST - ROOM);
	make_pool(MOST - ROOM);
	allocate();
	memset(things.result.map, 0xee, things.result.size);
	pipeline = vk_compute_new(test.layout, VK_CODE(heaps_plain));
	for (uint32_t i = 0; i < BUFFERS; i++) {
		cmds[i] = vk_begin();
		record(cmds[i], pipeline, 1, i, i + 100);
		vk_barrier(cmds[i]);
	}
	for (uint32_t i = 0; i < BUFFERS; i++) {
		vk_run(cmds[i]);
		ok &= result_at(i) == i + 100;
	}
	tap(ok, "sets that no shader names need not be there");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyDescriptorPool(vk.device, test.pool, NULL);
	drop_heap();
}

/*
 * The set is declared by shaders, which do not read it. Recording fails if there is no room for
 * null descriptors instead of it.
 */
static void test_unread(void)
{
	VkCommandBuffer cmds[BUFFERS];
	VkResult results[BUFFERS];
	VkPipeline pipeline;
	bool ok = true;

	make_heap(MOST - ROOM);
	make_pool(MOST - ROOM);
	allocate();
	memset(things.result.map, 0xee, things.result.size);
	pipeline = vk_compute_new(test.layout, VK_CODE(heaps_uniform));
	for (uint32_t i = 0; i < BUFFERS; i++) {
		cmds[i] = vk_begin();
		record(cmds[i], pipeline, 1, i, NONE);
		vk_barrier(cmds[i]);
		results[i] = vkEndCommandBuffer(cmds[i]);
		ok &= results[i] == VK_SUCCESS || results[i] == VK_ERROR_OUT_OF_DEVICE_MEMORY;
	}
	for (uint32_t i = 0; i < BUFFERS; i++) {
		const VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
					    .commandBufferCount = 1,
					    .pCommandBuffers = &cmds[i] };

		if (results[i] != VK_SUCCESS)
			continue;
		VK_CHECK(vkQueueSubmit(vk.queue, 1, &info, VK_NULL_HANDLE));
		VK_CHECK(vkQueueWaitIdle(vk.queue));
		ok &= result_at(i) == 7;
	}
	for (uint32_t i = 0; i < BUFFERS; i++)
		vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmds[i]);
	tap(ok && results[0] == VK_SUCCESS,
	    "sets that no shader reads are there, or a command buffer is refused");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyDescriptorPool(vk.device, test.pool, NULL);
	drop_heap();
}

/*
 * Limits are per stage: a layout may have more descriptors in all stages together, or creation
 * fails.
 */
static void test_layouts(void)
{
	const VkDescriptorSetLayoutBinding uniform = {
		0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT, NULL };
	VkPipelineLayout layout;
	VkDescriptorSetLayout sets[2];
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 2,
		.pSetLayouts = sets
	};
	VkResult result;

	VK_CHECK(make_heap_layout(
		(VkDescriptorSetLayoutBinding){ 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, MOST,
						VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
		&sets[0]));
	sets[1] = vk_set_layout_new(&uniform, 1);
	result = vkCreatePipelineLayout(vk.device, &info, NULL, &layout);
	vk_run(vk_begin());
	tap(result == VK_SUCCESS || result == VK_ERROR_OUT_OF_DEVICE_MEMORY,
	    "layouts of more descriptors than a stage may have");
	if (result == VK_SUCCESS)
		vkDestroyPipelineLayout(vk.device, layout, NULL);
	vkDestroyDescriptorSetLayout(vk.device, sets[0], NULL);
	vkDestroyDescriptorSetLayout(vk.device, sets[1], NULL);
}

/* Offsets */

static struct {
	struct vk_set sets[2];
	VkDescriptorSetLayout layouts[MAX_SETS];
	VkPipelineLayout layout;
	VkPipeline pipeline;
} moved;

static void write_range(VkDescriptorSet set, uint32_t binding, uint32_t element,
			VkDescriptorType type)
{
	const VkDescriptorBufferInfo range = { things.words.buffer, 0, 4 };
	VkWriteDescriptorSet write = vk_write_of(set, binding, 1, type);

	write.dstArrayElement = element;
	write.pBufferInfo = &range;
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
}

/* The two sets are the last of @n_sets; the others are empty. */
static void make_moved(uint32_t n_sets, const uint32_t *code, size_t size)
{
	const VkShaderStageFlags stage = VK_SHADER_STAGE_COMPUTE_BIT;
	const VkDescriptorSetLayoutBinding first[] = {
		{ 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 2, stage, NULL },
		{ 3, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, MANY, stage, NULL },
	};
	const VkDescriptorSetLayoutBinding second[] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stage, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1, stage, NULL },
		{ 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, stage, NULL },
	};

	moved.sets[0] = vk_set_new(first, 2);
	moved.sets[1] = vk_set_new(second, 3);
	for (uint32_t i = 0; i + 2 < n_sets; i++)
		moved.layouts[i] = vk_set_layout_new(NULL, 0);
	moved.layouts[n_sets - 2] = moved.sets[0].layout;
	moved.layouts[n_sets - 1] = moved.sets[1].layout;
	moved.layout = vk_layout_new(moved.layouts, n_sets, stage, 8);
	moved.pipeline = vk_compute_new(moved.layout, code, size);
	write_range(moved.sets[0].set, 0, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC);
	write_range(moved.sets[0].set, 0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC);
	for (uint32_t i = 0; i < MANY; i++)
		vk_write_image(moved.sets[0].set, 3, i, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
			       VK_NULL_HANDLE, things.view);
	vk_write_buffer(moved.sets[1].set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &things.result);
	write_range(moved.sets[1].set, 1, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC);
	write_range(moved.sets[1].set, 2, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC);
}

static void drop_moved(uint32_t n_sets)
{
	vkDestroyPipeline(vk.device, moved.pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, moved.layout, NULL);
	for (uint32_t i = 0; i + 2 < n_sets; i++)
		vkDestroyDescriptorSetLayout(vk.device, moved.layouts[i], NULL);
	vk_set_del(&moved.sets[0]);
	vk_set_del(&moved.sets[1]);
}

/* Returns the word at dynamic offset @n of dispatch @i. */
static uint32_t word_of(uint32_t i, uint32_t n)
{
	return (i >> n ^ i * (n + 1)) % WORDS;
}

static void record_moved(VkCommandBuffer cmd, uint32_t n_sets, uint32_t i)
{
	const VkDescriptorSet sets[] = { moved.sets[0].set, moved.sets[1].set };
	const uint32_t push[] = { i, i % MANY };
	uint32_t offsets[4];

	for (uint32_t n = 0; n < 4; n++)
		offsets[n] = word_of(i, n) * STEP;
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, moved.layout, n_sets - 2, 2,
				sets, 4, offsets);
	vkCmdPushConstants(cmd, moved.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), push);
	vkCmdDispatch(cmd, 1, 1, 1);
}

static void try_offsets(uint32_t n_sets, uint32_t dispatches, const uint32_t *code, size_t size,
			const char *what)
{
	VkCommandBuffer cmd = vk_begin();
	bool ok = true;

	make_moved(n_sets, code, size);
	memset(things.result.map, 0xee, things.result.size);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, moved.pipeline);
	for (uint32_t i = 0; i < dispatches; i++)
		record_moved(cmd, n_sets, i);
	vk_barrier(cmd);
	vk_run(cmd);
	for (uint32_t i = 0; i < dispatches && ok; i++) {
		const uint32_t expected = word_of(i, 0) | word_of(i, 1) << 8 | word_of(i, 2) << 16 |
					  word_of(i, 3) << 24;

		ok = result_at(i * 2) == expected && result_at(i * 2 + 1) == 3;
		if (!ok)
			printf("# dispatch %u: %#x and %u, not %#x and 3\n", i, result_at(i * 2),
			       result_at(i * 2 + 1), expected);
	}
	tap(ok, "%u dispatches with offsets of their own of %s", dispatches, what);
	drop_moved(n_sets);
}

/* Types */

static void make_type_pipelines(VkPipeline *pipelines, VkPipeline *others)
{
	pipelines[0] = vk_compute_new(test.layout, VK_CODE(heaps_texture));
	pipelines[1] = vk_compute_new(test.layout, VK_CODE(heaps_stored));
	pipelines[2] = vk_compute_new(test.layout, VK_CODE(heaps_texels));
	pipelines[3] = vk_compute_new(test.layout, VK_CODE(heaps_stored_texels));
	pipelines[4] = vk_compute_new(test.layout, VK_CODE(heaps_uniform));
	pipelines[5] = vk_compute_new(test.layout, VK_CODE(heaps_storage));
	others[0] = vk_compute_new(test.layout, VK_CODE(heaps_float));
	others[1] = vk_compute_new(test.layout, VK_CODE(heaps_volume));
	others[2] = vk_compute_new(test.layout, VK_CODE(heaps_layers));
	others[3] = vk_compute_new(test.layout, VK_CODE(heaps_float_layers));
}

static void submit_both(VkCommandBuffer *cmds)
{
	const VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				    .commandBufferCount = 2,
				    .pCommandBuffers = cmds };

	for (uint32_t i = 0; i < 2; i++) {
		vk_barrier(cmds[i]);
		VK_CHECK(vkEndCommandBuffer(cmds[i]));
	}
	VK_CHECK(vkQueueSubmit(vk.queue, 1, &info, VK_NULL_HANDLE));
	VK_CHECK(vkQueueWaitIdle(vk.queue));
	vkFreeCommandBuffers(vk.device, vk.pool, 2, cmds);
}

/*
 * Copies of sets that no pending submission reads must make room for others: copies of a heap as
 * each type and kind, more than may exist at the same time, and copies of heaps that were freed.
 */
static void test_types(void)
{
	const uint32_t count = MOST - ROOM;
	VkPipeline pipelines[TYPES], others[KINDS];
	bool ok = true;

	make_heap(count);
	make_type_pipelines(pipelines, others);
	for (uint32_t round = 0; round < 2; round++) {
		VkCommandBuffer cmds[] = { vk_begin(), vk_begin() };

		make_pool(count);
		allocate();
		memset(things.result.map, 0xee, things.result.size);
		for (uint32_t i = 0; i < TYPES; i++) {
			write_thing(test.sets[1], count - TYPES + i, heap_types[i]);
			record(cmds[0], pipelines[i], 2, i, count - TYPES + i);
		}
		for (uint32_t i = 0; i < KINDS; i++)
			record(cmds[1], others[i], 2, TYPES + i, NONE);
		submit_both(cmds);
		for (uint32_t i = 0; i < TYPES; i++)
			ok &= result_at(i) == value_of(heap_types[i]);
		for (uint32_t i = 0; i < KINDS; i++)
			ok &= result_at(TYPES + i) == 7;
		vkDestroyDescriptorPool(vk.device, test.pool, NULL);
	}
	tap(ok, "a heap has elements of six types, and others come after it");
	for (uint32_t i = 0; i < TYPES; i++)
		vkDestroyPipeline(vk.device, pipelines[i], NULL);
	for (uint32_t i = 0; i < KINDS; i++)
		vkDestroyPipeline(vk.device, others[i], NULL);
	drop_heap();
}

int main(void)
{
	static VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT mutable = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT,
	};
	static VkPhysicalDeviceDescriptorIndexingFeatures indexing = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
		.pNext = &mutable,
	};
	static const char *const wanted[] = {
		VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME,
		VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME,
	};

	vk.features = &indexing;
	vk_open_with(NULL, 0, wanted, 2);
	make_things();
	test_unnamed();
	test_unread();
	test_layouts();
	try_offsets(2, MOVES, VK_CODE(heaps_moved), "a large set");
	try_offsets(MAX_SETS, WORDS, VK_CODE(heaps_moved_last), "the last of all sets");
	test_types();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
