// SPDX-License-Identifier: MIT
/*
 * Vulkan: outputs of mesh shaders that fragment shaders read (VK_EXT_mesh_shader): PrimitiveId,
 * numbers of 64 bits, and payloads of task shaders. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-mesh-outputs-shaders.h"

#define SIDE 16
#define GREEN 0xff00ff00u

static struct {
	VkPipelineLayout layout;
	VkImageView view;
	struct vk_image target;
	struct vk_buffer readback;
	VkRenderPass pass;
	VkFramebuffer framebuffer;
} test;

static void make_things(void)
{
	const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;

	test.target = vk_picture_new(format, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &test.view);
	test.readback = vk_buffer_new(SIDE * SIDE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	test.pass = vk_pass_new(format, VK_ATTACHMENT_LOAD_OP_CLEAR);
	test.framebuffer = vk_framebuffer_new(test.pass, &test.view, 1, SIDE);
	test.layout = vk_layout_new(NULL, 0, 0, 0);
}

static void drop_things(void)
{
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vkDestroyFramebuffer(vk.device, test.framebuffer, NULL);
	vkDestroyRenderPass(vk.device, test.pass, NULL);
	vkDestroyImageView(vk.device, test.view, NULL);
	vk_buffer_del(&test.readback);
	vk_image_del(&test.target);
}

static bool is_green(void)
{
	const uint32_t *pixels = test.readback.map;

	for (uint32_t i = 0; i < SIDE * SIDE; i++)
		if (pixels[i] != GREEN) {
			printf("# pixel %u, %u is %#x, not %#x\n", i % SIDE, i / SIDE, pixels[i],
			       GREEN);
			return false;
		}
	return true;
}

/* Returns true if the fragment shader finds in all pixels what the mesh shader wrote. */
static bool draws(VkPipeline pipeline)
{
	const VkClearValue nothing = { 0 };
	const VkRenderPassBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = test.pass,
		.framebuffer = test.framebuffer,
		.renderArea.extent = { SIDE, SIDE },
		.clearValueCount = 1,
		.pClearValues = &nothing,
	};
	VkCommandBuffer cmd = vk_begin();

	vkCmdBeginRenderPass(cmd, &info, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	VK_FUNCTION(vkCmdDrawMeshTasksEXT)(cmd, 1, 1, 1);
	vkCmdEndRenderPass(cmd);
	vk_image_read(cmd, &test.target, SIDE, &test.readback);
	vk_run(cmd);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	return is_green();
}

struct code {
	const uint32_t *words;
	size_t size;
};

#define CODE(name) ((struct code){ name, sizeof(name) })

static bool shows(struct code task, struct code mesh, struct code fragment)
{
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	if (task.words)
		vk_pipeline_code(&p, VK_SHADER_STAGE_TASK_BIT_EXT, task.words, task.size);
	vk_pipeline_code(&p, VK_SHADER_STAGE_MESH_BIT_EXT, mesh.words, mesh.size);
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, fragment.words, fragment.size);
	p.info.pVertexInputState = NULL;
	p.info.pInputAssemblyState = NULL;
	p.info.renderPass = test.pass;
	return draws(vk_pipeline_new(&p));
}

int main(void)
{
	static const char *const extensions[] = {
		VK_EXT_MESH_SHADER_EXTENSION_NAME, VK_KHR_SPIRV_1_4_EXTENSION_NAME,
	};
	VkPhysicalDeviceMeshShaderFeaturesEXT meshes = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
	};
	const struct code none = { 0 };

	vk.features = &meshes;
	vk_open_with(NULL, 0, extensions, sizeof(extensions) / sizeof(extensions[0]));
	make_things();
	tap(shows(none, CODE(number_mesh), CODE(number_frag)),
	    "a fragment shader reads the PrimitiveId that the mesh shader wrote");
	tap(shows(none, CODE(long_mesh), CODE(long_frag)),
	    "a 64-bit output takes two components, and of three or four numbers two locations");
	tap(shows(CODE(payload_task), CODE(payload_mesh), CODE(payload_frag)),
	    "a mesh shader reads a payload whose 64-bit members need padding");
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
