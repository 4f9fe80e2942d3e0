// SPDX-License-Identifier: MIT
/*
 * Vulkan: input attachments that an earlier subpass, or the same subpass, writes. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-input-shaders.h"

#define SIDE 150		/* larger than a tile of a software renderer */
#define PIXELS (SIDE * SIDE)
#define SAMPLES 4
#define DRAWS 5

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

struct push {
	float depth;
	uint32_t number;
};

static VkPhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT order = {
	.sType =
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_FEATURES_EXT,
};
static VkPhysicalDeviceDescriptorIndexingFeatures indexing = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES, .pNext = &order,
};

static struct {
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkDescriptorPool pool;
	VkShaderModule vertex;
	struct vk_buffer readback;
} test;

struct attachment {
	VkFormat format;
	VkSampleCountFlagBits samples;
	struct vk_image image;
	VkImageView view, input;	/* of one aspect */
};

struct scene {
	struct attachment source, second, result;	/* @second: used if there are two sources */
	VkRenderPass pass;
	VkFramebuffer framebuffer;
	VkDescriptorSet set;
};

/* Attachments */

static struct attachment attachment_new(VkFormat format, VkSampleCountFlagBits samples,
					VkImageAspectFlags aspect)
{
	const VkImageUsageFlags use = aspect == VK_IMAGE_ASPECT_COLOR_BIT
					      ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
					      : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = samples,
		.usage =
			use | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
	};
	struct attachment a = { .format = format,
				.samples = samples,
				.image = vk_image_new(&info) };

	a.view = vk_view_new(&a.image, VK_IMAGE_VIEW_TYPE_2D, format, vk_image_all(&a.image));
	a.input = vk_view_new(&a.image, VK_IMAGE_VIEW_TYPE_2D, format,
			      (VkImageSubresourceRange){ aspect, 0, 1, 0, 1 });
	return a;
}

static void attachment_del(const struct attachment *a)
{
	vkDestroyImageView(vk.device, a->view, NULL);
	vkDestroyImageView(vk.device, a->input, NULL);
	vk_image_del(&a->image);
}

static VkAttachmentDescription describe(const struct attachment *a)
{
	return (VkAttachmentDescription){
		0,
		a->format,
		a->samples,
		VK_ATTACHMENT_LOAD_OP_CLEAR,
		VK_ATTACHMENT_STORE_OP_STORE,
		VK_ATTACHMENT_LOAD_OP_CLEAR,
		VK_ATTACHMENT_STORE_OP_STORE,
		general,
		general,
	};
}

/* Passes */

static VkSubpassDependency dependency(uint32_t src, uint32_t dst)
{
	return (VkSubpassDependency){
		src,
		dst,
		VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
			VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
		VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
		VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
		VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
		VK_DEPENDENCY_BY_REGION_BIT,
	};
}

/*
 * A pass with two subpasses, of which the first writes the source and the second reads it and
 * writes the result; or, if @same, with one subpass that reads and writes the source.
 */
static void make_pass(struct scene *s, bool same)
{
	const bool color = s->source.image.aspects == VK_IMAGE_ASPECT_COLOR_BIT;
	const VkAttachmentDescription descriptions[] = { describe(&s->source),
							 describe(same ? &s->source : &s->result) };
	const VkAttachmentReference source = { 0, general }, result = { 1, general };
	const VkSubpassDescription subpasses[] = {
		{ .colorAttachmentCount = color,
		  .pColorAttachments = &source,
		  .pDepthStencilAttachment = color ? NULL : &source,
		  .inputAttachmentCount = same,
		  .pInputAttachments = &source,
		  .flags = same && order.rasterizationOrderColorAttachmentAccess ?
			VK_SUBPASS_DESCRIPTION_RASTERIZATION_ORDER_ATTACHMENT_COLOR_ACCESS_BIT_EXT :
			0 },
		{ .colorAttachmentCount = 1,
		  .pColorAttachments = &result,
		  .inputAttachmentCount = 1,
		  .pInputAttachments = &source },
	};
	const VkSubpassDependency depends = dependency(0, !same);
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .attachmentCount = same ? 1 : 2,
		.pAttachments = descriptions, .subpassCount = same ? 1 : 2, .pSubpasses = subpasses,
		.dependencyCount = 1, .pDependencies = &depends,
	};

	VK_CHECK(vkCreateRenderPass(vk.device, &info, NULL, &s->pass));
}

