// SPDX-License-Identifier: MIT
/*
 * Vulkan: transform feedback of aggregates (VK_EXT_transform_feedback; the layout of captured types
 * is that of GLSL 4.60, 4.4.2.2). Compares each word that a vertex has in the buffers. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-captures-shaders.h"

#define SIDE 16
#define BUFFERS 4u
#define VERTICES 3u
#define BUFFER_BYTES 1024u
#define UNTOUCHED 0x5a

/*
 * The words of a vertex in each buffer: f is a float, d and D are a double, and nothing is written
 * to the others.
 */
static const char *const blocks[BUFFERS] = {
	".fff.ffffffff..", ".fff.ffffffff..", ".fff.ffffffff..", ".fff.ffffffff..",
};
static const char *const structs[BUFFERS] = {
	"..f.f.dDf.f.dDfffffff.f.f.dDf.f.dDfffffff.", "..f.dDf...", "dDdDdDdDdDdDdDdDdD", "",
};

static struct {
	VkPipelineLayout layout;
	VkImageView view;
	struct vk_image target;
	struct vk_buffer captured[BUFFERS];
	VkRenderPass pass;
	VkFramebuffer framebuffer;
} test;

static void make_things(void)
{
	const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;

	test.target = vk_picture_new(format, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &test.view);
	test.pass = vk_pass_new(format, VK_ATTACHMENT_LOAD_OP_CLEAR);
	test.framebuffer = vk_framebuffer_new(test.pass, &test.view, 1, SIDE);
	test.layout = vk_layout_new(NULL, 0, 0, 0);
	for (uint32_t i = 0; i < BUFFERS; i++)
		test.captured[i] = vk_buffer_new(BUFFER_BYTES,
						 VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT);
}

static void drop_things(void)
{
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vkDestroyFramebuffer(vk.device, test.framebuffer, NULL);
	vkDestroyRenderPass(vk.device, test.pass, NULL);
	vkDestroyImageView(vk.device, test.view, NULL);
	for (uint32_t i = 0; i < BUFFERS; i++)
		vk_buffer_del(&test.captured[i]);
	vk_image_del(&test.target);
}

static VkPipeline make_pipeline(const uint32_t *code, size_t size)
{
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, code, size);
	p.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
	p.raster.rasterizerDiscardEnable = VK_TRUE;
	p.info.renderPass = test.pass;
	return vk_pipeline_new(&p);
}

static void record(VkCommandBuffer cmd, VkPipeline pipeline)
{
	const VkClearValue none = { 0 };
	const VkDeviceSize offsets[BUFFERS] = { 0 };
	VkBuffer buffers[BUFFERS];

	for (uint32_t i = 0; i < BUFFERS; i++)
		buffers[i] = test.captured[i].buffer;
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
	VK_FUNCTION(vkCmdBindTransformFeedbackBuffersEXT)(cmd, 0, BUFFERS, buffers, offsets, NULL);
	VK_FUNCTION(vkCmdBeginTransformFeedbackEXT)(cmd, 0, 0, NULL, NULL);
	vkCmdDraw(cmd, VERTICES, 1, 0, 0);
	VK_FUNCTION(vkCmdEndTransformFeedbackEXT)(cmd, 0, 0, NULL, NULL);
	vkCmdEndRenderPass(cmd);
	vk_barrier(cmd);
}

/* Returns true if word @w of @vertex is as @form says; see the shader for its number. */
static bool word_is(const uint32_t *words, char form, uint32_t buffer, uint32_t vertex, uint32_t w)
{
	const double number = 1.0 + w + 100.0 * buffer + 1000.0 * vertex;
	const float single = (float)number;
	uint32_t untouched;

	switch (form) {
	case 'f':
		return !memcmp(words, &single, sizeof(single));
	case 'd':
		return !memcmp(words, &number, sizeof(number));
	case 'D':
		return true;
	default:
		memset(&untouched, UNTOUCHED, sizeof(untouched));
		return *words == untouched;
	}
}

/* Compares a buffer, also behind its last vertex. */
static bool buffer_is(const char *form, uint32_t buffer)
{
	const uint32_t n = (uint32_t)strlen(form), *words = test.captured[buffer].map;

	for (uint32_t i = 0; i < BUFFER_BYTES / 4; i++) {
		const bool is_vertex = i < VERTICES * n;

		if (!word_is(words + i, is_vertex ? form[i % n] : '.', buffer,
			     is_vertex ? i / n : 0, is_vertex ? i % n : 0)) {
			printf("# buffer %u, word %u: %#x\n", buffer, i, words[i]);
			return false;
		}
	}
	return true;
}

static bool captures(const uint32_t *code, size_t size, const char *const *forms)
{
	VkPipeline pipeline = make_pipeline(code, size);
	VkCommandBuffer cmd = vk_begin();
	bool ok = true;

	for (uint32_t i = 0; i < BUFFERS; i++)
		memset(test.captured[i].map, UNTOUCHED, BUFFER_BYTES);
	record(cmd, pipeline);
	vk_run(cmd);
	for (uint32_t i = 0; i < BUFFERS; i++)
		ok &= buffer_is(forms[i], i);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	return ok;
}

int main(void)
{
	static VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
	};
	static const char *const wishes[] = { VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME, NULL };

	vk.features = &feedback;
	vk.wishes = wishes;
	vk_open();
	if (!vk_has(VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME) || !feedback.transformFeedback) {
		tap(true, "aggregates are captured # SKIP no transform feedback");
		vk_close();
		return 0;
	}
	make_things();
	tap(captures(VK_CODE(captures_blocks), blocks),
	    "each block of an array of arrays is captured into the next buffer");
	tap(captures(VK_CODE(captures_structs), structs),
	    "members of captured structures follow each other, those with 64 bits at 8 bytes");
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
