// SPDX-License-Identifier: MIT
/*
 * Vulkan: the results of queries, and the ways to get them. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-triangle.frag.h"
#include "vk-triangle.vert.h"

#define SIDE 64
#define HALF (SIDE * SIDE / 2)		/* pixels that a draw covers */
#define MANY 200
#define UNTOUCHED 0x5a5a5a5a5a5a5a5aull

static struct {
	struct vk_image target;
	VkImageView view;
	VkRenderPass pass;
	VkFramebuffer framebuffer;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	struct vk_buffer corners, results;
} test;

/* The scene: a draw covers the left half */

static void make_target(void)
{
	const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;

	test.target = vk_picture_new(format, SIDE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &test.view);
	test.pass = vk_pass_new(format, VK_ATTACHMENT_LOAD_OP_DONT_CARE);
	test.framebuffer = vk_framebuffer_new(test.pass, &test.view, 1, SIDE);
}

static void make_pipeline(void)
{
	const VkVertexInputBindingDescription binding = { 0, 16, VK_VERTEX_INPUT_RATE_VERTEX };
	const VkVertexInputAttributeDescription attributes[] = {
		{ 0, 0, VK_FORMAT_R32G32_SFLOAT, 0 }, { 1, 0, VK_FORMAT_R32G32_SFLOAT, 8 },
	};
	struct vk_pipeline p;

	test.layout = vk_layout_new(NULL, 0, VK_SHADER_STAGE_VERTEX_BIT, 28);
	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(vk_triangle_vert));
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(vk_triangle_frag));
	p.stages[1].pName = "other";
	vk_pipeline_inputs(&p, &binding, 1, attributes, 2);
	p.info.renderPass = test.pass;
	test.pipeline = vk_pipeline_new(&p);
}

