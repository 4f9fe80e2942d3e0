// SPDX-License-Identifier: MIT
/*
 * Vulkan: blocks whose members have their own Location and Component (Vulkan 15.1.5, Location
 * Assignment), between all stages and captured by transform feedback. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-blocks-shaders.h"

#define SIDE 16
#define GREEN 0xff00ff00u
#define CORNERS 3
#define STRIDE 48		/* bytes of a vertex; words 3, 6 and 7 are not captured */

static struct {
	VkPipelineLayout layout;
	VkImageView view;
	struct vk_image target;
	struct vk_buffer readback, captured;
	VkRenderPass pass;
	VkFramebuffer framebuffer;
	bool captures, meshes;
} test;

static void make_things(void)
{
	const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;

	test.target = vk_picture_new(format, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &test.view);
	test.readback = vk_buffer_new(SIDE * SIDE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	test.pass = vk_pass_new(format, VK_ATTACHMENT_LOAD_OP_CLEAR);
	test.framebuffer = vk_framebuffer_new(test.pass, &test.view, 1, SIDE);
	test.layout = vk_layout_new(NULL, 0, 0, 0);
	if (test.captures)
		test.captured = vk_buffer_new(CORNERS * STRIDE,
					      VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT);
}

static void drop_things(void)
{
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vkDestroyFramebuffer(vk.device, test.framebuffer, NULL);
	vkDestroyRenderPass(vk.device, test.pass, NULL);
	vkDestroyImageView(vk.device, test.view, NULL);
	vk_buffer_del(&test.readback);
	if (test.captures)
		vk_buffer_del(&test.captured);
	vk_image_del(&test.target);
}

static void draw(VkCommandBuffer cmd, VkShaderStageFlags stages, bool capture)
{
	const VkDeviceSize none = 0;

	if (capture) {
		VK_FUNCTION(vkCmdBindTransformFeedbackBuffersEXT)
		(cmd, 0, 1, &test.captured.buffer, &none, NULL);
		VK_FUNCTION(vkCmdBeginTransformFeedbackEXT)(cmd, 0, 0, NULL, NULL);
	}
	if (stages & VK_SHADER_STAGE_MESH_BIT_EXT)
		VK_FUNCTION(vkCmdDrawMeshTasksEXT)(cmd, 1, 1, 1);
	else
		vkCmdDraw(cmd, CORNERS, 1, 0, 0);
	if (capture)
		VK_FUNCTION(vkCmdEndTransformFeedbackEXT)(cmd, 0, 0, NULL, NULL);
}

static void add_stages(struct vk_pipeline *p, VkShaderStageFlags stages, bool capture)
{
	if (stages & VK_SHADER_STAGE_MESH_BIT_EXT)
		vk_pipeline_code(p, VK_SHADER_STAGE_MESH_BIT_EXT, VK_CODE(blocks_mesh));
	else if (capture)
		vk_pipeline_code(p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(blocks_captured));
	else
		vk_pipeline_code(p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(blocks_vert));
	if (stages & VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT) {
		vk_pipeline_code(p, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, VK_CODE(blocks_tesc));
		vk_pipeline_code(p, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
				 VK_CODE(blocks_tese));
		p->assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
		p->info.pTessellationState = &p->tessellation;
		p->tessellation.patchControlPoints = CORNERS;
	}
	if (stages & VK_SHADER_STAGE_GEOMETRY_BIT)
		vk_pipeline_code(p, VK_SHADER_STAGE_GEOMETRY_BIT, VK_CODE(blocks_geom));
	vk_pipeline_code(p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(blocks_frag));
}

/* Draws with the vertex or mesh shader and @stages. Returns true if all pixels are green. */
static bool is_green(VkShaderStageFlags stages, bool capture)
{
	const VkClearValue none = { 0 };
	struct vk_pipeline p;
	VkPipeline pipeline;
	VkCommandBuffer cmd;
	bool ok = true;

	vk_pipeline_init(&p, test.layout, SIDE);
	add_stages(&p, stages, capture);
	p.info.renderPass = test.pass;
	pipeline = vk_pipeline_new(&p);
	cmd = vk_begin();
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
	draw(cmd, stages, capture);
	vkCmdEndRenderPass(cmd);
	if (capture)
		vk_barrier(cmd);
	vk_image_read(cmd, &test.target, SIDE, &test.readback);
	vk_run(cmd);
	for (int i = 0; i < SIDE * SIDE; i++)
		ok &= ((const uint32_t *)test.readback.map)[i] == GREEN;
	vkDestroyPipeline(vk.device, pipeline, NULL);
	return ok;
}

/* Returns true if each vertex has the captured members at their offsets, and nothing else. */
static bool captures_members(void)
{
	const uint32_t *words = test.captured.map;

	memset(test.captured.map, 0x5a, CORNERS * STRIDE);
	if (!is_green(0, true))
		return false;
	for (int i = 0; i < CORNERS; i++, words += STRIDE / 4) {
		const float expected[] = { 0.25f, 0.5f, 0.75f, 0.0f, (i & 1) * 4.0f - 1.0f,
					   (i >> 1) * 4.0f - 1.0f, 0.0f, 0.0f, 1.0f, 2.0f, 3.0f,
					   4.0f };

		for (uint32_t k = 0; k < STRIDE / 4; k++)
			if (k == 3 || k == 6 || k == 7 ? words[k] != 0x5a5a5a5a :
			    memcmp(words + k, expected + k, 4)) {
				printf("# vertex %d, word %u: %#x\n", i, k, words[k]);
				return false;
			}
	}
	return true;
}

static void open_device(void)
{
	static VkPhysicalDeviceMeshShaderFeaturesEXT mesh = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT };
	static VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
		.pNext = &mesh,
	};
	static const char *const wishes[] = { VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
					      VK_EXT_MESH_SHADER_EXTENSION_NAME, NULL };

	vk.features = &feedback;
	vk.wishes = wishes;
	vk_open();
	test.captures = vk_has(VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME) &&
			feedback.transformFeedback;
	test.meshes = vk_has(VK_EXT_MESH_SHADER_EXTENSION_NAME) && mesh.meshShader;
}

int main(void)
{
	const VkShaderStageFlags patches = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT |
					   VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;

	open_device();
	make_things();
	tap(is_green(0, false),
	    "members of a block have their own Location, Component and interpolation");
	tap(is_green(patches, false),
	    "members of arrayed and of patch blocks have their own Location");
	tap(is_green(VK_SHADER_STAGE_GEOMETRY_BIT, false),
	    "members of a geometry shader's blocks have their own Location");
	tap(is_green(patches | VK_SHADER_STAGE_GEOMETRY_BIT, false),
	    "members of blocks have their own Location through all stages");
	if (test.captures)
		tap(captures_members(), "members with a Location are captured at their Offset");
	else
		tap(true, "members are captured # SKIP no transform feedback");
	if (test.meshes)
		tap(is_green(VK_SHADER_STAGE_MESH_BIT_EXT, false),
		    "members of a mesh shader's blocks have their own Location");
	else
		tap(true, "members of a mesh shader # SKIP no mesh shaders");
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
