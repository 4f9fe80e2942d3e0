// SPDX-License-Identifier: MIT
/*
 * Vulkan: programs that valid usage permits and that have lost the device, or whose shaders were
 * refused: numbers at the end of their range, state that is set late, values that have no effect.
 * docs/reference/refusals.tsv has the checks of the renderer that they reached. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-rules-shaders.h"

#define SIDE 64
#define PIXELS (SIDE * SIDE)
#define LEVELS 3
#define MANY_DRAWS 0x200000u	/* more than maxDrawIndirectCount */

static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
static const VkRect2D everything = { { 0, 0 }, { SIDE, SIDE } };
static const VkViewport viewport = { 0, 0, SIDE, SIDE, 0, 1 };

static struct {
	struct vk_image picture;
	VkImageView view;
	struct vk_buffer readback, captured;
	VkPipelineLayout layout;
	PFN_vkCmdBeginRenderingKHR begin;
	PFN_vkCmdEndRenderingKHR end;
	bool feedback;
} test;

static VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
};
static VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
	.pNext = &feedback,
};
static VkPhysicalDeviceDynamicRenderingFeatures rendering = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
	.pNext = &addresses,
};
static VkPhysicalDeviceMaintenance6FeaturesKHR maintenance = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES_KHR,
	.pNext = &rendering,
};
static VkPhysicalDeviceMultiDrawFeaturesEXT multi = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT,
	.pNext = &maintenance,
};
static VkPhysicalDeviceLineRasterizationFeaturesEXT lines = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT,
	.pNext = &multi,
};

/* Commands */

static void begin_rendering(VkCommandBuffer cmd, VkRect2D area, const void *next)
{
	const VkRenderingAttachmentInfo color = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageView = test.view,
		.imageLayout = VK_IMAGE_LAYOUT_GENERAL, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .pNext = next, .renderArea = area,
		.layerCount = 1, .colorAttachmentCount = 1, .pColorAttachments = &color,
	};

	test.begin(cmd, &info);
}

/* Ends the rendering and the command buffer. Returns true if the device executed it. */
static bool end_rendering(VkCommandBuffer cmd)
{
	const VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				      .commandBufferCount = 1, .pCommandBuffers = &cmd };
	bool ok;

	test.end(cmd);
	vk_image_read(cmd, &test.picture, SIDE, &test.readback);
	ok = vkEndCommandBuffer(cmd) == VK_SUCCESS &&
	     vkQueueSubmit(vk.queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS &&
	     vkQueueWaitIdle(vk.queue) == VK_SUCCESS;
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	return ok;
}

/* Returns true if a rendering ends well. */
static bool device_lives(void)
{
	const VkCommandBuffer cmd = vk_begin();

	begin_rendering(cmd, everything, NULL);
	return end_rendering(cmd);
}

static uint32_t count_white(void)
{
	const uint32_t *pixels = test.readback.map;
	uint32_t n = 0;

	for (uint32_t i = 0; i < PIXELS; i++)
		n += pixels[i] == UINT32_MAX;
	return n;
}

/* Pipelines */

static void init(struct vk_pipeline *p, const uint32_t *code, size_t size)
{
	vk_pipeline_init(p, test.layout, SIDE);
	vk_pipeline_formats(p, format, VK_FORMAT_UNDEFINED, VK_FORMAT_UNDEFINED);
	vk_pipeline_code(p, VK_SHADER_STAGE_VERTEX_BIT, code, size);
	vk_pipeline_code(p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(rules_frag));
}

static VkPipeline triangle_new(void)
{
	struct vk_pipeline p;

	init(&p, VK_CODE(rules_vert));
	return vk_pipeline_new(&p);
}

/* Tests */

