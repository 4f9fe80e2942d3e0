// SPDX-License-Identifier: MIT
/*
 * Vulkan: attachments that either the pipeline or the rendering lacks
 * (VK_EXT_dynamic_rendering_unused_attachments). Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-looks.h"

#define HALF (PICTURE / 2)	/* bytes of one attachment */

/* The attachments that the pipeline and the rendering lack, and the ones that are drawn to. */
struct lack {
	const char *name;
	bool depth;			/* there is a depth test, which no fragment passes */
	bool pipeline_second, pipeline_count, pipeline_first, pipeline_depth;
	bool rendering_second, rendering_depth;
	bool draws_first, draws_second;
};

static const struct lack lacks[] = {
	{ .name = "nothing", .draws_first = true, .draws_second = true },
	{ .name = "nothing, with a depth test", .depth = true },
	{ .name = "a format of the pipeline's", .pipeline_second = true, .draws_first = true },
	{ .name = "another format of the pipeline's",
	  .pipeline_first = true,
	  .draws_second = true },
	{ .name = "attachments of the pipeline's", .pipeline_count = true, .draws_first = true },
	{ .name = "all formats of the pipeline's",
	  .pipeline_first = true,
	  .pipeline_second = true },
	{ .name = "the format of the pipeline's depths",
	  .depth = true,
	  .pipeline_depth = true,
	  .draws_first = true,
	  .draws_second = true },
	{ .name = "an attachment of the rendering's",
	  .rendering_second = true,
	  .draws_first = true },
	{ .name = "depths of the rendering",
	  .depth = true,
	  .rendering_depth = true,
	  .draws_first = true,
	  .draws_second = true },
	{ .name = "something of each",
	  .depth = true,
	  .pipeline_first = true,
	  .rendering_depth = true,
	  .draws_second = true },
};
#define LACKS (sizeof(lacks) / sizeof(lacks[0]))

static const VkDynamicState states[] = {
	VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT, VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
};

static uint8_t drawn[PICTURE], cleared[PICTURE];

static VkPipeline pipeline_new(const struct lack *lack, bool dynamic)
{
	struct looks_making m = { 0 };
	struct look look = looks[0];
	VkPipeline pipeline;

	look.depth = lack->depth;
	looks_fill(&m, &look, false);
	if (lack->pipeline_first)
		m.formats[0] = VK_FORMAT_UNDEFINED;
	if (lack->pipeline_second)
		m.formats[1] = VK_FORMAT_UNDEFINED;
	if (lack->pipeline_count)
		m.rendering.colorAttachmentCount = m.p.blend.attachmentCount = 1;
	if (lack->pipeline_depth)
		m.rendering.depthAttachmentFormat = VK_FORMAT_UNDEFINED;
	if (dynamic)
		vk_pipeline_dynamic(&m.p, states, 2);
	VK_CHECK(vkCreateGraphicsPipelines(vk.device, VK_NULL_HANDLE, 1, &m.p.info, NULL,
					   &pipeline));
	looks_drop(&m);
	return pipeline;
}

/*
 * A pipeline with one attachment, whose write mask is a dynamic state or, if not @dynamic, red
 * only.
 */
static VkPipeline one_attachment_new(bool dynamic)
{
	struct looks_making m = { 0 };
	VkPipeline pipeline;

	looks_fill(&m, &looks[0], false);
	m.rendering.colorAttachmentCount = m.p.blend.attachmentCount = 1;
	m.p.blends[0].colorWriteMask = VK_COLOR_COMPONENT_R_BIT;
	if (dynamic)
		vk_pipeline_dynamic(&m.p, states, 1);
	VK_CHECK(vkCreateGraphicsPipelines(vk.device, VK_NULL_HANDLE, 1, &m.p.info, NULL,
					   &pipeline));
	looks_drop(&m);
	return pipeline;
}

static void set_states(VkCommandBuffer cmd)
{
	const VkColorComponentFlags masks[] = { 0xf, 0xf };

	VK_FUNCTION(vkCmdSetColorWriteMaskEXT)(cmd, 0, 2, masks);
	VK_FUNCTION(vkCmdSetDepthTestEnableEXT)(cmd, true);
}

/* Clears all attachments, then begins a rendering that lacks some. The caller restores `things`. */
static void begin_lacking(VkCommandBuffer cmd, const struct lack *lack)
{
	looks_begin(cmd, &looks[0]);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_barrier(cmd);
	if (lack->rendering_second)
		things.color_views[1] = VK_NULL_HANDLE;
	if (lack->rendering_depth)
		things.depth_view = VK_NULL_HANDLE;
	looks_begin(cmd, &looks[0]);
}

/* Clears all attachments, then draws to those that the rendering has. */
static void draw(const struct lack *lack, VkPipeline pipeline, bool dynamic, void *out)
{
	const struct looks_things all = things;
	VkCommandBuffer cmd = vk_begin();

	begin_lacking(cmd, lack);
	if (pipeline) {
		vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
		if (dynamic)
			set_states(cmd);
		looks_draw(cmd, &looks[0]);
	}
	looks_end(cmd, out);
	things = all;
}

