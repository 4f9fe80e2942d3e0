// SPDX-License-Identifier: MIT
/*
 * Vulkan: dynamic rendering and render passes with multiview. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-views-shaders.h"

#define SIDE 64
#define PIXELS (SIDE * SIDE)
#define LAYERS 6
#define FIRST 1u		/* layer that is view 0 */
#define VIEWS 4u
#define MASK 0xbu
#define IS_DRAWN(view) ((view) < VIEWS && MASK >> (view) & 1)
#define QUERIES 8u

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
static const VkFormat color_format = VK_FORMAT_R32G32B32A32_UINT;
static const VkClearColorValue untouched = { .uint32 = { 5, 5, 5, 5 } },
			       cleared = { .uint32 = { 9, 9, 9, 9 } };

struct attachment {
	struct vk_image image;
	VkImageView view;
};

static struct {
	struct attachment color, second, depth, samples;
	struct vk_set set;
	VkPipelineLayout layout;
	struct vk_buffer readback;
} test;

/* Objects */

static struct attachment attachment_new(VkFormat format, VkImageAspectFlags aspects,
					VkSampleCountFlagBits samples)
{
	const VkImageUsageFlags usage = aspects == VK_IMAGE_ASPECT_COLOR_BIT ?
		VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT :
		VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
	const VkImageCreateInfo image = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = LAYERS,
		.samples = samples,
		.usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	struct attachment a = { .image = vk_image_new(&image) };
	const VkImageSubresourceRange views = { aspects, 0, 1, FIRST, VIEWS };

	a.view = vk_view_new(&a.image, VK_IMAGE_VIEW_TYPE_2D_ARRAY, format, views);
	return a;
}

static void attachment_del(const struct attachment *a)
{
	vkDestroyImageView(vk.device, a->view, NULL);
	vk_image_del(&a->image);
}

static void make_set(void)
{
	const VkDescriptorSetLayoutBinding binding = {
		0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL,
	};

	test.set = vk_set_new(&binding, 1);
	vk_write_image(test.set.set, 0, 0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, VK_NULL_HANDLE,
		       test.color.view);
}

static void make_things(void)
{
	test.color = attachment_new(color_format, VK_IMAGE_ASPECT_COLOR_BIT, 1);
	test.second = attachment_new(color_format, VK_IMAGE_ASPECT_COLOR_BIT, 1);
	test.samples = attachment_new(color_format, VK_IMAGE_ASPECT_COLOR_BIT, 4);
	test.depth = attachment_new(VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_DEPTH_BIT, 1);
	make_set();
	test.layout = vk_layout_new(&test.set.layout, 1,
				    VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 4);
	test.readback = vk_buffer_new(LAYERS * PIXELS * 16, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

static void drop_things(void)
{
	vk_buffer_del(&test.readback);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	attachment_del(&test.color);
	attachment_del(&test.second);
	attachment_del(&test.samples);
	attachment_del(&test.depth);
}

/* Pipelines */

struct stage {
	VkShaderStageFlagBits stage;
	const uint32_t *code;
	size_t size;
};

static const struct stage vertex_stage = { VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(views_vert) };
static const struct stage fragment_stage = { VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(views_frag) };
static const struct stage geometry_stage = { VK_SHADER_STAGE_GEOMETRY_BIT, VK_CODE(views_geom) };
static const struct stage control_stage = { VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
					    VK_CODE(views_tesc) };
static const struct stage eval_stage = { VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
					 VK_CODE(views_tese) };

/*
 * A subpass of @pass or, without @pass, a rendering with views, which has a depth attachment if
 * @depth is set.
 */
struct target {
	VkRenderPass pass;
	uint32_t subpass;
	VkSampleCountFlagBits samples;
	bool depth;
};

static VkPipeline pipeline_new(const struct target *target, const struct stage *const *stages,
			       uint32_t count)
{
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	if (!target->pass)
		vk_pipeline_formats(&p, color_format,
				    target->depth ? VK_FORMAT_D32_SFLOAT : VK_FORMAT_UNDEFINED,
				    VK_FORMAT_UNDEFINED);
	p.rendering.viewMask = MASK;
	for (uint32_t i = 0; i < count; i++) {
		vk_pipeline_code(&p, stages[i]->stage, stages[i]->code, stages[i]->size);
		if (stages[i] == &control_stage)
			p.assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
	}
	p.tessellation.patchControlPoints = 3;
	p.info.pTessellationState = &p.tessellation;
	p.samples.rasterizationSamples = target->samples;
	vk_pipeline_depth(&p, VK_COMPARE_OP_LESS, target->depth);
	p.depth.depthTestEnable = target->depth;
	p.info.renderPass = target->pass;
	p.info.subpass = target->subpass;
	return vk_pipeline_new(&p);
}

/* A pipeline with the default vertex shader and the fragment shader @fragment. */
static VkPipeline plain_pipeline(const struct target *target, const struct stage *fragment)
{
	return pipeline_new(target, (const struct stage *const[]){ &vertex_stage, fragment }, 2);
}

static const struct target plain_target = { .samples = 1 };

/* Commands */

static void begin(VkCommandBuffer cmd, VkAttachmentLoadOp load, bool depth, VkRenderingFlags flags)
{
	const VkRenderingAttachmentInfo color = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = test.color.view,
		.imageLayout = general,
		.loadOp = load,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.clearValue.color = cleared,
	};
	const VkRenderingAttachmentInfo depths = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = test.depth.view,
		.imageLayout = general,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.clearValue.depthStencil.depth = 0.5f,
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.flags = flags,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.viewMask = MASK,
		.colorAttachmentCount = 1,
		.pColorAttachments = &color,
		.pDepthAttachment = depth ? &depths : NULL,
	};

	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &info);
}

