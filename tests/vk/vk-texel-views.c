// SPDX-License-Identifier: MIT
/*
 * Vulkan: views of compressed images as texels (VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT):
 * read, written and drawn to, for each level, each layer and each slice of volumes. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-texel-views-shaders.h"

/*
 * Blocks of 4x4 texels. No uncompressed image has rows with an odd number of blocks at these sizes.
 */
#define WIDTH 44
#define HEIGHT 20
#define LEVELS 3
#define LAYERS 3
#define DEPTH 4				/* of a volume */
#define MAX_BLOCKS 64			/* of a level and a layer */
#define MAX_WORDS (LEVELS * DEPTH * MAX_BLOCKS * 4)

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

static const struct format {
	const char *name;
	VkFormat blocks, texels;
	uint32_t words;			/* of a block */
} formats[] = {
	{ "BC1", VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_FORMAT_R32G32_UINT, 2 },
	{ "BC3", VK_FORMAT_BC3_UNORM_BLOCK, VK_FORMAT_R32G32B32A32_UINT, 4 },
	{ "BC7", VK_FORMAT_BC7_UNORM_BLOCK, VK_FORMAT_R32G32B32A32_UINT, 4 },
};

enum { READ, DECODE, WRITE, READ_SLICE, WRITE_SLICE, READ_VOLUME, WRITE_VOLUME, N_SHADERS };

static struct {
	struct vk_set set;
	VkSampler sampler;
	VkPipelineLayout layout;
	VkPipeline shaders[N_SHADERS];
	const struct format *format;
	bool volume;			/* slices take the place of layers */
	struct vk_image image;
	struct vk_buffer blocks;	/* a copy of the whole image: levels, then layers */
	struct vk_buffer out;		/* of the shaders */
	uint32_t expected[MAX_WORDS];	/* expected contents of the image */
} test;

static uint32_t columns(uint32_t level)
{
	return ((WIDTH >> level) + 3) / 4;
}

static uint32_t rows(uint32_t level)
{
	return ((HEIGHT >> level) + 3) / 4;
}

static uint32_t layer_words(uint32_t level)
{
	return columns(level) * rows(level) * test.format->words;
}

static uint32_t layers_of(uint32_t level)
{
	return test.volume ? DEPTH >> level : LAYERS;
}

/* Returns the index of a layer's first word in `expected` and in `blocks`. */
static uint32_t first_word(uint32_t level, uint32_t layer)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < level; i++)
		at += layers_of(i) * layer_words(i);
	return at + layer * layer_words(level);
}

static uint32_t all_words(void)
{
	return first_word(LEVELS, 0);
}

/* Objects */

