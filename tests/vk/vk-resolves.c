// SPDX-License-Identifier: MIT
/*
 * Vulkan: multisample resolves through views with another format than the image has, to images that
 * are not 2D, and during conditional rendering. Prints TAP.
 */
#include <stdio.h>

#include "vk-pipeline.h"

#include "vk-resolves-shaders.h"

#define SIDE 16
#define DEPTH 4
#define SAMPLES 4
/* mask of the white samples: half of them, including sample 0 */
#define COVERED 3

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

static VkPhysicalDeviceConditionalRenderingFeaturesEXT conditions = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT,
};
static VkPhysicalDeviceDynamicRenderingFeatures rendering = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
	.pNext = &conditions,
};

static struct {
	PFN_vkCmdBeginRenderingKHR begin;
	PFN_vkCmdEndRenderingKHR end;
	VkPipelineLayout layout;
	struct vk_buffer readback;
} test;

static VkImageCreateInfo image_info(VkFormat format, VkSampleCountFlagBits samples)
{
	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = samples,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
			 VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
}

static VkRenderingInfo rendering_of(const VkRenderingAttachmentInfo *color, uint32_t layers)
{
	return (VkRenderingInfo){
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.layerCount = layers,
		.colorAttachmentCount = 1,
		.pColorAttachments = color,
	};
}

/* Draws white to some samples of each pixel; the others are cleared to 0. */
static void draw_samples(VkCommandBuffer cmd, VkImageView view, VkPipeline pipeline)
{
	const VkRenderingAttachmentInfo color = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = view,
		.imageLayout = general,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
	};
	const VkRenderingInfo info = rendering_of(&color, 1);

	test.begin(cmd, &info);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	test.end(cmd);
	vk_barrier(cmd);
}

static void resolve(VkCommandBuffer cmd, VkImageView src, VkImageView dst,
		    VkResolveModeFlagBits mode, uint32_t layers)
{
	const VkRenderingAttachmentInfo color = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = src,
		.imageLayout = general,
		.resolveMode = mode,
		.resolveImageView = dst,
		.resolveImageLayout = general,
		.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
	};
	const VkRenderingInfo info = rendering_of(&color, layers);

	test.begin(cmd, &info);
	test.end(cmd);
}

static VkPipeline pipeline_new(VkFormat format)
{
	static const VkSampleMask mask = COVERED;
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(resolves_vert));
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(resolves_frag));
	vk_pipeline_formats(&p, format, VK_FORMAT_UNDEFINED, VK_FORMAT_UNDEFINED);
	p.samples.rasterizationSamples = SAMPLES;
	p.samples.pSampleMask = &mask;
	return vk_pipeline_new(&p);
}

/* Returns true if each byte differs by at most 1 from @expected. */
static bool texels_are(uint32_t first, uint32_t count, uint32_t expected)
{
	const uint8_t *bytes = test.readback.map;

	for (uint32_t i = first * 4; i < (first + count) * 4; i++) {
		const int byte = expected >> i % 4 * 8 & 0xff;

		if (bytes[i] > byte + 1 || bytes[i] < byte - 1) {
			printf("# byte %u is %#x, not %#x\n", i, bytes[i], byte);
			return false;
		}
	}
	return true;
}

static VkImageView view_of(const struct vk_image *image, VkFormat format)
{
	return vk_view_new(image, VK_IMAGE_VIEW_TYPE_2D, format, vk_image_all(image));
}

