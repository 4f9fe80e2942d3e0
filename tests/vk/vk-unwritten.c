// SPDX-License-Identifier: MIT
/*
 * Vulkan: built-ins that a fragment shader reads and no earlier stage writes. Debian's lavapipe
 * returns wrong values, by itself and as the host driver; the patched one does not
 * (lavapipe/patches/0009). Prints TAP.
 */
#include "vk-pipeline.h"

#include "vk-unwritten-shaders.h"

#define SIDE 16
#define GREEN 0xff00ff00u

int main(void)
{
	const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
	struct vk_buffer readback;
	VkPipelineLayout layout;
	struct vk_pipeline p;
	struct vk_image target;
	VkFramebuffer framebuffer;
	VkPipeline pipeline;
	VkRenderPass pass;
	VkCommandBuffer cmd;
	VkImageView view;
	bool ok = true;

	vk_open();
	target = vk_picture_new(format, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &view);
	readback = vk_buffer_new(SIDE * SIDE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	pass = vk_pass_new(format, VK_ATTACHMENT_LOAD_OP_DONT_CARE);
	framebuffer = vk_framebuffer_new(pass, &view, 1, SIDE);
	layout = vk_layout_new(NULL, 0, 0, 0);
	vk_pipeline_init(&p, layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(unwritten_vert));
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(unwritten_frag));
	p.info.renderPass = pass;
	pipeline = vk_pipeline_new(&p);
	cmd = vk_begin();
	vkCmdBeginRenderPass(cmd,
			     &(VkRenderPassBeginInfo){
				     .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
				     .renderPass = pass,
				     .framebuffer = framebuffer,
				     .renderArea = { { 0, 0 }, { SIDE, SIDE } },
			     },
			     VK_SUBPASS_CONTENTS_INLINE);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	vkCmdEndRenderPass(cmd);
	vk_image_read(cmd, &target, SIDE, &readback);
	vk_run(cmd);
	for (int i = 0; i < SIDE * SIDE; i++)
		ok &= ((const uint32_t *)readback.map)[i] == GREEN;
	tap(ok,
	    "layer and viewport are 0 where no stage writes them, "
	    "and other inputs are what they are");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, layout, NULL);
	vkDestroyFramebuffer(vk.device, framebuffer, NULL);
	vkDestroyRenderPass(vk.device, pass, NULL);
	vkDestroyImageView(vk.device, view, NULL);
	vk_buffer_del(&readback);
	vk_image_del(&target);
	vk_close();
	return tap_failures() != 0;
}