static void make_things(void)
{
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
		{ 2, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};

	test.set = vk_set_new(bindings, 3);
	test.sampler = vk_sampler_new((VkSamplerCreateInfo){ 0 });
	test.layout = vk_layout_new(&test.set.layout, 1, 0, 0);
	test.shaders[READ] = vk_compute_new(test.layout, VK_CODE(texels_read));
	test.shaders[DECODE] = vk_compute_new(test.layout, VK_CODE(texels_decode));
	test.shaders[WRITE] = vk_compute_new(test.layout, VK_CODE(texels_write));
	test.shaders[READ_SLICE] = vk_compute_new(test.layout, VK_CODE(texels_read_slice));
	test.shaders[WRITE_SLICE] = vk_compute_new(test.layout, VK_CODE(texels_write_slice));
	test.shaders[READ_VOLUME] = vk_compute_new(test.layout, VK_CODE(texels_read_volume));
	test.shaders[WRITE_VOLUME] = vk_compute_new(test.layout, VK_CODE(texels_write_volume));
	test.blocks =
		vk_buffer_new(sizeof(test.expected),
			      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	test.out = vk_buffer_new(0x10000, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	vk_write_buffer(test.set.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.out);
}

static void drop_things(void)
{
	for (int i = 0; i < N_SHADERS; i++)
		vkDestroyPipeline(vk.device, test.shaders[i], NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	vkDestroySampler(vk.device, test.sampler, NULL);
	vk_buffer_del(&test.blocks);
	vk_buffer_del(&test.out);
}

static VkImageCreateInfo image_info(const struct format *format)
{
	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT |
			 VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format->blocks,
		.extent = { WIDTH, HEIGHT, 1 },
		.mipLevels = LEVELS,
		.arrayLayers = LAYERS,
		.samples = 1,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
			 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
			 VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
}

static VkImageView view_new(VkFormat format, VkImageViewType type, VkImageUsageFlags usage,
			    uint32_t level, uint32_t first, uint32_t count)
{
	const VkImageViewUsageCreateInfo use = { VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
						 NULL, usage };
	const VkImageViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.pNext = &use,
		.image = test.image.image,
		.viewType = type,
		.format = format,
		.subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, level, 1, first, count },
	};
	VkImageView view;

	VK_CHECK(vkCreateImageView(vk.device, &info, NULL, &view));
	return view;
}

/*
 * Copies the whole image to or from `blocks`. Such a copy must not affect later accesses by shaders
 * and draws.
 */
static void copy(bool in)
{
	VkCommandBuffer cmd = vk_begin();

	for (uint32_t level = 0; level < LEVELS; level++) {
		const VkBufferImageCopy r = {
			.bufferOffset = first_word(level, 0) * 4,
			.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, level, 0,
					      test.volume ? 1 : LAYERS },
			.imageExtent = { WIDTH >> level, HEIGHT >> level,
					 test.volume ? DEPTH >> level : 1 },
		};

		if (in)
			vkCmdCopyBufferToImage(cmd, test.blocks.buffer, test.image.image, general,
					       1, &r);
		else
			vkCmdCopyImageToBuffer(cmd, test.image.image, general, test.blocks.buffer,
					       1, &r);
	}
	vk_barrier(cmd);
	vk_run(cmd);
}

/* Fills the image with words that are all different. */
static void fill(void)
{
	for (uint32_t i = 0; i < all_words(); i++)
		test.expected[i] = 0x5a000000 + i;
	memcpy(test.blocks.map, test.expected, all_words() * 4);
	copy(true);
}

static bool is_expected(void)
{
	const uint32_t *words = test.blocks.map;

	memset(test.blocks.map, 0, all_words() * 4);
	copy(false);
	for (uint32_t i = 0; i < all_words(); i++) {
		if (words[i] == test.expected[i])
			continue;
		printf("# word %u of %u: %#x, not %#x\n", i, all_words(), words[i],
		       test.expected[i]);
		return false;
	}
	return true;
}

/* Returns the word that shaders and draws write. */
static uint32_t written(uint32_t x, uint32_t y, uint32_t z, uint32_t word)
{
	return x + 16 * y + 256 * z + 0x10000 * (word + 1);
}

static void expect_written(uint32_t level, uint32_t layer, VkRect2D area, uint32_t z)
{
	uint32_t *words = test.expected + first_word(level, layer);

	for (uint32_t y = area.offset.y; y < area.offset.y + area.extent.height; y++)
		for (uint32_t x = area.offset.x; x < area.offset.x + area.extent.width; x++)
			for (uint32_t i = 0; i < test.format->words; i++)
				words[(y * columns(level) + x) * test.format->words + i] =
					written(x, y, z, i);
}

/* Shaders */

/* Dispatches one row and one column more than the level has. */
static void dispatch(int shader, VkImageView view, uint32_t width, uint32_t height, uint32_t layers)
{
	const bool write = shader == WRITE || shader == WRITE_SLICE || shader == WRITE_VOLUME;
	VkCommandBuffer cmd;

	memset(test.out.map, 0xee, test.out.size);
	vk_write_image(test.set.set, write ? 2 : 1, 0,
		       write ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
			     : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		       test.sampler, view);
	cmd = vk_begin();
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.shaders[shader]);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 1,
				&test.set.set, 0, NULL);
	vkCmdDispatch(cmd, width + 1, height + 1, layers);
	vk_barrier(cmd);
	vk_run(cmd);
}