static void make_set(struct scene *s)
{
	const VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = test.pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &test.set_layout,
	};
	const VkDescriptorImageInfo images[] = {
		{ VK_NULL_HANDLE, s->source.input, general },
		{ VK_NULL_HANDLE, s->second.input ? s->second.input : s->source.input, general },
	};
	VkWriteDescriptorSet write;

	VK_CHECK(vkAllocateDescriptorSets(vk.device, &info, &s->set));
	write = vk_write_of(s->set, 1, 2, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT);
	write.pImageInfo = images;
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
}

static struct scene scene_new(VkFormat format, VkSampleCountFlagBits samples,
			      VkImageAspectFlags aspect, bool same)
{
	struct scene s = {
		.source = attachment_new(format, samples, aspect),
		.result = attachment_new(VK_FORMAT_R32G32B32A32_UINT, 1, VK_IMAGE_ASPECT_COLOR_BIT),
	};
	const VkImageView views[] = { s.source.view, s.result.view };

	make_pass(&s, same);
	s.framebuffer = vk_framebuffer_new(s.pass, views, same ? 1 : 2, SIDE);
	make_set(&s);
	return s;
}

static void scene_del(struct scene *s)
{
	VK_CHECK(vkResetDescriptorPool(vk.device, test.pool, 0));
	vkDestroyFramebuffer(vk.device, s->framebuffer, NULL);
	vkDestroyRenderPass(vk.device, s->pass, NULL);
	attachment_del(&s->source);
	attachment_del(&s->result);
}

/* Pipelines */

/* Returns a pipeline of a subpass with @samples, of which it covers those in @mask. */
static VkPipeline pipeline_new(const struct scene *s, uint32_t subpass, const uint32_t *code,
			       size_t size, VkSampleCountFlagBits samples, uint32_t mask)
{
	const VkStencilOpState stencil = {
		VK_STENCIL_OP_REPLACE,
		VK_STENCIL_OP_REPLACE,
		VK_STENCIL_OP_REPLACE,
		VK_COMPARE_OP_ALWAYS,
		0xff,
		0xff,
		0,
	};
	const VkDynamicState dynamic[] = { VK_DYNAMIC_STATE_STENCIL_REFERENCE,
					   VK_DYNAMIC_STATE_SCISSOR };
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_stage(&p, VK_SHADER_STAGE_VERTEX_BIT, test.vertex);
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, code, size);
	p.samples.rasterizationSamples = samples;
	p.samples.pSampleMask = &mask;
	vk_pipeline_depth(&p, VK_COMPARE_OP_ALWAYS, true);
	p.depth.stencilTestEnable = true;
	p.depth.front = p.depth.back = stencil;
	p.blend.attachmentCount = subpass || s->source.image.aspects == VK_IMAGE_ASPECT_COLOR_BIT;
	if (!subpass && s->second.view)
		p.blend.attachmentCount = 2;
	vk_pipeline_dynamic(&p, dynamic, 2);
	p.info.renderPass = s->pass;
	p.info.subpass = subpass;
	return vk_pipeline_new(&p);
}

/* Commands */

static void begin_pass(VkCommandBuffer cmd, const struct scene *s, VkSubpassContents contents)
{
	const VkClearValue clears[2] = { { .color = { .uint32 = { 0 } } },
					 { .color = { .uint32 = { 7, 7, 7, 7 } } } };
	const VkRenderPassBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = s->pass,
		.framebuffer = s->framebuffer,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.clearValueCount = 2,
		.pClearValues = clears,
	};

	vkCmdBeginRenderPass(cmd, &info, contents);
}

