// SPDX-License-Identifier: MIT
/*
 * Vulkan: slices of a volume that shaders load from and store to as images of two dimensions
 * (VK_EXT_image_2d_view_of_3d). Prints TAP.
 */
#include <stdio.h>

#include "vk.h"

#include "vk-slices-shaders.h"

#define SIDE 8
#define DEPTH 6
#define BEFORE 7

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

static VkPhysicalDeviceImage2DViewOf3DFeaturesEXT slices = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_2D_VIEW_OF_3D_FEATURES_EXT,
};

static struct {
	struct vk_set set;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	struct vk_image volume;
	struct vk_buffer readback;
} test;

static void make_pipeline(void)
{
	const VkDescriptorSetLayoutBinding binding = {
		0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL,
	};
	const VkPipelineLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &test.set.layout,
	};
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			   .pName = "main" },
	};

	test.set = vk_set_new(&binding, 1);
	VK_CHECK(vkCreatePipelineLayout(vk.device, &layout, NULL, &test.layout));
	info.layout = test.layout;
	info.stage.module = vk_module_new(slices_comp, sizeof(slices_comp));
	VK_CHECK(vkCreateComputePipelines(vk.device, VK_NULL_HANDLE, 1, &info, NULL, &test.pipeline));
	vkDestroyShaderModule(vk.device, info.stage.module, NULL);
}

/* Of two levels, all of them as it was. */
static void make_volume(void)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .flags = VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT,
		.imageType = VK_IMAGE_TYPE_3D, .format = VK_FORMAT_R32_UINT, .extent = { SIDE * 2, SIDE * 2, DEPTH * 2 },
		.mipLevels = 2, .arrayLayers = 1, .samples = 1,
		.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
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

static void add_to(VkImageView view)
{
	const VkDescriptorImageInfo image = { VK_NULL_HANDLE, view, general };
	const VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = test.set.set, .descriptorCount = 1,
		.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .pImageInfo = &image,
	};
	VkCommandBuffer cmd = vk_begin();

	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 1, &test.set.set, 0, NULL);
	vkCmdDispatch(cmd, 1, 1, 1);
	vk_barrier(cmd);
	vk_run(cmd);
}

static const uint32_t *read_level(void)
{
	const VkBufferImageCopy copy = {
		.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, 1 }, .imageExtent = { SIDE, SIDE, DEPTH },
	};
	VkCommandBuffer cmd = vk_begin();

	vkCmdCopyImageToBuffer(cmd, test.volume.image, general, test.readback.buffer, 1, &copy);
	vk_barrier(cmd);
	vk_run(cmd);
	return test.readback.map;
}

/* That slice has more, all others are as they were. */
static bool only_slice_has_more(uint32_t slice)
{
	const uint32_t *texels = read_level();

	for (uint32_t i = 0; i < SIDE * SIDE * DEPTH; i++) {
		const uint32_t x = i % SIDE, y = i / SIDE % SIDE, z = i / (SIDE * SIDE);
		const uint32_t expected = BEFORE + (z == slice ? 1000 + x + 16 * y : 0);

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
	add_to(view);
	tap(only_slice_has_more(slice), "a shader changes slice %u, and no other", slice);
	vkDestroyImageView(vk.device, view, NULL);
}

static void drop_things(void)
{
	vkDestroyPipeline(vk.device, test.pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	vk_image_del(&test.volume);
	vk_buffer_del(&test.readback);
}

int main(void)
{
	static const char *const extension = VK_EXT_IMAGE_2D_VIEW_OF_3D_EXTENSION_NAME;

	vk.features = &slices;
	vk_open_with(NULL, 0, &extension, 1);
	tap(slices.image2DViewOf3D, "the feature is there");
	test.readback = vk_buffer_new(SIDE * SIDE * DEPTH * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	make_pipeline();
	make_volume();
	test_slice(0);
	test_slice(3);
	test_slice(DEPTH - 1);
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