static void make_scene(void)
{
	static const float corners[6][4] = {
		{ -1, -1 }, { 0, -1 }, { -1, 1 }, { -1, 1 }, { 0, -1 }, { 0, 1 },
	};

	make_target();
	make_pipeline();
	test.corners = vk_buffer_new(sizeof(corners), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
	memcpy(test.corners.map, corners, sizeof(corners));
	test.results = vk_buffer_new(4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

static void end_scene(void)
{
	vk_buffer_del(&test.results);
	vk_buffer_del(&test.corners);
	vkDestroyPipeline(vk.device, test.pipeline, NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vkDestroyFramebuffer(vk.device, test.framebuffer, NULL);
	vkDestroyRenderPass(vk.device, test.pass, NULL);
	vkDestroyImageView(vk.device, test.view, NULL);
	vk_image_del(&test.target);
}

static void begin_pass(VkCommandBuffer cmd, VkSubpassContents contents)
{
	const VkRenderPassBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .renderPass = test.pass,
		.framebuffer = test.framebuffer, .renderArea = { { 0, 0 }, { SIDE, SIDE } },
	};

	vkCmdBeginRenderPass(cmd, &info, contents);
}

static void prepare(VkCommandBuffer cmd)
{
	static const float push[7] = { 1, 1, 1, 1, 0, 0, 0.5f };
	const VkDeviceSize offset = 0;

	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, test.pipeline);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(push), push);
	vkCmdBindVertexBuffers(cmd, 0, 1, &test.corners.buffer, &offset);
}

static void draw(VkCommandBuffer cmd, uint32_t vertices)
{
	prepare(cmd);
	vkCmdDraw(cmd, vertices, 1, 0, 0);
}

static bool is(const char *what, uint64_t value, uint64_t expected)
{
	if (value != expected)
		printf("# %s: %llu, not %llu\n", what, (unsigned long long)value,
		       (unsigned long long)expected);
	return value == expected;
}

/* A render pass in which query @i counts the samples of @draws draws. */
static void count_draws(VkCommandBuffer cmd, VkQueryPool pool, uint32_t i, uint32_t draws)
{
	begin_pass(cmd, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdBeginQuery(cmd, pool, i, VK_QUERY_CONTROL_PRECISE_BIT);
	while (draws--)
		draw(cmd, 6);
	vkCmdEndQuery(cmd, pool, i);
	vkCmdEndRenderPass(cmd);
}

static void test_occlusion(void)
{
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, 4, 0);
	VkCommandBuffer cmd = vk_begin();
	uint64_t wide[4];
	uint32_t narrow[4];

	vkCmdResetQueryPool(cmd, pool, 0, 4);
	for (uint32_t i = 0; i < 3; i++)
		count_draws(cmd, pool, i, i);
	/* A query across two render passes. */
	vkCmdBeginQuery(cmd, pool, 3, VK_QUERY_CONTROL_PRECISE_BIT);
	for (uint32_t i = 0; i < 2; i++) {
		begin_pass(cmd, VK_SUBPASS_CONTENTS_INLINE);
		draw(cmd, 3);
		vkCmdEndRenderPass(cmd);
	}
	vkCmdEndQuery(cmd, pool, 3);
	vk_run(cmd);
	VK_CHECK(vkGetQueryPoolResults(vk.device, pool, 0, 4, sizeof(wide), wide, 8,
				       VK_QUERY_RESULT_64_BIT));
	tap(is("none", wide[0], 0) & is("one", wide[1], HALF) & is("two", wide[2], 2 * HALF),
	    "occlusion queries count the samples of draws");
	tap(is("triangle twice", wide[3] / 64, HALF / 64), "a query outside sees all passes");
	VK_CHECK(vkGetQueryPoolResults(vk.device, pool, 1, 2, sizeof(narrow), narrow, 4,
				       VK_QUERY_RESULT_WAIT_BIT));
	tap(is("one", narrow[0], HALF) & is("two", narrow[1], 2 * HALF), "results of 32 bits");
	vkDestroyQueryPool(vk.device, pool, NULL);
}

/*
 * All state is set before the query begins: drivers may emit it late, with the first draw of the
 * command buffer.
 */
static void test_prepared(void)
{
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, 1, 0);
	const float aside = -0.5f;
	VkCommandBuffer cmd = vk_begin();
	uint64_t result;

	vkCmdResetQueryPool(cmd, pool, 0, 1);
	begin_pass(cmd, VK_SUBPASS_CONTENTS_INLINE);
	prepare(cmd);
	vkCmdPushConstants(cmd, test.layout, VK_SHADER_STAGE_VERTEX_BIT, 16, sizeof(aside), &aside);
	vkCmdBeginQuery(cmd, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
	vkCmdDraw(cmd, 6, 1, 0, 0);
	vkCmdEndQuery(cmd, pool, 0);
	vkCmdEndRenderPass(cmd);
	vk_run(cmd);
	VK_CHECK(vkGetQueryPoolResults(vk.device, pool, 0, 1, sizeof(result), &result, 8,
				       VK_QUERY_RESULT_64_BIT));
	tap(is("samples", result, HALF / 2),
	    "a query that begins between push constants and the draw");
	vkDestroyQueryPool(vk.device, pool, NULL);
}

/* Queries that were reset, and never began. */
static void test_not_ready(void)
{
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, 2, 0);
	uint64_t result[2] = { UNTOUCHED, UNTOUCHED };
	VkCommandBuffer cmd = vk_begin();

	vkCmdResetQueryPool(cmd, pool, 0, 2);
	vk_run(cmd);
	tap(vkGetQueryPoolResults(vk.device, pool, 0, 1, 8, result, 8, VK_QUERY_RESULT_64_BIT) ==
			    VK_NOT_READY &&
		    is("result", result[0], UNTOUCHED),
	    "a query that did not end is not ready, and nothing is written");
	vkGetQueryPoolResults(vk.device, pool, 0, 1, 16, result, 16,
			      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
	tap(is("result", result[0], UNTOUCHED) & is("availability", result[1], 0),
	    "it is not available");
	VK_CHECK(vkGetQueryPoolResults(vk.device, pool, 0, 1, 8, result, 8,
				       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_PARTIAL_BIT));
	tap(is("result", result[0], 0), "a part of it is nothing");
	vkDestroyQueryPool(vk.device, pool, NULL);
}

static void test_copies(void)
{
	const VkQueryResultFlags flags = VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, 3, 0);
	const uint64_t *wide = test.results.map;
	const uint32_t *narrow = (const uint32_t *)test.results.map + 256;
	VkCommandBuffer cmd = vk_begin();

	memset(test.results.map, 0x5a, test.results.size);
	vkCmdResetQueryPool(cmd, pool, 0, 3);
	count_draws(cmd, pool, 0, 1);
	count_draws(cmd, pool, 2, 2);
	vkCmdCopyQueryPoolResults(cmd, pool, 0, 1, test.results.buffer, 0, 32,
				  VK_QUERY_RESULT_64_BIT | flags);
	vkCmdCopyQueryPoolResults(cmd, pool, 2, 1, test.results.buffer, 64, 32,
				  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
	vkCmdCopyQueryPoolResults(cmd, pool, 0, 1, test.results.buffer, 1024, 8,
				  VK_QUERY_RESULT_WAIT_BIT | flags);
	vkCmdCopyQueryPoolResults(cmd, pool, 2, 1, test.results.buffer, 1036, 4,
				  VK_QUERY_RESULT_WAIT_BIT);
	vk_barrier(cmd);
	vk_run(cmd);
	tap(is("one", wide[0], HALF) & is("available", wide[1], 1) &
		    is("untouched", wide[2], UNTOUCHED),
	    "results are copied to a buffer, with their availability");
	tap(is("two", wide[8], 2 * HALF) & is("untouched", wide[9], UNTOUCHED), "and without");
	tap(is("one", narrow[0], HALF) & is("available", narrow[1], 1) &
		    is("untouched", narrow[2], 0x5a5a5a5a) & is("two", narrow[3], 2 * HALF),
	    "in 32 bits");
	vkDestroyQueryPool(vk.device, pool, NULL);
}

/* Copies of queries that did not end. lavapipe writes too many words there, without an error. */
static void test_copies_of_none(void)
{
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, 3, 0);
	const uint64_t *wide = test.results.map;
	VkCommandBuffer cmd = vk_begin();

	memset(test.results.map, 0x5a, test.results.size);
	vkCmdResetQueryPool(cmd, pool, 0, 3);
	count_draws(cmd, pool, 1, 1);
	vkCmdCopyQueryPoolResults(cmd, pool, 0, 3, test.results.buffer, 0, 32,
				  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
	vkCmdCopyQueryPoolResults(cmd, pool, 2, 1, test.results.buffer, 256, 32,
				  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_PARTIAL_BIT);
	vk_barrier(cmd);
	vk_run(cmd);
	tap(is("available", wide[1], 0) & is("one", wide[4], HALF) & is("available", wide[5], 1) &
	    is("available", wide[9], 0), "copies say which queries have ended");
	tap(is("part", wide[32], 0), "a part of one that did not end is copied as 0");
	vkDestroyQueryPool(vk.device, pool, NULL);
}

/* Commands about no queries are valid: VUID-vkCmdResetQueryPool-firstQuery-09437 bounds the sum. */
static void test_none(void)
{
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, 1, 0);
	VkCommandBuffer cmd = vk_begin();
	uint64_t result = UNTOUCHED;

	vkCmdResetQueryPool(cmd, pool, 0, 0);
	vkCmdResetQueryPool(cmd, pool, 0, 1);
	vkCmdCopyQueryPoolResults(cmd, pool, 0, 0, test.results.buffer, 0, 8,
				  VK_QUERY_RESULT_64_BIT);
	count_draws(cmd, pool, 0, 1);
	vk_run(cmd);
	VK_CHECK(vkGetQueryPoolResults(vk.device, pool, 0, 1, 8, &result, 8,
				       VK_QUERY_RESULT_64_BIT));
	tap(is("one", result, HALF), "commands for no queries do nothing");
	vkDestroyQueryPool(vk.device, pool, NULL);
}