/* Draws the columns from @x on. */
static void draw(VkCommandBuffer cmd, const struct scene *s, VkPipeline pipeline,
		 const struct push *push, uint32_t x)
{
	const VkRect2D scissor = { { x, 0 }, { SIDE - x, SIDE } };

	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, test.layout, 0, 1, &s->set, 0,
				NULL);
	vkCmdPushConstants(cmd, test.layout,
			   VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
			   sizeof(*push), push);
	vkCmdSetStencilReference(cmd, VK_STENCIL_FACE_FRONT_AND_BACK, push->number);
	vkCmdSetScissor(cmd, 0, 1, &scissor);
	vkCmdDraw(cmd, 3, 1, 0, 0);
}

static void end(VkCommandBuffer cmd, const struct attachment *a)
{
	vkCmdEndRenderPass(cmd);
	vk_image_read(cmd, &a->image, SIDE, &test.readback);
	vk_run(cmd);
}

static bool pixels_are(const char *what,
		       void (*expect)(uint32_t x, uint32_t y, uint32_t number, uint32_t *out),
		       uint32_t number, uint32_t words)
{
	for (uint32_t i = 0; i < PIXELS; i++) {
		const uint32_t *pixel = (uint32_t *)test.readback.map + i * 4;
		uint32_t expected[4];

		expect(i % SIDE, i / SIDE, number, expected);
		if (!memcmp(pixel, expected, words * 4))
			continue;
		printf("# %s: %u,%u: %x %x %x %x, not %x %x %x %x\n", what, i % SIDE, i / SIDE,
		       pixel[0], pixel[1], pixel[2], pixel[3], expected[0], expected[1],
		       expected[2], expected[3]);
		return false;
	}
	return true;
}

/* A later subpass */

static void expect_words(uint32_t x, uint32_t y, uint32_t number, uint32_t *out)
{
	const uint32_t words[] = { x, y, x * y, number };

	memcpy(out, words, sizeof(words));
}

static void expect_floats(uint32_t x, uint32_t y, uint32_t number, uint32_t *out)
{
	const float floats[] = { x, y, x * y, number };

	memcpy(out, floats, sizeof(floats));
}

static const struct kind {
	const char *name;
	VkFormat format;
	VkSampleCountFlagBits samples;
	const uint32_t *write;
	size_t write_size;
	const uint32_t *read;
	size_t read_size;
	void (*expect)(uint32_t x, uint32_t y, uint32_t number, uint32_t *out);
} kinds[] = {
	{ "floats", VK_FORMAT_R32G32B32A32_SFLOAT, 1, VK_CODE(write_floats), VK_CODE(read_floats),
	  expect_floats },
	{ "integers", VK_FORMAT_R32G32B32A32_SINT, 1, VK_CODE(write_ints), VK_CODE(read_ints),
	  expect_words },
	{ "numbers without a sign", VK_FORMAT_R16G16B16A16_UINT, 1, VK_CODE(write_uints),
	  VK_CODE(read_uints), expect_words },
	{ "floats of samples", VK_FORMAT_R32G32B32A32_SFLOAT, SAMPLES, VK_CODE(write_floats),
	  VK_CODE(read_float_samples), expect_floats },
	{ "numbers of samples", VK_FORMAT_R32G32B32A32_UINT, SAMPLES, VK_CODE(write_uints),
	  VK_CODE(read_uint_samples), expect_words },
};

/*
 * Each sample of the source has its own number. Returns true if the result is that of sample
 * @sample.
 */
static bool reads_sample(const struct kind *k, const struct scene *s, const VkPipeline *writes,
			 VkPipeline read, uint32_t sample)
{
	VkCommandBuffer cmd = vk_begin();

	begin_pass(cmd, s, VK_SUBPASS_CONTENTS_INLINE);
	for (uint32_t i = 0; i < k->samples; i++)
		draw(cmd, s, writes[i], &(struct push){ 0.5f, 40 + i }, 0);
	vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
	draw(cmd, s, read, &(struct push){ 0.5f, sample }, 0);
	end(cmd, &s->result);
	return pixels_are(k->name, k->expect, 40 + sample, 4);
}

