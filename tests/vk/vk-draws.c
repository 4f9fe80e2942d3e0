// SPDX-License-Identifier: MIT
/*
 * Vulkan: draws, whose attachments are read back. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-triangle.vert.h"
#include "vk-triangle.frag.h"

#define SIDE 64
#define BYTES_AT 513		/* offset of the 8-bit indices */
#define PIXELS (SIDE * SIDE)
#define TARGET_USAGE (VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT)

#define BLACK 0xff000000u
#define RED 0xff0000ffu
#define GREEN 0xff00ff00u
#define BLUE 0xffff0000u
#define WHITE 0xffffffffu

struct push {
	float color[4], offset[2], depth;
};

static const struct push red = { { 1, 0, 0, 1 }, { 0, 0 }, 0.5f };
static const struct push blue = { { 0, 0, 1, 1 }, { 0, 0 }, 0.25f };

static struct {
	VkPipelineLayout layout;
	VkShaderModule vertex, fragment;
	/* two triangles of the left half, then offsets of instances */
	struct vk_buffer corners;
	struct vk_buffer indices, readback;
} test;

/* Attachments */

struct target {
	VkRenderPass pass;
	VkFramebuffer framebuffer;
	struct vk_image images[4];
	VkImageView views[4];
	uint32_t n_images, n_colors;
	VkSampleCountFlagBits samples;
	bool depth;
};

static void add_image(struct target *t, VkFormat format, VkSampleCountFlagBits samples,
		      VkImageUsageFlags usage)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = samples,
		.usage = usage,
	};

	t->images[t->n_images] = vk_image_new(&info);
	t->views[t->n_images] = vk_view_new(&t->images[t->n_images], VK_IMAGE_VIEW_TYPE_2D, format,
					    vk_image_all(&t->images[t->n_images]));
	t->n_images++;
}

static VkAttachmentDescription describe(VkFormat format, VkSampleCountFlagBits samples,
					VkAttachmentLoadOp load)
{
	return (VkAttachmentDescription){
		0,
		format,
		samples,
		load,
		VK_ATTACHMENT_STORE_OP_STORE,
		load,
		VK_ATTACHMENT_STORE_OP_STORE,
		VK_IMAGE_LAYOUT_GENERAL,
		VK_IMAGE_LAYOUT_GENERAL,
	};
}

/*
 * Makes a pass with color attachments, resolve attachments if there are several samples, and a
 * depth-stencil attachment.
 */
static void make_pass(struct target *t, VkAttachmentLoadOp load)
{
	const VkFormat color = VK_FORMAT_R8G8B8A8_UNORM, depth = VK_FORMAT_D32_SFLOAT_S8_UINT;
	VkAttachmentDescription descriptions[4];
	VkAttachmentReference references[4];
	VkSubpassDescription subpass = { .colorAttachmentCount = t->n_colors,
					 .pColorAttachments = references };
	VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .pAttachments = descriptions,
		.subpassCount = 1, .pSubpasses = &subpass,
	};
	uint32_t n = 0;

	for (uint32_t i = 0; i < 4; i++)
		references[i] = (VkAttachmentReference){ i, VK_IMAGE_LAYOUT_GENERAL };
	for (; n < t->n_colors; n++)
		descriptions[n] = describe(color, t->samples, load);
	if (t->samples > 1) {
		subpass.pResolveAttachments = &references[n];
		descriptions[n++] = describe(color, 1, VK_ATTACHMENT_LOAD_OP_DONT_CARE);
	}
	if (t->depth) {
		subpass.pDepthStencilAttachment = &references[n];
		descriptions[n++] = describe(depth, t->samples, load);
	}
	info.attachmentCount = n;
	VK_CHECK(vkCreateRenderPass(vk.device, &info, NULL, &t->pass));
}

static struct target target_new(uint32_t n_colors, VkSampleCountFlagBits samples, bool depth)
{
	struct target t = { .n_colors = n_colors, .samples = samples, .depth = depth };