/* Results further apart than the packet's stride reaches, and results that overlap. */
static void test_strides(void)
{
	enum { FAR = 0x10008 };
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, 3, 0);
	struct vk_buffer results = vk_buffer_new(4 * FAR, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	const uint64_t *far = (const uint64_t *)results.map, *close = far + 3 * FAR / 8;
	VkCommandBuffer cmd = vk_begin();

	memset(results.map, 0x5a, results.size);
	vkCmdResetQueryPool(cmd, pool, 0, 3);
	for (uint32_t i = 0; i < 3; i++)
		count_draws(cmd, pool, i, i);
	vkCmdCopyQueryPoolResults(cmd, pool, 0, 3, results.buffer, 0, FAR, VK_QUERY_RESULT_64_BIT);
	vk_barrier(cmd);
	vkCmdCopyQueryPoolResults(cmd, pool, 0, 3, results.buffer, 3 * FAR, 8,
				  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
	vk_barrier(cmd);
	vk_run(cmd);
	tap(is("none", far[0], 0) & is("one", far[FAR / 8], HALF) &
	    is("two", far[2 * FAR / 8], 2 * HALF) & is("untouched", far[1], UNTOUCHED),
	    "results are copied 64 KiB apart");
	tap(is("none", close[0], 0) & is("available", close[3], 1) &
	    is("untouched", close[4], UNTOUCHED), "results that overlap stay in their range");
	vk_buffer_del(&results);
	vkDestroyQueryPool(vk.device, pool, NULL);
}

static void test_again(void)
{
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, MANY, 0);
	uint64_t results[MANY];
	VkCommandBuffer cmd = vk_begin();
	bool ok = true;

	vkCmdResetQueryPool(cmd, pool, 0, MANY);
	count_draws(cmd, pool, 7, 2);
	vkCmdResetQueryPool(cmd, pool, 7, 1);
	begin_pass(cmd, VK_SUBPASS_CONTENTS_INLINE);
	for (uint32_t i = 0; i < MANY; i++) {
		vkCmdBeginQuery(cmd, pool, i, VK_QUERY_CONTROL_PRECISE_BIT);
		if (i % 3)
			draw(cmd, 6);
		vkCmdEndQuery(cmd, pool, i);
	}
	vkCmdEndRenderPass(cmd);
	vk_run(cmd);
	VK_CHECK(vkGetQueryPoolResults(vk.device, pool, 0, MANY, sizeof(results), results, 8,
				       VK_QUERY_RESULT_64_BIT));
	for (uint32_t i = 0; i < MANY; i++)
		ok &= is("query", results[i], i % 3 ? HALF : 0);
	tap(ok, "%d queries of one pass, one of them used twice", MANY);
	cmd = vk_begin();
	vkCmdResetQueryPool(cmd, pool, 0, 2);
	vk_run(cmd);
	tap(vkGetQueryPoolResults(vk.device, pool, 0, 2, 16, results, 8, VK_QUERY_RESULT_64_BIT) ==
		    VK_NOT_READY,
	    "queries that were reset are ready no more");
	vkDestroyQueryPool(vk.device, pool, NULL);
}

