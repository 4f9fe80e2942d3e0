// SPDX-License-Identifier: MIT
/*
 * Vulkan: pipelines with static states, and pipelines with dynamic states, bound in random order.
 * Each draw is a tile whose color shows the states of the draw. Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-triangle.vert.h"
#include "vk-triangle.frag.h"

#define SIDE 64
#define TILES 8				/* tiles of a row, and rows */
#define N_PIPELINES 24
#define N_ROUNDS 20
#define N_DRAWS 300
#define FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define DEPTH VK_FORMAT_D32_SFLOAT

/* The value of each state is 0 or 1; with 1 the draw covers nothing, or fewer channels. */
enum state { SCISSOR, CULL, CONSTANTS, COMPARE, MASK, DISCARD, N_STATES };

static const VkDynamicState dynamic_states[N_STATES] = {
	VK_DYNAMIC_STATE_SCISSOR, VK_DYNAMIC_STATE_CULL_MODE_EXT, VK_DYNAMIC_STATE_BLEND_CONSTANTS,
	VK_DYNAMIC_STATE_DEPTH_COMPARE_OP_EXT, VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
	VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE_EXT,
};
static const VkRect2D scissors[] = { { { 0, 0 }, { SIDE, SIDE } }, { { 0, 0 }, { 0, 0 } } };
static const VkCullModeFlags culls[] = { VK_CULL_MODE_NONE, VK_CULL_MODE_FRONT_AND_BACK };
static const float constants[][4] = { { 1, 1, 1, 1 }, { 0, 1, 0, 1 } };
static const VkCompareOp compares[] = { VK_COMPARE_OP_ALWAYS, VK_COMPARE_OP_NEVER };
static const VkColorComponentFlags masks[] = { 0xf, VK_COLOR_COMPONENT_R_BIT };

struct push {
	float color[4], offset[2], depth;
};

struct pipeline {
	VkPipeline pipeline;
	bool is_dynamic[N_STATES];
	unsigned int values[N_STATES];	/* of the static states */
};

static struct {
	VkRenderPass pass;
	VkFramebuffer framebuffer;
	struct vk_image color, depth;
	VkImageView views[2];
	VkPipelineLayout layout;
	VkShaderModule vertex, fragment;
	struct vk_buffer corners, readback;
	struct pipeline pipelines[N_PIPELINES];
	PFN_vkCmdSetCullModeEXT set_cull;
	PFN_vkCmdSetDepthCompareOpEXT set_compare;
	PFN_vkCmdSetColorWriteMaskEXT set_mask;
	PFN_vkCmdSetRasterizerDiscardEnableEXT set_discard;
} test;

/* The state of the command buffer, and the picture that is expected. */
static struct {
	VkCommandBuffer cmd;
	const struct pipeline *bound;
	bool is_set[N_STATES];		/* by a command, and not overwritten by a pipeline since */
	unsigned int values[N_STATES];
	uint32_t tiles[TILES * TILES];
} now;

static unsigned int seed = 1;