	for (uint32_t i = 0; i < n_colors; i++)
		add_image(&t, VK_FORMAT_R8G8B8A8_UNORM, samples, TARGET_USAGE);
	if (samples > 1)
		add_image(&t, VK_FORMAT_R8G8B8A8_UNORM, 1,
			  TARGET_USAGE | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
	if (depth)
		add_image(&t, VK_FORMAT_D32_SFLOAT_S8_UINT, samples,
			  VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
	make_pass(&t, VK_ATTACHMENT_LOAD_OP_CLEAR);
	t.framebuffer = vk_framebuffer_new(t.pass, t.views, t.n_images, SIDE);
	return t;
}

static void target_del(const struct target *t)
{
	vkDestroyFramebuffer(vk.device, t->framebuffer, NULL);
	vkDestroyRenderPass(vk.device, t->pass, NULL);
	for (uint32_t i = 0; i < t->n_images; i++) {
		vkDestroyImageView(vk.device, t->views[i], NULL);
		vk_image_del(&t->images[i]);
	}
}

/* Pipelines */

struct options {
	bool no_depth_test, depth_write, blend, stencil, instances, dynamic, one_element,
		alpha_to_one;
	uint32_t second_mask;		/* write mask of the second attachment; 0: all */
	VkSpecializationInfo *constants;
};

static VkPipeline pipeline_new(const struct target *t, const struct options *o)
{
	const VkVertexInputBindingDescription bindings[] = {
		{ 0, 8, VK_VERTEX_INPUT_RATE_VERTEX },
		{ 2, 8, VK_VERTEX_INPUT_RATE_INSTANCE },
	};
	const VkVertexInputAttributeDescription attributes[] = {
		{ 0, 0, VK_FORMAT_R32G32_SFLOAT, 0 },
		{ 1, 2, VK_FORMAT_R32G32_SFLOAT, 0 },
	};
	const VkVertexInputBindingDivisorDescriptionEXT divisor = { 2, 0 };
	const VkPipelineVertexInputDivisorStateCreateInfoEXT divisors = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT,
		.vertexBindingDivisorCount = 1, .pVertexBindingDivisors = &divisor,
	};
	const VkStencilOpState stencil = {
		VK_STENCIL_OP_KEEP,
		VK_STENCIL_OP_INCREMENT_AND_CLAMP,
		VK_STENCIL_OP_KEEP,
		VK_COMPARE_OP_EQUAL,
		0xff,
		0xff,
		0,
	};
	const VkDynamicState states[] = { VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR };
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_stage(&p, VK_SHADER_STAGE_VERTEX_BIT, test.vertex);
	vk_pipeline_stage(&p, VK_SHADER_STAGE_FRAGMENT_BIT, test.fragment);
	p.stages[1].pName = "other";
	p.stages[1].pSpecializationInfo = o->constants;
	vk_pipeline_inputs(&p, bindings, 2, attributes, 2);
	p.vertices.pNext = o->one_element ? &divisors : NULL;
	p.samples.rasterizationSamples = t->samples;
	p.samples.alphaToOneEnable = o->alpha_to_one;
	vk_pipeline_depth(&p, VK_COMPARE_OP_LESS, o->depth_write);
	p.depth.depthTestEnable = !o->no_depth_test;
	p.depth.stencilTestEnable = o->stencil;
	p.depth.front = p.depth.back = stencil;
	p.blends[0] = (VkPipelineColorBlendAttachmentState){
		o->blend,
		VK_BLEND_FACTOR_ONE,
		VK_BLEND_FACTOR_ONE,
		VK_BLEND_OP_ADD,
		VK_BLEND_FACTOR_ONE,
		VK_BLEND_FACTOR_ZERO,
		VK_BLEND_OP_ADD,
		0xf,
	};
	p.blends[1].colorWriteMask = o->second_mask ? o->second_mask : 0xf;
	p.blend.attachmentCount = t->n_colors;
	vk_pipeline_dynamic(&p, states, o->dynamic ? 2 : 0);
	p.info.renderPass = t->pass;
	return vk_pipeline_new(&p);
}

/* Draws */

static void bind_corners(VkCommandBuffer cmd)
{
	const VkBuffer buffers[] = { test.corners.buffer, test.corners.buffer };
	const VkDeviceSize corners = 0, shifts = 48;

	vkCmdBindVertexBuffers(cmd, 0, 1, &buffers[0], &corners);
	vkCmdBindVertexBuffers(cmd, 2, 1, &buffers[1], &shifts);
}

static VkCommandBuffer begin(const struct target *t, VkSubpassContents contents)
{
	const VkClearValue color = { .color.float32 = { 0, 0, 0, 1 } },
			   depth = { .depthStencil = { 1, 0 } };
	VkClearValue clears[4] = { color, color, color, color };
	const VkRenderPassBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = t->pass,
		.framebuffer = t->framebuffer,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.clearValueCount = t->n_images,
		.pClearValues = clears,
	};
	VkCommandBuffer cmd = vk_begin();