static void draw_with(VkCommandBuffer cmd, VkPipeline pipeline, uint32_t number, bool multi)
{
	/* The second draw has no vertices, so that the picture is that of one draw. */
	const VkMultiDrawInfoEXT draws[] = { { 0, 3 }, { 0, 0 } };

	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, test.layout, 0, 1,
				&test.set.set, 0, NULL);
	vkCmdPushConstants(cmd, test.layout,
			   VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 4,
			   &number);
	if (multi)
		VK_FUNCTION(vkCmdDrawMultiEXT)(cmd, 2, draws, 1, 0, sizeof(draws[0]));
	else
		vkCmdDraw(cmd, 3, 1, 0, 0);
}

static void draw(VkCommandBuffer cmd, VkPipeline pipeline, uint32_t number)
{
	draw_with(cmd, pipeline, number, false);
}

static void run(VkCommandBuffer cmd, const struct attachment *a)
{
	vk_image_read(cmd, &a->image, SIDE, &test.readback);
	vk_run(cmd);
}

/* Computes the expected pixel of a view. */
typedef void expect_fn(uint32_t view, uint32_t x, uint32_t y, uint32_t how, uint32_t *out);

/* Layers that are not in @views keep their old contents. */
static bool pixels_are(const char *what, expect_fn *expect, uint32_t views, uint32_t how)
{
	for (uint32_t i = 0; i < LAYERS * PIXELS; i++) {
		const uint32_t *pixel = (uint32_t *)test.readback.map + i * 4;
		const uint32_t view = i / PIXELS - FIRST, x = i % SIDE, y = i / SIDE % SIDE;
		uint32_t expected[4];

		memcpy(expected, untouched.uint32, sizeof(expected));
		if (view < VIEWS && views >> view & 1)
			expect(view, x, y, how, expected);
		if (!memcmp(pixel, expected, sizeof(expected)))
			continue;
		printf("# %s: view %d, %u,%u: %x %x %x %x, not %x %x %x %x\n", what, (int)view, x,
		       y, pixel[0], pixel[1], pixel[2], pixel[3], expected[0], expected[1],
		       expected[2], expected[3]);
		return false;
	}
	return true;
}

/* @how: the sum of the factors by which the stages multiply their view index. */
static void expect_stages(uint32_t view, uint32_t x, uint32_t y, uint32_t how, uint32_t *out)
{
	const uint32_t drawn[4] = { view, (1 + view) * how, 33, 7 };

	(void)y;
	memcpy(out, x < 8 * view ? cleared.uint32 : drawn, sizeof(drawn));
}