static unsigned int pick(unsigned int n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

static VkPipeline pipeline_new(const struct pipeline *pipeline)
{
	/* The offset is corner 0, where the tile begins. */
	const VkVertexInputBindingDescription bindings[] = {
		{ 0, 8, VK_VERTEX_INPUT_RATE_VERTEX }, { 1, 8, VK_VERTEX_INPUT_RATE_INSTANCE },
	};
	const VkVertexInputAttributeDescription attributes[] = {
		{ 0, 0, VK_FORMAT_R32G32_SFLOAT, 0 }, { 1, 1, VK_FORMAT_R32G32_SFLOAT, 0 },
	};
	const uint32_t *values = pipeline->values;
	VkDynamicState states[N_STATES];
	uint32_t n_states = 0;
	struct vk_pipeline p;

	for (int i = 0; i < N_STATES; i++)
		if (pipeline->is_dynamic[i])
			states[n_states++] = dynamic_states[i];
	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_stage(&p, VK_SHADER_STAGE_VERTEX_BIT, test.vertex);
	vk_pipeline_stage(&p, VK_SHADER_STAGE_FRAGMENT_BIT, test.fragment);
	p.stages[1].pName = "other";
	vk_pipeline_inputs(&p, bindings, 2, attributes, 2);
	p.assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
	p.scissor = scissors[values[SCISSOR]];
	p.raster.cullMode = culls[values[CULL]];
	p.raster.rasterizerDiscardEnable = values[DISCARD];
	vk_pipeline_depth(&p, compares[values[COMPARE]], false);
	p.blends[0] = (VkPipelineColorBlendAttachmentState){
		true,
		VK_BLEND_FACTOR_CONSTANT_COLOR,
		VK_BLEND_FACTOR_ZERO,
		VK_BLEND_OP_ADD,
		VK_BLEND_FACTOR_CONSTANT_ALPHA,
		VK_BLEND_FACTOR_ZERO,
		VK_BLEND_OP_ADD,
		masks[values[MASK]],
	};
	memcpy(p.blend.blendConstants, constants[values[CONSTANTS]],
	       sizeof(p.blend.blendConstants));
	vk_pipeline_dynamic(&p, states, n_states);
	p.info.renderPass = test.pass;
	return vk_pipeline_new(&p);
}

static void set_state(enum state state, unsigned int value)
{
	VkCommandBuffer cmd = now.cmd;

	now.values[state] = value;
	now.is_set[state] = true;
	switch (state) {
	case SCISSOR:
		vkCmdSetScissor(cmd, 0, 1, &scissors[value]);
		break;
	case CULL:
		test.set_cull(cmd, culls[value]);
		break;
	case CONSTANTS:
		vkCmdSetBlendConstants(cmd, constants[value]);
		break;
	case COMPARE:
		test.set_compare(cmd, compares[value]);
		break;
	case MASK:
		test.set_mask(cmd, 0, 1, &masks[value]);
		break;
	default:
		test.set_discard(cmd, value);
	}
}

/* A command may set a state that the pipeline has as static only before that pipeline is bound. */
static void bind(const struct pipeline *p)
{
	for (int i = 0; i < N_STATES; i++)
		if (!pick(8))
			set_state(i, pick(2));
	vkCmdBindPipeline(now.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
	now.bound = p;
	for (int i = 0; i < N_STATES; i++) {
		now.is_set[i] &= p->is_dynamic[i];
		if (!p->is_dynamic[i])
			now.values[i] = p->values[i];
	}
}

static void draw(void)
{
	const unsigned int tile = pick(TILES * TILES), color = 1 + pick(7);
	const struct push push = {
		{ color & 1, color >> 1 & 1, color >> 2 & 1, 1 },
		{ -1.0f + tile % TILES * 2.0f / TILES, -1.0f + tile / TILES * 2.0f / TILES }, 0.5f,
	};
	uint32_t drawn = 0xff000000, written;

	for (int i = 0; i < N_STATES; i++)
		if (now.bound->is_dynamic[i] && (!now.is_set[i] || !pick(8)))
			set_state(i, pick(2));
	written = now.values[MASK] ? 0xff : 0xffffffff;
	vkCmdPushConstants(now.cmd, test.layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(push),
			   &push);
	vkCmdDraw(now.cmd, 4, 1, 0, 0);
	if (now.values[SCISSOR] || now.values[CULL] || now.values[COMPARE] || now.values[DISCARD])
		return;
	for (int i = 0; i < 3; i++)
		if (push.color[i] > 0 && constants[now.values[CONSTANTS]][i] > 0)
			drawn |= 0xffu << 8 * i;
	now.tiles[tile] = (now.tiles[tile] & ~written) | (drawn & written);
}

static bool tiles_are_right(void)
{
	for (uint32_t i = 0; i < SIDE * SIDE; i++) {
		const uint32_t tile = i / SIDE / (SIDE / TILES) * TILES + i % SIDE / (SIDE / TILES);
		const uint32_t pixel = ((uint32_t *)test.readback.map)[i];

		if (pixel != now.tiles[tile]) {
			printf("# %u,%u is %#x, not %#x\n", i % SIDE, i / SIDE, pixel,
			       now.tiles[tile]);
			return false;
		}
	}
	return true;
}

static bool play_round(void)
{
	const VkClearValue clears[] = { { .color.float32 = { 0, 0, 0, 1 } },
					{ .depthStencil = { 1, 0 } } };
	const VkRenderPassBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = test.pass,
		.framebuffer = test.framebuffer,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.clearValueCount = 2,
		.pClearValues = clears,
	};
	const VkBuffer buffers[] = { test.corners.buffer, test.corners.buffer };
	const VkDeviceSize offsets[] = { 0, 0 };

	memset(&now, 0, sizeof(now));
	for (int i = 0; i < TILES * TILES; i++)
		now.tiles[i] = 0xff000000;
	now.cmd = vk_begin();
	vkCmdBeginRenderPass(now.cmd, &info, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdBindVertexBuffers(now.cmd, 0, 2, buffers, offsets);
	for (int i = 0; i < N_DRAWS; i++) {
		if (!i || pick(2))
			bind(&test.pipelines[pick(N_PIPELINES)]);
		draw();
	}
	vkCmdEndRenderPass(now.cmd);
	vk_image_read(now.cmd, &test.color, SIDE, &test.readback);
	vk_run(now.cmd);
	return tiles_are_right();
}

static void make_pass(void)
{
	const VkAttachmentDescription attachments[] = {
		{ 0, FORMAT, 1, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE,
		  VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_DONT_CARE,
		  VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL },
		{ 0, DEPTH, 1, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE,
		  VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_DONT_CARE,
		  VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL },
	};
	const VkAttachmentReference color = { 0, VK_IMAGE_LAYOUT_GENERAL },
				    depth = { 1, VK_IMAGE_LAYOUT_GENERAL };
	const VkSubpassDescription subpass = {
		.colorAttachmentCount = 1,
		.pColorAttachments = &color,
		.pDepthStencilAttachment = &depth,
	};
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = 2,
		.pAttachments = attachments,
		.subpassCount = 1,
		.pSubpasses = &subpass,
	};

	test.color =
		vk_picture_new(FORMAT, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &test.views[0]);
	test.depth = vk_picture_new(DEPTH, SIDE, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
				    &test.views[1]);
	VK_CHECK(vkCreateRenderPass(vk.device, &info, NULL, &test.pass));
	test.framebuffer = vk_framebuffer_new(test.pass, test.views, 2, SIDE);
}

static void make_pipelines(void)
{
	test.layout = vk_layout_new(NULL, 0, VK_SHADER_STAGE_VERTEX_BIT, sizeof(struct push));
	test.vertex = vk_module_new(VK_CODE(vk_triangle_vert));
	test.fragment = vk_module_new(VK_CODE(vk_triangle_frag));
	for (int i = 0; i < N_PIPELINES; i++) {
		struct pipeline *p = &test.pipelines[i];

		/* Some have dynamic states only, as in most programs, some none. */
		for (int j = 0; j < N_STATES; j++) {
			p->is_dynamic[j] = i % 4 ? pick(i % 4 + 1) > 0 : i % 8 > 3;
			p->values[j] = !pick(5);
		}
		p->pipeline = pipeline_new(p);
	}
}

static void set_up(void)
{
	static const float corners[] = {
		0, 0, 2.0f / TILES, 0, 0, 2.0f / TILES, 2.0f / TILES, 2.0f / TILES
	};

	test.set_cull = (void *)vkGetDeviceProcAddr(vk.device, "vkCmdSetCullModeEXT");
	test.set_compare = (void *)vkGetDeviceProcAddr(vk.device, "vkCmdSetDepthCompareOpEXT");
	test.set_mask = (void *)vkGetDeviceProcAddr(vk.device, "vkCmdSetColorWriteMaskEXT");
	test.set_discard =
		(void *)vkGetDeviceProcAddr(vk.device, "vkCmdSetRasterizerDiscardEnableEXT");
	test.corners = vk_buffer_new(sizeof(corners), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
	test.readback = vk_buffer_new(SIDE * SIDE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	memcpy(test.corners.map, corners, sizeof(corners));
	make_pass();
	make_pipelines();
}

static void tear_down(void)
{
	for (int i = 0; i < N_PIPELINES; i++)
		vkDestroyPipeline(vk.device, test.pipelines[i].pipeline, NULL);
	vkDestroyShaderModule(vk.device, test.vertex, NULL);
	vkDestroyShaderModule(vk.device, test.fragment, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vkDestroyFramebuffer(vk.device, test.framebuffer, NULL);
	vkDestroyRenderPass(vk.device, test.pass, NULL);
	vkDestroyImageView(vk.device, test.views[0], NULL);
	vkDestroyImageView(vk.device, test.views[1], NULL);
	vk_image_del(&test.color);
	vk_image_del(&test.depth);
	vk_buffer_del(&test.corners);
	vk_buffer_del(&test.readback);
}

int main(void)
{
	bool ok = true;

	vk_open();
	set_up();
	for (int i = 0; i < N_ROUNDS; i++)
		ok &= play_round();
	tap(ok, "states of pipelines and of commands take turns");
	tear_down();
	vk_close();
	return tap_failures() != 0;
}
