// SPDX-License-Identifier: MIT
/*
 * Vulkan: fragments that read attachments in dynamic rendering
 * (VK_KHR_dynamic_rendering_local_read), and the map of shader outputs to attachments; the same
 * with samplers (VK_EXT_attachment_feedback_loop_layout). Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk.h"

#include "vk-local-shaders.h"

#define SIDE 150		/* larger than a tile of a software renderer */
#define PIXELS (SIDE * SIDE)
#define SAMPLES 4
#define DRAWS 5
#define MAX_ATTACHMENTS 8
#define UNTOUCHED 7

#define CODE(name) name, sizeof(name)
#define NONE VK_ATTACHMENT_UNUSED

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
static const VkFormat number_format = VK_FORMAT_R32_UINT,
		      color_format = VK_FORMAT_R32G32B32A32_UINT;

/* Each begins as VkBaseOutStructure does. */
static VkPhysicalDeviceDynamicRenderingFeatures rendering_feature = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
};
static VkPhysicalDeviceMaintenance6FeaturesKHR maintenance6 = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES_KHR,
	.pNext = &rendering_feature,
};
static VkPhysicalDeviceDynamicRenderingLocalReadFeaturesKHR local_read = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES_KHR,
	.pNext = &maintenance6,
};

static VkPhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT loop_layout = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_FEATURES_EXT,
	.pNext = &local_read,
};
static VkPhysicalDeviceAttachmentFeedbackLoopDynamicStateFeaturesEXT loop_state = {
	.sType =
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_DYNAMIC_STATE_FEATURES_EXT,
	.pNext = &loop_layout,
};

static VkPhysicalDeviceNestedCommandBufferFeaturesEXT nested = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_FEATURES_EXT,
	.pNext = &loop_state,
};

static VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT,
	.pNext = &nested,
};

static VkPhysicalDeviceMaintenance7FeaturesKHR maintenance7 = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_7_FEATURES_KHR,
	.pNext = &conditional,
};

static struct {
	VkSampler sampler;
	VkImageAspectFlags loops;	/* attachment feedback loop state of draws */
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkShaderModule vertex;
	struct vk_buffer readback;
} test;

struct attachment {
	VkFormat format;
	VkSampleCountFlagBits samples;
	struct vk_image image;
	VkImageView view;
};

/* The color attachments of a rendering, and its depth attachment, if any. */
struct scene {
	struct attachment colors[MAX_ATTACHMENTS], depth;
	uint32_t count;
	VkImageView resolve;	/* resolve attachment of the last color attachment */
};

/*
 * The output location and the input index of each color attachment, and the input index of the
 * depth attachment.
 */
struct maps {
	uint32_t locations[MAX_ATTACHMENTS], inputs[MAX_ATTACHMENTS], depth_input;
};

static struct attachment attachment_new(VkFormat format, VkSampleCountFlagBits samples)
{
	const bool depth = format == VK_FORMAT_D32_SFLOAT;
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = samples,
		.usage = (depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
				: VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) |
			 VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
			 VK_IMAGE_USAGE_SAMPLED_BIT |
			 VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT,
	};
	struct attachment a = { .format = format,
				.samples = samples,
				.image = vk_image_new(&info) };
	const VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = a.image.image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = format,
		.subresourceRange = { a.image.aspects, 0, 1, 0, 1 },
	};

	VK_CHECK(vkCreateImageView(vk.device, &view, NULL, &a.view));
	return a;
}

static void attachment_del(const struct attachment *a)
{
	vkDestroyImageView(vk.device, a->view, NULL);
	vk_image_del(&a->image);
}

static struct scene scene_new(const VkFormat *formats, uint32_t count,
			      VkSampleCountFlagBits samples)
{
	struct scene s = { .count = count };

	for (uint32_t i = 0; i < count; i++)
		s.colors[i] = attachment_new(formats[i], samples);
	return s;
}

static void scene_del(const struct scene *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		attachment_del(&s->colors[i]);
	if (s->depth.view)
		attachment_del(&s->depth);
}

/* Pipelines */