static void test_stages(const char *what, const struct stage *const *stages, uint32_t count,
			uint32_t how)
{
	const VkPipeline pipeline = pipeline_new(&plain_target, stages, count);
	VkCommandBuffer cmd;

	vk_image_fill(&test.color.image, &untouched);
	cmd = vk_begin();
	begin(cmd, VK_ATTACHMENT_LOAD_OP_CLEAR, false, 0);
	draw(cmd, pipeline, 33);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	run(cmd, &test.color);
	tap(pixels_are(what, expect_stages, MASK, how), "%s know their view", what);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/*
 * With more than one draw the driver looks at the program before it draws. A pipeline's program
 * has to stay bound, though the shader objects that are bound have none for these views.
 */
static void test_multi_draw(const char *what, const struct stage *const *stages, uint32_t count,
			    uint32_t how)
{
	const VkPipeline pipeline = pipeline_new(&plain_target, stages, count);
	VkCommandBuffer cmd;

	vk_image_fill(&test.color.image, &untouched);
	cmd = vk_begin();
	begin(cmd, VK_ATTACHMENT_LOAD_OP_CLEAR, false, 0);
	draw_with(cmd, pipeline, 33, true);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	run(cmd, &test.color);
	tap(pixels_are(what, expect_stages, MASK, how), "vkCmdDrawMultiEXT draws %s to views",
	    what);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

static VkPhysicalDeviceMultiDrawFeaturesEXT multi_draw_features = {
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT, NULL, true,
};

static void test_multi_draws(void)
{
	const struct stage *const plain[] = { &vertex_stage, &fragment_stage };
	const struct stage *const geometry[] = { &vertex_stage, &geometry_stage, &fragment_stage };

	if (!multi_draw_features.multiDraw)
		return;
	test_multi_draw("vertices and fragments", plain, 2, 1);
	test_multi_draw("geometry shaders", geometry, 3, 0x11);
}

static void test_all_stages(void)
{
	const struct stage *const plain[] = { &vertex_stage, &fragment_stage };
	const struct stage *const geometry[] = { &vertex_stage, &geometry_stage, &fragment_stage };
	const struct stage *const tess[] = { &vertex_stage, &control_stage, &eval_stage,
					     &fragment_stage };
	const struct stage *const all[] = { &vertex_stage, &control_stage, &eval_stage,
					    &geometry_stage, &fragment_stage };

	test_stages("vertices and fragments", plain, 2, 1);
	test_stages("geometry shaders", geometry, 3, 0x11);
	test_stages("tessellation shaders", tess, 4, 0x1101);
	test_stages("all stages", all, 5, 0x1111);
}

/* lavapipe does not support Layer in a fragment shader with multiview. */
static void test_layer(void)
{
	const struct stage layer = { VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(views_layer) };
	const struct stage both = { VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(views_both) };
	const struct stage *const stages[] = { &vertex_stage, &layer };
	const struct stage *const with_view[] = { &vertex_stage, &both };

	if (!strstr(vk.properties.deviceName, "sundog"))
		return;
	test_stages("fragments that read the layer", stages, 2, 1);
	test_stages("fragments that read the view, too", with_view, 2, 1);
}

/* Clears */

static void expect_clear(uint32_t view, uint32_t x, uint32_t y, uint32_t how, uint32_t *out)
{
	const uint32_t value[4] = { 1, 2, 3, 4 };

	(void)view;
	(void)how;
	memcpy(out, x >= 16 && x < 48 && y >= 20 && y < 24 ? value : untouched.uint32,
	       sizeof(value));
}

static void test_clear(void)
{
	const VkClearAttachment clear = { VK_IMAGE_ASPECT_COLOR_BIT,
					  0,
					  { .color = { .uint32 = { 1, 2, 3, 4 } } } };
	const VkClearRect rect = { { { 16, 20 }, { 32, 4 } }, 0, 1 };
	VkCommandBuffer cmd;

	vk_image_fill(&test.color.image, &untouched);
	cmd = vk_begin();
	begin(cmd, VK_ATTACHMENT_LOAD_OP_LOAD, false, 0);
	vkCmdClearAttachments(cmd, 1, &clear, 1, &rect);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	run(cmd, &test.color);
	tap(pixels_are("clear", expect_clear, MASK, 0), "a clear is of all views");
}

/* Depths */

static void expect_near(uint32_t view, uint32_t x, uint32_t y, uint32_t how, uint32_t *out)
{
	if (0.3f * view < 0.5f)
		expect_stages(view, x, y, how, out);
	else
		memcpy(out, cleared.uint32, sizeof(cleared));
}

static void test_depth(void)
{
	const VkPipeline pipeline =
		plain_pipeline(&(struct target){ .samples = 1, .depth = true }, &fragment_stage);
	VkCommandBuffer cmd;

	vk_image_fill(&test.color.image, &untouched);
	cmd = vk_begin();
	begin(cmd, VK_ATTACHMENT_LOAD_OP_CLEAR, true, 0);
	draw(cmd, pipeline, 33);
	/* The same depth is not less than itself. */
	draw(cmd, pipeline, 34);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	run(cmd, &test.color);
	tap(pixels_are("depth", expect_near, MASK, 1), "views have depths of their own");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Samples */

static void test_resolve(void)
{
	const VkPipeline pipeline =
		plain_pipeline(&(struct target){ .samples = 4 }, &fragment_stage);
	const VkRenderingAttachmentInfo color = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = test.samples.view,
		.imageLayout = general,
		.resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
		.resolveImageView = test.color.view,
		.resolveImageLayout = general,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.clearValue.color = cleared,
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.viewMask = MASK,
		.colorAttachmentCount = 1,
		.pColorAttachments = &color,
	};
	VkCommandBuffer cmd;
	bool ok;

	vk_image_fill(&test.color.image, &untouched);
	cmd = vk_begin();
	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &info);
	draw(cmd, pipeline, 33);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	run(cmd, &test.color);
	/* lavapipe resolves all layers up to that of the last view. */
	if (!strstr(vk.properties.deviceName, "sundog"))
		for (uint32_t i = 0; i < 4 * PIXELS; i++)
			((uint32_t *)test.readback.map)[(FIRST + 2) * 4 * PIXELS + i] =
				untouched.uint32[0];
	ok = pixels_are("resolve", expect_stages, MASK, 1);
	tap(ok, "views are resolved");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Queries */

/*
 * Sums up the results of @count queries from @first on. Returns true if just these queries are
 * available.
 */
static bool counted(VkQueryPool pool, uint32_t first, uint32_t count, uint64_t *sum)
{
	uint64_t words[QUERIES][2];
	bool ok = true;

	*sum = 0;
	vkGetQueryPoolResults(vk.device, pool, 0, QUERIES, sizeof(words), words, sizeof(words[0]),
			      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
	for (uint32_t i = 0; i < QUERIES; i++) {
		const bool there = i - first < count;

		ok &= there == !!words[i][1];
		*sum += there ? words[i][0] : 0;
	}
	return ok;
}

static void test_queries(void)
{
	const VkPipeline pipeline = plain_pipeline(&plain_target, &fragment_stage);
	const VkQueryPool samples = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, QUERIES, 0);
	const VkQueryPool times = vk_queries_new(VK_QUERY_TYPE_TIMESTAMP, QUERIES, 0);
	VkCommandBuffer cmd = vk_begin();
	uint64_t sum, expected = 0;
	bool ok;

	vkCmdResetQueryPool(cmd, samples, 0, QUERIES);
	vkCmdResetQueryPool(cmd, times, 0, QUERIES);
	begin(cmd, VK_ATTACHMENT_LOAD_OP_CLEAR, false, 0);
	vkCmdBeginQuery(cmd, samples, 2, VK_QUERY_CONTROL_PRECISE_BIT);
	draw(cmd, pipeline, 33);
	vkCmdEndQuery(cmd, samples, 2);
	vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, times, 4);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	run(cmd, &test.color);
	for (uint32_t view = 0; view < VIEWS; view++)
		expected += IS_DRAWN(view) ? (SIDE - 8 * view) * SIDE : 0;
	ok = counted(samples, 2, 3, &sum);
	if (sum != expected)
		printf("# %u samples, not %u\n", (unsigned int)sum, (unsigned int)expected);
	tap(ok && sum == expected, "a query is one for each view");
	tap(counted(times, 4, 3, &sum) && sum, "and so is a time stamp");
	cmd = vk_begin();
	vkCmdResetQueryPool(cmd, samples, 0, QUERIES);
	begin(cmd, VK_ATTACHMENT_LOAD_OP_CLEAR, false, 0);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_run(cmd);
	cmd = vk_begin();
	vkCmdBeginQuery(cmd, samples, 7, 0);
	vkCmdEndQuery(cmd, samples, 7);
	vk_run(cmd);
	tap(counted(samples, 7, 1, &sum) && !sum, "which it is not without views");
	vkDestroyQueryPool(vk.device, samples, NULL);
	vkDestroyQueryPool(vk.device, times, NULL);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Secondary command buffers */

static void test_secondary(void)
{
	const VkPipeline pipeline = plain_pipeline(&plain_target, &fragment_stage);
	const VkQueryPool samples = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, QUERIES, 0);
	const VkCommandBufferInheritanceRenderingInfo rendering = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
		.viewMask = MASK,
		.colorAttachmentCount = 1,
		.pColorAttachmentFormats = &color_format,
		.rasterizationSamples = 1,
	};
	const VkCommandBufferInheritanceInfo inheritance = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &rendering,
	};
	VkCommandBuffer cmd,
		secondary = vk_begin_secondary(VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
					       &inheritance);
	uint64_t sum;

	vkCmdBeginQuery(secondary, samples, 1, 0);
	draw(secondary, pipeline, 33);
	vkCmdEndQuery(secondary, samples, 1);
	VK_CHECK(vkEndCommandBuffer(secondary));
	vk_image_fill(&test.color.image, &untouched);
	cmd = vk_begin();
	vkCmdResetQueryPool(cmd, samples, 0, QUERIES);
	begin(cmd, VK_ATTACHMENT_LOAD_OP_CLEAR, false,
	      VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
	vkCmdExecuteCommands(cmd, 1, &secondary);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	run(cmd, &test.color);
	tap(pixels_are("secondary", expect_stages, MASK, 1),
	    "a secondary command buffer draws views");
	tap(counted(samples, 1, 3, &sum) && sum, "and counts them");
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &secondary);
	vkDestroyQueryPool(vk.device, samples, NULL);
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Render passes */