static void test_kind(const struct kind *k)
{
	struct scene s = scene_new(k->format, k->samples, VK_IMAGE_ASPECT_COLOR_BIT, false);
	VkPipeline writes[SAMPLES], read = pipeline_new(&s, 1, k->read, k->read_size, 1, 1);
	bool ok = true;

	for (uint32_t i = 0; i < k->samples; i++)
		writes[i] = pipeline_new(&s, 0, k->write, k->write_size, k->samples, 1u << i);
	for (uint32_t i = 0; i < k->samples; i++)
		ok &= reads_sample(k, &s, writes, read, i);
	tap(ok, "a later subpass reads %s", k->name);
	vkDestroyPipeline(vk.device, read, NULL);
	for (uint32_t i = 0; i < k->samples; i++)
		vkDestroyPipeline(vk.device, writes[i], NULL);
	scene_del(&s);
}

/* Depth and stencil */

static void expect_depth(uint32_t x, uint32_t y, uint32_t number, uint32_t *out)
{
	const float depth = x < 50 ? 0.25f : 0.75f;

	(void)y;
	(void)number;
	memcpy(out, &depth, sizeof(depth));
}

static void expect_stencil(uint32_t x, uint32_t y, uint32_t number, uint32_t *out)
{
	(void)y;
	*out = x < 50 ? number : number + 1;
}

static void test_depth(bool stencil)
{
	struct scene s =
		scene_new(VK_FORMAT_D32_SFLOAT_S8_UINT, 1,
			  stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : VK_IMAGE_ASPECT_DEPTH_BIT, false);
	const VkPipeline write = pipeline_new(&s, 0, VK_CODE(write_uints), 1, 1);
	const VkPipeline read = stencil ? pipeline_new(&s, 1, VK_CODE(read_uints), 1, 1) :
					  pipeline_new(&s, 1, VK_CODE(read_floats), 1, 1);
	VkCommandBuffer cmd = vk_begin();

	begin_pass(cmd, &s, VK_SUBPASS_CONTENTS_INLINE);
	draw(cmd, &s, write, &(struct push){ 0.25f, 60 }, 0);
	draw(cmd, &s, write, &(struct push){ 0.75f, 61 }, 50);
	vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
	draw(cmd, &s, read, &(struct push){ 0.5f, 0 }, 0);
	end(cmd, &s.result);
	tap(pixels_are("depth or stencil", stencil ? expect_stencil : expect_depth, 60, 1),
	    "a later subpass reads %s", stencil ? "a stencil" : "depth");
	vkDestroyPipeline(vk.device, write, NULL);
	vkDestroyPipeline(vk.device, read, NULL);
	scene_del(&s);
}

/* The same subpass */

static void expect_sum(uint32_t x, uint32_t y, uint32_t number, uint32_t *out)
{
	(void)y;
	for (uint32_t i = 0; i < 3; i++)
		out[i] = number;
	out[3] = x * number;
}

static void add_often(VkCommandBuffer cmd, const struct scene *s, VkPipeline pipeline)
{
	const VkSubpassDependency d = dependency(0, 0);
	const VkMemoryBarrier barrier = {
		VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, d.srcAccessMask, d.dstAccessMask,
	};

	for (uint32_t i = 0; i < DRAWS; i++) {
		vkCmdPipelineBarrier(cmd, d.srcStageMask, d.dstStageMask, d.dependencyFlags, 1,
				     &barrier, 0, NULL, 0, NULL);
		draw(cmd, s, pipeline, &(struct push){ 0.5f, 0 }, 0);
	}
}

static VkCommandBuffer secondary_begin(const struct scene *s)
{
	const VkCommandBufferInheritanceInfo inheritance = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
		.renderPass = s->pass,
		.framebuffer = s->framebuffer,
	};

	return vk_begin_secondary(VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inheritance);
}