static VkPipeline pipeline_new(const struct scene *s, const struct maps *maps, const uint32_t *code,
			       size_t size, uint32_t mask)
{
	VkFormat formats[MAX_ATTACHMENTS];
	VkPipelineColorBlendAttachmentState writes[MAX_ATTACHMENTS];
	const VkRenderingInputAttachmentIndexInfoKHR inputs = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR,
		.colorAttachmentCount = s->count,
		.pColorAttachmentInputIndices = maps->inputs,
		.pDepthInputAttachmentIndex = &maps->depth_input,
	};
	const VkRenderingAttachmentLocationInfoKHR locations = {
		VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR,
		&inputs,
		s->count,
		maps->locations,
	};
	const VkPipelineRenderingCreateInfo rendering = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, .pNext = &locations,
		.colorAttachmentCount = s->count, .pColorAttachmentFormats = formats,
		.depthAttachmentFormat = s->depth.format,
	};
	const VkPipelineShaderStageCreateInfo stages[] = {
		{ .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
		  .stage = VK_SHADER_STAGE_VERTEX_BIT,
		  .module = test.vertex,
		  .pName = "main" },
		{ .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
		  .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
		  .module = vk_module_new(code, size),
		  .pName = "main" },
	};
	const VkPipelineVertexInputStateCreateInfo vertex = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
	};
	const VkPipelineInputAssemblyStateCreateInfo assembly = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
		.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
	};
	const VkViewport viewport = { 0, 0, SIDE, SIDE, 0, 1 };
	const VkRect2D scissor = { { 0, 0 }, { SIDE, SIDE } };
	const VkPipelineViewportStateCreateInfo viewports = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
		.viewportCount = 1,
		.pViewports = &viewport,
		.scissorCount = 1,
		.pScissors = &scissor,
	};
	const VkPipelineRasterizationStateCreateInfo raster = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1,
	};
	const VkPipelineMultisampleStateCreateInfo multisample = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
		.rasterizationSamples = s->colors[0].samples, .pSampleMask = &mask,
	};
	const VkPipelineDepthStencilStateCreateInfo depth = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
		.depthTestEnable = true,
		.depthWriteEnable = true,
		.depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
	};
	const VkPipelineColorBlendStateCreateInfo blend = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
		.attachmentCount = s->count,
		.pAttachments = writes,
	};
	const VkDynamicState loops = VK_DYNAMIC_STATE_ATTACHMENT_FEEDBACK_LOOP_ENABLE_EXT;
	const VkPipelineDynamicStateCreateInfo dynamics = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
		.dynamicStateCount = 1,
		.pDynamicStates = &loops,
	};
	const VkGraphicsPipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
		.pNext = &rendering,
		.stageCount = 2,
		.pStages = stages,
		.pVertexInputState = &vertex,
		.pInputAssemblyState = &assembly,
		.pViewportState = &viewports,
		.pRasterizationState = &raster,
		.pMultisampleState = &multisample,
		.pDepthStencilState = &depth,
		.pColorBlendState = &blend,
		.pDynamicState = &dynamics,
		.layout = test.layout,
	};
	VkPipeline pipeline;

	for (uint32_t i = 0; i < s->count; i++) {
		formats[i] = s->colors[i].format;
		writes[i] = (VkPipelineColorBlendAttachmentState){ .colorWriteMask = 0xf };
	}
	VK_CHECK(vkCreateGraphicsPipelines(vk.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
	vkDestroyShaderModule(vk.device, stages[1].module, NULL);
	return pipeline;
}

/* Commands */

static void begin_rendering(VkCommandBuffer cmd, const struct scene *s, VkRenderingFlags flags)
{
	VkRenderingAttachmentInfo colors[MAX_ATTACHMENTS];
	const VkRenderingAttachmentInfo depth = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = s->depth.view,
		.imageLayout = general,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.clearValue.depthStencil.depth = 1,
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.flags = flags,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.layerCount = 1,
		.colorAttachmentCount = s->count,
		.pColorAttachments = colors,
		.pDepthAttachment = s->depth.view ? &depth : NULL,
	};

	for (uint32_t i = 0; i < s->count; i++)
		colors[i] = (VkRenderingAttachmentInfo){
			.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
			.imageView = s->colors[i].view,
			.imageLayout = general,
			.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
			.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
			.clearValue.color.uint32 = { UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED },
		};
	if (s->resolve) {
		colors[s->count - 1].resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
		colors[s->count - 1].resolveImageView = s->resolve;
		colors[s->count - 1].resolveImageLayout = general;
	}
	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &info);
}

static void local_barrier(VkCommandBuffer cmd)
{
	const VkMemoryBarrier barrier = {
		VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL,
		VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
		VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
	};

	vkCmdPipelineBarrier(cmd,
			     VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
				     VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
			     VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_DEPENDENCY_BY_REGION_BIT, 1,
			     &barrier, 0, NULL, 0, NULL);
}

