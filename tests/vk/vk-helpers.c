// SPDX-License-Identifier: MIT
/*
 * Vulkan: loads by helper invocations of a fragment shader at addresses that they find in a loop.
 * Debian's lavapipe leaves the loop when no other invocation is in it, and loads from an address
 * that was never computed; the patched one does not (lavapipe/patches/0019). Prints TAP.
 */
#include "ray-scene.h"

#include "vk-helpers-shaders.h"

#define SIDE 16
#define PIXELS (SIDE * SIDE)

struct parameters {
	VkDeviceAddress first, second;
	uint32_t steps, helper_steps, never;
};

static void draw(VkCommandBuffer cmd, VkRenderPass pass, VkFramebuffer framebuffer)
{
	const VkClearValue none = { 0 };

	vkCmdBeginRenderPass(cmd,
			     &(VkRenderPassBeginInfo){
				     .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
				     .renderPass = pass,
				     .framebuffer = framebuffer,
				     .renderArea = { { 0, 0 }, { SIDE, SIDE } },
				     .clearValueCount = 1,
				     .pClearValues = &none,
			     },
			     VK_SUBPASS_CONTENTS_INLINE);
	vkCmdDraw(cmd, PIXELS, 1, 0, 0);
	vkCmdEndRenderPass(cmd);
}

int main(void)
{
	const VkFormat format = VK_FORMAT_R32_SFLOAT;
	const float value = 7;
	struct parameters parameters = { .steps = 3, .helper_steps = 1000000, .never = ~0u };
	struct ray_buffer data;
	struct vk_buffer pixels;
	VkPipelineLayout layout;
	struct vk_pipeline p;
	struct vk_image target;
	VkFramebuffer framebuffer;
	VkPipeline pipeline;
	VkRenderPass pass;
	VkCommandBuffer cmd;
	VkImageView view;
	bool ok = true;

	if (!ray_open())
		return 0;
	data = ray_buffer_of(&value, sizeof(value));
	parameters.first = parameters.second = data.address;
	target = vk_picture_new(format, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &view);
	pixels = vk_buffer_new(PIXELS * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	pass = vk_pass_new(format, VK_ATTACHMENT_LOAD_OP_CLEAR);
	framebuffer = vk_framebuffer_new(pass, &view, 1, SIDE);
	layout = vk_layout_new(NULL, 0, VK_SHADER_STAGE_FRAGMENT_BIT, sizeof(parameters));
	vk_pipeline_init(&p, layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(helpers_vert));
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(helpers_frag));
	p.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
	p.info.renderPass = pass;
	pipeline = vk_pipeline_new(&p);

	cmd = vk_begin();
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof(parameters),
			   &parameters);
	draw(cmd, pass, framebuffer);
	vk_image_read(cmd, &target, SIDE, &pixels);
	vk_run(cmd);
	for (int i = 0; i < PIXELS; i++)
		ok &= ((const float *)pixels.map)[i] == value;
	tap(ok, "helper invocations that have not found an address load nothing");

	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, layout, NULL);
	vkDestroyFramebuffer(vk.device, framebuffer, NULL);
	vkDestroyRenderPass(vk.device, pass, NULL);
	vkDestroyImageView(vk.device, view, NULL);
	vk_buffer_del(&pixels);
	vk_image_del(&target);
	ray_buffer_del(&data);
	vk_close();
	return tap_failures() != 0;
}
