// SPDX-License-Identifier: MIT
/*
 * Vulkan: results of samplers, loads from and stores to images, and the end of fragments (discard,
 * demotion, dual-source blending, separate depth-stencil layouts). One compute shader reads through
 * all samplers and images; most tests look at its results. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-fragments-shaders.h"

#define SIDE 16
#define PIXELS (SIDE * SIDE)
#define N 64			/* invocations of a group */
#define WORDS 37
#define STENCIL 5
#define LEVELS 5
#define FILLED 0x40404040u
#define PASSED 128		/* fragments that are not discarded: every second column */

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
static const VkFormat color_format = VK_FORMAT_R8G8B8A8_UNORM,
		      depth_format = VK_FORMAT_D32_SFLOAT_S8_UINT;

/* Bindings of the set */
enum {
	RESULT,
	PICTURES,
	LEVELS_SEEN,
	CUBES,
	CUBE_ARRAY,
	ANY_READ,
	ANY_WRITTEN,
	SMALL,
	PACKED,
	PACKED_FLOATS,
	STANDARD,
	RELAXED,
	STENCIL_SEEN,
	LINEAR,
	SRGB,
	BLUE_FIRST,
	NUMBERS,
	BINDINGS,
};

#define SEEN VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER
#define STORED VK_DESCRIPTOR_TYPE_STORAGE_IMAGE

static const struct {
	VkDescriptorType type;
	uint32_t count;
} bindings[BINDINGS] = {
	[RESULT] = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 },
	[PICTURES] = { SEEN, 4 },
	[LEVELS_SEEN] = { SEEN, 2 },
	[CUBES] = { SEEN, 2 },
	[CUBE_ARRAY] = { SEEN, 1 },
	[ANY_READ] = { STORED, 1 },
	[ANY_WRITTEN] = { STORED, 1 },
	[SMALL] = { STORED, 1 },
	[PACKED] = { STORED, 1 },
	[PACKED_FLOATS] = { STORED, 1 },
	[STANDARD] = { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1 },
	[RELAXED] = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 },
	[STENCIL_SEEN] = { SEEN, 1 },
	[LINEAR] = { STORED, 1 },
	[SRGB] = { SEEN, 1 },
	[BLUE_FIRST] = { SEEN, 1 },
	[NUMBERS] = { SEEN, 1 },
};

/* Samplers: of PICTURES, then of LEVELS_SEEN, then of CUBES. */
enum {
	PLAIN,
	CUSTOM,
	CUSTOM_NO_FORMAT,
	MIRROR_ONCE,
	ISOTROPIC,
	ANISOTROPIC,
	SEAMLESS,
	NON_SEAMLESS,
	CUSTOM_NUMBERS,
	SAMPLERS,
};

static struct {
	VkPipelineLayout layout;
	struct vk_set set;
	VkSampler samplers[SAMPLERS];
	struct vk_image picture, levels, cubes, written, small, packed, packed_floats, srgb, depth,
		target;
	struct vk_image blue_first, numbers;
	VkImageView picture_view, levels_view, cube_view, cube_array_view, written_view, small_view,
		packed_view;
	VkImageView packed_floats_view, srgb_view, linear_view, depth_view, stencil_view,
		target_view;
	VkImageView blue_first_view, numbers_view;
	struct vk_buffer result, standard, relaxed, readback;
	/* pipelines and renderings have a second attachment, without an image */
	bool beside;
} test;

/* Each begins as VkBaseOutStructure does. */
static VkPhysicalDeviceDynamicRenderingFeatures rendering = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
};
static VkPhysicalDeviceCustomBorderColorFeaturesEXT borders = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT,
	.pNext = &rendering,
};
static VkPhysicalDeviceNonSeamlessCubeMapFeaturesEXT cube_maps = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NON_SEAMLESS_CUBE_MAP_FEATURES_EXT,
	.pNext = &borders,
};
static VkPhysicalDeviceImageRobustnessFeatures robustness = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES, .pNext = &cube_maps,
};
static VkPhysicalDeviceShaderDemoteToHelperInvocationFeatures demotion = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES,
	.pNext = &robustness,
};
static VkPhysicalDeviceShaderTerminateInvocationFeatures termination = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_TERMINATE_INVOCATION_FEATURES,
	.pNext = &demotion,
};
static VkPhysicalDeviceSeparateDepthStencilLayoutsFeatures separate = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES,
	.pNext = &termination,
};
static VkPhysicalDeviceUniformBufferStandardLayoutFeatures standard_layout = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES,
	.pNext = &separate,
};
static VkPhysicalDeviceSubgroupSizeControlFeatures group_sizes = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
	.pNext = &standard_layout,
};