static VkCommandBuffer secondary_new(bool in_pass, bool counted)
{
	const VkCommandBufferInheritanceInfo inherits = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
		.renderPass = test.pass,
		.occlusionQueryEnable = counted,
		.queryFlags = counted ? VK_QUERY_CONTROL_PRECISE_BIT : 0,
	};

	return vk_begin_secondary(in_pass ? VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT : 0,
				  &inherits);
}

static void test_secondary(void)
{
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, 2, 0);
	VkCommandBuffer own = secondary_new(true, false), counted = secondary_new(true, true),
			cmd = vk_begin();
	uint64_t results[2];

	vkCmdBeginQuery(own, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
	draw(own, 6);
	vkCmdEndQuery(own, pool, 0);
	VK_CHECK(vkEndCommandBuffer(own));
	draw(counted, 6);
	draw(counted, 6);
	VK_CHECK(vkEndCommandBuffer(counted));
	vkCmdResetQueryPool(cmd, pool, 0, 2);
	begin_pass(cmd, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
	vkCmdExecuteCommands(cmd, 1, &own);
	vkCmdEndRenderPass(cmd);
	vkCmdBeginQuery(cmd, pool, 1, VK_QUERY_CONTROL_PRECISE_BIT);
	begin_pass(cmd, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
	vkCmdExecuteCommands(cmd, 1, &counted);
	vkCmdEndRenderPass(cmd);
	vkCmdEndQuery(cmd, pool, 1);
	vk_run(cmd);
	VK_CHECK(vkGetQueryPoolResults(vk.device, pool, 0, 2, sizeof(results), results, 8,
				       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
	tap(is("own", results[0], HALF), "a secondary command buffer has a query of its own");
	tap(is("counted", results[1], 2 * HALF),
	    "a query counts what secondary command buffers draw");
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &own);
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &counted);
	vkDestroyQueryPool(vk.device, pool, NULL);
}

static void test_reset_by_secondary(void)
{
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, 1, 0);
	VkCommandBuffer reset = secondary_new(false, false), cmd = vk_begin();
	uint64_t result;

	vkCmdResetQueryPool(reset, pool, 0, 1);
	VK_CHECK(vkEndCommandBuffer(reset));
	vkCmdResetQueryPool(cmd, pool, 0, 1);
	count_draws(cmd, pool, 0, 1);
	vkCmdExecuteCommands(cmd, 1, &reset);
	vk_run(cmd);
	tap(vkGetQueryPoolResults(vk.device, pool, 0, 1, 8, &result, 8, VK_QUERY_RESULT_64_BIT) ==
		    VK_NOT_READY,
	    "a query that a secondary command buffer reset is not ready");
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &reset);
	vkDestroyQueryPool(vk.device, pool, NULL);
}