/* Formats of the images, and the format of both views. */
static const struct formats {
	const char *name;
	VkFormat src, dst, view;
	VkResolveModeFlagBits mode;
	uint32_t expected;
} formats[] = {
	{ "an average of what sRGB stands for", VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM,
	  VK_FORMAT_R8G8B8A8_SRGB, VK_RESOLVE_MODE_AVERAGE_BIT, 0x80bcbcbc },
	{ "an average of bytes", VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R8G8B8A8_SRGB,
	  VK_FORMAT_R8G8B8A8_UNORM, VK_RESOLVE_MODE_AVERAGE_BIT, 0x80808080 },
	{ "an average to an image of another format", VK_FORMAT_R8G8B8A8_UNORM,
	  VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R8G8B8A8_UNORM, VK_RESOLVE_MODE_AVERAGE_BIT,
	  0x80808080 },
	{ "an average from an image of another format", VK_FORMAT_R8G8B8A8_SRGB,
	  VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, VK_RESOLVE_MODE_AVERAGE_BIT,
	  0x80808080 },
	{ "the first of integers", VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM,
	  VK_FORMAT_R8G8B8A8_UINT, VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, 0xffffffff },
	{ "the first of integers with signs", VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM,
	  VK_FORMAT_R8G8B8A8_SINT, VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, 0xffffffff },
	{ "an average, as images are", VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM,
	  VK_FORMAT_R8G8B8A8_UNORM, VK_RESOLVE_MODE_AVERAGE_BIT, 0x80808080 },
};

static void test_formats(const struct formats *f)
{
	const VkImageCreateInfo src_info = image_info(f->src, SAMPLES),
				dst_info = image_info(f->dst, 1);
	const struct vk_image src = vk_image_new(&src_info), dst = vk_image_new(&dst_info);
	const VkImageView drawn = view_of(&src, VK_FORMAT_R8G8B8A8_UNORM);
	const VkImageView from = view_of(&src, f->view), to = view_of(&dst, f->view);
	const VkPipeline pipeline = pipeline_new(VK_FORMAT_R8G8B8A8_UNORM);
	VkCommandBuffer cmd;

	vk_image_clear(&dst);
	cmd = vk_begin();
	draw_samples(cmd, drawn, pipeline);
	resolve(cmd, from, to, f->mode, 1);
	vk_image_read(cmd, &dst, SIDE, &test.readback);
	vk_run(cmd);
	tap(texels_are(0, SIDE * SIDE, f->expected), "views resolve: %s", f->name);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyImageView(vk.device, drawn, NULL);
	vkDestroyImageView(vk.device, from, NULL);
	vkDestroyImageView(vk.device, to, NULL);
	vk_image_del(&src);
	vk_image_del(&dst);
}

/* Layers and slices */

static void fill_layer(const struct vk_image *image, uint32_t layer, float red)
{
	const VkImageSubresourceRange one = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, layer, 1 };
	const VkClearColorValue color = { .float32 = { red, 0, 1, 1 } };
	VkCommandBuffer cmd = vk_begin();

	vkCmdClearColorImage(cmd, image->image, general, &color, 1, &one);
	vk_run(cmd);
}

static struct vk_image volume_new(void)
{
	VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, 1);
	struct vk_image volume;

	info.flags = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT;
	info.imageType = VK_IMAGE_TYPE_3D;
	info.extent.depth = DEPTH;
	volume = vk_image_new(&info);
	vk_image_clear(&volume);
	return volume;
}

/* Makes an image with two layers, of which the second one is redder. */
static struct vk_image layers_new(void)
{
	VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, SAMPLES);
	struct vk_image layers;

	info.arrayLayers = 2;
	layers = vk_image_new(&info);
	fill_layer(&layers, 0, 0);
	fill_layer(&layers, 1, 1);
	return layers;
}

static void read_volume(VkCommandBuffer cmd, const struct vk_image *volume)
{
	const VkBufferImageCopy all = {
		.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
		.imageExtent = { SIDE, SIDE, DEPTH },
	};

	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, volume->image, general, test.readback.buffer, 1, &all);
	vk_barrier(cmd);
	vk_run(cmd);
}

static bool slices_are(const uint32_t expected[DEPTH])
{
	for (uint32_t z = 0; z < DEPTH; z++)
		if (!texels_are(z * SIDE * SIDE, SIDE * SIDE, expected[z]))
			return false;
	return true;
}