/* Objects */

static VkSampler sampler_new(VkSamplerCreateInfo info, VkFilter filter, VkSamplerAddressMode mode)
{
	info.minFilter = info.magFilter = filter;
	info.mipmapMode = filter == VK_FILTER_LINEAR ? VK_SAMPLER_MIPMAP_MODE_LINEAR
						     : VK_SAMPLER_MIPMAP_MODE_NEAREST;
	info.maxLod = LEVELS;
	info.addressModeU = info.addressModeV = info.addressModeW = mode;
	return vk_sampler_new(info);
}

static void make_samplers(void)
{
	const VkSamplerAddressMode edge = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
	const VkSamplerAddressMode border = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
	const VkSamplerAddressMode mirror = VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE;
	const VkSamplerCustomBorderColorCreateInfoEXT color = {
		VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT, NULL,
		{ .float32 = { 0.2f, 0.4f, 0.6f, 0.8f } }, color_format,
	};
	const VkSamplerCustomBorderColorCreateInfoEXT color_no_format = {
		VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT, NULL,
		{ .float32 = { 0.8f, 0.2f, 0.4f, 0.6f } }, VK_FORMAT_UNDEFINED,
	};
	const VkSamplerCustomBorderColorCreateInfoEXT numbers = {
		VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT, NULL,
		{ .uint32 = { 11, 22222, 3333333, 4000000000 } }, VK_FORMAT_UNDEFINED,
	};
	VkSamplerCreateInfo custom = { .pNext = &color,
				       .borderColor = VK_BORDER_COLOR_FLOAT_CUSTOM_EXT };
	const VkSamplerCreateInfo none = { 0 };
	const VkSamplerCreateInfo anisotropic = { .anisotropyEnable = true, .maxAnisotropy = 16 };
	const VkSamplerCreateInfo by_face = {
		.flags = VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT
	};

	test.samplers[PLAIN] = sampler_new(none, VK_FILTER_NEAREST, edge);
	test.samplers[CUSTOM] = sampler_new(custom, VK_FILTER_NEAREST, border);
	custom.pNext = &color_no_format;
	test.samplers[CUSTOM_NO_FORMAT] = sampler_new(custom, VK_FILTER_NEAREST, border);
	custom.pNext = &numbers;
	custom.borderColor = VK_BORDER_COLOR_INT_CUSTOM_EXT;
	test.samplers[CUSTOM_NUMBERS] = sampler_new(custom, VK_FILTER_NEAREST, border);
	test.samplers[MIRROR_ONCE] = sampler_new(none, VK_FILTER_NEAREST, mirror);
	test.samplers[ISOTROPIC] = sampler_new(none, VK_FILTER_LINEAR, edge);
	test.samplers[ANISOTROPIC] = sampler_new(anisotropic, VK_FILTER_LINEAR, edge);
	test.samplers[SEAMLESS] = sampler_new(none, VK_FILTER_LINEAR, edge);
	test.samplers[NON_SEAMLESS] = sampler_new(by_face, VK_FILTER_LINEAR, edge);
}

static VkImageView view_of(const struct vk_image *image, VkImageViewType type, VkFormat format,
			   VkImageAspectFlags aspects, uint32_t layers,
			   const VkImageViewUsageCreateInfo *usage)
{
	const VkImageViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.pNext = usage,
		.image = image->image,
		.viewType = type,
		.format = format,
		.subresourceRange = { aspects, 0, image->levels, 0, layers },
	};
	VkImageView view;

	VK_CHECK(vkCreateImageView(vk.device, &info, NULL, &view));
	return view;
}

static VkImageCreateInfo square(VkFormat format, VkImageUsageFlags usage)
{
	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = 1,
		.usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
}

/* Clears one level of one layer to one color. */
static void fill_part(const struct vk_image *image, uint32_t level, uint32_t layer, uint32_t red)
{
	const VkClearColorValue color = { .float32 = { red / 255.0f } };
	const VkImageSubresourceRange part = { VK_IMAGE_ASPECT_COLOR_BIT, level, 1, layer, 1 };
	VkCommandBuffer cmd = vk_begin();

	vkCmdClearColorImage(cmd, image->image, general, &color, 1, &part);
	vk_run(cmd);
}