	if (t->depth)
		clears[t->n_images - 1] = depth;
	vkCmdBeginRenderPass(cmd, &info, contents);
	return cmd;
}

static void bind(VkCommandBuffer cmd, VkPipeline pipeline, const struct push *push)
{
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(*push), push);
	bind_corners(cmd);
}

static void draw(VkCommandBuffer cmd, VkPipeline pipeline, const struct push *push)
{
	bind(cmd, pipeline, push);
	vkCmdDraw(cmd, 6, 1, 0, 0);
}

/* Ends the rendering, submits it, and reads image @i back. */
static void finish(const struct target *t, VkCommandBuffer cmd, uint32_t i)
{
	vkCmdEndRenderPass(cmd);
	vk_image_read(cmd, &t->images[i], SIDE, &test.readback);
	vk_run(cmd);
}

static uint32_t pixel(uint32_t x, uint32_t y)
{
	return ((uint32_t *)test.readback.map)[y * SIDE + x];
}

/* Returns true if the left half has the color @left and the right half has @right. */
static bool halves_are(uint32_t left, uint32_t right)
{
	for (uint32_t y = 0; y < SIDE; y++) {
		for (uint32_t x = 0; x < SIDE; x++) {
			if (pixel(x, y) != (x < SIDE / 2 ? left : right)) {
				printf("# %u,%u is %#x\n", x, y, pixel(x, y));
				return false;
			}
		}
	}
	return true;
}

static void test_draw(void)
{
	const struct target t = target_new(1, 1, false);
	VkPipeline pipeline = pipeline_new(&t, &(struct options){ 0 });
	VkCommandBuffer cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);

	finish(&t, cmd, 0);
	tap(halves_are(BLACK, BLACK), "a render pass clears its attachment");
	cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);
	draw(cmd, pipeline, &red);
	finish(&t, cmd, 0);
	tap(halves_are(RED, BLACK), "triangles are drawn, from buffers and push constants");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	target_del(&t);
}

static void test_indices(void)
{
	const struct target t = target_new(1, 1, false);
	VkPipeline pipeline = pipeline_new(&t, &(struct options){ 0 });
	VkCommandBuffer cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);

	bind(cmd, pipeline, &red);
	vkCmdBindIndexBuffer(cmd, test.indices.buffer, 0, VK_INDEX_TYPE_UINT16);
	/* Instance 1 is moved to the right half. */
	vkCmdDrawIndexed(cmd, 6, 1, 0, 0, 1);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(blue), &blue);
	vkCmdBindIndexBuffer(cmd, test.indices.buffer, 64, VK_INDEX_TYPE_UINT32);
	vkCmdDrawIndexed(cmd, 6, 1, 1, -10, 0);
	finish(&t, cmd, 0);
	tap(halves_are(BLUE, RED),
	    "indices of 16 and 32 bits, a vertex offset, the first instance");
	cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);
	bind(cmd, pipeline, &red);
	vkCmdBindIndexBuffer(cmd, test.indices.buffer, BYTES_AT, VK_INDEX_TYPE_UINT8_EXT);
	vkCmdDrawIndexed(cmd, 6, 1, 2, -100, 0);
	finish(&t, cmd, 0);
	tap(halves_are(RED, BLACK), "indices of 8 bits, at any place");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	target_del(&t);
}