static bool size_is(uint32_t level, uint32_t layers)
{
	const uint32_t *size = test.out.map;

	if (size[0] == columns(level) && size[1] == rows(level) && size[2] == layers)
		return true;
	printf("# the view is %ux%ux%u, not %ux%ux%u\n", size[0], size[1], size[2], columns(level),
	       rows(level), layers);
	return false;
}

/*
 * Returns true if the shader read the expected word of each block, and zero beyond the last block.
 */
static bool read_right(uint32_t level, uint32_t first, uint32_t layers)
{
	const uint32_t width = columns(level), height = rows(level), n = test.format->words;
	const uint32_t *texels = (uint32_t *)test.out.map + 4;

	for (uint32_t i = 0; i < (width + 1) * (height + 1) * layers; i++) {
		const uint32_t x = i % (width + 1), y = i / (width + 1) % (height + 1),
			       z = i / (width + 1) / (height + 1);
		const bool inside = x < width && y < height;
		const uint32_t *words =
			test.expected + first_word(level, first + z) + (y * width + x) * n;

		for (uint32_t word = 0; word < n; word++) {
			const uint32_t expected = inside ? words[word] : 0;

			if (texels[i * 4 + word] == expected)
				continue;
			printf("# %u,%u,%u: %#x, not %#x\n", x, y, z, texels[i * 4 + word],
			       expected);
			return false;
		}
	}
	return true;
}

static void test_reads(uint32_t level, uint32_t first, uint32_t layers)
{
	const VkImageView view = view_new(test.format->texels, VK_IMAGE_VIEW_TYPE_2D_ARRAY,
					  VK_IMAGE_USAGE_SAMPLED_BIT, level, first, layers);

	fill();
	dispatch(READ, view, columns(level), rows(level), layers);
	tap(size_is(level, layers) && read_right(level, first, layers),
	    "%s: a shader reads level %u, %u layers from %u on", test.format->name, level, layers,
	    first);
	vkDestroyImageView(vk.device, view, NULL);
}

static void test_writes(uint32_t level, uint32_t first, uint32_t layers)
{
	const VkRect2D all = { { 0, 0 }, { columns(level), rows(level) } };
	const VkImageView view = view_new(test.format->texels, VK_IMAGE_VIEW_TYPE_2D_ARRAY,
					  VK_IMAGE_USAGE_STORAGE_BIT, level, first, layers);

	fill();
	dispatch(WRITE, view, columns(level), rows(level), layers);
	for (uint32_t i = 0; i < layers; i++)
		expect_written(level, first + i, all, i);
	tap(size_is(level, layers) && is_expected(),
	    "%s: a shader writes level %u, %u layers from %u on", test.format->name, level, layers,
	    first);
	vkDestroyImageView(vk.device, view, NULL);
}

/* Attachments */

static VkPipeline draw_pipeline(VkRect2D area)
{
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, WIDTH);
	p.scissor = area;
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(texels_vert));
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(texels_frag));
	vk_pipeline_formats(&p, test.format->texels, VK_FORMAT_UNDEFINED, VK_FORMAT_UNDEFINED);
	return vk_pipeline_new(&p);
}

static void begin(VkCommandBuffer cmd, VkImageView view, VkRect2D area, uint32_t layers,
		  const uint32_t *clear)
{
	VkRenderingAttachmentInfo color = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = view,
		.imageLayout = general,
		.loadOp = clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = area,
		.layerCount = layers,
		.colorAttachmentCount = 1,
		.pColorAttachments = &color,
	};

	if (clear)
		memcpy(&color.clearValue, clear, sizeof(color.clearValue));
	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &info);
}