/* Each texel has its own index as value. */
static void make_picture(void)
{
	const VkBufferImageCopy all = {
		.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
		.imageExtent = { SIDE, SIDE, 1 },
	};
	VkCommandBuffer cmd = vk_begin();

	for (uint32_t i = 0; i < PIXELS; i++)
		((uint32_t *)test.readback.map)[i] = i | 0xabcd00;
	test.picture = vk_picture_new(color_format, SIDE,
				      VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
				      &test.picture_view);
	vkCmdCopyBufferToImage(cmd, test.readback.buffer, test.picture.image, general, 1, &all);
	vk_barrier(cmd);
	vk_run(cmd);
}

static void make_levels_and_cubes(void)
{
	const VkImageAspectFlags color = VK_IMAGE_ASPECT_COLOR_BIT;
	VkImageCreateInfo info = square(color_format, VK_IMAGE_USAGE_SAMPLED_BIT);

	info.mipLevels = LEVELS;
	test.levels = vk_image_new(&info);
	test.levels_view =
		view_of(&test.levels, VK_IMAGE_VIEW_TYPE_2D, color_format, color, 1, NULL);
	for (uint32_t i = 0; i < LEVELS; i++)
		fill_part(&test.levels, i, 0, 10 + i * 40);
	info.mipLevels = 1;
	info.arrayLayers = 12;
	info.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
	test.cubes = vk_image_new(&info);
	test.cube_view =
		view_of(&test.cubes, VK_IMAGE_VIEW_TYPE_CUBE, color_format, color, 6, NULL);
	test.cube_array_view =
		view_of(&test.cubes, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, color_format, color, 12, NULL);
	for (uint32_t i = 0; i < 12; i++)
		fill_part(&test.cubes, 0, i, i ? i * 10 : 200);
}

/* Images of which only the border is sampled. */
static void make_bordered(void)
{
	const VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT;

	test.blue_first =
		vk_picture_new(VK_FORMAT_B8G8R8A8_UNORM, SIDE, usage, &test.blue_first_view);
	vk_image_clear(&test.blue_first);
	test.numbers = vk_picture_new(VK_FORMAT_R32G32B32A32_UINT, SIDE, usage, &test.numbers_view);
	vk_image_clear(&test.numbers);
}

static void make_storage(void)
{
	const VkClearColorValue filled = { .float32 = { 64 / 255.0f, 64 / 255.0f, 64 / 255.0f,
							64 / 255.0f } };
	const VkImageUsageFlags storage = VK_IMAGE_USAGE_STORAGE_BIT;

	test.written = vk_picture_new(color_format, SIDE, storage, &test.written_view);
	vk_image_fill(&test.written, &filled);
	test.small = vk_picture_new(VK_FORMAT_R8G8_UNORM, SIDE, storage, &test.small_view);
	test.packed = vk_picture_new(VK_FORMAT_A2B10G10R10_UNORM_PACK32, SIDE, storage,
				     &test.packed_view);
	test.packed_floats = vk_picture_new(VK_FORMAT_B10G11R11_UFLOAT_PACK32, SIDE, storage,
					    &test.packed_floats_view);
	test.target = vk_picture_new(color_format, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
				     &test.target_view);
}

/*
 * sRGB formats do not support stores: shaders store through a view of another format, and the
 * sampled view restricts its usage with VkImageViewUsageCreateInfo.
 */
static void make_srgb(void)
{
	const VkImageViewUsageCreateInfo sampled = {
		VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO, NULL, VK_IMAGE_USAGE_SAMPLED_BIT,
	};
	VkImageCreateInfo info =
		square(VK_FORMAT_R8G8B8A8_SRGB, sampled.usage | VK_IMAGE_USAGE_STORAGE_BIT);
	const VkImageAspectFlags color = VK_IMAGE_ASPECT_COLOR_BIT;

	info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
	test.srgb = vk_image_new(&info);
	test.srgb_view =
		view_of(&test.srgb, VK_IMAGE_VIEW_TYPE_2D, info.format, color, 1, &sampled);
	test.linear_view = view_of(&test.srgb, VK_IMAGE_VIEW_TYPE_2D, color_format, color, 1, NULL);
}

