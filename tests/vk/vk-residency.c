// SPDX-License-Identifier: MIT
/*
 * Vulkan: sparse instructions of shaders, which return the texel and if all memory that it was made
 * of is bound (shaderResourceResidency). Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-residency-shaders.h"

#define FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define LEVELS 2
#define LAYERS 2
#define ACROSS 4			/* blocks of a row of level 0 */
#define ROWS 4u				/* rows of blocks of level 0, at least 8 texels */
#define MAX_QUERIES 4096
#define MAX_BLOCKS 1024

enum {
	FETCH = 1, NEAREST = 2, LINEAR = 4, BOTH_LEVELS = 8, GATHER = 16, LOAD = 32, TRILINEAR = 64,
	SHADOW = 128, AS_FLOAT = 256,
};

struct query {
	uint32_t x, y, layer, level;
};

struct result {
	uint32_t bits, red, green, outside;
};

static struct {
	VkImageCreateInfo info;
	VkImage image;
	VkImageView sampled, stored, depth_view;
	struct vk_image depth;	/* not sparse */
	VkSampler nearest, linear, levels, trilinear, shadow;
	VkExtent3D block;
	VkMemoryRequirements needs;
	VkDeviceMemory memory;
	struct vk_buffer queries, results;
	struct vk_set set;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	bool bound[LEVELS][LAYERS][MAX_BLOCKS];
} test;

static uint32_t width_of(uint32_t level)
{
	return test.info.extent.width >> level;
}

static uint32_t height_of(uint32_t level)
{
	return test.info.extent.height >> level;
}

static bool *block_at(uint32_t level, uint32_t layer, uint32_t x, uint32_t y)
{
	return &test.bound[level][layer][y / test.block.height * ACROSS + x / test.block.width];
}

/* Returns true if a texel, after wrapping, has memory. */
static bool is_bound(uint32_t level, uint32_t layer, int x, int y)
{
	const int width = (int)width_of(level), height = (int)height_of(level);

	return *block_at(level, layer, (uint32_t)((x + width) % width),
			 (uint32_t)((y + height) % height));
}

/* Returns true if the four texels have memory of which @x, @y is the last. */
static bool four_bound(uint32_t level, uint32_t layer, int x, int y)
{
	return is_bound(level, layer, x, y) && is_bound(level, layer, x - 1, y) &&
	       is_bound(level, layer, x, y - 1) && is_bound(level, layer, x - 1, y - 1);
}

/* The level below a level; the last one is filtered with itself. */
static uint32_t next_of(uint32_t level)
{
	return level < LEVELS - 1 ? level + 1 : level;
}

static uint32_t expected(const struct query *q)
{
	const int x = (int)q->x, y = (int)q->y;
	const bool one = is_bound(q->level, q->layer, x, y);
	const bool four = four_bound(q->level, q->layer, x, y);
	const uint32_t next = next_of(q->level);
	const int half_x = x >> (next - q->level), half_y = y >> (next - q->level);
	uint32_t bits = SHADOW | AS_FLOAT | (one ? FETCH | NEAREST : 0);

	bits |= four ? LINEAR : 0;
	bits |= one && is_bound(next, q->layer, half_x, half_y) ? BOTH_LEVELS : 0;
	bits |= four && four_bound(next, q->layer, half_x, half_y) ? TRILINEAR : 0;
	if (q->level == 0)
		bits |= (four ? GATHER : 0) | (one ? LOAD : 0);
	return bits;
}

static void make_image(void)
{
	test.info = (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT,
		.imageType = VK_IMAGE_TYPE_2D, .format = FORMAT,
		.extent = { ACROSS * test.block.width, ROWS * test.block.height, 1 },
		.mipLevels = LEVELS, .arrayLayers = LAYERS, .samples = 1,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
			 VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	if (test.info.extent.height < 8)
		test.info.extent.height = 8;
	VK_CHECK(vkCreateImage(vk.device, &test.info, NULL, &test.image));
	vkGetImageMemoryRequirements(vk.device, test.image, &test.needs);
}

static void find_block(void)
{
	VkSparseImageFormatProperties p;
	uint32_t n = 1;

	vkGetPhysicalDeviceSparseImageFormatProperties(
		vk.physical, FORMAT, VK_IMAGE_TYPE_2D, 1,
		VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
			VK_IMAGE_USAGE_TRANSFER_DST_BIT,
		VK_IMAGE_TILING_OPTIMAL, &n, &p);
	test.block = p.imageGranularity;
}

static void write_texture(uint32_t binding, VkSampler sampler)
{
	vk_write_image(test.set.set, binding, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, sampler,
		       test.sampled);
}

/* A depth of 0.5 in an image that is not sparse, and a sampler for depths above it. */
static void make_depth(void)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_D16_UNORM, .extent = { 4, 4, 1 }, .mipLevels = 1,
		.arrayLayers = 1, .samples = 1,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
			 VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
	};
	const VkClearDepthStencilValue half = { 0.5f, 0 };
	VkCommandBuffer cmd;

	test.depth = vk_image_new(&info);
	test.depth_view = vk_view_new(&test.depth, VK_IMAGE_VIEW_TYPE_2D, info.format,
				      vk_image_all(&test.depth));
	test.shadow = vk_sampler_new((VkSamplerCreateInfo){
		.compareEnable = true, .compareOp = VK_COMPARE_OP_GREATER });
	cmd = vk_begin();
	vkCmdClearDepthStencilImage(cmd, test.depth.image, VK_IMAGE_LAYOUT_GENERAL, &half, 1,
				    &(VkImageSubresourceRange){ VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0,
								1 });
	vk_barrier(cmd);
	vk_run(cmd);
}

