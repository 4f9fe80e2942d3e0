// SPDX-License-Identifier: MIT
/*
 * Vulkan: slices of a 3D image that shaders access as 2D images, for loads, stores and sampling
 * (VK_EXT_image_2d_view_of_3d); and ranges of slices as 3D images (VK_EXT_image_sliced_view_of_3d).
 * Prints TAP.
 */
#include <stdio.h>

#include "vk-pipeline.h"

#include "vk-slices-shaders.h"

#define SIDE 8
#define DEPTH 6
#define BEFORE 7

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

static VkPhysicalDeviceImage2DViewOf3DFeaturesEXT slices = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_2D_VIEW_OF_3D_FEATURES_EXT,
};

static VkPhysicalDeviceImageSlicedViewOf3DFeaturesEXT ranges = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_SLICED_VIEW_OF_3D_FEATURES_EXT,
	.pNext = &slices,
};

static struct {
	struct vk_set set;
	VkSampler sampler;
	VkPipelineLayout layout;
	VkPipeline add, add_range, sample;
	struct vk_image volume;
	struct vk_buffer readback;
	struct vk_buffer out;		/* results: four words with the size, then texels */
} test;

static void make_pipelines(void)
{
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
		  NULL },
		{ 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};

	test.set = vk_set_new(bindings, 3);
	test.sampler = vk_sampler_new((VkSamplerCreateInfo){ 0 });
	test.layout = vk_layout_new(&test.set.layout, 1, 0, 0);
	test.add = vk_compute_new(test.layout, VK_CODE(slices_comp));
	test.add_range = vk_compute_new(test.layout, VK_CODE(slices_range));
	test.sample = vk_compute_new(test.layout, VK_CODE(slices_sampled));
	vk_write_buffer(test.set.set, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.out);
}

/* Makes a volume with two levels; each test fills it. */
static void make_volume(void)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT,
		.imageType = VK_IMAGE_TYPE_3D,
		.format = VK_FORMAT_R32_UINT,
		.extent = { SIDE * 2, SIDE * 2, DEPTH * 2 },
		.mipLevels = 2,
		.arrayLayers = 1,
		.samples = 1,
		.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
			 VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};

	test.volume = vk_image_new(&info);
}

static VkImageView view_new(uint32_t slice)
{
	const VkImageViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = test.volume.image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D, .format = VK_FORMAT_R32_UINT,
		.subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, slice, 1 },
	};
	VkImageView view;

	VK_CHECK(vkCreateImageView(vk.device, &info, NULL, &view));
	return view;
}

/* A 3D view of level 1 with @count slices from @first on, and with storage usage only. */
static VkImageView range_view_new(uint32_t first, uint32_t count)
{
	const VkImageViewUsageCreateInfo usage = {
		VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO, NULL, VK_IMAGE_USAGE_STORAGE_BIT,
	};
	const VkImageViewSlicedCreateInfoEXT sliced = {
		VK_STRUCTURE_TYPE_IMAGE_VIEW_SLICED_CREATE_INFO_EXT, &usage, first, count,
	};
	const VkImageViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.pNext = &sliced,
		.image = test.volume.image,
		.viewType = VK_IMAGE_VIEW_TYPE_3D,
		.format = VK_FORMAT_R32_UINT,
		.subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 0, 1 },
	};
	VkImageView view;

	VK_CHECK(vkCreateImageView(vk.device, &info, NULL, &view));
	return view;
}

static void add_to(VkPipeline pipeline, VkImageView view)
{
	vk_write_image(test.set.set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_NULL_HANDLE, view);
	vk_dispatch(pipeline, test.layout, test.set.set, NULL, 0);
}

static bool size_is(uint32_t depth)
{
	const uint32_t *size = test.out.map;

	if (size[0] == SIDE && size[1] == SIDE && size[2] == depth)
		return true;
	printf("# a view of %ux%ux%u, not %ux%ux%u\n", size[0], size[1], size[2], SIDE, SIDE,
	       depth);
	return false;
}

static const uint32_t *read_level(void)
{
	const VkBufferImageCopy copy = {
		.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, 1 },
		.imageExtent = { SIDE, SIDE, DEPTH },
	};
	VkCommandBuffer cmd = vk_begin();

	vkCmdCopyImageToBuffer(cmd, test.volume.image, general, test.readback.buffer, 1, &copy);
	vk_barrier(cmd);
	vk_run(cmd);
	return test.readback.map;
}

/* Returns true if the shader added to these slices, and to no others. */
static bool only_slices_have_more(uint32_t first, uint32_t count)
{
	const uint32_t *texels = read_level();

	for (uint32_t i = 0; i < SIDE * SIDE * DEPTH; i++) {
		const uint32_t x = i % SIDE, y = i / SIDE % SIDE, z = i / (SIDE * SIDE);
		const uint32_t expected = BEFORE + (z - first < count ? 1000 + x + 16 * y : 0);

		if (texels[i] != expected) {
			printf("# %u,%u,%u: %u, not %u\n", x, y, z, texels[i], expected);
			return false;
		}
	}
	return true;
}