/* Draws with two input attachments, @number as push constant, and the maps of the pipeline. */
static void draw(VkCommandBuffer cmd, const struct scene *s, const struct maps *maps,
		 VkPipeline pipeline, const VkImageView *inputs, uint32_t number)
{
	const VkShaderStageFlags fragment = VK_SHADER_STAGE_FRAGMENT_BIT;
	const VkRenderingInputAttachmentIndexInfoKHR indices = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR,
		.colorAttachmentCount = s->count,
		.pColorAttachmentInputIndices = maps->inputs,
		.pDepthInputAttachmentIndex = &maps->depth_input,
	};
	const VkRenderingAttachmentLocationInfoKHR locations = {
		VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR,
		NULL,
		s->count,
		maps->locations,
	};
	const VkPushConstantsInfoKHR push = {
		VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO_KHR,
		NULL,
		test.layout,
		fragment,
		0,
		sizeof(number),
		&number,
	};
	VkDescriptorImageInfo images[2];
	VkWriteDescriptorSet writes[2];
	const VkPushDescriptorSetInfoKHR set = {
		VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO_KHR,
		NULL,
		fragment,
		test.layout,
		0,
		2,
		writes,
	};

	for (uint32_t i = 0; i < 2; i++) {
		images[i] = (VkDescriptorImageInfo){ VK_NULL_HANDLE, inputs[i], general };
		writes[i] = (VkWriteDescriptorSet){
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstBinding = i,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
			.pImageInfo = &images[i],
		};
	}
	VK_FUNCTION(vkCmdSetRenderingAttachmentLocationsKHR)(cmd, &locations);
	VK_FUNCTION(vkCmdSetRenderingInputAttachmentIndicesKHR)(cmd, &indices);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	VK_FUNCTION(vkCmdSetAttachmentFeedbackLoopEnableEXT)(cmd, test.loops);
	VK_FUNCTION(vkCmdPushDescriptorSet2KHR)(cmd, &set);
	VK_FUNCTION(vkCmdPushConstants2KHR)(cmd, &push);
	vkCmdDraw(cmd, 3, 1, 0, 0);
}

static void end(VkCommandBuffer cmd)
{
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_run(cmd);
}

typedef void (*expectation)(uint32_t x, uint32_t y, uint32_t *out);

static bool pixels_are(const char *what, const struct attachment *a, expectation expect)
{
	const VkBufferImageCopy all = { 0,	     0,
					0,	     { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
					{ 0, 0, 0 }, { SIDE, SIDE, 1 } };
	const uint32_t words = a->format == color_format ? 4 : 1;
	VkCommandBuffer cmd = vk_begin();

	vk_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, a->image.image, general, test.readback.buffer, 1, &all);
	vk_barrier(cmd);
	vk_run(cmd);
	for (uint32_t i = 0; i < PIXELS; i++) {
		const uint32_t *pixel = (uint32_t *)test.readback.map + i * words;
		uint32_t expected[4];

		expect(i % SIDE, i / SIDE, expected);
		if (!memcmp(pixel, expected, words * 4))
			continue;
		printf("# %s: %u,%u: %u, not %u\n", what, i % SIDE, i / SIDE, *pixel, *expected);
		return false;
	}
	return true;
}

static void expect_untouched(uint32_t x, uint32_t y, uint32_t *out)
{
	(void)x;
	(void)y;
	*out = UNTOUCHED;
}

/* A draw writes two attachments; another one reads them and writes a third */

static void expect_first(uint32_t x, uint32_t y, uint32_t *out)
{
	(void)y;
	*out = x + 20;
}

static void expect_second(uint32_t x, uint32_t y, uint32_t *out)
{
	(void)x;
	*out = y + 40;
}

static void expect_read(uint32_t x, uint32_t y, uint32_t *out)
{
	out[0] = y + 40;
	out[1] = x + 20;
	out[2] = 30;
	out[3] = x + y + 60;
}

