// SPDX-License-Identifier: MIT
/*
 * Vulkan: draws that the renderer splits into parts, since the stages may make many primitives of
 * each. Primitives must be drawn instance by instance, and PrimitiveId starts at 0 for each
 * instance. Prints TAP.
 */
#include <stdio.h>

#include "vk-pipeline.h"

#include "vk-runs-shaders.h"

#define SIDE 4

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
	const VkFormat format = VK_FORMAT_R32_UINT;

	test.layout = vk_layout_new(NULL, 0, VK_SHADER_STAGE_ALL_GRAPHICS, 4);
	test.picture =
		vk_picture_new(format, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &test.view);
	test.pass = vk_pass_new(format, VK_ATTACHMENT_LOAD_OP_CLEAR);
	test.framebuffer = vk_framebuffer_new(test.pass, &test.view, 1, SIDE);
	test.pixels = vk_buffer_new(SIDE * SIDE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
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

static VkPipeline pipeline_new(bool patches, bool geometry)
{
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(runs_vert));
	if (patches) {
		vk_pipeline_code(&p, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, VK_CODE(runs_tesc));
		vk_pipeline_code(&p, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
				 VK_CODE(runs_tese));
		p.info.pTessellationState = &p.tessellation;
		p.tessellation.patchControlPoints = 1;
	}
	if (geometry && patches)
		vk_pipeline_code(&p, VK_SHADER_STAGE_GEOMETRY_BIT, VK_CODE(runs_geom));
	else if (geometry)
		vk_pipeline_code(&p, VK_SHADER_STAGE_GEOMETRY_BIT, VK_CODE(runs_points));
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(runs_frag));
	p.assembly.topology =
		patches ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
	p.info.renderPass = test.pass;
	return vk_pipeline_new(&p);
}

/*
 * Returns the value that vk-runs.tesc computes for the last primitive, or ~0 if some pixels differ.
 */
static uint32_t draw(VkPipeline pipeline, uint32_t count, uint32_t instances)
{
	const VkClearValue none = { 0 };
	const uint32_t *pixels = test.pixels.map, last = count - 1;
	const VkCommandBuffer cmd = vk_begin();
	uint32_t value;

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
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_ALL_GRAPHICS, 0, 4, &last);
	vkCmdDraw(cmd, count, instances, 0, 0);
	vkCmdEndRenderPass(cmd);
	vk_image_read(cmd, &test.picture, SIDE, &test.pixels);
	vk_run(cmd);
	value = pixels[0];
	for (int i = 1; i < SIDE * SIDE; i++)
		if (pixels[i] != value)
			value = ~0u;
	return value;
}

static void test_draws(const char *what, bool patches, bool geometry, uint32_t count)
{
	const VkPipeline pipeline = pipeline_new(patches, geometry);
	const uint32_t one = draw(pipeline, count, 1), three = draw(pipeline, count, 3);

	if (one != ((count - 1) << 14 | (count - 1)) || three != 2u << 28)
		printf("# %#x, %#x\n", one, three);
	tap(one == ((count - 1) << 14 | (count - 1)), "%u %s have their numbers", count, what);
	tap(three == 2u << 28, "and of three instances the last one comes last");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

int main(void)
{
	vk_open();
	make_things();
	test_draws("patches", true, false, 40);
	test_draws("patches whose geometry shader makes little of each triangle", true, true, 14);
	test_draws("of them", true, true, 40);
	test_draws("points of which much may be made", false, true, 4001);
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