static void test_same(void)
{
	struct scene s = scene_new(VK_FORMAT_R32G32B32A32_UINT, 1, VK_IMAGE_ASPECT_COLOR_BIT, true);
	const VkPipeline pipeline = pipeline_new(&s, 0, VK_CODE(add), 1, 1);
	VkCommandBuffer cmd = vk_begin(), secondary;

	begin_pass(cmd, &s, VK_SUBPASS_CONTENTS_INLINE);
	add_often(cmd, &s, pipeline);
	end(cmd, &s.source);
	tap(pixels_are("the same", expect_sum, DRAWS, 4), "a subpass reads what it wrote");
	secondary = secondary_begin(&s);
	add_often(secondary, &s, pipeline);
	VK_CHECK(vkEndCommandBuffer(secondary));
	cmd = vk_begin();
	begin_pass(cmd, &s, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
	vkCmdExecuteCommands(cmd, 1, &secondary);
	end(cmd, &s.source);
	tap(pixels_are("a secondary", expect_sum, DRAWS, 4),
	    "and does in a secondary command buffer");
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &secondary);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	scene_del(&s);
}

/*
 * The same subpass without barriers, in rasterization order: fragments read what was drawn before,
 * including earlier primitives of the same draw
 */

static void expect_float_sum(uint32_t x, uint32_t y, uint32_t number, uint32_t *out)
{
	const float sums[] = { number, number, number, x * number };

	(void)y;
	memcpy(out, sums, sizeof(sums));
}

static VkPipeline ordered_new(const struct scene *s, const uint32_t *code, size_t size)
{
	const VkDynamicState dynamic[] = { VK_DYNAMIC_STATE_STENCIL_REFERENCE,
					   VK_DYNAMIC_STATE_SCISSOR };
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_stage(&p, VK_SHADER_STAGE_VERTEX_BIT, test.vertex);
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, code, size);
	p.blend.flags =
		VK_PIPELINE_COLOR_BLEND_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_BIT_EXT;
	vk_pipeline_dynamic(&p, dynamic, 2);
	p.info.renderPass = s->pass;
	return vk_pipeline_new(&p);
}

static bool adds_in_order(VkFormat format, const uint32_t *code, size_t size,
			  void (*expect)(uint32_t x, uint32_t y, uint32_t number, uint32_t *out))
{
	struct scene s = scene_new(format, 1, VK_IMAGE_ASPECT_COLOR_BIT, true);
	const VkPipeline pipeline = ordered_new(&s, code, size);
	VkCommandBuffer cmd = vk_begin();
	bool ok;

	begin_pass(cmd, &s, VK_SUBPASS_CONTENTS_INLINE);
	draw(cmd, &s, pipeline, &(struct push){ 0.5f, 0 }, 0);
	vkCmdDraw(cmd, 3, DRAWS, 0, 0);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	end(cmd, &s.source);
	ok = pixels_are("in order", expect, DRAWS + 2, 4);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	scene_del(&s);
	return ok;
}

static void test_order(void)
{
	if (!order.rasterizationOrderColorAttachmentAccess) {
		tap(true, "without barriers # SKIP what is read needs some");
		return;
	}
	tap(adds_in_order(VK_FORMAT_R32G32B32A32_UINT, VK_CODE(add), expect_sum),
	    "without barriers, in order: integers");
	tap(adds_in_order(VK_FORMAT_R32G32B32A32_SFLOAT, VK_CODE(add_floats), expect_float_sum),
	    "without barriers, in order: floats");
}

/* Two inputs, one of which a shader selects */

static void make_two_pass(struct scene *s)
{
	const VkAttachmentDescription descriptions[] = {
		describe(&s->source), describe(&s->second), describe(&s->result) };
	const VkAttachmentReference sources[] = { { 0, general }, { 1, general } },
				    result = { 2, general };
	const VkSubpassDescription subpasses[] = {
		{ .colorAttachmentCount = 2, .pColorAttachments = sources },
		{ .colorAttachmentCount = 1,
		  .pColorAttachments = &result,
		  .inputAttachmentCount = 2,
		  .pInputAttachments = sources },
	};
	const VkSubpassDependency depends = dependency(0, 1);
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = 3,
		.pAttachments = descriptions,
		.subpassCount = 2,
		.pSubpasses = subpasses,
		.dependencyCount = 1,
		.pDependencies = &depends,
	};

	VK_CHECK(vkCreateRenderPass(vk.device, &info, NULL, &s->pass));
}