/* @swapped: the first output goes to the second attachment. */
static void test_two(bool swapped)
{
	const VkFormat formats[] = { number_format, number_format, color_format };
	const uint32_t a = swapped, b = !swapped;
	const struct scene s = scene_new(formats, 3, 1);
	const struct maps writes = { { a, b, NONE }, { NONE, NONE, NONE }, NONE };
	/* Input 0 is the attachment of the second output, input 1 that of the first. */
	const struct maps reads = { { NONE, NONE, 0 }, { b, a, NONE }, NONE };
	const VkImageView views[] = { s.colors[b].view, s.colors[a].view };
	const VkPipeline write = pipeline_new(&s, &writes, CODE(local_write), 1);
	const VkPipeline read = pipeline_new(&s, &reads, CODE(local_read_two), 1);
	VkCommandBuffer cmd = vk_begin();

	begin_rendering(cmd, &s, 0);
	draw(cmd, &s, &writes, write, views, 20);
	local_barrier(cmd);
	draw(cmd, &s, &reads, read, views, 30);
	end(cmd);
	tap(pixels_are("the first", &s.colors[a], expect_first) &&
		    pixels_are("the second", &s.colors[b], expect_second),
	    "outputs go to attachments %u and %u", a, b);
	tap(pixels_are("what was read", &s.colors[2], expect_read),
	    "a draw in the same rendering reads them, and writes a third");
	vkDestroyPipeline(vk.device, write, NULL);
	vkDestroyPipeline(vk.device, read, NULL);
	scene_del(&s);
}

/* Outputs that are an array */

static void expect_element_0(uint32_t x, uint32_t y, uint32_t *out)
{
	(void)y;
	*out = x ? 1000 + x : 50;
}

static void expect_element_1(uint32_t x, uint32_t y, uint32_t *out)
{
	*out = x ? 2000 + y : 51;
}

static void expect_element_2(uint32_t x, uint32_t y, uint32_t *out)
{
	(void)y;
	*out = x ? 4050 + x : 52;
}

static void test_array(uint32_t first, uint32_t second, uint32_t third)
{
	static const expectation elements[] = { expect_element_0, expect_element_1,
						expect_element_2 };
	const VkFormat formats[] = { number_format, number_format, number_format };
	const struct scene s = scene_new(formats, 3, 1);
	const struct maps maps = { { first, second, third }, { NONE, NONE, NONE }, NONE };
	const VkImageView views[] = { s.colors[0].view, s.colors[1].view };
	const VkPipeline pipeline = pipeline_new(&s, &maps, CODE(local_write_array), 1);
	VkCommandBuffer cmd = vk_begin();
	bool ok = true;

	begin_rendering(cmd, &s, 0);
	draw(cmd, &s, &maps, pipeline, views, 50);
	end(cmd);
	for (uint32_t i = 0; i < 3; i++)
		ok &= pixels_are("an element", &s.colors[i],
				 maps.locations[i] == NONE ? expect_untouched
							   : elements[maps.locations[i]]);
	tap(ok, "attachments have elements %d, %d and %d of an array", first, second, third);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	scene_del(&s);
}

/*
 * The maximal number of attachments: the output without an attachment must not go to the attachment
 * without an output
 */

static uint32_t eight_expected;

static void expect_one_of_eight(uint32_t x, uint32_t y, uint32_t *out)
{
	(void)y;
	*out = 1000 * eight_expected + x + 5;
}

static void test_eight(void)
{
	const struct maps maps = { { 6, 5, NONE, 0, 1, 2, 3, 4 },
				   { NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE },
				   NONE };
	VkFormat formats[MAX_ATTACHMENTS];
	VkImageView views[2];
	struct scene s;
	VkPipeline pipeline;
	VkCommandBuffer cmd;
	bool ok;

	for (uint32_t i = 0; i < MAX_ATTACHMENTS; i++)
		formats[i] = number_format;
	s = scene_new(formats, MAX_ATTACHMENTS, 1);
	views[0] = views[1] = s.colors[0].view;
	pipeline = pipeline_new(&s, &maps, CODE(local_write_eight), 1);
	cmd = vk_begin();
	begin_rendering(cmd, &s, 0);
	draw(cmd, &s, &maps, pipeline, views, 5);
	end(cmd);
	ok = pixels_are("no output", &s.colors[2], expect_untouched);
	for (uint32_t i = 0; i < MAX_ATTACHMENTS; i++) {
		eight_expected = maps.locations[i];
		ok &= i == 2 || pixels_are("one of eight", &s.colors[i], expect_one_of_eight);
	}
	tap(ok, "seven of eight outputs go to other attachments, and one nowhere");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	scene_del(&s);
}

/* Draws read and write the same attachment repeatedly */