static void test_timestamps(void)
{
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_TIMESTAMP, 3, 0);
	uint64_t times[3];
	uint32_t narrow[3];
	bool lower = true;
	VkCommandBuffer cmd = vk_begin();

	vkCmdResetQueryPool(cmd, pool, 0, 3);
	vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, 0);
	begin_pass(cmd, VK_SUBPASS_CONTENTS_INLINE);
	draw(cmd, 6);
	vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, pool, 1);
	vkCmdEndRenderPass(cmd);
	vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 2);
	vk_run(cmd);
	VK_CHECK(vkGetQueryPoolResults(vk.device, pool, 0, 3, sizeof(times), times, 8,
				       VK_QUERY_RESULT_64_BIT));
	tap(times[0] && times[0] <= times[1] && times[1] <= times[2] && times[0] < times[2],
	    "time goes on between time stamps");
	VK_CHECK(vkGetQueryPoolResults(vk.device, pool, 0, 3, sizeof(narrow), narrow, 4, 0));
	for (int i = 0; i < 3; i++)
		lower &= is("lower half", narrow[i], times[i] & UINT32_MAX);
	tap(lower, "time stamps of 32 bits are the lower halves of those of 64");
	vkDestroyQueryPool(vk.device, pool, NULL);
}

/* Queries before the first draw, for which the host may have no result slots yet. */
static void test_first(void)
{
	VkQueryPool times = vk_queries_new(VK_QUERY_TYPE_TIMESTAMP, 1, 0);
	VkQueryPool samples = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, 1, 0);
	uint64_t time = 0, passed = 1;
	VkCommandBuffer cmd = vk_begin();

	vkCmdResetQueryPool(cmd, times, 0, 1);
	vkCmdResetQueryPool(cmd, samples, 0, 1);
	vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, times, 0);
	vkCmdBeginQuery(cmd, samples, 0, 0);
	vkCmdEndQuery(cmd, samples, 0);
	vk_run(cmd);
	VK_CHECK(vkGetQueryPoolResults(vk.device, times, 0, 1, sizeof(time), &time, 8,
				       VK_QUERY_RESULT_64_BIT));
	VK_CHECK(vkGetQueryPoolResults(vk.device, samples, 0, 1, sizeof(passed), &passed, 8,
				       VK_QUERY_RESULT_64_BIT));
	tap(time && !passed, "queries before anything is drawn");
	vkDestroyQueryPool(vk.device, times, NULL);
	vkDestroyQueryPool(vk.device, samples, NULL);
}

/*
 * Samples the clocks of the device and of the CPU at about the same time; returns the maximal
 * deviation in nanoseconds.
 */