/*
 * Shaders may sample the stencil aspect, but not the depth aspect (VkImageStencilUsageCreateInfo).
 */
static void make_depth(void)
{
	VkImageCreateInfo info = square(depth_format, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
	const VkImageStencilUsageCreateInfo usage = {
		VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO,
		NULL,
		info.usage | VK_IMAGE_USAGE_SAMPLED_BIT,
	};
	const VkImageAspectFlags stencil = VK_IMAGE_ASPECT_STENCIL_BIT,
				 both = stencil | VK_IMAGE_ASPECT_DEPTH_BIT;
	const VkImageSubresourceRange all = { both, 0, 1, 0, 1 };
	VkCommandBuffer cmd;

	info.pNext = &usage;
	test.depth = vk_image_new(&info);
	test.depth_view = view_of(&test.depth, VK_IMAGE_VIEW_TYPE_2D, depth_format, both, 1, NULL);
	test.stencil_view =
		view_of(&test.depth, VK_IMAGE_VIEW_TYPE_2D, depth_format, stencil, 1, NULL);
	cmd = vk_begin();
	vkCmdClearDepthStencilImage(cmd, test.depth.image, general,
				    &(VkClearDepthStencilValue){ 1, STENCIL }, 1, &all);
	vk_run(cmd);
}

static void make_buffers(void)
{
	static const uint32_t relaxed[] = { 11, 12, 13, 14, 15, 16, 17 };

	test.result = vk_buffer_new(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.standard = vk_buffer_new(256, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
	test.relaxed = vk_buffer_new(sizeof(relaxed), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.readback = vk_buffer_new(PIXELS * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
							  VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	for (uint32_t i = 0; i < 64; i++)
		((uint32_t *)test.standard.map)[i] = 1000 + i;
	memcpy(test.relaxed.map, relaxed, sizeof(relaxed));
}

/* The set */

static void make_layouts(void)
{
	const VkShaderStageFlags stages =
		VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
	VkDescriptorSetLayoutBinding of_layout[BINDINGS];

	for (uint32_t i = 0; i < BINDINGS; i++)
		of_layout[i] = (VkDescriptorSetLayoutBinding){
			i, bindings[i].type, bindings[i].count, stages, NULL,
		};
	test.set = vk_set_new(of_layout, BINDINGS);
	test.layout = vk_layout_new(&test.set.layout, 1, 0, 0);
}

static void write(uint32_t binding, uint32_t element, VkSampler sampler, VkImageView view,
		  VkImageLayout layout)
{
	const VkDescriptorImageInfo image = { sampler, view, layout };
	VkWriteDescriptorSet write = vk_write_of(test.set.set, binding, 1, bindings[binding].type);

	write.dstArrayElement = element;
	write.pImageInfo = &image;
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
}

static void write_buffer(uint32_t binding, const struct vk_buffer *buffer)
{
	vk_write_buffer(test.set.set, binding, bindings[binding].type, buffer);
}

static void write_set(void)
{
	for (uint32_t i = 0; i < 4; i++)
		write(PICTURES, i, test.samplers[PLAIN + i], test.picture_view, general);
	for (uint32_t i = 0; i < 2; i++) {
		write(LEVELS_SEEN, i, test.samplers[ISOTROPIC + i], test.levels_view, general);
		write(CUBES, i, test.samplers[SEAMLESS + i], test.cube_view, general);
	}
	write(CUBE_ARRAY, 0, test.samplers[PLAIN], test.cube_array_view, general);
	write(ANY_READ, 0, VK_NULL_HANDLE, test.picture_view, general);
	write(ANY_WRITTEN, 0, VK_NULL_HANDLE, test.written_view, general);
	write(SMALL, 0, VK_NULL_HANDLE, test.small_view, general);
	write(PACKED, 0, VK_NULL_HANDLE, test.packed_view, general);
	write(PACKED_FLOATS, 0, VK_NULL_HANDLE, test.packed_floats_view, general);
	write(STENCIL_SEEN, 0, test.samplers[PLAIN], test.stencil_view,
	      VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL);
	write(LINEAR, 0, VK_NULL_HANDLE, test.linear_view, general);
	write(SRGB, 0, test.samplers[PLAIN], test.srgb_view, general);
	write(BLUE_FIRST, 0, test.samplers[CUSTOM_NO_FORMAT], test.blue_first_view, general);
	write(NUMBERS, 0, test.samplers[CUSTOM_NUMBERS], test.numbers_view, general);
	write_buffer(RESULT, &test.result);
	write_buffer(STANDARD, &test.standard);
	write_buffer(RELAXED, &test.relaxed);
}

/* Shaders */

static void dispatch(const uint32_t *code, size_t size, VkPipelineShaderStageCreateFlags flags,
		     uint32_t times)
{
	VkComputePipelineCreateInfo info = vk_compute_info(test.layout, code, size);
	VkCommandBuffer cmd = vk_begin();
	VkPipeline pipeline;

	info.stage.flags = flags;
	VK_CHECK(vk_compute_try(&info, &pipeline));
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 1,
				&test.set.set, 0, NULL);
	for (uint32_t i = 0; i < times; i++) {
		vkCmdDispatch(cmd, 1, 1, 1);
		vk_barrier(cmd);
	}
	vk_run(cmd);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

static VkPipeline pipeline_new(const uint32_t *code, size_t size, bool blend, bool depth)
{
	const VkFormat depths = depth ? depth_format : VK_FORMAT_UNDEFINED;
	const VkStencilOpState stencil = {
		.compareOp = VK_COMPARE_OP_EQUAL, .compareMask = 0xff, .reference = STENCIL,
	};
	const VkFormat formats[] = { color_format, VK_FORMAT_UNDEFINED };
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(fragments_vert));
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, code, size);
	vk_pipeline_formats(&p, color_format, depths, depths);
	vk_pipeline_depth(&p, VK_COMPARE_OP_LESS, depth);
	p.depth.depthTestEnable = p.depth.stencilTestEnable = depth;
	p.depth.front = p.depth.back = stencil;
	p.blends[0] = (VkPipelineColorBlendAttachmentState){
		blend,
		VK_BLEND_FACTOR_SRC1_COLOR,
		VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR,
		VK_BLEND_OP_ADD,
		VK_BLEND_FACTOR_SRC1_ALPHA,
		VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA,
		VK_BLEND_OP_ADD,
		0xf,
	};
	if (test.beside) {
		p.rendering.colorAttachmentCount = p.blend.attachmentCount = 2;
		p.rendering.pColorAttachmentFormats = formats;
		p.blends[1] = p.blends[0];
	}
	return vk_pipeline_new(&p);
}

/* Draws over the whole target, which is cleared to 0.2 in each channel, and destroys @pipeline. */
static void draw(VkPipeline pipeline, bool depth)
{
	const VkRenderingAttachmentInfo colors[] = { {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageView = test.target_view,
		.imageLayout = general, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.clearValue = { .color.float32 = { 0.2f, 0.2f, 0.2f, 0.2f } },
	}, {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
	} };
	const VkRenderingAttachmentInfo depths = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = test.depth_view,
		.imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
		.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
	};
	const VkRenderingAttachmentInfo stencils = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = test.depth_view,
		.imageLayout = VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL,
		.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.layerCount = 1,
		.colorAttachmentCount = 1 + test.beside,
		.pColorAttachments = colors,
		.pDepthAttachment = depth ? &depths : NULL,
		.pStencilAttachment = depth ? &stencils : NULL,
	};
	VkCommandBuffer cmd = vk_begin();

	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, test.layout, 0, 1,
				&test.set.set, 0, NULL);
	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &info);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_barrier(cmd);
	vk_run(cmd);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

