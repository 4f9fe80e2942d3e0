// SPDX-License-Identifier: MIT
/*
 * Vulkan: shaders read and write descriptors of all types, which were written, copied, pushed or
 * updated with templates. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-descriptors.comp.h"

#define N 16		/* invocations */
#define OFFSET 256	/* a multiple of all alignments of buffer offsets */

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

/* The objects that descriptors name, and a pipeline that uses all of them. */
static struct {
	VkDescriptorSetLayout layouts[2];
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkDescriptorPool pool;
	VkDescriptorSet sets[2];
	bool push;			/* the first set has push descriptors */
	VkSampler sampler;
	struct vk_buffer add, source, result, texels, texels_out;
	VkBufferView texel_views[2];
	struct vk_image pictures[3], image;
	VkImageView picture_views[3], image_view;
} test;

/* Objects */

static VkBufferView texels_new(const struct vk_buffer *buffer)
{
	const VkBufferViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
		.buffer = buffer->buffer,
		.format = VK_FORMAT_R32_UINT,
		.offset = OFFSET,
		.range = N * 4,
	};
	VkBufferView view;

	VK_CHECK(vkCreateBufferView(vk.device, &info, NULL, &view));
	return view;
}

static void make_things(void)
{
	test.sampler = vk_sampler_new((VkSamplerCreateInfo){ 0 });
	test.add = vk_buffer_new(4096, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
	test.source = vk_buffer_new(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.result = vk_buffer_new(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.texels = vk_buffer_new(4096, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
	test.texels_out = vk_buffer_new(4096, VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT);
	test.texel_views[0] = texels_new(&test.texels);
	test.texel_views[1] = texels_new(&test.texels_out);
	for (uint32_t i = 0; i < 3; i++) {
		const VkClearColorValue color = { .float32 = { (10 + i) / 255.0f } };

		test.pictures[i] =
			vk_picture_new(VK_FORMAT_R8G8B8A8_UNORM, 4, VK_IMAGE_USAGE_SAMPLED_BIT,
				       &test.picture_views[i]);
		vk_image_fill(&test.pictures[i], &color);
	}
	test.image =
		vk_picture_new(VK_FORMAT_R32_UINT, N, VK_IMAGE_USAGE_STORAGE_BIT, &test.image_view);
	for (uint32_t i = 0; i < N; i++) {
		((uint32_t *)test.source.map)[i] = 1000 + i;
		((uint32_t *)test.source.map)[OFFSET / 4 + i] = 2000 + i;
		((uint32_t *)test.texels.map)[OFFSET / 4 + i] = 300 + i;
	}
	((uint32_t *)test.add.map)[0] = 1;
	((uint32_t *)test.add.map)[OFFSET / 4] = 7;
}

/* @dynamic: the buffers have dynamic offsets. @fixed: the layout has immutable samplers. */
static void make_layouts(bool dynamic, bool fixed)
{
	const VkSampler samplers[] = { test.sampler, test.sampler, test.sampler };
	const VkDescriptorType ubo = dynamic ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC
					     : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
	const VkDescriptorType ssbo = dynamic ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC :
						VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
	const VkDescriptorSetLayoutBinding first[] = {
		{ 1, ssbo, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 0, ubo, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};
	const VkDescriptorSetLayoutBinding second[] = {
		{ 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3, VK_SHADER_STAGE_COMPUTE_BIT,
		  fixed ? samplers : NULL },
		{ 4, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 5, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
		{ 9, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
	};
	VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = 3,
		.pBindings = first,
	};

	if (test.push)
		info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
	VK_CHECK(vkCreateDescriptorSetLayout(vk.device, &info, NULL, &test.layouts[0]));
	info.flags = 0;
	info.bindingCount = 4;
	info.pBindings = second;
	VK_CHECK(vkCreateDescriptorSetLayout(vk.device, &info, NULL, &test.layouts[1]));
}

static void make_pipeline(void)
{
	VkComputePipelineCreateInfo info;

	test.layout = vk_layout_new(test.layouts, 2, VK_SHADER_STAGE_COMPUTE_BIT, 4);
	info = vk_compute_info(test.layout, VK_CODE(vk_descriptors_comp));
	info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;
	VK_CHECK(vk_compute_try(&info, &test.pipeline));
}

/* Allocates the sets; a set with push descriptors is not allocated. */
static void make_sets(VkDescriptorSet *sets)
{
	const VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = test.pool,
		.descriptorSetCount = test.push ? 1 : 2,
		.pSetLayouts = test.layouts + test.push,
	};

	VK_CHECK(vkAllocateDescriptorSets(vk.device, &info, sets + test.push));
}

static void make_pool(void)
{
	const VkDescriptorPoolSize sizes[] = {
		{ VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 64 },
		{ VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 64 },
		{ VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 64 },
		{ VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 64 },
		{ VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 192 },
		{ VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 64 },
		{ VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 64 },
		{ VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 64 },
	};
	const VkDescriptorPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 32,
		.flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
		.poolSizeCount = 8,
		.pPoolSizes = sizes,
	};

	VK_CHECK(vkCreateDescriptorPool(vk.device, &info, NULL, &test.pool));
}

static void begin(bool dynamic, bool fixed)
{
	make_layouts(dynamic, fixed);
	make_pipeline();
	make_pool();
	make_sets(test.sets);
}

static void end(void)
{
	vkDestroyDescriptorPool(vk.device, test.pool, NULL);
	vkDestroyPipeline(vk.device, test.pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	for (int i = 0; i < 2; i++)
		vkDestroyDescriptorSetLayout(vk.device, test.layouts[i], NULL);
}

/* Writes */

static void write_first(VkDescriptorSet set, bool dynamic)
{
	const VkDescriptorBufferInfo add = { test.add.buffer, 0, 16 },
				     source = { test.source.buffer, 0, N * 4 };
	const VkDescriptorBufferInfo result = { test.result.buffer, 0, VK_WHOLE_SIZE };
	VkWriteDescriptorSet writes[] = {
		vk_write_of(set, 0, 1, dynamic ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC :
						 VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER),
		vk_write_of(set, 1, 1, dynamic ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC :
						 VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
		vk_write_of(set, 2, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
	};

	writes[0].pBufferInfo = &add;
	writes[1].pBufferInfo = &source;
	writes[2].pBufferInfo = &result;
	vkUpdateDescriptorSets(vk.device, 3, writes, 0, NULL);
}

static void write_second(VkDescriptorSet set)
{
	VkDescriptorImageInfo pictures[3];
	const VkDescriptorImageInfo image = { VK_NULL_HANDLE, test.image_view, general };
	VkWriteDescriptorSet writes[] = {
		vk_write_of(set, 0, 3, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER),
		vk_write_of(set, 4, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE),
		vk_write_of(set, 5, 1, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER),
		vk_write_of(set, 9, 1, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER),
	};

	for (int i = 0; i < 3; i++)
		pictures[i] =
			(VkDescriptorImageInfo){ test.sampler, test.picture_views[i], general };
	writes[0].pImageInfo = pictures;
	writes[1].pImageInfo = &image;
	writes[2].pTexelBufferView = &test.texel_views[0];
	writes[3].pTexelBufferView = &test.texel_views[1];
	vkUpdateDescriptorSets(vk.device, 4, writes, 0, NULL);
}

/* Dispatches */

static void clear_results(void)
{
	const VkClearColorValue seven = { .uint32 = { 7 } };

	memset(test.result.map, 0, 4096);
	memset(test.texels_out.map, 0, 4096);
	vk_image_fill(&test.image, &seven);
}

static void record(VkCommandBuffer cmd, const VkDescriptorSet *sets, uint32_t which,
		   uint32_t n_offsets, const uint32_t *offsets)
{
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 2, sets,
				n_offsets, offsets);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &which);
	vkCmdDispatch(cmd, 1, 1, 1);
	vk_barrier(cmd);
}

static void run(const VkDescriptorSet *sets, uint32_t which, uint32_t n_offsets,
		const uint32_t *offsets)
{
	VkCommandBuffer cmd = vk_begin();

	clear_results();
	record(cmd, sets, which, n_offsets, offsets);
	vk_run(cmd);
}

static bool image_is_written(void)
{
	const struct vk_buffer b = vk_buffer_new(N * N * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	const VkBufferImageCopy all = { 0,	     0,
					0,	     { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
					{ 0, 0, 0 }, { N, N, 1 } };
	VkCommandBuffer cmd = vk_begin();
	const uint32_t *words = b.map;
	bool ok = true;

	vkCmdCopyImageToBuffer(cmd, test.image.image, general, b.buffer, 1, &all);
	vk_run(cmd);
	for (uint32_t i = 0; i < N; i++)
		ok &= words[i] == 7 && words[N + i] == i * 3 && words[2 * N + i] == 7;
	vk_buffer_del(&b);
	return ok;
}

/* Returns true if invocation i read @first + i from the buffers and @picture from the picture. */
static bool results_are(uint32_t first, uint32_t picture)
{
	const uint32_t *words = test.result.map, *out = test.texels_out.map;
	bool ok = true;

	for (uint32_t i = 0; i < N; i++) {
		const uint32_t *w = words + i * 4;

		if (w[0] == first + i && w[1] == picture && w[2] == 300 + i && w[3] == 7 &&
		    out[OFFSET / 4 + i] == i * 5)
			continue;
		printf("# %u: %u %u %u %u %u\n", i, w[0], w[1], w[2], w[3], out[OFFSET / 4 + i]);
		ok = false;
	}
	return ok;
}

/* Tests */

static void test_kinds(void)
{
	begin(false, false);
	write_first(test.sets[0], false);
	write_second(test.sets[1]);
	run(test.sets, 1, 0, NULL);
	tap(results_are(1001, 11) && image_is_written(),
	    "shaders read and write all kinds of descriptors");
	run(test.sets, 2, 0, NULL);
	tap(results_are(1001, 12), "arrays of textures are indexed");
	end();
}

/* Returns true if only the second group wrote results; it reads beyond the range of the source. */
static bool second_group_ran(void)
{
	const uint32_t *words = test.result.map;
	bool ok = true;

	for (uint32_t i = 0; i < N; i++)
		ok &= !words[i * 4] && words[(N + i) * 4 + 1] == 10;
	return ok;
}

static void test_base(void)
{
	const uint32_t which = 0;
	VkCommandBuffer cmd;

	begin(false, false);
	write_first(test.sets[0], false);
	write_second(test.sets[1]);
	clear_results();
	cmd = vk_begin();
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 2, test.sets,
				0, NULL);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(which), &which);
	vkCmdDispatchBase(cmd, 1, 0, 0, 1, 1, 1);
	vk_barrier(cmd);
	vk_run(cmd);
	tap(second_group_ran(), "a dispatch has a base");
	run(test.sets, 0, 0, NULL);
	tap(results_are(1001, 10), "the next one has none");
	end();
}

static void test_offsets(void)
{
	const uint32_t none[] = { 0, 0 }, both[] = { OFFSET, OFFSET }, one[] = { OFFSET, 0 };

	begin(true, false);
	write_first(test.sets[0], true);
	write_second(test.sets[1]);
	run(test.sets, 0, 2, none);
	tap(results_are(1001, 10), "dynamic offsets may be zero");
	run(test.sets, 0, 2, both);
	tap(results_are(2007, 10), "they are added");
	run(test.sets, 0, 2, one);
	tap(results_are(1007, 10), "each to its own, in the order of bindings");
	end();
}

static void test_samplers(void)
{
	begin(false, true);
	write_first(test.sets[0], false);
	write_second(test.sets[1]);
	run(test.sets, 2, 0, NULL);
	tap(results_are(1001, 12), "a layout may have the samplers");
	end();
}

/* A set is updated between submissions, and another set is copied from it. */
static void test_updates(void)
{
	const VkDescriptorBufferInfo later = { test.source.buffer, OFFSET, N * 4 };
	VkDescriptorSet copies[2];
	VkWriteDescriptorSet write;
	VkCopyDescriptorSet copy[7] = { { 0 } };
	static const struct {
		uint32_t set, binding, count;
	} what[] = { { 0, 0, 1 }, { 0, 1, 1 }, { 0, 2, 1 }, { 1, 0, 3 },
		     { 1, 4, 1 }, { 1, 5, 1 }, { 1, 9, 1 } };

	begin(false, false);
	write_first(test.sets[0], false);
	write_second(test.sets[1]);
	run(test.sets, 0, 0, NULL);
	write = vk_write_of(test.sets[0], 1, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
	write.pBufferInfo = &later;
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
	run(test.sets, 0, 0, NULL);
	tap(results_are(2001, 10), "a set is written anew");
	make_sets(copies);
	for (uint32_t i = 0; i < 7; i++)
		copy[i] = (VkCopyDescriptorSet){
			.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
			.srcSet = test.sets[what[i].set],
			.srcBinding = what[i].binding,
			.dstSet = copies[what[i].set],
			.dstBinding = what[i].binding,
			.descriptorCount = what[i].count,
		};
	vkUpdateDescriptorSets(vk.device, 0, NULL, 7, copy);
	run(copies, 2, 0, NULL);
	tap(results_are(2001, 12), "and copied");
	VK_CHECK(vkFreeDescriptorSets(vk.device, test.pool, 2, test.sets));
	run(copies, 1, 0, NULL);
	tap(results_are(2001, 11), "the copy needs no original");
	end();
}

/* A write with more elements than its binding has continues in the next binding. */
static void test_spill(void)
{
	const VkDescriptorBufferInfo buffers[] = {
		{ test.source.buffer, 0, N * 4 }, { test.result.buffer, 0, VK_WHOLE_SIZE },
	};
	VkWriteDescriptorSet write;

	begin(false, false);
	write_first(test.sets[0], false);
	write_second(test.sets[1]);
	write = vk_write_of(test.sets[0], 1, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
	write.pBufferInfo = buffers;
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
	run(test.sets, 0, 0, NULL);
	tap(results_are(1001, 10), "a write goes on where its binding ends");
	end();
}

static void test_template(void)
{
	const struct data {
		VkDescriptorBufferInfo buffers[3];
	} data = { {
		{ test.add.buffer, OFFSET, 16 },
		{ test.source.buffer, OFFSET, N * 4 },
		{ test.result.buffer, 0, VK_WHOLE_SIZE },
	} };
	const size_t size = sizeof(VkDescriptorBufferInfo);
	const VkDescriptorUpdateTemplateEntry entries[] = {
		{ 0, 0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0, size },
		{ 1, 0, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, size, size },
	};
	VkDescriptorUpdateTemplateCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
		.descriptorUpdateEntryCount = 2,
		.pDescriptorUpdateEntries = entries,
		.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
	};
	VkDescriptorUpdateTemplate template;

	begin(false, false);
	info.descriptorSetLayout = test.layouts[0];
	VK_CHECK(vkCreateDescriptorUpdateTemplate(vk.device, &info, NULL, &template));
	vkUpdateDescriptorSetWithTemplate(vk.device, test.sets[0], template, &data);
	vkDestroyDescriptorUpdateTemplate(vk.device, template, NULL);
	write_second(test.sets[1]);
	run(test.sets, 0, 0, NULL);
	tap(results_are(2007, 10), "a template writes a set");
	end();
}

/* Pushing */

static void push_range(VkCommandBuffer cmd, uint32_t binding, VkDescriptorType type,
		       const struct vk_buffer *buffer, VkDeviceSize offset, VkDeviceSize size)
{
	const PFN_vkCmdPushDescriptorSetKHR push =
		(PFN_vkCmdPushDescriptorSetKHR)vkGetDeviceProcAddr(vk.device,
								   "vkCmdPushDescriptorSetKHR");
	const VkDescriptorBufferInfo info = { buffer->buffer, offset, size };
	VkWriteDescriptorSet write = vk_write_of(VK_NULL_HANDLE, binding, 1, type);

	write.pBufferInfo = &info;
	push(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 1, &write);
}

/* Dispatches with the results at @offset. */
static void dispatch_pushed(VkCommandBuffer cmd, VkDeviceSize offset)
{
	push_range(cmd, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.result, offset, N * 16);
	vkCmdDispatch(cmd, 1, 1, 1);
	vk_barrier(cmd);
}

static bool sums_are(VkDeviceSize offset, uint32_t first)
{
	const uint32_t *words = (const uint32_t *)((const char *)test.result.map + offset);
	bool ok = true;

	for (uint32_t i = 0; i < N; i++)
		ok &= words[i * 4] == first + i;
	if (!ok)
		printf("# from %u: %u, not %u\n", (uint32_t)offset, *words, first);
	return ok;
}

static void push_template(VkCommandBuffer cmd)
{
	const PFN_vkCmdPushDescriptorSetWithTemplateKHR push =
		(PFN_vkCmdPushDescriptorSetWithTemplateKHR)vkGetDeviceProcAddr(
			vk.device, "vkCmdPushDescriptorSetWithTemplateKHR");
	const VkDescriptorBufferInfo data[] = { { test.add.buffer, 0, 16 },
						{ test.source.buffer, OFFSET, N * 4 } };
	const VkDescriptorUpdateTemplateEntry entries[] = {
		{ 0, 0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0, sizeof(data[0]) },
		{ 1, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sizeof(data[0]), sizeof(data[0]) },
	};
	const VkDescriptorUpdateTemplateCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
		.descriptorUpdateEntryCount = 2,
		.pDescriptorUpdateEntries = entries,
		.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
		.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR,
		.pipelineLayout = test.layout,
	};
	VkDescriptorUpdateTemplate template;

	VK_CHECK(vkCreateDescriptorUpdateTemplate(vk.device, &info, NULL, &template));
	push(cmd, template, test.layout, 0, data);
	vkDestroyDescriptorUpdateTemplate(vk.device, template, NULL);
}

static void test_push(void)
{
	const uint32_t which = 0;
	VkCommandBuffer cmd;

	test.push = true;
	begin(false, false);
	write_second(test.sets[1]);
	cmd = vk_begin();
	clear_results();
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 1, 1,
				&test.sets[1], 0, NULL);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &which);
	push_range(cmd, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, &test.add, 0, 16);
	push_range(cmd, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.source, 0, N * 4);
	dispatch_pushed(cmd, 0);
	push_range(cmd, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, &test.add, OFFSET, 16);
	dispatch_pushed(cmd, 1024);
	push_template(cmd);
	dispatch_pushed(cmd, 2048);
	vk_run(cmd);
	tap(sums_are(0, 1001), "descriptors are pushed");
	tap(sums_are(1024, 1007), "one by one, for what comes");
	tap(sums_are(2048, 2001), "and with a template");
	end();
	test.push = false;
}

/* Each dispatch of a command buffer uses the sets that were bound last before it. */
static void test_many(void)
{
	const uint32_t offsets[][2] = { { 0, 0 }, { OFFSET, OFFSET } };
	VkCommandBuffer cmd;
	VkDescriptorSet sets[2];

	begin(true, false);
	write_first(test.sets[0], true);
	write_second(test.sets[1]);
	make_sets(sets);
	write_first(sets[0], true);
	write_second(sets[1]);
	cmd = vk_begin();
	clear_results();
	for (uint32_t i = 0; i < 2001; i++)
		record(cmd, i & 1 ? sets : test.sets, i % 3, 2, offsets[i & 1]);
	vk_run(cmd);
	tap(results_are(1001, 12), "thousands of dispatches have sets of their own");
	end();
}

/* A pool has room for as many sets as it was created for, and can be reset. */
static void test_pool(void)
{
	VkDescriptorSetAllocateInfo one = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorSetCount = 1,
		.pSetLayouts = test.layouts,
	};
	VkDescriptorSet set;
	uint32_t n = 0;

	begin(false, false);
	one.descriptorPool = test.pool;
	while (vkAllocateDescriptorSets(vk.device, &one, &set) == VK_SUCCESS && n < 100)
		n++;
	VK_CHECK(vkResetDescriptorPool(vk.device, test.pool, 0));
	make_sets(test.sets);
	write_first(test.sets[0], false);
	write_second(test.sets[1]);
	run(test.sets, 0, 0, NULL);
	tap(n >= 30 && results_are(1001, 10), "a pool is used up, and reset");
	end();
}

static void drop_things(void)
{
	for (int i = 0; i < 2; i++)
		vkDestroyBufferView(vk.device, test.texel_views[i], NULL);
	for (int i = 0; i < 3; i++) {
		vkDestroyImageView(vk.device, test.picture_views[i], NULL);
		vk_image_del(&test.pictures[i]);
	}
	vkDestroyImageView(vk.device, test.image_view, NULL);
	vk_image_del(&test.image);
	vk_buffer_del(&test.add);
	vk_buffer_del(&test.source);
	vk_buffer_del(&test.result);
	vk_buffer_del(&test.texels);
	vk_buffer_del(&test.texels_out);
	vkDestroySampler(vk.device, test.sampler, NULL);
}

int main(void)
{
	static const char *const extensions[] = {
		VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
		VK_KHR_STORAGE_BUFFER_STORAGE_CLASS_EXTENSION_NAME,
	};

	vk_open_with(NULL, 0, extensions, 2);
	make_things();
	test_kinds();
	test_base();
	test_offsets();
	test_samplers();
	test_updates();
	test_spill();
	test_template();
	test_push();
	test_many();
	test_pool();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