static void test_one_element(void)
{
	const struct target t = target_new(1, 1, false);
	VkPipeline pipeline = pipeline_new(&t, &(struct options){ .one_element = true });
	VkCommandBuffer cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);

	bind(cmd, pipeline, &red);
	vkCmdDraw(cmd, 6, 2, 0, 0);
	finish(&t, cmd, 0);
	tap(halves_are(RED, BLACK), "a divisor of 0: all instances have one element");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	target_del(&t);
}

/* Returns a buffer that ends after the first triangle, bound to memory that is larger. */
static VkBuffer short_buffer_new(void)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = 24,
		.usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
	};
	VkBuffer buffer;

	VK_CHECK(vkCreateBuffer(vk.device, &info, NULL, &buffer));
	VK_CHECK(vkBindBufferMemory(vk.device, buffer, test.corners.memory, 0));
	return buffer;
}

static void test_short_buffer(void)
{
	const struct target t = target_new(1, 1, false);
	const VkBuffer buffer = short_buffer_new();
	const VkDeviceSize start = 0;
	VkPipeline pipeline = pipeline_new(&t, &(struct options){ 0 });
	VkCommandBuffer cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);

	bind(cmd, pipeline, &red);
	vkCmdBindVertexBuffers(cmd, 0, 1, &buffer, &start);
	vkCmdDraw(cmd, 6, 1, 0, 0);
	finish(&t, cmd, 0);
	tap(pixel(0, 0) == RED && pixel(SIDE / 2 - 1, SIDE - 1) == BLACK,
	    "vertices past the end of a buffer are not seen");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyBuffer(vk.device, buffer, NULL);
	target_del(&t);
}

static void test_indirect(void)
{
	const struct target t = target_new(1, 1, false);
	VkPipeline pipeline = pipeline_new(&t, &(struct options){ 0 });
	struct vk_buffer arguments = vk_buffer_new(256, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
	const VkDrawIndirectCommand plain = { 6, 1, 0, 0 };
	const VkDrawIndexedIndirectCommand indexed = { 6, 1, 0, 0, 1 };
	VkCommandBuffer cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);

	memcpy((char *)arguments.map + 16, &plain, sizeof(plain));
	memcpy((char *)arguments.map + 64, &indexed, sizeof(indexed));
	bind(cmd, pipeline, &red);
	vkCmdDrawIndirect(cmd, arguments.buffer, 16, 1, 0);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(blue), &blue);
	vkCmdBindIndexBuffer(cmd, test.indices.buffer, 0, VK_INDEX_TYPE_UINT16);
	vkCmdDrawIndexedIndirect(cmd, arguments.buffer, 64, 1, 0);
	finish(&t, cmd, 0);
	tap(halves_are(RED, BLUE), "arguments of draws come from memory");
	vk_buffer_del(&arguments);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	target_del(&t);
}

static void test_depth(void)
{
	const struct target t = target_new(1, 1, true);
	VkPipeline tested = pipeline_new(&t, &(struct options){ .depth_write = true });
	VkPipeline always = pipeline_new(&t, &(struct options){ .no_depth_test = true });
	VkCommandBuffer cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);

	draw(cmd, tested, &blue);
	draw(cmd, tested, &red);
	finish(&t, cmd, 0);
	tap(halves_are(BLUE, BLACK), "what is behind is not drawn");
	cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);
	draw(cmd, tested, &blue);
	draw(cmd, always, &red);
	finish(&t, cmd, 0);
	tap(halves_are(RED, BLACK), "unless nobody looks");
	vkDestroyPipeline(vk.device, tested, NULL);
	vkDestroyPipeline(vk.device, always, NULL);
	target_del(&t);
}

static void test_stencil(void)
{
	const struct target t = target_new(1, 1, true);
	VkPipeline pipeline =
		pipeline_new(&t, &(struct options){ .no_depth_test = true, .stencil = true });
	VkCommandBuffer cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);

	draw(cmd, pipeline, &red);
	draw(cmd, pipeline, &blue);
	finish(&t, cmd, 0);
	tap(halves_are(RED, BLACK), "the stencil test keeps out the second one");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	target_del(&t);
}

