// SPDX-License-Identifier: MIT
/*
 * Vulkan: one pipeline that draws with several rasterization states, which change how many outputs
 * llvmpipe stores for each vertex: one more for the face of polygons that are drawn as lines, and
 * one for smooth lines (lavapipe/patches/0012 and 0013). Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-strides-shaders.h"

#define SIDE 64
#define BYTES (SIDE * SIDE * 4)
#define SAMPLES VK_SAMPLE_COUNT_4_BIT
#define N_STATES (sizeof(states) / sizeof(states[0]))
#define LENGTH(array) (sizeof(array) / sizeof(array[0]))

static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;

static const struct state {
	const char *name;
	VkPolygonMode polygon;
	VkLineRasterizationModeEXT lines;
	VkSampleCountFlagBits samples;
} states[] = {
	{ "filled", VK_POLYGON_MODE_FILL, VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT, 1 },
	{ "lines", VK_POLYGON_MODE_LINE, VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT, 1 },
	{ "smooth lines", VK_POLYGON_MODE_LINE, VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT,
	  1 },
	{ "lines of 4 samples", VK_POLYGON_MODE_LINE, VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT,
	  SAMPLES },
};

static struct {
	VkPipelineLayout layout;
	struct vk_image one, many;
	VkImageView one_view, many_view;
	struct vk_buffer pixels;
} test;

static void make_things(void)
{
	const VkImageCreateInfo many = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = SAMPLES,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
	};

	test.layout = vk_layout_new(NULL, 0, 0, 0);
	test.one = vk_picture_new(format, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
				  &test.one_view);
	test.many = vk_image_new(&many);
	test.many_view = vk_view_new(&test.many, VK_IMAGE_VIEW_TYPE_2D, format,
				     vk_image_all(&test.many));
	test.pixels = vk_buffer_new(BYTES, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

static void drop_things(void)
{
	vk_buffer_del(&test.pixels);
	vkDestroyImageView(vk.device, test.many_view, NULL);
	vk_image_del(&test.many);
	vkDestroyImageView(vk.device, test.one_view, NULL);
	vk_image_del(&test.one);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
}

/* @patches: tessellation, not a geometry shader. */
static VkPipeline pipeline_new(bool patches, bool face)
{
	const VkDynamicState dynamic[] = {
		VK_DYNAMIC_STATE_POLYGON_MODE_EXT,
		VK_DYNAMIC_STATE_LINE_RASTERIZATION_MODE_EXT,
		VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT,
	};
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_formats(&p, format, VK_FORMAT_UNDEFINED, VK_FORMAT_UNDEFINED);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(strides_vert));
	if (patches) {
		vk_pipeline_code(&p, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
				 VK_CODE(strides_tesc));
		vk_pipeline_code(&p, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
				 VK_CODE(strides_tese));
		p.info.pTessellationState = &p.tessellation;
		p.tessellation.patchControlPoints = 1;
		p.assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
	} else {
		vk_pipeline_code(&p, VK_SHADER_STAGE_GEOMETRY_BIT, VK_CODE(strides_geom));
		p.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
	}
	if (face)
		vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(strides_face));
	else
		vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(strides_frag));
	vk_pipeline_dynamic(&p, dynamic, LENGTH(dynamic));
	return vk_pipeline_new(&p);
}

/* Draws @count vertices with @state, and copies the picture to @pixels. */
static void draw(VkPipeline pipeline, const struct state *state, uint32_t count, void *pixels)
{
	const bool resolves = state->samples != 1;
	const VkRenderingAttachmentInfo color = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = resolves ? test.many_view : test.one_view,
		.imageLayout = VK_IMAGE_LAYOUT_GENERAL,
		.resolveMode = resolves ? VK_RESOLVE_MODE_AVERAGE_BIT : VK_RESOLVE_MODE_NONE,
		.resolveImageView = resolves ? test.one_view : VK_NULL_HANDLE,
		.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea.extent = { SIDE, SIDE },
		.layerCount = 1,
		.colorAttachmentCount = 1,
		.pColorAttachments = &color,
	};
	const VkCommandBuffer cmd = vk_begin();

	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &info);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	VK_FUNCTION(vkCmdSetPolygonModeEXT)(cmd, state->polygon);
	VK_FUNCTION(vkCmdSetLineRasterizationModeEXT)(cmd, state->lines);
	VK_FUNCTION(vkCmdSetRasterizationSamplesEXT)(cmd, state->samples);
	vkCmdDraw(cmd, count, 1, 0, 0);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_image_read(cmd, &test.one, SIDE, &test.pixels);
	vk_run(cmd);
	memcpy(pixels, test.pixels.map, BYTES);
}

/* Returns the number of pixels that are not as they were cleared. */
static uint32_t drawn(const uint32_t *pixels)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < SIDE * SIDE; i++)
		count += pixels[i] != 0;
	return count;
}

/*
 * Draws twice with @first and twice with @second, since the output of smooth lines is there from
 * the second draw on. Compares the pictures of @second with that of a new pipeline.
 */
static void test_pair(const struct state *first, const struct state *second, bool face)
{
	static uint32_t pixels[SIDE * SIDE], alone[SIDE * SIDE];
	VkPipeline pipeline = pipeline_new(true, face);
	bool ok = true;

	draw(pipeline, second, 1, alone);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	pipeline = pipeline_new(true, face);
	for (int i = 0; i < 2; i++)
		draw(pipeline, first, 1, pixels);
	for (int i = 0; i < 2; i++) {
		draw(pipeline, second, 1, pixels);
		ok &= !memcmp(pixels, alone, BYTES);
	}
	vkDestroyPipeline(vk.device, pipeline, NULL);
	tap(ok && drawn(alone) > SIDE, "%s after %s are drawn as alone, by a shader that reads %s",
	    second->name, first->name, face ? "the face" : "no face");
}

/* The first draw of a fragment shader with smooth lines adds an output while it runs. */
static void test_long_draw(const char *what, bool patches, uint32_t count)
{
	static uint32_t first[SIDE * SIDE], second[SIDE * SIDE];
	const VkPipeline pipeline = pipeline_new(patches, false);

	draw(pipeline, &states[2], count, first);
	draw(pipeline, &states[2], count, second);
	tap(drawn(second) > SIDE && !memcmp(first, second, BYTES),
	    "the first draw of %u %s with smooth lines is as the second", count, what);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

int main(void)
{
	static const char *const extensions[] = {
		VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
		VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME,
	};
	VkPhysicalDeviceLineRasterizationFeaturesEXT lines = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT,
		.smoothLines = true,
	};
	VkPhysicalDeviceDynamicRenderingFeatures rendering = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, &lines, true,
	};

	vk.features = &rendering;
	vk_open_with(NULL, 0, extensions, LENGTH(extensions));
	make_things();
	test_long_draw("patches", true, 17);
	test_long_draw("points that become lines", false, 5000);
	for (uint32_t face = 0; face < 2; face++)
		for (uint32_t i = 0; i < N_STATES; i++)
			for (uint32_t j = 0; j < N_STATES; j++)
				test_pair(&states[i], &states[j], face);
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