static const uint32_t *read_back(const struct vk_image *image, VkImageAspectFlags aspect,
				 VkImageLayout layout)
{
	const VkBufferImageCopy all = { .imageSubresource = { aspect, 0, 0, 1 },
					.imageExtent = { SIDE, SIDE, 1 } };
	VkCommandBuffer cmd = vk_begin();

	vkCmdCopyImageToBuffer(cmd, image->image, layout, test.readback.buffer, 1, &all);
	vk_barrier(cmd);
	vk_run(cmd);
	return test.readback.map;
}

/* Returns true if no byte of @word differs from @expected by more than 1, for rounding. */
static bool about(uint32_t word, uint32_t expected)
{
	for (uint32_t i = 0; i < 32; i += 8) {
		const int by = (int)(word >> i & 0xff) - (int)(expected >> i & 0xff);

		if (by < -1 || by > 1) {
			printf("# %#x, not %#x\n", word, expected);
			return false;
		}
	}
	return true;
}

static bool is(uint32_t word, uint32_t expected)
{
	if (word != expected)
		printf("# %#x, not %#x\n", word, expected);
	return word == expected;
}

/* Fragments */

static void test_two_sources(void)
{
	const uint32_t *pixels;

	/* Blending with a second color that the shader does not write gives an undefined result. */
	draw(pipeline_new(VK_CODE(fragments_end), true, false), false);
	draw(pipeline_new(VK_CODE(fragments_two), true, false), false);
	pixels = read_back(&test.target, VK_IMAGE_ASPECT_COLOR_BIT, general);
	/* color * factor + 0.2 * (1 - factor) */
	tap(about(pixels[0], 0x336652ad) && pixels[PIXELS - 1] == pixels[0],
	    "two colours are blended, also after one with a second that is not there");
	test.beside = true;
	draw(pipeline_new(VK_CODE(fragments_two), true, false), false);
	test.beside = false;
	pixels = read_back(&test.target, VK_IMAGE_ASPECT_COLOR_BIT, general);
	tap(about(pixels[0], 0x336652ad), "and beside an attachment that is not there");
}