static void expect_sum(uint32_t x, uint32_t y, uint32_t *out)
{
	(void)y;
	*out = UNTOUCHED + DRAWS * (x + 3);
}

static const struct maps add_maps = { { 0 }, { 0 }, NONE };

static void add_often(VkCommandBuffer cmd, const struct scene *s, VkPipeline pipeline)
{
	const VkImageView views[] = { s->colors[0].view, s->colors[0].view };

	for (uint32_t i = 0; i < DRAWS; i++) {
		local_barrier(cmd);
		draw(cmd, s, &add_maps, pipeline, views, 3);
	}
}

/* The inheritance info has formats only, not the attachments. */
static VkCommandBuffer secondary_begin(const struct scene *s, VkCommandBufferUsageFlags usage,
				       bool queries)
{
	const VkCommandBufferInheritanceRenderingInfo rendering = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
		.colorAttachmentCount = 1,
		.pColorAttachmentFormats = &s->colors[0].format,
		.rasterizationSamples = 1,
	};
	const VkCommandBufferInheritanceInfo inheritance = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &rendering,
		.occlusionQueryEnable = queries,
	};

	return vk_begin_secondary(VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT | usage,
				  &inheritance);
}

static void expect_two_sums(uint32_t x, uint32_t y, uint32_t *out)
{
	(void)y;
	*out = UNTOUCHED + 2 * DRAWS * (x + 3);
}

/*
 * A secondary command buffer that contains barriers and is executed by another one; and one that
 * executes the same one twice.
 */
static void test_nested(const struct scene *s, VkPipeline pipeline, VkCommandBuffer secondary)
{
	VkCommandBuffer outer, twice, cmd;

	if (!nested.nestedCommandBuffer || !nested.nestedCommandBufferRendering)
		return;
	outer = secondary_begin(s, 0, false);
	vkCmdExecuteCommands(outer, 1, &secondary);
	VK_CHECK(vkEndCommandBuffer(outer));
	cmd = vk_begin();
	begin_rendering(cmd, s, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
	vkCmdExecuteCommands(cmd, 1, &outer);
	end(cmd);
	tap(pixels_are("a nested one", &s->colors[0], expect_sum),
	    "and in one that another one executes");
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &outer);
	if (!nested.nestedCommandBufferSimultaneousUse)
		return;
	twice = secondary_begin(s, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, false);
	add_often(twice, s, pipeline);
	VK_CHECK(vkEndCommandBuffer(twice));
	outer = secondary_begin(s, 0, false);
	vkCmdExecuteCommands(outer, 2, (VkCommandBuffer[]){ twice, twice });
	VK_CHECK(vkEndCommandBuffer(outer));
	cmd = vk_begin();
	begin_rendering(cmd, s, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
	vkCmdExecuteCommands(cmd, 1, &outer);
	end(cmd);
	tap(pixels_are("the same twice", &s->colors[0], expect_two_sums), "or executes twice");
	vkFreeCommandBuffers(vk.device, vk.pool, 2, (VkCommandBuffer[]){ outer, twice });
}

/* The secondary command buffer allows an open occlusion query; none is open. */
static void test_may_be_open(const struct scene *s, VkPipeline pipeline)
{
	VkCommandBuffer secondary = secondary_begin(s, 0, true), cmd;

	add_often(secondary, s, pipeline);
	VK_CHECK(vkEndCommandBuffer(secondary));
	cmd = vk_begin();
	begin_rendering(cmd, s, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
	vkCmdExecuteCommands(cmd, 1, &secondary);
	end(cmd);
	tap(pixels_are("no query", &s->colors[0], expect_sum), "and where a query may be open");
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &secondary);
}

/* A condition discards draws, and another one keeps those after them. */
static void test_condition(const struct scene *s, VkPipeline pipeline)
{
	struct vk_buffer words =
		vk_buffer_new(2 * sizeof(uint32_t), VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
	const VkConditionalRenderingBeginInfoEXT never = {
		.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
		.buffer = words.buffer,
	}, always = {
		.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
		.buffer = words.buffer,
		.offset = 4,
	};
	VkCommandBuffer cmd = vk_begin();

	memcpy(words.map, (uint32_t[]){ 0, 1 }, 2 * sizeof(uint32_t));
	begin_rendering(cmd, s, 0);
	VK_FUNCTION(vkCmdBeginConditionalRenderingEXT)(cmd, &never);
	add_often(cmd, s, pipeline);
	VK_FUNCTION(vkCmdEndConditionalRenderingEXT)(cmd);
	VK_FUNCTION(vkCmdBeginConditionalRenderingEXT)(cmd, &always);
	add_often(cmd, s, pipeline);
	VK_FUNCTION(vkCmdEndConditionalRenderingEXT)(cmd);
	end(cmd);
	tap(pixels_are("a condition", &s->colors[0], expect_sum),
	    "and where a condition lets them be");
	vk_buffer_del(&words);
}

/*
 * Draws recorded inline, then a secondary command buffer, then inline draws again, in one rendering
 * (VK_KHR_maintenance7)
 */

static void expect_three_sums(uint32_t x, uint32_t y, uint32_t *out)
{
	(void)y;
	*out = UNTOUCHED + 3 * DRAWS * (x + 3);
}

static void test_mixed(const struct scene *s, VkPipeline pipeline, VkCommandBuffer secondary)
{
	VkCommandBuffer cmd = vk_begin();

	if (!maintenance7.maintenance7)
		return;
	begin_rendering(cmd, s,
			VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT |
				VK_RENDERING_CONTENTS_INLINE_BIT_EXT);
	add_often(cmd, s, pipeline);
	vkCmdExecuteCommands(cmd, 1, &secondary);
	add_often(cmd, s, pipeline);
	end(cmd);
	tap(pixels_are("a mixture", &s->colors[0], expect_three_sums), "and where both have draws");
}

static void test_limits(void)
{
	VkPhysicalDeviceLayeredApiPropertiesListKHR layered = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LAYERED_API_PROPERTIES_LIST_KHR,
		.layeredApiCount = 100,
	};
	VkPhysicalDeviceMaintenance7PropertiesKHR of = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_7_PROPERTIES_KHR,
		.pNext = &layered,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &of
	};

	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	tap(of.maxDescriptorSetTotalBuffersDynamic >=
			    properties.properties.limits.maxDescriptorSetUniformBuffersDynamic &&
		    of.maxDescriptorSetTotalBuffersDynamic >=
			    properties.properties.limits.maxDescriptorSetStorageBuffersDynamic,
	    "dynamic buffers of both kinds are as many as of one");
	if (strstr(properties.properties.deviceName, "sundog"))
		tap(!layered.layeredApiCount, "and there is no other driver below");
}