static void test_slices_by_views(void)
{
	const struct vk_image src = layers_new(), dst = volume_new();
	const VkImageView from = vk_view_new(&src, VK_IMAGE_VIEW_TYPE_2D_ARRAY,
					     VK_FORMAT_R8G8B8A8_UNORM, vk_image_all(&src));
	const VkImageView to =
		vk_view_new(&dst, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_R8G8B8A8_UNORM,
			    (VkImageSubresourceRange){ VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1, 2 });
	VkCommandBuffer cmd = vk_begin();

	resolve(cmd, from, to, VK_RESOLVE_MODE_AVERAGE_BIT, 2);
	read_volume(cmd, &dst);
	tap(slices_are((const uint32_t[]){ 0, 0xffff0000, 0xffff00ff, 0 }),
	    "layers are resolved to slices that are attachments");
	vkDestroyImageView(vk.device, from, NULL);
	vkDestroyImageView(vk.device, to, NULL);
	vk_image_del(&src);
	vk_image_del(&dst);
}

static void test_slice(void)
{
	const struct vk_image src = layers_new(), dst = volume_new();
	const VkImageResolve region = {
		.srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1 },
		.dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 }, .dstOffset = { 0, 0, 2 },
		.extent = { SIDE, SIDE, 1 },
	};
	VkCommandBuffer cmd = vk_begin();

	vkCmdResolveImage(cmd, src.image, general, dst.image, general, 1, &region);
	read_volume(cmd, &dst);
	tap(slices_are((const uint32_t[]){ 0, 0, 0xffff00ff, 0 }),
	    "a layer is resolved to a slice");
	vk_image_del(&src);
	vk_image_del(&dst);
}

static void test_line(void)
{
	VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, 1);
	const struct vk_image src = layers_new();
	const VkImageResolve region = {
		.srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 2 },
		.dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 2 }, .extent = { SIDE, 1, 1 },
	};
	const VkBufferImageCopy all = {
		.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 3 },
		.imageExtent = { SIDE, 1, 1 },
	};
	struct vk_image dst;
	VkCommandBuffer cmd;

	info.imageType = VK_IMAGE_TYPE_1D;
	info.extent.height = 1;
	info.arrayLayers = 3;
	dst = vk_image_new(&info);
	vk_image_clear(&dst);
	cmd = vk_begin();
	vkCmdResolveImage(cmd, src.image, general, dst.image, general, 1, &region);
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, dst.image, general, test.readback.buffer, 1, &all);
	vk_barrier(cmd);
	vk_run(cmd);
	tap(texels_are(0, SIDE, 0) && texels_are(SIDE, SIDE, 0xffff0000) &&
		    texels_are(2 * SIDE, SIDE, 0xffff00ff),
	    "layers are resolved to those of an image of one dimension");
	vk_image_del(&src);
	vk_image_del(&dst);
}

/* Conditional rendering */

#define QUARTER 0x4000		/* a depth of 0.25 */

static struct vk_image depth_new(VkSampleCountFlagBits samples, VkImageView *view)
{
	VkImageCreateInfo info = image_info(VK_FORMAT_D16_UNORM, samples);
	struct vk_image image;

	info.flags = 0;
	info.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
		     VK_IMAGE_USAGE_TRANSFER_DST_BIT;
	image = vk_image_new(&info);
	*view = view_of(&image, VK_FORMAT_D16_UNORM);
	return image;
}

/* Clears the depth of an attachment to 0.25, and resolves it. */
static void clear_and_resolve(VkCommandBuffer cmd, VkImageView src, VkImageView dst)
{
	const VkRenderingAttachmentInfo depth = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = src,
		.imageLayout = general,
		.resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
		.resolveImageView = dst,
		.resolveImageLayout = general,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.clearValue.depthStencil.depth = 0.25f,
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.layerCount = 1,
		.pDepthAttachment = &depth,
	};

	test.begin(cmd, &info);
	test.end(cmd);
	vk_barrier(cmd);
}

/* A secondary command buffer for a primary one with a condition. */
static VkCommandBuffer begin_conditional(void)
{
	const VkCommandBufferInheritanceConditionalRenderingInfoEXT condition = {
		.sType =
			VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_CONDITIONAL_RENDERING_INFO_EXT,
		.conditionalRenderingEnable = true,
	};
	const VkCommandBufferInheritanceInfo inherits = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &condition,
	};

	return vk_begin_secondary(0, &inherits);
}