/* Fragments of every second column end: the column keeps its color. */
static void test_ends(const uint32_t *code, size_t size, const char *text)
{
	uint32_t *count = test.result.map, bad = 0;
	const uint32_t *pixels;

	*count = 0;
	draw(pipeline_new(code, size, false, false), false);
	pixels = read_back(&test.target, VK_IMAGE_ASPECT_COLOR_BIT, general);
	for (uint32_t i = 0; i < PIXELS; i++)
		bad += pixels[i] != (i & 1 ? 0x33333333 : 0xffff0028);
	if (bad)
		printf("# %u pixels are wrong; %#x, %#x\n", bad, pixels[0], pixels[1]);
	tap(!bad && is(*count, PASSED), "%s", text);
}

/*
 * The footprint is eight texels wide: isotropic filtering takes level 3, anisotropic filtering
 * finer levels.
 */
static void test_anisotropy(void)
{
	const uint32_t *pixels;
	uint8_t with, without;

	draw(pipeline_new(VK_CODE(fragments_levels), false, false), false);
	pixels = read_back(&test.target, VK_IMAGE_ASPECT_COLOR_BIT, general);
	without = pixels[0] & 0xff;
	with = pixels[0] >> 8 & 0xff;
	printf("# %u without, %u with\n", without, with);
	tap(is(without, 130) && with < 90, "filters that see what is wide as more than it is high");
}

static void change_layout(VkCommandBuffer cmd, VkImageAspectFlags aspect, VkImageLayout from,
			  VkImageLayout to)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.oldLayout = from,
		.newLayout = to,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = test.depth.image,
		.subresourceRange = { aspect, 0, 1, 0, 1 },
	};

	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

/*
 * Writes depths while the stencil aspect is in a read-only layout, and then changes the layout of
 * the depth aspect only.
 */