#define WRITTEN 3u	/* views of the first subpass */
/*
 * views of the second subpass, which reads the input, also in a view that the first one did not
 * write
 */
#define READ 7u

static VkAttachmentDescription2 describe(void)
{
	return (VkAttachmentDescription2){
		.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
		.format = color_format,
		.samples = 1,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.initialLayout = general,
		.finalLayout = general,
	};
}

static VkRenderPass pass_new(void)
{
	const VkAttachmentDescription2 attachments[2] = { describe(), describe() };
	const VkAttachmentReference2 references[2] = {
		{ VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, NULL, 0, general,
		  VK_IMAGE_ASPECT_COLOR_BIT },
		{ VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, NULL, 1, general,
		  VK_IMAGE_ASPECT_COLOR_BIT },
	};
	const VkSubpassDescription2 subpasses[2] = {
		{ .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
		  .viewMask = WRITTEN,
		  .colorAttachmentCount = 1,
		  .pColorAttachments = &references[0] },
		{ .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
		  .viewMask = READ,
		  .colorAttachmentCount = 1,
		  .pColorAttachments = &references[1],
		  .inputAttachmentCount = 1,
		  .pInputAttachments = &references[0] },
	};
	const VkSubpassDependency2 dependency = {
		.sType = VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2,
		.srcSubpass = 0,
		.dstSubpass = 1,
		.srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
		.dstStageMask = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
		.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
		.dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT | VK_DEPENDENCY_VIEW_LOCAL_BIT,
	};
	const VkRenderPassCreateInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
		.attachmentCount = 2,
		.pAttachments = attachments,
		.subpassCount = 2,
		.pSubpasses = subpasses,
		.dependencyCount = 1,
		.pDependencies = &dependency,
	};
	VkRenderPass pass;

	VK_CHECK(VK_FUNCTION(vkCreateRenderPass2KHR)(vk.device, &info, NULL, &pass));
	return pass;
}