/* Executes a secondary command buffer while the condition is false. */
static void execute_on_false(VkCommandBuffer cmd, VkCommandBuffer secondary)
{
	const struct vk_buffer zero =
		vk_buffer_new(4, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
	const VkConditionalRenderingBeginInfoEXT begin = {
		.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
		.buffer = zero.buffer,
	};

	*(uint32_t *)zero.map = 0;
	VK_FUNCTION(vkCmdBeginConditionalRenderingEXT)(cmd, &begin);
	vkCmdExecuteCommands(cmd, 1, &secondary);
	VK_FUNCTION(vkCmdEndConditionalRenderingEXT)(cmd);
	vk_run(cmd);
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &secondary);
	vk_buffer_del(&zero);
}

static bool depths_are(const struct vk_image *image, uint16_t expected)
{
	const uint16_t *depths = test.readback.map;
	VkCommandBuffer cmd = vk_begin();

	vk_image_read(cmd, image, SIDE, &test.readback);
	vk_run(cmd);
	for (uint32_t i = 0; i < SIDE * SIDE; i++) {
		if (depths[i] > expected + 1 || depths[i] < expected - 1) {
			printf("# depth %u is %#x, not %#x\n", i, depths[i], expected);
			return false;
		}
	}
	return true;
}

static void test_inherited_condition(void)
{
	const VkClearDepthStencilValue one = { 1, 0 };
	const VkImageCreateInfo color_info = image_info(VK_FORMAT_R8G8B8A8_UNORM, SAMPLES);
	const VkImageSubresourceRange all = { VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1 };
	struct vk_image src, dst, color, colors;
	VkImageView from, to, drawn, average;
	VkCommandBuffer cmd, secondary;
	VkPipeline pipeline;

	if (!conditions.inheritedConditionalRendering) {
		tap(true, "resolves with an inherited condition # SKIP not supported");
		return;
	}
	src = depth_new(SAMPLES, &from);
	dst = depth_new(1, &to);
	color = vk_image_new(&color_info);
	drawn = view_of(&color, VK_FORMAT_R8G8B8A8_UNORM);
	colors = vk_picture_new(VK_FORMAT_R8G8B8A8_UNORM, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
				&average);
	pipeline = pipeline_new(VK_FORMAT_R8G8B8A8_UNORM);
	secondary = begin_conditional();
	clear_and_resolve(secondary, from, to);
	draw_samples(secondary, drawn, pipeline);
	VK_CHECK(vkEndCommandBuffer(secondary));
	cmd = vk_begin();
	vkCmdClearDepthStencilImage(cmd, dst.image, general, &one, 1, &all);
	vk_barrier(cmd);
	execute_on_false(cmd, secondary);
	tap(depths_are(&dst, QUARTER),
	    "a condition that a secondary command buffer inherits does not discard its resolves");
	cmd = vk_begin();
	resolve(cmd, drawn, average, VK_RESOLVE_MODE_AVERAGE_BIT, 1);
	vk_image_read(cmd, &colors, SIDE, &test.readback);
	vk_run(cmd);
	tap(texels_are(0, SIDE * SIDE, 0),
	    "an inherited condition discards draws after a resolve");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyImageView(vk.device, average, NULL);
	vkDestroyImageView(vk.device, drawn, NULL);
	vkDestroyImageView(vk.device, to, NULL);
	vkDestroyImageView(vk.device, from, NULL);
	vk_image_del(&colors);
	vk_image_del(&color);
	vk_image_del(&dst);
	vk_image_del(&src);
}

int main(void)
{
	static const char *const extensions[] = { VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME };
	static const char *const wishes[] = {
		VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME,
		VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
		VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
		NULL,
	};

	vk.features = &rendering;
	vk.wishes = wishes;
	vk_open_with(NULL, 0, extensions, 1);
	test.begin = VK_FUNCTION(vkCmdBeginRenderingKHR);
	test.end = VK_FUNCTION(vkCmdEndRenderingKHR);
	test.layout = vk_layout_new(NULL, 0, 0, 0);
	test.readback = vk_buffer_new(SIDE * SIDE * DEPTH * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	for (uint32_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		test_formats(&formats[i]);
	test_slices_by_views();
	test_slice();
	test_line();
	test_inherited_condition();
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_buffer_del(&test.readback);
	vk_close();
	return tap_failures() != 0;
}