/* The last vertex or instance of a draw may have the number 2^32 - 1. */
static void test_last_numbers(void)
{
	const VkPipeline pipeline = triangle_new();
	const struct vk_buffer indices = vk_buffer_new(12, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
	VkCommandBuffer cmd = vk_begin();

	memcpy(indices.map, (uint32_t[]){ 0, 1, 2 }, 12);
	begin_rendering(cmd, everything, NULL);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdBindIndexBuffer(cmd, indices.buffer, 0, VK_INDEX_TYPE_UINT32);
	vkCmdDraw(cmd, 3, 1, 0, UINT32_MAX);
	vkCmdDraw(cmd, 1, 1, UINT32_MAX, 0);
	vkCmdDrawIndexed(cmd, 3, 1, 0, 0, UINT32_MAX);
	tap(end_rendering(cmd) && count_white() == PIXELS,
	    "the last vertex and instance have the largest number");
	vk_buffer_del(&indices);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* maxDrawIndirectCount limits the count in memory only (countBuffer-02717). */
static void test_many_draws(void)
{
	const PFN_vkCmdDrawIndirectCountKHR draw = VK_FUNCTION(vkCmdDrawIndirectCountKHR);
	VkDrawIndirectCommand *command;
	struct vk_buffer buffer;
	VkPipeline pipeline;
	VkCommandBuffer cmd;

	if (!draw) {
		tap(true, "a count of draws below its maximum # SKIP not supported");
		return;
	}
	pipeline = triangle_new();
	buffer = vk_buffer_new((VkDeviceSize)MANY_DRAWS * sizeof(*command) + 4,
			       VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
	command = buffer.map;
	command[0] = (VkDrawIndirectCommand){ 3, 1, 0, 0 };
	memcpy(command + MANY_DRAWS, &(uint32_t){ 1 }, 4);
	cmd = vk_begin();
	begin_rendering(cmd, everything, NULL);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	draw(cmd, buffer.buffer, 0, buffer.buffer, (VkDeviceSize)MANY_DRAWS * sizeof(*command),
	     MANY_DRAWS, sizeof(*command));
	tap(end_rendering(cmd) && count_white() == PIXELS, "a count of draws below its maximum");
	vk_buffer_del(&buffer);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Widths are clamped to lineWidthRange. */
static void test_line_widths(void)
{
	static const VkDynamicState width = VK_DYNAMIC_STATE_LINE_WIDTH;
	static const float widths[] = { 0.5f, 100000 };
	struct vk_pipeline p;
	VkPipeline pipeline;
	bool ok = true;

	init(&p, VK_CODE(rules_line_vert));
	p.assembly.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
	vk_pipeline_dynamic(&p, &width, 1);
	pipeline = vk_pipeline_new(&p);
	for (uint32_t i = 0; i < 2; i++) {
		VkCommandBuffer cmd = vk_begin();

		begin_rendering(cmd, everything, NULL);
		vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
		vkCmdSetLineWidth(cmd, widths[i]);
		vkCmdDraw(cmd, 2, 1, 0, 0);
		ok = ok && end_rendering(cmd) && count_white() >= SIDE - 1 &&
		     (i || count_white() <= SIDE);
	}
	tap(ok, "line widths out of their range");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* The factor of a stipple that is disabled may be any number (stippledLineEnable-02767). */
static void test_stipple(void)
{
	static const VkDynamicState enable = VK_DYNAMIC_STATE_LINE_STIPPLE_ENABLE_EXT;
	const VkPipelineRasterizationLineStateCreateInfoEXT line = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
		.lineStippleFactor = 100000,
	};
	struct vk_pipeline p;
	VkPipeline pipeline;
	VkCommandBuffer cmd;

	if (!vk_has(VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME) ||
	    !vk_has(VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME)) {
		tap(true, "a factor without stipple # SKIP not supported");
		return;
	}
	init(&p, VK_CODE(rules_vert));
	p.raster.pNext = &line;
	vk_pipeline_dynamic(&p, &enable, 1);
	pipeline = vk_pipeline_new(&p);
	cmd = vk_begin();
	begin_rendering(cmd, everything, NULL);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	VK_FUNCTION(vkCmdSetLineStippleEnableEXT)(cmd, false);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	tap(end_rendering(cmd) && count_white() == PIXELS, "a factor without stipple");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* The area of the device group replaces renderArea, which may be anything then. */
static void test_group_areas(void)
{
	const VkRect2D half = { { 0, 0 }, { SIDE, SIDE / 2 } }, nothing = { { 0, 0 }, { 0, 0 } };
	const VkDeviceGroupRenderPassBeginInfo group = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_RENDER_PASS_BEGIN_INFO, .deviceMask = 1,
		.deviceRenderAreaCount = 1, .pDeviceRenderAreas = &half,
	};
	const VkClearAttachment white = { VK_IMAGE_ASPECT_COLOR_BIT, 0,
					  { .color.float32 = { 1, 1, 1, 1 } } };
	const VkClearRect rect = { half, 0, 1 };
	const VkRenderPass pass = vk_pass_new(format, VK_ATTACHMENT_LOAD_OP_CLEAR);
	const VkFramebuffer framebuffer = vk_framebuffer_new(pass, &test.view, 1, SIDE);
	const VkClearValue black = { .color.float32 = { 0 } };
	const VkRenderPassBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .pNext = &group,
		.renderPass = pass, .framebuffer = framebuffer, .renderArea = nothing,
		.clearValueCount = 1, .pClearValues = &black,
	};
	VkCommandBuffer cmd;

	vk_image_clear(&test.picture);
	cmd = vk_begin();
	begin_rendering(cmd, nothing, &group);
	vkCmdClearAttachments(cmd, 1, &white, 1, &rect);
	tap(end_rendering(cmd) && count_white() == PIXELS / 2,
	    "a rendering has the area of the device group");
	vk_image_clear(&test.picture);
	cmd = vk_begin();
	vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdClearAttachments(cmd, 1, &white, 1, &rect);
	vkCmdEndRenderPass(cmd);
	begin_rendering(cmd, everything, &(VkDeviceGroupRenderPassBeginInfo){
		.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_RENDER_PASS_BEGIN_INFO, .deviceMask = 1 });
	vkCmdClearAttachments(cmd, 1, &white, 1, &(VkClearRect){ everything, 0, 1 });
	tap(end_rendering(cmd) && count_white() == PIXELS,
	    "a render pass has the area of the device group, if there is one");
	vkDestroyFramebuffer(vk.device, framebuffer, NULL);
	vkDestroyRenderPass(vk.device, pass, NULL);
}

/* The viewport may be set after transform feedback has begun, and no buffer need be bound. */
static void test_late_state(void)
{
	static const VkDynamicState dynamic = VK_DYNAMIC_STATE_VIEWPORT;
	const uint32_t expected[] = { 0, 7, 1, 7, 2, 7 };
	PFN_vkCmdBindTransformFeedbackBuffersEXT bind;
	PFN_vkCmdBeginTransformFeedbackEXT begin;
	PFN_vkCmdEndTransformFeedbackEXT end;
	struct vk_pipeline p;
	VkPipeline pipeline;
	bool ok = true;

	if (!test.feedback) {
		tap(true, "a viewport after transform feedback has begun # SKIP not supported");
		return;
	}
	bind = VK_FUNCTION(vkCmdBindTransformFeedbackBuffersEXT);
	begin = VK_FUNCTION(vkCmdBeginTransformFeedbackEXT);
	end = VK_FUNCTION(vkCmdEndTransformFeedbackEXT);
	init(&p, VK_CODE(rules_vert));
	vk_pipeline_dynamic(&p, &dynamic, 1);
	pipeline = vk_pipeline_new(&p);
	for (int bound = 0; bound < 2; bound++) {
		VkCommandBuffer cmd = vk_begin();

		memset(test.captured.map, 0xff, test.captured.size);
		begin_rendering(cmd, everything, NULL);
		vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
		if (bound)
			bind(cmd, 0, 1, &test.captured.buffer, &(VkDeviceSize){ 0 }, NULL);
		begin(cmd, 0, 0, NULL, NULL);
		vkCmdSetViewport(cmd, 0, 1, &viewport);
		vkCmdDraw(cmd, 3, 1, 0, 7);
		end(cmd, 0, 0, NULL, NULL);
		ok = ok && end_rendering(cmd) && count_white() == PIXELS;
		ok = ok && (!bound || !memcmp(test.captured.map, expected, sizeof(expected)));
	}
	tap(ok, "a viewport after transform feedback has begun, without a buffer, too");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* No rule limits the levels of the view of a storage image; shaders access the first one. */
static void test_levels_of_storage(void)
{
	const VkDescriptorSetLayoutBinding binding = {
		0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL };
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D,
		.format = format, .extent = { 16, 16, 1 }, .mipLevels = LEVELS, .arrayLayers = 1,
		.samples = 1, .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
				       VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
				       VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	const struct vk_image image = vk_image_new(&info);
	const VkImageSubresourceRange last = { VK_IMAGE_ASPECT_COLOR_BIT, 1, 2, 0, 1 };
	const VkImageView view = vk_view_new(&image, VK_IMAGE_VIEW_TYPE_2D, format, last);
	const struct vk_set set = vk_set_new(&binding, 1);
	const VkPipelineLayout layout = vk_layout_new(&set.layout, 1, 0, 0);
	const VkPipeline pipeline = vk_compute_new(layout, VK_CODE(rules_level_comp));
	const uint32_t *pixels = test.readback.map;
	uint32_t white = 0;

	vk_image_clear(&image);
	vk_write_image(set.set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_NULL_HANDLE, view);
	vk_dispatch(pipeline, layout, set.set, NULL, 0);
	for (uint32_t level = 0; level < LEVELS; level++) {
		const VkBufferImageCopy copy = {
			.bufferOffset = level * 1024,
			.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1 },
			.imageExtent = { 16 >> level, 16 >> level, 1 },
		};
		VkCommandBuffer cmd = vk_begin();

		vk_barrier(cmd);
		vkCmdCopyImageToBuffer(cmd, image.image, VK_IMAGE_LAYOUT_GENERAL,
				       test.readback.buffer, 1, &copy);
		vk_barrier(cmd);
		vk_run(cmd);
		for (uint32_t i = 0; i < copy.imageExtent.width * copy.imageExtent.height; i++)
			white += pixels[level * 256 + i] == (level == 1 ? UINT32_MAX : 0);
	}
	tap(white == 256 + 64 + 16, "a storage image of a view of several levels");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, layout, NULL);
	vk_set_del(&set);
	vkDestroyImageView(vk.device, view, NULL);
	vk_image_del(&image);
}

/* An image above maxResourceSize is an error of its creation. */
static void test_large_image(void)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D,
		.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT,
		.format = VK_FORMAT_R32G32B32A32_SFLOAT, .extent = { 16384, 16384, 1 },
		.mipLevels = 1, .arrayLayers = 1, .samples = 1,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT,
	};
	VkImage image = VK_NULL_HANDLE;
	VkResult result;

	result = vkCreateImage(vk.device, &info, NULL, &image);
	tap(device_lives() &&
	    (result == VK_SUCCESS || result == VK_ERROR_OUT_OF_DEVICE_MEMORY),
	    "an image of 4 GiB, or an error");
	vkDestroyImage(vk.device, image, NULL);
}