static struct scene two_new(void)
{
	const VkFormat format = VK_FORMAT_R32G32B32A32_UINT;
	struct scene s = {
		.source = attachment_new(format, 1, VK_IMAGE_ASPECT_COLOR_BIT),
		.second = attachment_new(format, 1, VK_IMAGE_ASPECT_COLOR_BIT),
		.result = attachment_new(format, 1, VK_IMAGE_ASPECT_COLOR_BIT),
	};
	const VkImageView views[] = { s.source.view, s.second.view, s.result.view };

	make_two_pass(&s);
	s.framebuffer = vk_framebuffer_new(s.pass, views, 3, SIDE);
	make_set(&s);
	return s;
}

static void expect_picked(uint32_t x, uint32_t y, uint32_t number, uint32_t *out)
{
	const uint32_t picked = number < 2 ? number : (x + y) % 2;

	memcpy(out, (uint32_t[]){ x, y, 100 + 100 * picked, 0 }, 16);
}

/* Returns true if the shader reads the input with @number; 2: each fragment selects its own. */
static bool picks(const struct scene *s, const uint32_t *code, size_t size, uint32_t number)
{
	const VkPipeline write = pipeline_new(s, 0, VK_CODE(input_two), 1, 1),
			 read = pipeline_new(s, 1, code, size, 1, 1);
	VkCommandBuffer cmd = vk_begin();

	begin_pass(cmd, s, VK_SUBPASS_CONTENTS_INLINE);
	draw(cmd, s, write, &(struct push){ 0.5f, 0 }, 0);
	vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
	draw(cmd, s, read, &(struct push){ 0.5f, number }, 0);
	end(cmd, &s->result);
	vkDestroyPipeline(vk.device, write, NULL);
	vkDestroyPipeline(vk.device, read, NULL);
	return pixels_are("picked", expect_picked, number, 4);
}

static void test_two(void)
{
	struct scene s = two_new();

	if (indexing.shaderInputAttachmentArrayDynamicIndexing)
		tap(picks(&s, VK_CODE(input_pick), 0) && picks(&s, VK_CODE(input_pick), 1),
		    "an input is picked by number");
	else
		tap(true, "an input is picked by number # SKIP by constants only");
	if (indexing.shaderInputAttachmentArrayNonUniformIndexing)
		tap(picks(&s, VK_CODE(input_pick_place), 2), "and by each fragment another one");
	else
		tap(true, "and by each fragment another one # SKIP by all the same one");
	attachment_del(&s.second);
	scene_del(&s);
}

/* Objects */

static void make_things(void)
{
	const VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
	const VkDescriptorSetLayoutBinding binding = {
		1, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 2, VK_SHADER_STAGE_FRAGMENT_BIT, NULL,
	};
	const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 2 };
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 1,
		.poolSizeCount = 1,
		.pPoolSizes = &size,
	};

	test.set_layout = vk_set_layout_new(&binding, 1);
	test.layout = vk_layout_new(&test.set_layout, 1, stages, sizeof(struct push));
	VK_CHECK(vkCreateDescriptorPool(vk.device, &pool, NULL, &test.pool));
	test.vertex = vk_module_new(VK_CODE(input_vert));
	test.readback = vk_buffer_new(PIXELS * 16, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

static void drop_things(void)
{
	vk_buffer_del(&test.readback);
	vkDestroyShaderModule(vk.device, test.vertex, NULL);
	vkDestroyDescriptorPool(vk.device, test.pool, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vkDestroyDescriptorSetLayout(vk.device, test.set_layout, NULL);
}

int main(void)
{
	/* The second name is the older one of the first extension. */
	static const char *const wishes[] = {
		VK_EXT_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_EXTENSION_NAME,
		VK_ARM_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_EXTENSION_NAME, NULL,
	};

	vk.features = &indexing;
	vk.wishes = wishes;
	vk_open_with(NULL, 0, &(const char *){ VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME }, 1);
	make_things();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		test_kind(&kinds[i]);
	test_depth(false);
	test_depth(true);
	test_same();
	test_order();
	test_two();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