static void test_separate_layouts(void)
{
	const VkImageLayout source = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
	VkCommandBuffer cmd = vk_begin();
	const uint32_t *words;
	bool depths;

	change_layout(cmd, VK_IMAGE_ASPECT_DEPTH_BIT, general,
		      VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
	change_layout(cmd, VK_IMAGE_ASPECT_STENCIL_BIT, general,
		      VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL);
	vk_run(cmd);
	draw(pipeline_new(VK_CODE(fragments_two), false, true), true);
	cmd = vk_begin();
	change_layout(cmd, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
		      source);
	vk_run(cmd);
	words = read_back(&test.depth, VK_IMAGE_ASPECT_DEPTH_BIT, source);
	depths = is(words[0], 0x3e800000) && is(words[PIXELS - 1], 0x3e800000);
	words = read_back(&test.target, VK_IMAGE_ASPECT_COLOR_BIT, general);
	tap(separate.separateDepthStencilLayouts && depths && about(words[0], 0x3366ccff),
	    "depths and stencil have layouts of their own");
}

/* Results of the compute shader */

static void test_samplers(const uint32_t *at)
{
	bool faces = true;

	tap(borders.customBorderColors && is(at[0], 0xcc996633), "a border of any colour");
	tap(borders.customBorderColorWithoutFormat && is(at[1], 0x996633cc) &&
		    is(at[32], 0x996633cc),
	    "the same border of two formats");
	tap(is(at[33], 11) && is(at[34], 22222) && is(at[35], 3333333) && is(at[36], 4000000000),
	    "a border of numbers");
	tap(is(at[2], 2 * SIDE + 5) && is(at[3], PIXELS - 1),
	    "samplerMirrorClampToEdge: mirrored once, then the edge");
	tap(is(at[4],
	       (5 + 5 * SIDE) | (6 + 7 * SIDE) << 8 | (3 + 6 * SIDE) << 16 | (8u + 2 * SIDE) << 24),
	    "texels are gathered, each at an offset of its own");
	printf("# %u seamless, %u not\n", at[5], at[6]);
	tap(cube_maps.nonSeamlessCubeMap && at[5] < 130 && is(at[6], 200),
	    "a face of a cube ends where it ends");
	for (uint32_t i = 0; i < 6; i++)
		faces &= is(at[7 + i], 60 + i * 10);
	tap(faces, "faces of a cube in an array");
	tap(is(at[13], STENCIL), "a stencil that may be looked at, of depths that may not");
	tap(is(at[14], 8), "maintenance2: views may have less usage than their image");
}

static void test_images(const uint32_t *at)
{
	const uint32_t *words;
	uint32_t others = 0;

	tap(is(at[15], 0x00abcd00 | (7 + 9 * SIDE)),
	    "an image of a format that its shader does not know is read");
	tap(robustness.robustImageAccess && is(at[16] | at[17] | at[18] | at[19], 0),
	    "there are zeros outside of images");
	words = read_back(&test.written, VK_IMAGE_ASPECT_COLOR_BIT, general);
	for (uint32_t i = 0; i < PIXELS; i++)
		others += i != 5 + 6 * SIDE && words[i] != FILLED;
	tap(is(words[5 + 6 * SIDE], 0xcc996633),
	    "an image of a format that its shader does not know is written to");
	tap(is(others, 0), "what is written outside of an image goes nowhere");
	words = read_back(&test.small, VK_IMAGE_ASPECT_COLOR_BIT, general);
	others = ((const uint16_t *)words)[5 + 6 * SIDE];
	tap(is(others, 0x6633), "shaderStorageImageExtendedFormats: two bytes");
	words = read_back(&test.packed, VK_IMAGE_ASPECT_COLOR_BIT, general);
	tap(is(words[5 + 6 * SIDE], 0x7ff003ff), "shaderStorageImageExtendedFormats: 10 bits");
	words = read_back(&test.packed_floats, VK_IMAGE_ASPECT_COLOR_BIT, general);
	tap(is(words[5 + 6 * SIDE], 0x702003c0),
	    "shaderStorageImageExtendedFormats: floats of 10 and 11 bits");
}

static void test_blocks(const uint32_t *at)
{
	bool elements = true;

	for (uint32_t i = 0; i < 8; i++)
		elements &= is(at[20 + i], 1000 + i);
	tap(standard_layout.uniformBufferStandardLayout && elements,
	    "elements of uniforms are as near as they can be");
	tap(is(at[28], 11) && is(at[29], 0x0e0d0c) && is(at[30], 15) && is(at[31], 0x1110),
	    "vectors are aligned as their components are");
}

/* Subgroups */

static void test_groups(void)
{
	uint32_t (*words)[4] = test.result.map;
	bool full = true, late = true;

	for (uint32_t number = 0; number < 8; number += 3) {
		memset(words, 0, N * 16);
		words[0][3] = number;
		dispatch(VK_CODE(fragments_groups),
			 VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT, 1);
		for (uint32_t i = 0; i < N; i++) {
			const uint32_t size = words[i][1];

			full &= size && words[i][0] == size;
			late &= size && words[i][2] == (i / size * size + number % size) * 5;
		}
	}
	tap(group_sizes.computeFullSubgroups && full, "subgroups are full");
	tap(late,
	    "subgroupBroadcastDynamicId: what an invocation has whose number is not constant");
}

static void test_old_groups(void)
{
	uint32_t (*words)[4] = test.result.map;
	bool ballots = true, votes = true;

	memset(words, 0, N * 16);
	dispatch(VK_CODE(fragments_old_groups), 0, 1);
	for (uint32_t i = 0; i < N; i++) {
		const uint32_t size = words[i][3], first = size ? i / size * size : 0;
		uint32_t n = 0;

		for (uint32_t k = first; k < first + size; k++)
			n += k % 3 == 0;
		ballots &= size && words[i][0] == n && words[i][1] == first * 3;
		votes &= words[i][2] == (4u | (first <= 1) | (first + size <= 62) << 1);
	}
	tap(ballots, "ballots, as they were before subgroups");
	tap(votes, "votes, as they were before subgroups");
}

/* Setup */

static void drop_things(void)
{
	const VkImageView views[] = {
		test.picture_view, test.levels_view,	 test.cube_view,    test.cube_array_view,
		test.written_view, test.small_view,	 test.packed_view,  test.packed_floats_view,
		test.srgb_view,	   test.linear_view,	 test.depth_view,   test.stencil_view,
		test.target_view,  test.blue_first_view, test.numbers_view,
	};
	const struct vk_image *const images[] = {
		&test.picture, &test.levels, &test.cubes,	  &test.written,
		&test.small,   &test.packed, &test.packed_floats, &test.srgb,
		&test.depth,   &test.target, &test.blue_first,	  &test.numbers,
	};

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		vkDestroyImageView(vk.device, views[i], NULL);
	for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++)
		vk_image_del(images[i]);
	for (uint32_t i = 0; i < SAMPLERS; i++)
		vkDestroySampler(vk.device, test.samplers[i], NULL);
	vk_buffer_del(&test.result);
	vk_buffer_del(&test.standard);
	vk_buffer_del(&test.relaxed);
	vk_buffer_del(&test.readback);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
}