/* Types of buffers may have more parts than a value. */
static void test_large_types(void)
{
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 64, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};
	const struct vk_set set = vk_set_new(bindings, 2);
	const VkPipelineLayout layout =
		vk_layout_new(&set.layout, 1, VK_SHADER_STAGE_COMPUTE_BIT, 8);
	const VkComputePipelineCreateInfo info =
		vk_compute_info(layout, VK_CODE(rules_large_comp));
	VkPipeline pipeline = VK_NULL_HANDLE;

	if (!addresses.bufferDeviceAddress) {
		tap(true, "types of buffers with many parts # SKIP not supported");
		return;
	}
	tap(vk_compute_try(&info, &pipeline) == VK_SUCCESS, "types of buffers with many parts");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, layout, NULL);
	vk_set_del(&set);
}

/* A shader that emits to one stream may have strips (VUID-StandaloneSpirv-Geometry-06311). */
static void test_one_stream(void)
{
	VkPipeline pipeline = VK_NULL_HANDLE;
	struct vk_pipeline p;
	VkCommandBuffer cmd;

	if (!test.feedback || !feedback.geometryStreams) {
		tap(true, "strips to stream 0 # SKIP not supported");
		return;
	}
	init(&p, VK_CODE(rules_vert));
	vk_pipeline_code(&p, VK_SHADER_STAGE_GEOMETRY_BIT, VK_CODE(rules_geom));
	if (vk_pipeline_try(&p, &pipeline) != VK_SUCCESS) {
		tap(false, "strips to stream 0");
		return;
	}
	cmd = vk_begin();
	begin_rendering(cmd, everything, NULL);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	tap(end_rendering(cmd) && count_white() == PIXELS, "strips to stream 0");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Queries of destroyed pools do not count. */
static void test_pools(void)
{
	VkQueryPool pools[10];

	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; turn && i < 10; i++)
			vkDestroyQueryPool(vk.device, pools[i], NULL);
		for (int i = 0; i < 10; i++)
			pools[i] = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, 65536, 0);
	}
	tap(device_lives(), "many queries are destroyed and created again");
	for (int i = 0; i < 10; i++)
		vkDestroyQueryPool(vk.device, pools[i], NULL);
}