static void test_slice(uint32_t slice)
{
	const VkImageView view = view_new(slice);

	vk_image_fill(&test.volume, &(VkClearColorValue){ .uint32 = { BEFORE } });
	add_to(test.add, view);
	tap(size_is(1) && only_slices_have_more(slice, 1),
	    "a shader changes slice %u, and no other", slice);
	vkDestroyImageView(vk.device, view, NULL);
}

static void test_range(uint32_t first, uint32_t count, uint32_t sees)
{
	const VkImageView view = range_view_new(first, count);

	vk_image_fill(&test.volume, &(VkClearColorValue){ .uint32 = { BEFORE } });
	add_to(test.add_range, view);
	tap(size_is(sees) && only_slices_have_more(first, sees),
	    "a shader changes %u slices from %u on, and no others", sees, first);
	vkDestroyImageView(vk.device, view, NULL);
}

/* A shader stores to a slice, and another one samples it through the same view. */
static void test_sampled(uint32_t slice)
{
	const VkImageView view = view_new(slice);
	const uint32_t *texels = (uint32_t *)test.out.map + 4;
	bool ok = true;

	vk_image_fill(&test.volume, &(VkClearColorValue){ .uint32 = { BEFORE } });
	add_to(test.add, view);
	vk_write_image(test.set.set, 1, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, test.sampler,
		       view);
	vk_dispatch(test.sample, test.layout, test.set.set, NULL, 0);
	for (uint32_t i = 0; i < SIDE * SIDE; i++)
		ok &= texels[i] == BEFORE + 1000 + i % SIDE + 16 * (i / SIDE);
	tap(ok && size_is(1), "a shader samples slice %u", slice);
	vkDestroyImageView(vk.device, view, NULL);
}

static void drop_things(void)
{
	vkDestroyPipeline(vk.device, test.add, NULL);
	vkDestroyPipeline(vk.device, test.add_range, NULL);
	vkDestroyPipeline(vk.device, test.sample, NULL);
	vkDestroySampler(vk.device, test.sampler, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	vk_image_del(&test.volume);
	vk_buffer_del(&test.readback);
	vk_buffer_del(&test.out);
}

/* A view of depth and stencil is valid, and no shader can use it. */
static void test_both_aspects(void)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT,
		.imageType = VK_IMAGE_TYPE_3D,
		.format = VK_FORMAT_D32_SFLOAT_S8_UINT,
		.extent = { SIDE, SIDE, DEPTH },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = 1,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT,
	};
	VkImageFormatProperties properties;
	VkImageViewCreateInfo view_info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = info.format,
		.subresourceRange = { VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1,
				      1, 1 },
	};
	struct vk_image image;
	VkImageView view;

	if (vkGetPhysicalDeviceImageFormatProperties(vk.physical, info.format, info.imageType,
						     info.tiling, info.usage, info.flags,
						     &properties)) {
		tap(true, "a view of two aspects # SKIP there are no such volumes");
		return;
	}
	tap(properties.maxResourceSize >= 1ull << 31, "an image may have 2 GiB");
	image = vk_image_new(&info);
	view_info.image = image.image;
	VK_CHECK(vkCreateImageView(vk.device, &view_info, NULL, &view));
	vk_run(vk_begin());
	tap(true, "a slice's view of depth and stencil does no harm");
	vkDestroyImageView(vk.device, view, NULL);
	vk_image_del(&image);
}

int main(void)
{
	static const char *const extensions[] = {
		VK_EXT_IMAGE_2D_VIEW_OF_3D_EXTENSION_NAME,
		VK_EXT_IMAGE_SLICED_VIEW_OF_3D_EXTENSION_NAME,
	};

	vk.features = &ranges;
	vk_open_with(NULL, 0, extensions, 2);
	tap(slices.image2DViewOf3D && slices.sampler2DViewOf3D && ranges.imageSlicedViewOf3D,
	    "the features are there");
	test.readback = vk_buffer_new(SIDE * SIDE * DEPTH * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	test.out = vk_buffer_new(16 + SIDE * SIDE * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	make_pipelines();
	make_volume();
	test_slice(0);
	test_slice(3);
	test_slice(DEPTH - 1);
	test_sampled(0);
	test_sampled(DEPTH - 1);
	test_range(0, 1, 1);
	test_range(2, 3, 3);
	test_range(1, VK_REMAINING_3D_SLICES_EXT, DEPTH - 1);
	test_range(0, DEPTH, DEPTH);
	test_both_aspects();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