static void make_things(void)
{
	make_buffers();
	make_samplers();
	make_picture();
	make_levels_and_cubes();
	make_bordered();
	make_storage();
	make_srgb();
	make_depth();
	make_layouts();
	write_set();
}

int main(void)
{
	static const char *const extensions[] = {
		VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
		VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
		VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
		VK_KHR_SPIRV_1_4_EXTENSION_NAME,
		VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME,
		VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME,
		VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME,
		VK_EXT_NON_SEAMLESS_CUBE_MAP_EXTENSION_NAME,
		VK_KHR_SAMPLER_MIRROR_CLAMP_TO_EDGE_EXTENSION_NAME,
		VK_EXT_IMAGE_ROBUSTNESS_EXTENSION_NAME,
		VK_EXT_SHADER_DEMOTE_TO_HELPER_INVOCATION_EXTENSION_NAME,
		VK_KHR_SHADER_TERMINATE_INVOCATION_EXTENSION_NAME,
		VK_KHR_SEPARATE_DEPTH_STENCIL_LAYOUTS_EXTENSION_NAME,
		VK_EXT_SEPARATE_STENCIL_USAGE_EXTENSION_NAME,
		VK_KHR_UNIFORM_BUFFER_STANDARD_LAYOUT_EXTENSION_NAME,
		VK_KHR_RELAXED_BLOCK_LAYOUT_EXTENSION_NAME,
		VK_EXT_SHADER_SUBGROUP_BALLOT_EXTENSION_NAME,
		VK_EXT_SHADER_SUBGROUP_VOTE_EXTENSION_NAME,
		VK_KHR_MAINTENANCE_2_EXTENSION_NAME,
	};

	vk.features = &group_sizes;
	vk_open_with(NULL, 0, extensions, sizeof(extensions) / sizeof(extensions[0]));
	make_things();
	test_two_sources();
	tap(demotion.shaderDemoteToHelperInvocation && termination.shaderTerminateInvocation,
	    "fragments can end");
	test_ends(fragments_demote, sizeof(fragments_demote), "fragments become helpers");
	test_ends(fragments_end, sizeof(fragments_end), "fragments end");
	test_ends(fragments_call, sizeof(fragments_call),
		  "fragments end in functions that the condition and the step of a loop call");
	test_anisotropy();
	test_separate_layouts();
	/* Two dispatches: the second one samples the texels that the first one stored. */
	memset(test.result.map, 0xff, WORDS * 4);
	dispatch(VK_CODE(fragments_comp), 0, 2);
	test_samplers(test.result.map);
	test_images(test.result.map);
	test_blocks(test.result.map);
	test_groups();
	test_old_groups();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