static void test_same(void)
{
	const struct scene s = scene_new(&number_format, 1, 1);
	const VkPipeline pipeline = pipeline_new(&s, &add_maps, CODE(local_add), 1);
	VkCommandBuffer cmd = vk_begin(), secondary;

	begin_rendering(cmd, &s, 0);
	add_often(cmd, &s, pipeline);
	end(cmd);
	tap(pixels_are("the same", &s.colors[0], expect_sum), "draws read what they write");
	secondary = secondary_begin(&s, 0, false);
	add_often(secondary, &s, pipeline);
	VK_CHECK(vkEndCommandBuffer(secondary));
	cmd = vk_begin();
	begin_rendering(cmd, &s, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
	vkCmdExecuteCommands(cmd, 1, &secondary);
	end(cmd);
	tap(pixels_are("a secondary", &s.colors[0], expect_sum),
	    "and do in a secondary command buffer");
	test_may_be_open(&s, pipeline);
	test_condition(&s, pipeline);
	test_nested(&s, pipeline, secondary);
	test_mixed(&s, pipeline, secondary);
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &secondary);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	scene_del(&s);
}

/*
 * Reads through a sampler: the barriers have VK_DEPENDENCY_FEEDBACK_LOOP_BIT_EXT, and the feedback
 * loop is a dynamic state
 */

static void loop_barrier(VkCommandBuffer cmd)
{
	const VkMemoryBarrier barrier = {
		VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		NULL,
		VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
		VK_ACCESS_SHADER_READ_BIT,
	};

	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
			     VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
			     VK_DEPENDENCY_BY_REGION_BIT | VK_DEPENDENCY_FEEDBACK_LOOP_BIT_EXT, 1,
			     &barrier, 0, NULL, 0, NULL);
}

static void push_texture(VkCommandBuffer cmd, VkImageView view)
{
	const VkDescriptorImageInfo image = { test.sampler, view, general };
	const VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstBinding = 2,
		.descriptorCount = 1,
		.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		.pImageInfo = &image,
	};

	VK_FUNCTION(vkCmdPushDescriptorSetKHR)
	(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, test.layout, 0, 1, &write);
}

