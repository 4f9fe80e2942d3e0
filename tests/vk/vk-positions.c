// SPDX-License-Identifier: MIT
/*
 * Vulkan: positions that a stage reads and the stage before does not write. Debian's lavapipe
 * returns what is behind the vertex, which is memory of the process; the patched one returns 0
 * (lavapipe/patches/0014). Suite lavapipe runs this program without sundog. Prints TAP.
 */
#include <stdio.h>

#include "vk-pipeline.h"

#include "vk-positions-shaders.h"

#define SIDE 4
#define DRAWN 7			/* of the fragment shader, beside the position */
#define LENGTH(array) (sizeof(array) / sizeof(array[0]))

/* Stages of a pipeline; the fragment shader is the same for all. */
static const struct form {
	const char *name;
	struct {
		VkShaderStageFlagBits stage;
		const uint32_t *code;
		size_t size;
	} stages[4];
} forms[] = {
	{ "a geometry shader, of a vertex shader",
	  { { VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(positions_vert) },
	    { VK_SHADER_STAGE_GEOMETRY_BIT, VK_CODE(positions_geom) } } },
	{ "a control shader, of a vertex shader",
	  { { VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(positions_vert) },
	    { VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, VK_CODE(positions_read_tesc) },
	    { VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, VK_CODE(positions_tese) } } },
	{ "an evaluation shader, of a control shader",
	  { { VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(positions_placed_vert) },
	    { VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, VK_CODE(positions_tesc) },
	    { VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, VK_CODE(positions_read_tese) } } },
	{ "a geometry shader, of an evaluation shader",
	  { { VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(positions_placed_vert) },
	    { VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, VK_CODE(positions_tesc) },
	    { VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, VK_CODE(positions_none_tese) },
	    { VK_SHADER_STAGE_GEOMETRY_BIT, VK_CODE(positions_geom) } } },
};

static struct {
	VkPipelineLayout layout;
	VkRenderPass pass;
	VkFramebuffer framebuffer;
	struct vk_image picture;
	VkImageView view;
	struct vk_buffer pixels;
} test;

static void make_things(void)
{
	const VkFormat format = VK_FORMAT_R32G32B32A32_UINT;

	test.layout = vk_layout_new(NULL, 0, 0, 0);
	test.picture =
		vk_picture_new(format, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &test.view);
	test.pass = vk_pass_new(format, VK_ATTACHMENT_LOAD_OP_CLEAR);
	test.framebuffer = vk_framebuffer_new(test.pass, &test.view, 1, SIDE);
	test.pixels = vk_buffer_new(SIDE * SIDE * 16, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

static void drop_things(void)
{
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
	p.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
	for (uint32_t i = 0; i < LENGTH(form->stages) && form->stages[i].stage; i++) {
		vk_pipeline_code(&p, form->stages[i].stage, form->stages[i].code,
				 form->stages[i].size);
		if (form->stages[i].stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT) {
			p.info.pTessellationState = &p.tessellation;
			p.tessellation.patchControlPoints = 1;
			p.assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
		}
	}
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(positions_frag));
	p.info.renderPass = test.pass;
	return vk_pipeline_new(&p);
}

/* Draws a point or patch for each pixel of the first row. */
static void test_form(const struct form *form)
{
	const VkPipeline pipeline = pipeline_new(form);
	const VkClearValue none = { 0 };
	const uint32_t *words = test.pixels.map;
	const VkCommandBuffer cmd = vk_begin();
	bool ok = true;

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
	vkCmdDraw(cmd, SIDE, 1, 0, 0);
	vkCmdEndRenderPass(cmd);
	vk_image_read(cmd, &test.picture, SIDE, &test.pixels);
	vk_run(cmd);
	for (int i = 0; i < 4 * SIDE; i++) {
		if (words[i] != DRAWN)
			printf("# pixel %d, component %d: %#x\n", i / 4, i % 4, words[i] - DRAWN);
		ok &= words[i] == DRAWN;
	}
	tap(ok, "a position that was not written is 0 for %s", form->name);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

int main(void)
{
	vk_open();
	make_things();
	for (uint32_t i = 0; i < LENGTH(forms); i++)
		test_form(&forms[i]);
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