/* @how: the shader reads ViewIndex itself. */
static void expect_input(uint32_t view, uint32_t x, uint32_t y, uint32_t how, uint32_t *out)
{
	if (WRITTEN >> view & 1)
		expect_stages(view, x, y, 1, out);
	else
		memcpy(out, cleared.uint32, sizeof(cleared));
	if (x >= 8 * view) {
		out[0] += 1000;
		out[3] += how ? view : 50;
	} else {
		memcpy(out, cleared.uint32, sizeof(cleared));
	}
}

static void test_inputs(const char *what, const uint32_t *code, size_t size, bool knows_view)
{
	const struct stage reads = { VK_SHADER_STAGE_FRAGMENT_BIT, code, size };
	const VkRenderPass pass = pass_new();
	const VkImageView views[] = { test.color.view, test.second.view };
	const VkFramebuffer framebuffer = vk_framebuffer_new(pass, views, 2, SIDE);
	const VkPipeline write =
		plain_pipeline(&(struct target){ pass, 0, 1, false }, &fragment_stage);
	const VkPipeline read = plain_pipeline(&(struct target){ pass, 1, 1, false }, &reads);
	const VkClearValue clears[2] = { { .color = cleared }, { .color = cleared } };
	const VkRenderPassBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = pass,
		.framebuffer = framebuffer,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.clearValueCount = 2,
		.pClearValues = clears,
	};
	VkCommandBuffer cmd;

	vk_image_fill(&test.color.image, &untouched);
	vk_image_fill(&test.second.image, &untouched);
	cmd = vk_begin();
	vkCmdBeginRenderPass(cmd, &info, VK_SUBPASS_CONTENTS_INLINE);
	draw(cmd, write, 33);
	vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
	draw(cmd, read, 34);
	vkCmdEndRenderPass(cmd);
	run(cmd, &test.second);
	tap(pixels_are("input", expect_input, READ, knows_view), "%s", what);
	vkDestroyPipeline(vk.device, write, NULL);
	vkDestroyPipeline(vk.device, read, NULL);
	vkDestroyFramebuffer(vk.device, framebuffer, NULL);
	vkDestroyRenderPass(vk.device, pass, NULL);
}