/* Draws to all blocks but the first row and the first column, which must not change. */
static void test_draw(uint32_t level, uint32_t layer)
{
	const VkRect2D area = { { 1, 1 }, { columns(level) - 1, rows(level) - 1 } };
	const VkImageView view = view_new(test.format->texels, VK_IMAGE_VIEW_TYPE_2D,
					  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, level, layer, 1);
	const VkPipeline pipeline = draw_pipeline(area);
	VkCommandBuffer cmd;

	fill();
	cmd = vk_begin();
	begin(cmd, view, area, 1, NULL);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_barrier(cmd);
	vk_run(cmd);
	expect_written(level, layer, area, 0);
	tap(is_expected(), "%s: level %u of layer %u is drawn to", test.format->name, level, layer);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyImageView(vk.device, view, NULL);
}

static void test_clear(uint32_t level, uint32_t first, uint32_t layers)
{
	static const uint32_t clear[4] = { 0xc0ffee01, 0xc0ffee02, 0xc0ffee03, 0xc0ffee04 };
	const VkRect2D all = { { 0, 0 }, { columns(level), rows(level) } };
	const VkImageView view =
		view_new(test.format->texels, VK_IMAGE_VIEW_TYPE_2D_ARRAY,
			 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, level, first, layers);
	uint32_t *words = test.expected + first_word(level, first);
	VkCommandBuffer cmd;

	fill();
	cmd = vk_begin();
	begin(cmd, view, all, layers, clear);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_barrier(cmd);
	vk_run(cmd);
	for (uint32_t i = 0; i < layers * layer_words(level); i++)
		words[i] = clear[i % test.format->words];
	tap(is_expected(), "%s: level %u, %u layers from %u on, is cleared as an attachment",
	    test.format->name, level, layers, first);
	vkDestroyImageView(vk.device, view, NULL);
}

/*
 * Writes blocks of a single color as texels; a view with the compressed format must decode them to
 * that color.
 */
static void test_decode(void)
{
	const VkImageView view = view_new(test.format->blocks, VK_IMAGE_VIEW_TYPE_2D_ARRAY,
					  VK_IMAGE_USAGE_SAMPLED_BIT, 0, 0, LAYERS);
	const VkRect2D all = { { 0, 0 }, { columns(0), rows(0) } };
	static const uint32_t red[4] = { 0xf800f800, 0, 0xf800f800, 0 };
	const VkImageView texels = view_new(test.format->texels, VK_IMAGE_VIEW_TYPE_2D_ARRAY,
					    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, 0, 0, LAYERS);
	const uint32_t *colors = (uint32_t *)test.out.map + 4;
	VkCommandBuffer cmd;
	bool ok = true;

	fill();
	cmd = vk_begin();
	begin(cmd, texels, all, LAYERS, red);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_barrier(cmd);
	vk_run(cmd);
	dispatch(DECODE, view, WIDTH - 1, HEIGHT - 1, LAYERS);
	for (uint32_t i = 0; i < WIDTH * HEIGHT * LAYERS; i++)
		ok &= colors[i * 4] == 1 && !colors[i * 4 + 1] && !colors[i * 4 + 2];
	tap(ok, "%s: what was drawn are blocks of a colour", test.format->name);
	vkDestroyImageView(vk.device, texels, NULL);
	vkDestroyImageView(vk.device, view, NULL);
}

/* Slices */

static void test_slice(uint32_t level, uint32_t slice)
{
	const VkRect2D all = { { 0, 0 }, { columns(level), rows(level) } };
	const VkImageView view =
		view_new(test.format->texels, VK_IMAGE_VIEW_TYPE_2D,
			 VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT, level, slice, 1);

	fill();
	dispatch(READ_SLICE, view, columns(level), rows(level), 1);
	tap(size_is(level, 1) && read_right(level, slice, 1),
	    "%s: a shader reads level %u of slice %u", test.format->name, level, slice);
	dispatch(WRITE_SLICE, view, columns(level), rows(level), 1);
	expect_written(level, slice, all, 0);
	tap(size_is(level, 1) && is_expected(), "%s: a shader writes level %u of slice %u",
	    test.format->name, level, slice);
	vkDestroyImageView(vk.device, view, NULL);
	test_draw(level, slice);
}