static void test_loop(void)
{
	const struct scene s = scene_new(&number_format, 1, 1);
	const VkImageView views[] = { s.colors[0].view, s.colors[0].view };
	const VkPipeline pipeline = pipeline_new(&s, &add_maps, CODE(local_loop), 1);
	VkCommandBuffer cmd = vk_begin();

	test.loops = VK_IMAGE_ASPECT_COLOR_BIT;
	begin_rendering(cmd, &s, 0);
	push_texture(cmd, s.colors[0].view);
	for (uint32_t i = 0; i < DRAWS; i++) {
		loop_barrier(cmd);
		draw(cmd, &s, &add_maps, pipeline, views, 3);
	}
	end(cmd);
	test.loops = 0;
	tap(pixels_are("a loop", &s.colors[0], expect_sum), "draws sample what they write");
	vkDestroyPipeline(vk.device, pipeline, NULL);
	scene_del(&s);
}

static void expect_old(uint32_t x, uint32_t y, uint32_t *out)
{
	(void)y;
	*out = 100 + x + 3;
}

/*
 * A barrier after a draw also covers the texture that its fragments read; a clear overwrites that
 * texture next.
 */
static void test_overwritten(void)
{
	const struct scene s = scene_new(&number_format, 1, 1);
	const VkClearColorValue old = { .uint32 = { 100 } }, new = { .uint32 = { 1 } };
	const VkImageView views[] = { s.colors[0].view, s.colors[0].view };
	const VkPipeline pipeline = pipeline_new(&s, &add_maps, CODE(local_loop), 1);
	VkImageView view;
	const struct vk_image source =
		vk_picture_new(number_format, SIDE, VK_IMAGE_USAGE_SAMPLED_BIT, &view);
	const VkImageSubresourceRange all = vk_image_all(&source);
	VkCommandBuffer cmd;

	vk_image_fill(&source, &old);
	cmd = vk_begin();
	begin_rendering(cmd, &s, 0);
	push_texture(cmd, view);
	draw(cmd, &s, &add_maps, pipeline, views, 3);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
			     VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1,
			     &(VkMemoryBarrier){ VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, 0,
						 VK_ACCESS_TRANSFER_WRITE_BIT },
			     0, NULL, 0, NULL);
	vkCmdClearColorImage(cmd, source.image, general, &new, 1, &all);
	vk_run(cmd);
	tap(pixels_are("what was sampled", &s.colors[0], expect_old),
	    "what draws sample is written after them");
	vkDestroyImageView(vk.device, view, NULL);
	vk_image_del(&source);
	vkDestroyPipeline(vk.device, pipeline, NULL);
	scene_del(&s);
}

/*
 * Depths: 0 at the left edge and one half at the right edge, in steps of which a pixel has two;
 * pixel centers are between them
 */

static void expect_depth(uint32_t x, uint32_t y, uint32_t *out)
{
	(void)y;
	*out = 2 * x + 1;
}

static void test_depth(void)
{
	struct scene s = scene_new(&number_format, 1, 1);
	const struct maps writes = { { NONE }, { NONE }, NONE }, reads = { { 0 }, { NONE }, 0 };
	VkPipeline write, read;
	VkImageView views[2];
	VkCommandBuffer cmd = vk_begin();

	s.depth = attachment_new(VK_FORMAT_D32_SFLOAT, 1);
	views[0] = views[1] = s.depth.view;
	write = pipeline_new(&s, &writes, CODE(local_write), 1);
	read = pipeline_new(&s, &reads, CODE(local_depth), 1);
	begin_rendering(cmd, &s, 0);
	draw(cmd, &s, &writes, write, views, 0);
	local_barrier(cmd);
	draw(cmd, &s, &reads, read, views, 4 * SIDE);
	end(cmd);
	tap(pixels_are("depth", &s.colors[0], expect_depth),
	    "a draw reads depths that were written");
	vkDestroyPipeline(vk.device, write, NULL);
	vkDestroyPipeline(vk.device, read, NULL);
	scene_del(&s);
}

/*
 * Samples: a draw writes each one on its own; the value of one sample goes to all samples of
 * another attachment
 */

static uint32_t sample_expected;

static void expect_sample(uint32_t x, uint32_t y, uint32_t *out)
{
	(void)y;
	*out = x + 60 + sample_expected;
}