static void test_blend(void)
{
	const struct target t = target_new(2, 1, false);
	VkPipeline pipeline =
		pipeline_new(&t, &(struct options){ .blend = true, .second_mask = 2 });
	VkCommandBuffer cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);

	draw(cmd, pipeline, &red);
	draw(cmd, pipeline, &blue);
	finish(&t, cmd, 0);
	tap(halves_are(RED | BLUE, BLACK), "colours are added up");
	cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);
	draw(cmd, pipeline, &red);
	finish(&t, cmd, 1);
	tap(halves_are(GREEN, BLACK), "the second attachment has a mask of its own");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	target_del(&t);
}

static void test_constants(void)
{
	const struct {
		float green;
		VkBool32 swapped;
	} values = { 1, true };
	const VkSpecializationMapEntry entries[] = { { 7, 0, 4 }, { 3, 4, 4 }, { 99, 0, 4 } };
	VkSpecializationInfo info = { 3, entries, sizeof(values), &values };
	const struct target t = target_new(1, 1, false);
	VkPipeline plain = pipeline_new(&t, &(struct options){ 0 });
	VkPipeline special = pipeline_new(&t, &(struct options){ .constants = &info });
	struct push right = red;
	VkCommandBuffer cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);

	right.offset[0] = 1;
	draw(cmd, special, &red);
	draw(cmd, plain, &right);
	finish(&t, cmd, 0);
	tap(halves_are(BLUE | GREEN, RED), "pipelines of one module have constants of their own");
	vkDestroyPipeline(vk.device, plain, NULL);
	vkDestroyPipeline(vk.device, special, NULL);
	target_del(&t);
}

static void test_dynamic(void)
{
	const struct target t = target_new(1, 1, false);
	VkPipeline pipeline = pipeline_new(&t, &(struct options){ .dynamic = true });
	/* The left half of a viewport of twice the width covers the whole image. */
	const VkViewport wide = { 0, 0, SIDE * 2, SIDE, 0, 1 };
	const VkRect2D right = { { SIDE / 2, 0 }, { SIDE, SIDE } };
	VkCommandBuffer cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);

	vkCmdSetViewport(cmd, 0, 1, &wide);
	vkCmdSetScissor(cmd, 0, 1, &right);
	draw(cmd, pipeline, &red);
	finish(&t, cmd, 0);
	tap(halves_are(BLACK, RED), "viewport and scissor are set by commands");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	target_del(&t);
}

/* A triangle's edge goes through the middle of the pixels of a column. */
static void test_samples(void)
{
	const struct target t = target_new(1, 4, true);
	VkPipeline pipeline = pipeline_new(&t, &(struct options){ .depth_write = true });
	struct push half = { { 1, 1, 1, 1 }, { 1.0f / SIDE, 0 }, 0.5f };
	VkCommandBuffer cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);
	uint32_t edge;

	draw(cmd, pipeline, &half);
	finish(&t, cmd, 1);
	edge = pixel(SIDE / 2, 10) & 0xff;
	tap(pixel(SIDE / 2 - 1, 10) == WHITE && pixel(SIDE / 2 + 1, 10) == BLACK && edge > 0x70 &&
		    edge < 0x90,
	    "samples are resolved where the rendering ends: %#x", edge);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	target_del(&t);
}

/*
 * With one sample, alpha-to-one must not change the coverage. The triangle's edges are beside pixel
 * centers.
 */
static void test_alpha_to_one(void)
{
	static uint32_t pictures[2][SIDE * SIDE];
	const struct target t = target_new(1, 1, false);
	const struct push aside = { { 1, 0, 0, 1 }, { 0.5f / SIDE, 0.5f / SIDE }, 0.5f };

	for (int i = 0; i < 2; i++) {
		const VkPipeline pipeline =
			pipeline_new(&t, &(struct options){ .alpha_to_one = i });
		VkCommandBuffer cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);

		bind(cmd, pipeline, &aside);
		vkCmdDraw(cmd, 3, 1, 0, 0);
		finish(&t, cmd, 0);
		memcpy(pictures[i], test.readback.map, sizeof(pictures[i]));
		vkDestroyPipeline(vk.device, pipeline, NULL);
	}
	tap(!memcmp(pictures[0], pictures[1], sizeof(pictures[0])),
	    "whose alpha is one covers what others cover");
	target_del(&t);
}