static void make_things(void)
{
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
		{ 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
		{ 2, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 4, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 5, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
		{ 6, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
		{ 7, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
	};
	const VkMemoryAllocateInfo memory = {
		VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL,
		2 * MAX_BLOCKS * test.needs.alignment / 16,
		vk_memory_type(test.needs.memoryTypeBits),
	};
	const struct vk_image all = { .image = test.image, .aspects = VK_IMAGE_ASPECT_COLOR_BIT };

	VK_CHECK(vkAllocateMemory(vk.device, &memory, NULL, &test.memory));
	test.sampled = vk_view_new(&all, VK_IMAGE_VIEW_TYPE_2D_ARRAY, FORMAT,
				   (VkImageSubresourceRange){ VK_IMAGE_ASPECT_COLOR_BIT, 0, LEVELS,
							      0, LAYERS });
	test.stored = vk_view_new(&all, VK_IMAGE_VIEW_TYPE_2D_ARRAY, FORMAT,
				  (VkImageSubresourceRange){ VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0,
							     LAYERS });
	test.nearest = vk_sampler_new((VkSamplerCreateInfo){ .maxLod = LEVELS });
	test.linear = vk_sampler_new((VkSamplerCreateInfo){
		.magFilter = VK_FILTER_LINEAR, .minFilter = VK_FILTER_LINEAR, .maxLod = LEVELS });
	test.levels = vk_sampler_new((VkSamplerCreateInfo){
		.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR, .maxLod = LEVELS });
	test.trilinear = vk_sampler_new((VkSamplerCreateInfo){
		.magFilter = VK_FILTER_LINEAR, .minFilter = VK_FILTER_LINEAR,
		.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR, .maxLod = LEVELS });
	test.queries = vk_buffer_new(MAX_QUERIES * sizeof(struct query),
				     VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.results = vk_buffer_new(MAX_QUERIES * sizeof(struct result),
				     VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.set = vk_set_new(bindings, 8);
	write_texture(0, test.nearest);
	write_texture(1, test.linear);
	write_texture(5, test.levels);
	write_texture(6, test.trilinear);
	make_depth();
	vk_write_image(test.set.set, 7, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, test.shadow,
		       test.depth_view);
	vk_write_image(test.set.set, 2, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_NULL_HANDLE,
		       test.stored);
	vk_write_buffer(test.set.set, 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.queries);
	vk_write_buffer(test.set.set, 4, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.results);
	test.layout = vk_layout_new(&test.set.layout, 1, VK_SHADER_STAGE_COMPUTE_BIT, 4);
	test.pipeline = vk_compute_new(test.layout, VK_CODE(residency_comp));
}

static void drop_things(void)
{
	vkDestroyPipeline(vk.device, test.pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	vk_buffer_del(&test.results);
	vk_buffer_del(&test.queries);
	vkDestroyImageView(vk.device, test.depth_view, NULL);
	vk_image_del(&test.depth);
	vkDestroySampler(vk.device, test.shadow, NULL);
	vkDestroySampler(vk.device, test.trilinear, NULL);
	vkDestroySampler(vk.device, test.levels, NULL);
	vkDestroySampler(vk.device, test.linear, NULL);
	vkDestroySampler(vk.device, test.nearest, NULL);
	vkDestroyImageView(vk.device, test.stored, NULL);
	vkDestroyImageView(vk.device, test.sampled, NULL);
	vkDestroyImage(vk.device, test.image, NULL);
	vkFreeMemory(vk.device, test.memory, NULL);
}

/* Binds or unbinds every @step-th block from @first on. */
static void change(uint32_t first, uint32_t step, VkDeviceMemory memory)
{
	static VkSparseImageMemoryBind binds[LEVELS * LAYERS * MAX_BLOCKS];
	VkSparseImageMemoryBindInfo info = { test.image, 0, binds };
	const VkBindSparseInfo bind = { .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
					.imageBindCount = 1, .pImageBinds = &info };
	uint32_t n = 0;

	for (uint32_t level = 0; level < LEVELS; level++)
		for (uint32_t layer = 0; layer < LAYERS; layer++)
			for (uint32_t y = 0; y < height_of(level); y += test.block.height)
				for (uint32_t x = 0; x < width_of(level); x += test.block.width) {
					if (n++ % step != first)
						continue;
					*block_at(level, layer, x, y) = memory;
					binds[info.bindCount++] = (VkSparseImageMemoryBind){
						.subresource = { VK_IMAGE_ASPECT_COLOR_BIT, level,
								 layer },
						.offset = { (int32_t)x, (int32_t)y, 0 },
						.extent = test.block, .memory = memory,
						.memoryOffset = memory ? n * test.needs.alignment :
									 0,
					};
				}
	VK_CHECK(vkQueueBindSparse(vk.queue, 1, &bind, VK_NULL_HANDLE));
	VK_CHECK(vkQueueWaitIdle(vk.queue));
}

static void clear_image(void)
{
	const VkClearColorValue red = { .float32 = { 1, 0, 0, 1 } };
	const VkImageSubresourceRange all = { VK_IMAGE_ASPECT_COLOR_BIT, 0, LEVELS, 0, LAYERS };
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL, .image = test.image, .subresourceRange = all,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
	};
	VkCommandBuffer cmd = vk_begin();

	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
	vkCmdClearColorImage(cmd, test.image, VK_IMAGE_LAYOUT_GENERAL, &red, 1, &all);
	vk_barrier(cmd);
	vk_run(cmd);
}

/*
 * Returns the ways whose texels are certain. Where the corner of a texel is the center of one in
 * the next level, a filter may read others without weight.
 */
static uint32_t certain(const struct query *q)
{
	const bool even = next_of(q->level) == q->level || (q->x % 2 == 0 && q->y % 2 == 0);

	return even ? UINT32_MAX : ~(uint32_t)TRILINEAR;
}

/* Adds the corners of each block, and the texels around them. */
static uint32_t list_queries(void)
{
	struct query *q = test.queries.map;
	uint32_t n = 0;

	for (uint32_t level = 0; level < LEVELS; level++)
		for (uint32_t layer = 0; layer < LAYERS; layer++)
			for (uint32_t y = 0; y < height_of(level); y += test.block.height)
				for (uint32_t x = 0; x < width_of(level); x += test.block.width) {
					const uint32_t right = x + test.block.width - 1;
					const uint32_t last = y + test.block.height - 1;

					q[n++] = (struct query){ x, y, layer, level };
					q[n++] = (struct query){ right, y, layer, level };
					q[n++] = (struct query){ x, last, layer, level };
					q[n++] = (struct query){ right, last, layer, level };
					q[n++] = (struct query){ x + 7, y, layer, level };
				}
	return n;
}

static void check(const char *what)
{
	const uint32_t n = list_queries();
	const struct query *q = test.queries.map;
	const struct result *r = test.results.map;
	static const uint32_t ways[] = { FETCH, NEAREST, LINEAR, BOTH_LEVELS, GATHER, LOAD,
					 TRILINEAR, SHADOW, AS_FLOAT };
	static const char *const names[] = {
		"a fetch", "the nearest texel", "four texels", "two levels", "a gather",
		"a storage image", "four texels of two levels",
		"a comparison that fails", "codes that become floats",
	};
	uint32_t wrong = 0;
	bool texels = true, outside = true;
	VkCommandBuffer cmd = vk_begin();

	memset(test.results.map, 0xff, test.results.size);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 1,
				&test.set.set, 0, NULL);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &n);
	vkCmdDispatch(cmd, (n + 63) / 64, 1, 1);
	vk_barrier(cmd);
	vk_run(cmd);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t differences = (r[i].bits ^ expected(&q[i])) & certain(&q[i]);

		if (differences)
			printf("# %u, %u of layer %u, level %u: %#x instead of %#x\n", q[i].x,
			       q[i].y, q[i].layer, q[i].level, r[i].bits, expected(&q[i]));
		wrong |= differences;
		outside &= r[i].outside == 1;
		texels &= !(expected(&q[i]) & FETCH) || (r[i].red == 255 && r[i].green == 0);
	}
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		tap(!(wrong & ways[i]), "%s: residency of %s", what, names[i]);
	tap(texels, "%s: the texels", what);
	tap(outside, "%s: no texel is missing outside of the image", what);
}

int main(void)
{
	VkPhysicalDeviceFeatures features;

	vk_open();
	vkGetPhysicalDeviceFeatures(vk.physical, &features);
	if (!features.shaderResourceResidency || !features.sparseResidencyImage2D) {
		tap(true, "shaders that query residency # SKIP not supported");
		vk_close();
		return tap_failures() != 0;
	}
	find_block();
	make_image();
	make_things();
	clear_image();
	check("nothing is bound");
	change(0, 3, test.memory);
	clear_image();
	check("a third is bound");
	change(0, 1, test.memory);
	clear_image();
	check("all is bound");
	change(1, 2, VK_NULL_HANDLE);
	check("half of it is unbound");
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