static uint64_t look_at_clocks(uint64_t clocks[2])
{
	const PFN_vkGetCalibratedTimestampsEXT get =
		(PFN_vkGetCalibratedTimestampsEXT)vkGetDeviceProcAddr(
			vk.device, "vkGetCalibratedTimestampsEXT");
	const VkCalibratedTimestampInfoEXT infos[2] = {
		{ VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, NULL,
		  VK_TIME_DOMAIN_DEVICE_EXT },
		{ VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, NULL,
		  VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT },
	};
	uint64_t deviation;

	VK_CHECK(get(vk.device, 2, infos, clocks, &deviation));
	return deviation;
}

/* For devices with a clock domain that can be calibrated. */
static void test_clocks(void)
{
	const double period = vk.properties.limits.timestampPeriod;
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_TIMESTAMP, 1, 0);
	uint64_t before[2], after[2], time, deviation;
	VkCommandBuffer cmd = vk_begin();
	double device, cpu;

	deviation = look_at_clocks(before);
	vkCmdResetQueryPool(cmd, pool, 0, 1);
	vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
	vk_run(cmd);
	deviation += look_at_clocks(after);
	VK_CHECK(vkGetQueryPoolResults(vk.device, pool, 0, 1, 8, &time, 8, VK_QUERY_RESULT_64_BIT));
	device = (after[0] - before[0]) * period;
	cpu = after[1] - before[1];
	tap(before[0] <= time && time <= after[0],
	    "a time stamp is between two looks at the device's clock");
	tap(device <= cpu + deviation && cpu <= device + deviation,
	    "which goes as fast as the CPU's");
	vkDestroyQueryPool(vk.device, pool, NULL);
}

static void test_statistics(void)
{
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_PIPELINE_STATISTICS, 2,
				    VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
				    VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT |
				    VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT);
	uint64_t results[2][4];
	VkCommandBuffer cmd = vk_begin();

	vkCmdResetQueryPool(cmd, pool, 0, 2);
	for (uint32_t i = 0; i < 2; i++) {
		begin_pass(cmd, VK_SUBPASS_CONTENTS_INLINE);
		vkCmdBeginQuery(cmd, pool, i, 0);
		draw(cmd, i ? 6 : 3);
		vkCmdEndQuery(cmd, pool, i);
		vkCmdEndRenderPass(cmd);
	}
	vk_run(cmd);
	VK_CHECK(vkGetQueryPoolResults(
		vk.device, pool, 0, 2, sizeof(results), results, sizeof(results[0]),
		VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT));
	tap(is("vertices", results[0][0], 3) & is("triangles", results[0][1], 1) &
			    is("vertices", results[1][0], 6) & is("triangles", results[1][1], 2) &
			    is("available", results[1][3], 1) &&
		    results[1][2] >= HALF,
	    "statistics, those that the pool has");
	vkDestroyQueryPool(vk.device, pool, NULL);
}

static void test_host_reset(void)
{
	PFN_vkResetQueryPoolEXT reset =
		(PFN_vkResetQueryPoolEXT)vkGetDeviceProcAddr(vk.device, "vkResetQueryPoolEXT");
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, 2, 0);
	uint64_t result;
	VkCommandBuffer cmd;

	for (uint32_t i = 0; i < 2; i++) {
		reset(vk.device, pool, 0, 2);
		tap(vkGetQueryPoolResults(vk.device, pool, 1, 1, 8, &result, 8,
					  VK_QUERY_RESULT_64_BIT) == VK_NOT_READY,
		    "a query that the CPU reset is not ready");
		cmd = vk_begin();
		count_draws(cmd, pool, 1, i + 1);
		vk_run(cmd);
		VK_CHECK(vkGetQueryPoolResults(vk.device, pool, 1, 1, 8, &result, 8,
					       VK_QUERY_RESULT_64_BIT));
		tap(is("result", result, (i + 1) * HALF), "and is used");
	}
	vkDestroyQueryPool(vk.device, pool, NULL);
}

int main(void)
{
	vk_open();
	test_first();
	make_scene();
	test_occlusion();
	test_prepared();
	test_not_ready();
	test_copies();
	test_copies_of_none();
	test_none();
	test_strides();
	test_again();
	test_secondary();
	test_reset_by_secondary();
	test_timestamps();
	if (vk_has(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME))
		test_clocks();
	test_statistics();
	test_host_reset();
	end_scene();
	vk_close();
	return tap_failures() > 0;
}