static void test_secondary(void)
{
	const struct target t = target_new(1, 1, false);
	VkPipeline pipeline = pipeline_new(&t, &(struct options){ 0 });
	const VkCommandBufferInheritanceInfo inheritance = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .renderPass = t.pass,
	};
	VkCommandBuffer second, cmd = begin(&t, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);

	second = vk_begin_secondary(VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inheritance);
	draw(second, pipeline, &red);
	VK_CHECK(vkEndCommandBuffer(second));
	vkCmdExecuteCommands(cmd, 1, &second);
	finish(&t, cmd, 0);
	tap(halves_are(RED, BLACK), "a secondary command buffer draws within a render pass");
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &second);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	target_del(&t);
}

static void test_clears(void)
{
	const struct target t = target_new(1, 1, false);
	const VkClearAttachment clear = { VK_IMAGE_ASPECT_COLOR_BIT,
					  0,
					  { .color.float32 = { 0, 1, 0, 1 } } };
	const VkClearRect rects[] = {
		{ { { 0, 0 }, { SIDE / 2, SIDE / 2 } }, 0, 1 },
		{ { { 0, SIDE / 2 }, { SIDE / 2, SIDE / 2 } }, 0, 1 },
	};
	VkCommandBuffer cmd = begin(&t, VK_SUBPASS_CONTENTS_INLINE);

	vkCmdClearAttachments(cmd, 1, &clear, 2, rects);
	finish(&t, cmd, 0);
	tap(halves_are(GREEN, BLACK), "rectangles of attachments are cleared");
	target_del(&t);
}

/* Objects that are made once */

static void make_buffers(void)
{
	static const float corners[] = { -1, -1, 0, -1, -1, 1, -1, 1, 0, -1, 0, 1, /* shifts */ 0,
					 0,  1,	 0 };
	const VkBufferUsageFlags usage =
		VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT;

	test.corners = vk_buffer_new(4096, usage);
	memcpy(test.corners.map, corners, sizeof(corners));
	test.indices = vk_buffer_new(4096, usage);
	for (uint32_t i = 0; i < 6; i++) {
		((uint16_t *)test.indices.map)[i] = i;
		((uint32_t *)test.indices.map)[17 + i] = 10 + i;
		((uint8_t *)test.indices.map)[BYTES_AT + 2 + i] = 100 + i;
	}
	test.readback = vk_buffer_new(PIXELS * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

static void set_up(void)
{
	test.layout = vk_layout_new(NULL, 0, VK_SHADER_STAGE_VERTEX_BIT, sizeof(struct push));
	test.vertex = vk_module_new(VK_CODE(vk_triangle_vert));
	test.fragment = vk_module_new(VK_CODE(vk_triangle_frag));
	make_buffers();
}

static void tear_down(void)
{
	vk_buffer_del(&test.corners);
	vk_buffer_del(&test.indices);
	vk_buffer_del(&test.readback);
	vkDestroyShaderModule(vk.device, test.vertex, NULL);
	vkDestroyShaderModule(vk.device, test.fragment, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
}

int main(void)
{
	static const char *const extensions[] = { VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME };
	VkPhysicalDeviceIndexTypeUint8FeaturesEXT bytes = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT,
	};

	vk.features = &bytes;
	vk_open_with(NULL, 0, extensions, 1);
	set_up();
	test_draw();
	test_indices();
	test_one_element();
	test_short_buffer();
	test_indirect();
	test_depth();
	test_stencil();
	test_blend();
	test_constants();
	test_dynamic();
	test_samples();
	test_alpha_to_one();
	test_secondary();
	test_clears();
	tear_down();
	vk_close();
	return tap_failures() != 0;
}
