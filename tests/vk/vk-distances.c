// SPDX-License-Identifier: MIT
/*
 * Vulkan: clip and cull distances of one shader, which llvmpipe packs to the same outputs.
 * Transform feedback captures them, fragment shaders read them, and primitives outside of one are
 * not drawn. Debian's lavapipe passes; a hardened one needs lavapipe/patches/0016. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-distances-shaders.h"

#define SIDE 4
#define VERTICES 3
#define MAX_DISTANCES 8

static struct {
	VkPipelineLayout layout;
	VkRenderPass pass;
	VkFramebuffer framebuffer;
	struct vk_image picture;
	VkImageView view;
	struct vk_buffer pixels, captured;
} test;

static const struct form {
	uint32_t clips, culls;
	const uint32_t *vertex;
	size_t vertex_size;
	const uint32_t *fragment;
	size_t fragment_size;
} forms[] = {
	{ 3, 3, VK_CODE(distances_vert_3_3), VK_CODE(distances_frag_3_3) },
	{ 1, 7, VK_CODE(distances_vert_1_7), VK_CODE(distances_frag_1_7) },
	{ 5, 3, VK_CODE(distances_vert_5_3), VK_CODE(distances_frag_5_3) },
	{ 4, 4, VK_CODE(distances_vert_4_4), VK_CODE(distances_frag_4_4) },
	{ 6, 1, VK_CODE(distances_vert_6_1), VK_CODE(distances_frag_6_1) },
};

static void make_things(void)
{
	const VkFormat format = VK_FORMAT_R32_UINT;

	test.layout = vk_layout_new(NULL, 0, VK_SHADER_STAGE_VERTEX_BIT, 4);
	test.picture =
		vk_picture_new(format, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &test.view);
	test.pass = vk_pass_new(format, VK_ATTACHMENT_LOAD_OP_CLEAR);
	test.framebuffer = vk_framebuffer_new(test.pass, &test.view, 1, SIDE);
	test.pixels = vk_buffer_new(SIDE * SIDE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	test.captured = vk_buffer_new(VERTICES * MAX_DISTANCES * 4,
				      VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT);
}

static void drop_things(void)
{
	vk_buffer_del(&test.captured);
	vk_buffer_del(&test.pixels);
	vkDestroyFramebuffer(vk.device, test.framebuffer, NULL);
	vkDestroyRenderPass(vk.device, test.pass, NULL);
	vkDestroyImageView(vk.device, test.view, NULL);
	vk_image_del(&test.picture);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
}

static VkPipeline pipeline_new(const struct form *form)
{
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, form->vertex, form->vertex_size);
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, form->fragment, form->fragment_size);
	p.info.renderPass = test.pass;
	return vk_pipeline_new(&p);
}

/* Returns the value of all pixels, or ~0 if they differ. @negative: number of a distance, or -1. */
static uint32_t draw(VkPipeline pipeline, int32_t negative)
{
	const VkClearValue none = { 0 };
	const uint32_t *pixels = test.pixels.map;
	const VkCommandBuffer cmd = vk_begin();
	uint32_t value;

	memset(test.captured.map, 0, test.captured.size);
	VK_FUNCTION(vkCmdBindTransformFeedbackBuffersEXT)(
		cmd, 0, 1, &test.captured.buffer, &(VkDeviceSize){ 0 }, NULL);
	vkCmdBeginRenderPass(cmd,
			     &(VkRenderPassBeginInfo){
				     .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
				     .renderPass = test.pass,
				     .framebuffer = test.framebuffer,
				     .renderArea = { { 0, 0 }, { SIDE, SIDE } },
				     .clearValueCount = 1,
				     .pClearValues = &none,
			     },
			     VK_SUBPASS_CONTENTS_INLINE);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_VERTEX_BIT, 0, 4, &negative);
	VK_FUNCTION(vkCmdBeginTransformFeedbackEXT)(cmd, 0, 0, NULL, NULL);
	vkCmdDraw(cmd, VERTICES, 1, 0, 0);
	VK_FUNCTION(vkCmdEndTransformFeedbackEXT)(cmd, 0, 0, NULL, NULL);
	vkCmdEndRenderPass(cmd);
	vk_image_read(cmd, &test.picture, SIDE, &test.pixels);
	vk_run(cmd);
	value = pixels[0];
	for (int i = 1; i < SIDE * SIDE; i++)
		if (pixels[i] != value)
			value = ~0u;
	return value;
}

/* Returns true if the vertices that were captured have all @count distances. */
static bool is_captured(uint32_t count, int32_t negative)
{
	const float *captured = test.captured.map;
	bool ok = true;

	for (uint32_t i = 0; i < VERTICES * count; i++) {
		const int32_t number = i % count;
		const float expected = number == negative ? -1 : number + 1;

		if (captured[i] != expected)
			printf("# word %u: %f, not %f\n", i, captured[i], expected);
		ok &= captured[i] == expected;
	}
	return ok;
}

static void test_form(const struct form *form)
{
	const VkPipeline pipeline = pipeline_new(form);
	const uint32_t count = form->clips + form->culls, all = (2u << count) - 1;
	const uint32_t seen = draw(pipeline, -1);
	bool captured = is_captured(count, -1), hidden = true;

	if (seen != all)
		printf("# distances: %#x, not %#x\n", seen, all);
	tap(seen == all, "a fragment shader reads %u clip and %u cull distances", form->clips,
	    form->culls);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t value = draw(pipeline, i);

		captured &= is_captured(count, i);
		if (value)
			printf("# distance %u is negative: %#x\n", i, value);
		hidden &= value == 0;
	}
	tap(captured, "transform feedback captures %u clip and %u cull distances", form->clips,
	    form->culls);
	tap(hidden, "a triangle outside of one of %u clip and %u cull distances is not drawn",
	    form->clips, form->culls);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

int main(void)
{
	static const char *const extensions[] = { VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME };
	VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
		.transformFeedback = true,
	};

	vk.features = &feedback;
	vk_open_with(NULL, 0, extensions, 1);
	make_things();
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		test_form(&forms[i]);
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