static bool sample_is(const struct scene *s, const VkPipeline *writes,
		      const struct maps *write_maps, VkPipeline read, const struct maps *read_maps,
		      const struct attachment *result, uint32_t sample)
{
	const VkImageView views[] = { s->colors[0].view, s->colors[0].view };
	VkCommandBuffer cmd = vk_begin();

	begin_rendering(cmd, s, 0);
	for (uint32_t i = 0; i < SAMPLES; i++)
		draw(cmd, s, write_maps, writes[i], views, 60 + i);
	local_barrier(cmd);
	draw(cmd, s, read_maps, read, views, sample);
	end(cmd);
	sample_expected = sample;
	return pixels_are("a sample", result, expect_sample);
}

static void test_samples(void)
{
	const VkFormat formats[] = { number_format, number_format };
	struct scene s = scene_new(formats, 2, SAMPLES);
	const struct attachment result = attachment_new(number_format, 1);
	const struct maps write_maps = { { 0, NONE }, { NONE, NONE }, NONE };
	const struct maps read_maps = { { NONE, 0 }, { 0, NONE }, NONE };
	VkPipeline writes[SAMPLES], read = pipeline_new(&s, &read_maps, CODE(local_sample), 0xf);
	bool ok = true;

	s.resolve = result.view;
	for (uint32_t i = 0; i < SAMPLES; i++)
		writes[i] = pipeline_new(&s, &write_maps, CODE(local_write), 1u << i);
	for (uint32_t i = 0; i < SAMPLES; i++)
		ok &= sample_is(&s, writes, &write_maps, read, &read_maps, &result, i);
	tap(ok, "a draw reads samples that were written");
	vkDestroyPipeline(vk.device, read, NULL);
	for (uint32_t i = 0; i < SAMPLES; i++)
		vkDestroyPipeline(vk.device, writes[i], NULL);
	attachment_del(&result);
	scene_del(&s);
}

/* Objects */

static void make_things(void)
{
	const VkDescriptorSetLayoutBinding bindings[] = {
		{ 0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
		{ 2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT,
		  NULL },
	};
	const VkSamplerCreateInfo sampler = { .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO };
	const VkDescriptorSetLayoutCreateInfo set = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
		.bindingCount = 3,
		.pBindings = bindings,
	};
	const VkPushConstantRange range = { VK_SHADER_STAGE_FRAGMENT_BIT, 0, 4 };
	const VkPipelineLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &test.set_layout,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range,
	};

	VK_CHECK(vkCreateSampler(vk.device, &sampler, NULL, &test.sampler));
	VK_CHECK(vkCreateDescriptorSetLayout(vk.device, &set, NULL, &test.set_layout));
	VK_CHECK(vkCreatePipelineLayout(vk.device, &layout, NULL, &test.layout));
	test.vertex = vk_module_new(CODE(local_vert));
	test.readback = vk_buffer_new(PIXELS * 16, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

static void drop_things(void)
{
	vk_buffer_del(&test.readback);
	vkDestroyShaderModule(vk.device, test.vertex, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vkDestroyDescriptorSetLayout(vk.device, test.set_layout, NULL);
	vkDestroySampler(vk.device, test.sampler, NULL);
}

int main(void)
{
	static const char *const extensions[] = {
		VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
		VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
		VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
		VK_KHR_DYNAMIC_RENDERING_LOCAL_READ_EXTENSION_NAME,
		VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
		VK_KHR_MAINTENANCE_6_EXTENSION_NAME,
		VK_EXT_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_EXTENSION_NAME,
		VK_EXT_ATTACHMENT_FEEDBACK_LOOP_DYNAMIC_STATE_EXTENSION_NAME,
		VK_EXT_NESTED_COMMAND_BUFFER_EXTENSION_NAME,
		VK_KHR_MAINTENANCE_7_EXTENSION_NAME,
		VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME,
	};

	vk.features = &maintenance7;
	vk_open_with(NULL, 0, extensions, sizeof(extensions) / sizeof(extensions[0]));
	tap(local_read.dynamicRenderingLocalRead && maintenance6.maintenance6 &&
		    loop_layout.attachmentFeedbackLoopLayout &&
		    loop_state.attachmentFeedbackLoopDynamicState,
	    "the features are there");
	test_limits();
	make_things();
	test_two(false);
	test_two(true);
	test_array(0, 1, 2);
	test_array(2, 0, 1);
	test_array(1, NONE, 0);
	test_array(NONE, 0, 1);
	test_eight();
	test_same();
	test_loop();
	test_overwritten();
	test_depth();
	test_samples();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
