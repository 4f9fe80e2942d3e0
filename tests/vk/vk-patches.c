// SPDX-License-Identifier: MIT
/*
 * Vulkan: tessellation execution modes in either of the two tessellation shaders, and per-patch
 * blocks. The HLSL compiler puts all modes in the control shader. Prints TAP.
 */
#include <stdlib.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-patches-shaders.h"

#define SIDE 16
#define GREEN 0xff00ff00u
#define MAX_WORDS 4096

/* SPIR-V opcodes and execution modes. */
enum { ENTRY_POINT = 15, EXECUTION_MODE = 16 };
enum { SPACING_EQUAL = 1, CCW = 5, TRIANGLES = 22, OUTPUT_VERTICES = 26 };

struct code {
	uint32_t words[MAX_WORDS];
	size_t count;
};

static void put(struct code *code, const uint32_t *words, size_t count)
{
	memcpy(code->words + code->count, words, count * 4);
	code->count += count;
}

/* Copies a shader to @code with @modes instead of its own execution modes. */
static void say(struct code *code, const uint32_t *in, size_t size, const uint32_t (*modes)[2],
		size_t n_modes)
{
	code->count = 0;
	put(code, in, 5);
	for (size_t at = 5; at < size / 4; at += in[at] >> 16) {
		if ((in[at] & 0xffff) != EXECUTION_MODE)
			put(code, in + at, in[at] >> 16);
		for (size_t i = 0; (in[at] & 0xffff) == ENTRY_POINT && i < n_modes; i++) {
			const uint32_t words = modes[i][0] == OUTPUT_VERTICES ? 4 : 3;

			put(code,
			    (uint32_t[]){ words << 16 | EXECUTION_MODE, in[at + 2], modes[i][0],
					  modes[i][1] },
			    words);
		}
	}
}

struct scene {
	VkPipelineLayout layout;
	VkImageView view;
	struct vk_image target;
	struct vk_buffer readback;
	VkRenderPass pass;
	VkFramebuffer framebuffer;
};

static void scene_new(struct scene *s)
{
	const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;

	s->target = vk_picture_new(format, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &s->view);
	s->readback = vk_buffer_new(SIDE * SIDE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	s->pass = vk_pass_new(format, VK_ATTACHMENT_LOAD_OP_CLEAR);
	s->framebuffer = vk_framebuffer_new(s->pass, &s->view, 1, SIDE);
	s->layout = vk_layout_new(NULL, 0, 0, 0);
}

static void scene_del(const struct scene *s)
{
	vkDestroyPipelineLayout(vk.device, s->layout, NULL);
	vkDestroyFramebuffer(vk.device, s->framebuffer, NULL);
	vkDestroyRenderPass(vk.device, s->pass, NULL);
	vkDestroyImageView(vk.device, s->view, NULL);
	vk_buffer_del(&s->readback);
	vk_image_del(&s->target);
}

static bool draws(const struct scene *s, const struct code *control, const struct code *evaluation)
{
	const VkClearValue none = { 0 };
	struct vk_pipeline p;
	VkPipeline pipeline;
	VkCommandBuffer cmd;
	bool ok = true;

	vk_pipeline_init(&p, s->layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(patches_vert));
	vk_pipeline_code(&p, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, control->words,
			 control->count * 4);
	vk_pipeline_code(&p, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, evaluation->words,
			 evaluation->count * 4);
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(patches_frag));
	p.assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
	p.info.pTessellationState = &p.tessellation;
	p.tessellation.patchControlPoints = 3;
	p.info.renderPass = s->pass;
	pipeline = vk_pipeline_new(&p);
	cmd = vk_begin();
	vkCmdBeginRenderPass(cmd,
			     &(VkRenderPassBeginInfo){
				     .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
				     .renderPass = s->pass,
				     .framebuffer = s->framebuffer,
				     .renderArea = { { 0, 0 }, { SIDE, SIDE } },
				     .clearValueCount = 1,
				     .pClearValues = &none,
			     },
			     VK_SUBPASS_CONTENTS_INLINE);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	vkCmdEndRenderPass(cmd);
	vk_image_read(cmd, &s->target, SIDE, &s->readback);
	vk_run(cmd);
	for (int i = 0; i < SIDE * SIDE; i++)
		ok &= ((const uint32_t *)s->readback.map)[i] == GREEN;
	vkDestroyPipeline(vk.device, pipeline, NULL);
	return ok;
}

int main(void)
{
	static const uint32_t modes[][2] = {
		{ OUTPUT_VERTICES, 3 }, { TRIANGLES }, { SPACING_EQUAL }, { CCW }
	};
	static struct code control, evaluation;
	struct scene s;

	vk_open();
	scene_new(&s);
	say(&control, VK_CODE(patches_tesc), modes, 1);
	say(&evaluation, VK_CODE(patches_tese), modes + 1, 3);
	tap(draws(&s, &control, &evaluation), "blocks of a patch and of its vertices arrive");
	say(&control, VK_CODE(patches_tesc), modes, 4);
	say(&evaluation, VK_CODE(patches_tese), NULL, 0);
	tap(draws(&s, &control, &evaluation), "the control shader alone may say what patches are");
	say(&evaluation, VK_CODE(patches_tese), modes + 1, 1);
	tap(draws(&s, &control, &evaluation), "or both may say a part of it");
	say(&control, VK_CODE(patches_tesc), NULL, 0);
	say(&evaluation, VK_CODE(patches_tese), modes, 4);
	tap(draws(&s, &control, &evaluation), "or the evaluation shader");
	/* HLSL declares no order of the vertices of points and lines. */
	if (strstr(vk.properties.deviceName, "sundog")) {
		say(&control, VK_CODE(patches_tesc), modes, 1);
		say(&evaluation, VK_CODE(patches_tese), modes + 1, 1);
		tap(draws(&s, &control, &evaluation), "neither shader declares spacing and order");
	}
	scene_del(&s);
	vk_close();
	return tap_failures() != 0;
}