/* A view of all slices of a level, as a volume. */
static void test_whole_volume(uint32_t level)
{
	const VkRect2D all = { { 0, 0 }, { columns(level), rows(level) } };
	const uint32_t slices = DEPTH >> level ? DEPTH >> level : 1;
	const VkImageView view =
		view_new(test.format->texels, VK_IMAGE_VIEW_TYPE_3D,
			 VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT, level, 0, 1);

	fill();
	dispatch(READ_VOLUME, view, columns(level), rows(level), slices);
	tap(size_is(level, slices) && read_right(level, 0, slices),
	    "%s: a shader reads level %u of a volume", test.format->name, level);
	dispatch(WRITE_VOLUME, view, columns(level), rows(level), slices);
	for (uint32_t i = 0; i < slices; i++)
		expect_written(level, i, all, i);
	tap(size_is(level, slices) && is_expected(), "%s: a shader writes level %u of a volume",
	    test.format->name, level);
	vkDestroyImageView(vk.device, view, NULL);
}

static bool supported(VkImageCreateInfo info)
{
	VkImageFormatProperties properties;

	return vkGetPhysicalDeviceImageFormatProperties(vk.physical, info.format, info.imageType,
							info.tiling, info.usage, info.flags,
							&properties) == VK_SUCCESS;
}

static void test_format(const struct format *format)
{
	const VkImageCreateInfo info = image_info(format);

	test.format = format;
	tap(supported(info), "%s: there are such images", format->name);
	if (!supported(info))
		return;
	test.image = vk_image_new(&info);
	for (uint32_t level = 0; level < LEVELS; level++) {
		test_reads(level, 0, LAYERS);
		test_writes(level, 0, LAYERS);
		test_clear(level, 0, LAYERS);
	}
	test_reads(1, 1, 1);
	test_writes(1, 1, 2);
	test_clear(0, 1, 2);
	test_draw(0, 0);
	test_draw(1, 2);
	test_draw(2, 1);
	if (format->blocks == VK_FORMAT_BC1_RGBA_UNORM_BLOCK)
		test_decode();
	vk_image_del(&test.image);
}

static void test_volume(const struct format *format)
{
	VkImageCreateInfo info = image_info(format);

	info.imageType = VK_IMAGE_TYPE_3D;
	info.extent.depth = DEPTH;
	info.arrayLayers = 1;
	info.flags |= VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT |
		      VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT;
	test.format = format;
	test.volume = true;
	tap(supported(info), "%s: there are volumes", format->name);
	test.image = vk_image_new(&info);
	test_slice(0, 0);
	test_slice(0, 3);
	test_slice(1, 1);
	test_slice(2, 0);
	for (uint32_t level = 0; level < LEVELS; level++)
		test_whole_volume(level);
	vk_image_del(&test.image);
}

int main(void)
{
	static const char *const extensions[] = {
		VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME, VK_KHR_MAINTENANCE_6_EXTENSION_NAME,
		VK_EXT_IMAGE_2D_VIEW_OF_3D_EXTENSION_NAME,
	};
	VkPhysicalDeviceImage2DViewOf3DFeaturesEXT slices = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_2D_VIEW_OF_3D_FEATURES_EXT,
	};
	VkPhysicalDeviceDynamicRenderingFeatures rendering = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, &slices, VK_FALSE,
	};
	VkPhysicalDeviceMaintenance6PropertiesKHR layers = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_PROPERTIES_KHR,
	};
	VkPhysicalDeviceProperties2 properties = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
						   &layers,
						   { 0 } };

	vk.features = &rendering;
	vk_open_with(NULL, 0, extensions, 3);
	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	tap(layers.blockTexelViewCompatibleMultipleLayers, "views have several layers");
	make_things();
	for (uint32_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		test_format(&formats[i]);
	test_volume(&formats[1]);
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