static void test_lack(const struct lack *lack, bool dynamic)
{
	static uint8_t picture[PICTURE], expected[PICTURE];
	const VkPipeline pipeline = pipeline_new(lack, dynamic);

	memcpy(expected, lack->draws_first ? drawn : cleared, HALF);
	memcpy(expected + HALF, (lack->draws_second ? drawn : cleared) + HALF, HALF);
	draw(lack, pipeline, dynamic, picture);
	tap(looks_same(picture, expected), "what there is is drawn to, without %s%s", lack->name,
	    dynamic ? ", and with states that commands set" : "");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/*
 * Draws with a pipeline whose write mask is dynamic; if @between, then with one with a static mask,
 * whose result is cleared, and with the first one again.
 */
static void draw_in_turns(const VkPipeline *pipelines, bool between, void *out)
{
	const VkClearAttachment clear = { VK_IMAGE_ASPECT_COLOR_BIT,
					  0,
					  { .color.float32 = { 0 } } };
	const VkClearRect all = { { { 0, 0 }, { SIDE, SIDE } }, 0, LAYERS };
	const VkColorComponentFlags mask = 0xf;
	VkCommandBuffer cmd = vk_begin();

	looks_begin(cmd, &looks[0]);
	for (uint32_t i = 0; i < 3; i++) {
		if (i == 1 && !between)
			continue;
		vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[i % 2]);
		if (i != 1)
			VK_FUNCTION(vkCmdSetColorWriteMaskEXT)(cmd, 0, 1, &mask);
		if (i == 2)
			vkCmdClearAttachments(cmd, 1, &clear, 1, &all);
		looks_draw(cmd, &looks[0]);
	}
	looks_end(cmd, out);
}

static void test_turns(void)
{
	const VkPipeline pipelines[] = { one_attachment_new(true), one_attachment_new(false) };
	static uint8_t alone[PICTURE], picture[PICTURE];

	draw_in_turns(pipelines, false, alone);
	draw_in_turns(pipelines, true, picture);
	tap(looks_same(picture, alone),
	    "a pipeline has the mask that was set, after one with its own");
	for (uint32_t i = 0; i < 2; i++)
		vkDestroyPipeline(vk.device, pipelines[i], NULL);
}

/* Clears all attachments of a rendering to other values than it began with. */
static void clear_all(VkCommandBuffer cmd)
{
	const VkClearAttachment clears[] = {
		{ VK_IMAGE_ASPECT_COLOR_BIT, 0, { .color.float32 = { 1, 0, 1, 0 } } },
		{ VK_IMAGE_ASPECT_COLOR_BIT, 1, { .color.float32 = { 0, 1, 1, 0 } } },
		{ VK_IMAGE_ASPECT_DEPTH_BIT, 0, { .depthStencil.depth = 1 } },
	};
	const VkClearRect all = { { { 0, 0 }, { SIDE, SIDE } }, 0, LAYERS };

	vkCmdClearAttachments(cmd, 3, clears, 1, &all);
}

/* The inheritance info has the formats of attachments, but not which of them the rendering has. */
static VkCommandBuffer secondary_new(void)
{
	const VkFormat formats[] = { VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM };
	const VkCommandBufferInheritanceRenderingInfo rendering = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
		.colorAttachmentCount = 2,
		.pColorAttachmentFormats = formats,
		.depthAttachmentFormat = VK_FORMAT_D32_SFLOAT,
		.rasterizationSamples = 1,
	};
	const VkCommandBufferInheritanceInfo inheritance = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &rendering,
	};
	VkCommandBuffer cmd =
		vk_begin_secondary(VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inheritance);

	clear_all(cmd);
	VK_CHECK(vkEndCommandBuffer(cmd));
	return cmd;
}

/* Clears in a rendering that lacks attachments, by @secondary or by commands of the primary. */
static void clear(const struct lack *lack, VkCommandBuffer secondary, void *out)
{
	const struct looks_things all = things;
	VkCommandBuffer cmd = vk_begin();

	things.flags |= secondary ? VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT : 0;
	begin_lacking(cmd, lack);
	if (secondary)
		vkCmdExecuteCommands(cmd, 1, &secondary);
	else
		clear_all(cmd);
	looks_end(cmd, out);
	things = all;
}

static void test_clears(void)
{
	static const struct lack none = { 0 }, second = { .rendering_second = true },
				 depth = { .rendering_depth = true };
	static uint8_t picture[PICTURE], expected[PICTURE], full[PICTURE];
	const VkCommandBuffer secondary = secondary_new();

	clear(&none, VK_NULL_HANDLE, full);
	tap(memcmp(full, cleared, HALF) && memcmp(full + HALF, cleared + HALF, HALF),
	    "attachments are cleared");
	memcpy(expected, full, HALF);
	memcpy(expected + HALF, cleared + HALF, HALF);
	clear(&second, VK_NULL_HANDLE, picture);
	tap(looks_same(picture, expected), "what there is is cleared");
	clear(&second, secondary, picture);
	tap(looks_same(picture, expected), "and by a secondary that cannot know");
	clear(&depth, secondary, picture);
	tap(looks_same(picture, full), "nor whether there are depths");
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &secondary);
}

int main(void)
{
	static const char *const extensions[] = {
		VK_EXT_DYNAMIC_RENDERING_UNUSED_ATTACHMENTS_EXTENSION_NAME
	};
	static VkPhysicalDeviceDynamicRenderingUnusedAttachmentsFeaturesEXT unused = {
		.sType =
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_UNUSED_ATTACHMENTS_FEATURES_EXT,
	};
	VkPipeline pipeline;

	looks_open(&unused, extensions, 1);
	tap(unused.dynamicRenderingUnusedAttachments, "attachments may be unused");
	pipeline = pipeline_new(&lacks[0], false);
	draw(&lacks[0], pipeline, false, drawn);
	draw(&lacks[0], VK_NULL_HANDLE, false, cleared);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	tap(memcmp(drawn, cleared, HALF) && memcmp(drawn + HALF, cleared + HALF, HALF),
	    "both attachments are drawn to");
	for (uint32_t i = 0; i < LACKS; i++)
		for (int dynamic = 0; dynamic < 2; dynamic++)
			test_lack(&lacks[i], dynamic);
	test_turns();
	test_clears();
	looks_close();
	return tap_failures() != 0;
}