/* Outputs to a buffer that is not bound are ignored, also below one that is. */
static void test_feedback_hole(void)
{
	VkPipeline pipeline;
	VkCommandBuffer cmd;

	if (!test.feedback) {
		tap(true, "a feedback buffer that is not bound # SKIP not supported");
		return;
	}
	pipeline = triangle_new();
	cmd = vk_begin();
	begin_rendering(cmd, everything, NULL);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	VK_FUNCTION(vkCmdBindTransformFeedbackBuffersEXT)(cmd, 1, 1, &test.captured.buffer,
							   &(VkDeviceSize){ 0 }, NULL);
	VK_FUNCTION(vkCmdBeginTransformFeedbackEXT)(cmd, 0, 0, NULL, NULL);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	VK_FUNCTION(vkCmdEndTransformFeedbackEXT)(cmd, 0, 0, NULL, NULL);
	tap(end_rendering(cmd) && count_white() == PIXELS, "a feedback buffer that is not bound");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* With maintenance6 no index buffer need be bound (vkCmdDrawIndexed-None-07312). */
static void test_no_indices(void)
{
	static const VkMultiDrawIndexedInfoEXT draws[2] = { { 0, 3, 0 }, { 0, 3, 0 } };
	VkPipeline pipeline;
	VkCommandBuffer cmd;

	if (!maintenance.maintenance6 || !multi.multiDraw) {
		tap(true, "indexed draws without indices # SKIP not supported");
		return;
	}
	pipeline = triangle_new();
	cmd = vk_begin();
	begin_rendering(cmd, everything, NULL);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	VK_FUNCTION(vkCmdDrawMultiIndexedEXT)(cmd, 2, draws, 1, 0, sizeof(draws[0]), NULL);
	vkCmdDrawIndexed(cmd, 3, 1, 0, 0, 0);
	tap(end_rendering(cmd) && count_white() == 0, "indexed draws without indices");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* More results than a stream may copy are no loss of the device. */
static void test_results(void)
{
	const VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_TIMESTAMP, 65536, 0);
	const struct vk_buffer buffer =
		vk_buffer_new(65536 * 8, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	VkResult result = VK_SUCCESS;
	VkCommandBuffer cmd;

	for (int i = 0; i < 18 && result == VK_SUCCESS; i++) {
		const VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
					      .commandBufferCount = 1, .pCommandBuffers = &cmd };

		/* The last command buffer copies more than all others together. */
		cmd = vk_begin();
		vkCmdResetQueryPool(cmd, pool, 0, 65536);
		for (int n = 0; n < (i == 17 ? 17 : 1); n++)
			vkCmdCopyQueryPoolResults(cmd, pool, 0, 65536, buffer.buffer, 0, 8,
						  VK_QUERY_RESULT_64_BIT);
		result = vkEndCommandBuffer(cmd);
		if (result == VK_SUCCESS)
			result = vkQueueSubmit(vk.queue, 1, &submit, VK_NULL_HANDLE);
		vkQueueWaitIdle(vk.queue);
		vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	}
	tap(device_lives() &&
	    (result == VK_SUCCESS || result == VK_ERROR_OUT_OF_DEVICE_MEMORY),
	    "more results than a stream may copy");
	vk_buffer_del(&buffer);
	vkDestroyQueryPool(vk.device, pool, NULL);
}

/* 20 MiB of small updates in a command buffer: too many are an error of its end. */
static void test_small_updates(void)
{
	static uint8_t data[4096];
	const struct vk_buffer buffer =
		vk_buffer_new(sizeof(data), VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	VkCommandBuffer cmd = vk_begin();
	VkResult result;

	for (int i = 0; i < 5120; i++)
		vkCmdUpdateBuffer(cmd, buffer.buffer, 0, sizeof(data), data);
	result = vkEndCommandBuffer(cmd);
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &cmd);
	tap(device_lives() &&
	    (result == VK_SUCCESS || result == VK_ERROR_OUT_OF_DEVICE_MEMORY),
	    "more small updates than a stream may have");
	vk_buffer_del(&buffer);
}

#define LARGE_UPDATES 320

/* 20 MiB of the largest updates in a command buffer. */
static void test_large_updates(void)
{
	static uint32_t data[16384];
	const struct vk_buffer buffer =
		vk_buffer_new(LARGE_UPDATES * sizeof(data), VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	const uint32_t *words = buffer.map;
	VkCommandBuffer cmd = vk_begin();
	bool ok = true;

	for (uint32_t i = 0; i < LARGE_UPDATES; i++) {
		for (uint32_t j = 0; j < 16384; j++)
			data[j] = i << 16 | j;
		vkCmdUpdateBuffer(cmd, buffer.buffer, i * sizeof(data), sizeof(data), data);
	}
	vk_run(cmd);
	for (uint32_t i = 0; i < LARGE_UPDATES * 16384 && ok; i++)
		ok = words[i] == ((i / 16384) << 16 | i % 16384);
	tap(ok, "320 updates of 64 KiB in a command buffer");
	vk_buffer_del(&buffer);
}

/* A shader that captures nothing may draw while transform feedback is active. */
static void test_no_captures(void)
{
	struct vk_pipeline p;
	VkPipeline pipeline;
	VkCommandBuffer cmd;

	if (!test.feedback) {
		tap(true, "a shader that captures nothing # SKIP not supported");
		return;
	}
	init(&p, VK_CODE(rules_none_vert));
	pipeline = vk_pipeline_new(&p);
	cmd = vk_begin();
	memset(test.captured.map, 0xff, test.captured.size);
	begin_rendering(cmd, everything, NULL);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	VK_FUNCTION(vkCmdBindTransformFeedbackBuffersEXT)(cmd, 0, 1, &test.captured.buffer,
							   &(VkDeviceSize){ 0 }, NULL);
	VK_FUNCTION(vkCmdBeginTransformFeedbackEXT)(cmd, 0, 0, NULL, NULL);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	VK_FUNCTION(vkCmdEndTransformFeedbackEXT)(cmd, 0, 0, NULL, NULL);
	tap(end_rendering(cmd) && count_white() == PIXELS &&
	    *(uint32_t *)test.captured.map == UINT32_MAX, "a shader that captures nothing");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

int main(void)
{
	static const char *const wishes[] = {
		VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
		VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
		VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
		VK_KHR_DRAW_INDIRECT_COUNT_EXTENSION_NAME,
		VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME,
		VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
		VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME,
		VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME,
		VK_EXT_MULTI_DRAW_EXTENSION_NAME,
		VK_KHR_MAINTENANCE_6_EXTENSION_NAME,
		NULL,
	};
	VkBufferUsageFlags usage;

	vk.features = &lines;
	vk.wishes = wishes;
	vk_open();
	test.begin = VK_FUNCTION(vkCmdBeginRenderingKHR);
	test.end = VK_FUNCTION(vkCmdEndRenderingKHR);
	test.feedback = vk_has(VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME);
	test.layout = vk_layout_new(NULL, 0, 0, 0);
	test.picture = vk_picture_new(format, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
				      &test.view);
	test.readback = vk_buffer_new(PIXELS * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	usage = test.feedback ? VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT :
				VK_BUFFER_USAGE_TRANSFER_DST_BIT;
	test.captured = vk_buffer_new(4096, usage);
	test_last_numbers();
	test_many_draws();
	test_line_widths();
	test_stipple();
	test_group_areas();
	test_late_state();
	test_levels_of_storage();
	test_large_image();
	test_large_types();
	test_one_stream();
	test_pools();
	test_no_captures();
	test_feedback_hole();
	test_no_indices();
	test_results();
	test_small_updates();
	test_large_updates();
	vk_buffer_del(&test.captured);
	vk_buffer_del(&test.readback);
	vkDestroyImageView(vk.device, test.view, NULL);
	vk_image_del(&test.picture);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_close();
	return tap_failures() != 0;
}