static bool has_views(void)
{
	VkPhysicalDeviceMultiviewFeatures has = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES
	};
	VkPhysicalDeviceFeatures2 features = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					       &has,
					       { 0 } };
	VkPhysicalDeviceMultiviewProperties limits = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_PROPERTIES
	};
	VkPhysicalDeviceProperties2 properties = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
						   &limits,
						   { 0 } };

	vkGetPhysicalDeviceFeatures2(vk.physical, &features);
	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	printf("# %u views, %u instances\n", limits.maxMultiviewViewCount,
	       limits.maxMultiviewInstanceIndex);
	return has.multiview && has.multiviewGeometryShader && has.multiviewTessellationShader &&
	       limits.maxMultiviewViewCount >= 6 &&
	       limits.maxMultiviewInstanceIndex >= (1u << 27) - 1;
}

int main(void)
{
	static const char *const extensions[] = {
		VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
		VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
		VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
		VK_EXT_MULTI_DRAW_EXTENSION_NAME,
	};
	VkPhysicalDeviceDynamicRenderingFeatures rendering = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, &multi_draw_features,
		true,
	};
	VkPhysicalDeviceMultiviewFeatures views = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES, &rendering, true, true, true,
	};

	vk.features = &views;
	vk_open_with(NULL, 0, extensions, sizeof(extensions) / sizeof(extensions[0]));
	tap(has_views(), "there are views in all stages");
	make_things();
	test_all_stages();
	test_multi_draws();
	test_layer();
	test_clear();
	test_depth();
	test_resolve();
	test_queries();
	test_secondary();
	test_inputs("an input is the view's", VK_CODE(views_input), false);
	test_inputs("an input is the view's where a shader reads that, too",
		    VK_CODE(views_input_view), true);
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
