// SPDX-License-Identifier: MIT
/*
 * Vulkan: depths outside 0 to 1 (VK_EXT_depth_range_unrestricted), of viewports and clears. Formats
 * with float depth keep them, and fixed-point depths are clamped. Prints TAP.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "vk-pipeline.h"

#include "vk-depths-shaders.h"

#define SIDE 4
#define NOTHING -7.0f		/* of a draw: none */

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

static struct {
	VkFormat format;
	VkPipelineLayout layout;
	struct vk_image image;
	VkImageView view;
	struct vk_buffer texels;
} test;

static void make_things(VkFormat format)
{
	test.format = format;
	test.image = vk_picture_new(format, SIDE, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
				    &test.view);
}

static void drop_things(void)
{
	vkDestroyImageView(vk.device, test.view, NULL);
	vk_image_del(&test.image);
}

/* Records a draw of all pixels with depth @depth, in a viewport from there to @far. */
static VkPipeline record_draw(VkCommandBuffer cmd, float depth, float far)
{
	VkPipeline pipeline;
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_formats(&p, VK_FORMAT_UNDEFINED, test.format, VK_FORMAT_UNDEFINED);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(depths_vert));
	vk_pipeline_depth(&p, VK_COMPARE_OP_LESS, true);
	p.viewport.minDepth = depth;
	p.viewport.maxDepth = far;
	pipeline = vk_pipeline_new(&p);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	return pipeline;
}

/* Returns the depth of all pixels in memory, or NaN if they differ. */
static float read_depth(void)
{
	const float *floats = test.texels.map;
	const uint16_t *fixed = test.texels.map;
	const bool is_float = test.format == VK_FORMAT_D32_SFLOAT;

	for (int i = 1; i < SIDE * SIDE; i++)
		if (is_float ? floats[i] != floats[0] : fixed[i] != fixed[0])
			return NAN;
	return is_float ? floats[0] : fixed[0] / 65535.0f;
}

/* Clears the image to @cleared when a rendering begins, draws, and returns the depth. */
static float draw(float cleared, float depth, float far)
{
	const VkRenderingAttachmentInfo attachment = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = test.view,
		.imageLayout = general,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.clearValue.depthStencil.depth = cleared,
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea.extent = { SIDE, SIDE },
		.layerCount = 1,
		.pDepthAttachment = &attachment,
	};
	const VkBufferImageCopy all = { 0,	     0,
					0,	     { VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1 },
					{ 0, 0, 0 }, { SIDE, SIDE, 1 } };
	const VkCommandBuffer cmd = vk_begin();
	VkPipeline pipeline = VK_NULL_HANDLE;

	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &info);
	if (depth != NOTHING)
		pipeline = record_draw(cmd, depth, far);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, test.image.image, general, test.texels.buffer, 1, &all);
	vk_barrier(cmd);
	vk_run(cmd);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	return read_depth();
}

static bool is(float value, float expected)
{
	/* The fixed-point format has steps of 1 / 65535. */
	const bool ok = test.format == VK_FORMAT_D32_SFLOAT ? value == expected :
							      fabsf(value - expected) < 2e-5f;

	if (!ok)
		printf("# %g, not %g\n", value, expected);
	return ok;
}

static void test_float(void)
{
	tap(is(draw(5, NOTHING, 0), 5), "a clear to 5");
	tap(is(draw(-1e30f, NOTHING, 0), -1e30f), "a clear to -1e30");
	tap(is(draw(5, 3, 7), 3), "a viewport from 3 to 7, less than a clear to 5");
	tap(is(draw(2, 3, 7), 2), "it is not less than a clear to 2");
	tap(is(draw(0, -2, 1), -2), "a viewport from -2 to 1");
	tap(is(draw(1, -2, -2), -2), "one from -2 to -2");
	tap(is(draw(1, -1e30f, 1e30f), -1e30f), "one from -1e30 to 1e30");
	draw(NAN, NOTHING, 0);
	tap(is(draw(1, 0, 1), 0), "the device survives a clear to no number");
	draw(1, -INFINITY, INFINITY);
	draw(1, -FLT_MAX, FLT_MAX);
	tap(is(draw(1, 0, 1), 0), "the device survives one whose size is infinite");
}

static void test_fixed(void)
{
	tap(is(draw(5, NOTHING, 0), 1), "a clear to 5 is one to 1 with fixed-point depth");
	tap(is(draw(-5, NOTHING, 0), 0), "a clear to -5 is one to 0 with fixed-point depth");
	tap(is(draw(1, -3, 7), 0), "a depth of -3 is 0");
	tap(is(draw(0.5f, 3, 7), 0.5f), "one of 3 is not less than 0.5");
	tap(is(draw(1, 0.25f, 7), 0.25f), "one of 0.25 is itself, in a viewport up to 7");
}

int main(void)
{
	static const char *const extensions[] = {
		VK_EXT_DEPTH_RANGE_UNRESTRICTED_EXTENSION_NAME,
		VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
	};
	VkPhysicalDeviceDynamicRenderingFeatures rendering = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, NULL, true,
	};

	vk.features = &rendering;
	vk_open_with(NULL, 0, extensions, 2);
	test.layout = vk_layout_new(NULL, 0, 0, 0);
	test.texels = vk_buffer_new(SIDE * SIDE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	make_things(VK_FORMAT_D32_SFLOAT);
	test_float();
	drop_things();
	make_things(VK_FORMAT_D16_UNORM);
	test_fixed();
	drop_things();
	vk_buffer_del(&test.texels);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_close();
	return tap_failures() != 0;
}
