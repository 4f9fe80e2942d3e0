// SPDX-License-Identifier: MIT
/*
 * Vulkan: the stages before rasterization. Transform feedback, queries, multi-draw and indirect
 * draws, viewports and layers, clip and cull distances, tessellation and geometry shaders; each
 * test checks all words or pixels of its result. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-vertices-shaders.h"

#define SIDE 16
#define LAYERS 3
#define PICTURE (SIDE * SIDE * LAYERS * 4)
#define MAX_PIPELINES 41
#define UNTOUCHED 0x5a5a5a5au
#define SECOND 512		/* offset of the second half of `captured` in bytes */

static const VkFormat format = VK_FORMAT_R32_UINT;

static struct {
	VkPipelineLayout layout;
	struct vk_set set;
	struct vk_image color;
	VkImageView view;
	struct vk_buffer captured, counters, commands, words, readback;
	VkPipeline pipelines[MAX_PIPELINES];
	uint32_t n_pipelines;
} test;

/* Each begins as VkBaseOutStructure does. */
static VkPhysicalDeviceDynamicRenderingFeatures rendering_features = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
};
static VkPhysicalDeviceShaderDrawParametersFeatures parameters_features = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES,
	.pNext = &rendering_features,
};
static VkPhysicalDeviceConditionalRenderingFeaturesEXT condition_features = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT,
	.pNext = &parameters_features,
};
static VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback_features = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
	.pNext = &condition_features,
};
static VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT generated_features = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT,
	.pNext = &feedback_features,
};

static VkPhysicalDeviceMultiDrawFeaturesEXT multi_draw_features = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT,
	.pNext = &generated_features,
};

/* Pipelines */

struct code {
	const uint32_t *words;
	size_t size;
};

#define CODE(name) { VK_CODE(name) }

struct how {
	struct code vertex, control, evaluation, geometry;
	VkPrimitiveTopology topology;
	uint32_t patch;			/* vertices of a patch */
	VkTessellationDomainOrigin origin;
	bool discard, culled, elements;
	VkDynamicState dynamic;
	uint32_t n_dynamic;
};

/* The first viewport is the whole image, the others are its quarters. */
static const VkViewport viewports[] = {
	{ 0, 0, SIDE, SIDE, 0, 1 },
	{ 0, 0, SIDE / 2, SIDE / 2, 0, 1 },
	{ SIDE / 2, 0, SIDE / 2, SIDE / 2, 0, 1 },
	{ 0, SIDE / 2, SIDE / 2, SIDE / 2, 0, 1 },
	{ SIDE / 2, SIDE / 2, SIDE / 2, SIDE / 2, 0, 1 },
};

static void add_stage(struct vk_pipeline *p, VkShaderStageFlagBits stage, const struct code *code)
{
	if (code->words)
		vk_pipeline_code(p, stage, code->words, code->size);
}

static void add_stages(struct vk_pipeline *p, const struct how *how)
{
	add_stage(p, VK_SHADER_STAGE_VERTEX_BIT, &how->vertex);
	add_stage(p, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, &how->control);
	add_stage(p, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, &how->evaluation);
	add_stage(p, VK_SHADER_STAGE_GEOMETRY_BIT, &how->geometry);
	if (!how->discard)
		vk_pipeline_code(p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(value_frag));
}

/* The pipeline lives until the end of the program. */
static VkPipeline pipeline_new(const struct how *how)
{
	const VkVertexInputBindingDescription binding = { 0, 4, VK_VERTEX_INPUT_RATE_INSTANCE };
	const VkVertexInputAttributeDescription attribute = { 0, 0, VK_FORMAT_R32_UINT, 0 };
	const VkVertexInputBindingDivisorDescriptionEXT divisor = { 0, 3 };
	const VkPipelineVertexInputDivisorStateCreateInfoEXT divisors = {
		VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT,
		NULL,
		1,
		&divisor,
	};
	const VkPipelineTessellationDomainOriginStateCreateInfo origin = {
		VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO,
		NULL,
		how->origin,
	};
	const VkRect2D all = { { 0, 0 }, { SIDE, SIDE } }, scissors[] = { all, all, all, all, all };
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	add_stages(&p, how);
	vk_pipeline_formats(&p, format, VK_FORMAT_UNDEFINED, VK_FORMAT_UNDEFINED);
	vk_pipeline_inputs(&p, &binding, how->elements, &attribute, how->elements);
	p.vertices.pNext = how->elements ? &divisors : NULL;
	p.assembly.topology = how->topology;
	p.tessellation.pNext = &origin;
	p.tessellation.patchControlPoints = how->patch;
	p.info.pTessellationState = how->control.words ? &p.tessellation : NULL;
	p.viewports.viewportCount = 5;
	p.viewports.pViewports = viewports;
	p.viewports.scissorCount = 5;
	p.viewports.pScissors = scissors;
	p.raster.rasterizerDiscardEnable = how->discard;
	p.raster.cullMode = how->culled ? VK_CULL_MODE_BACK_BIT : 0;
	p.raster.frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE;
	vk_pipeline_dynamic(&p, &how->dynamic, how->n_dynamic);
	return test.pipelines[test.n_pipelines++] = vk_pipeline_new(&p);
}

static const struct how places = { .vertex = CODE(places_vert) };

/* Pictures */

static void begin_rendering(VkCommandBuffer cmd, VkRenderingFlags flags)
{
	const VkRenderingAttachmentInfo color = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageView = test.view,
		.imageLayout = VK_IMAGE_LAYOUT_GENERAL, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.flags = flags,
		.renderArea = { { 0, 0 }, { SIDE, SIDE } },
		.layerCount = LAYERS,
		.colorAttachmentCount = 1,
		.pColorAttachments = &color,
	};

	VK_FUNCTION(vkCmdBeginRenderingKHR)(cmd, &info);
}

static void end_rendering(VkCommandBuffer cmd)
{
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	vk_barrier(cmd);
}

static void bind(VkCommandBuffer cmd, const struct how *how)
{
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_new(how));
}

static VkCommandBuffer begin(const struct how *how)
{
	VkCommandBuffer cmd = vk_begin();

	begin_rendering(cmd, 0);
	bind(cmd, how);
	return cmd;
}

/* Submits all commands, and reads the image. */
static void read_back(VkCommandBuffer cmd)
{
	vk_image_read(cmd, &test.color, SIDE, &test.readback);
	vk_run(cmd);
}

static void finish(VkCommandBuffer cmd)
{
	end_rendering(cmd);
	read_back(cmd);
}

static void draw(const struct how *how, uint32_t n, uint32_t instances, uint32_t first,
		 uint32_t first_instance)
{
	VkCommandBuffer cmd = begin(how);

	vkCmdDraw(cmd, n, instances, first, first_instance);
	finish(cmd);
}

typedef uint32_t (*expect_t)(uint32_t layer, uint32_t x, uint32_t y);

static bool picture_is(expect_t expected)
{
	const uint32_t *pixels = test.readback.map;

	for (uint32_t i = 0; i < SIDE * SIDE * LAYERS; i++) {
		const uint32_t x = i % SIDE, y = i / SIDE % SIDE, layer = i / SIDE / SIDE;
		const uint32_t wanted = expected(layer, x, y);

		if (pixels[i] != wanted) {
			printf("# %u,%u of layer %u is %u, not %u\n", x, y, layer, pixels[i],
			       wanted);
			return false;
		}
	}
	return true;
}

static bool words_are(const char *what, const uint32_t *words, const uint32_t *expected, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (words[i] != expected[i]) {
			printf("# %s: word %u is %u, not %u\n", what, i, words[i], expected[i]);
			return false;
		}
	}
	return true;
}

/* Queries */

/* Checks the results, of @size bytes each, and destroys the pool. */
static bool results_are(VkQueryPool pool, uint32_t count, uint32_t size, const uint64_t *expected)
{
	uint64_t results[8];
	bool ok = true;

	VK_CHECK(vkGetQueryPoolResults(vk.device, pool, 0, count, count * size, results, size,
				       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
	for (uint32_t i = 0; i < count * size / 8; i++) {
		if (results[i] == expected[i])
			continue;
		printf("# result %u is %lu, not %lu\n", i, (unsigned long)results[i],
		       (unsigned long)expected[i]);
		ok = false;
	}
	vkDestroyQueryPool(vk.device, pool, NULL);
	return ok;
}

/* Transform feedback */

static void bind_captured(VkCommandBuffer cmd, VkDeviceSize second_size)
{
	const VkBuffer buffers[] = { test.captured.buffer, test.captured.buffer };
	const VkDeviceSize offsets[] = { 0, SECOND }, sizes[] = { SECOND, second_size };

	memset(test.captured.map, 0x5a, test.captured.size);
	VK_FUNCTION(vkCmdBindTransformFeedbackBuffersEXT)(cmd, 0, 2, buffers, offsets, sizes);
}

/*
 * Captures a draw. If @resume, it continues at the offsets in the counter buffers; it writes the
 * final offsets there.
 */
static void capture(VkCommandBuffer cmd, bool resume, uint32_t n, uint32_t first)
{
	const VkBuffer counters[] = { test.counters.buffer, test.counters.buffer };
	const VkDeviceSize offsets[] = { 4, 16 };

	VK_FUNCTION(vkCmdBeginTransformFeedbackEXT)(cmd, 0, resume ? 2 : 0, counters, offsets);
	vkCmdDraw(cmd, n, 1, first, 6);
	VK_FUNCTION(vkCmdEndTransformFeedbackEXT)(cmd, 0, 2, counters, offsets);
}

static uint32_t eight_points(uint32_t layer, uint32_t x, uint32_t y)
{
	return !layer && x < 8 && y == 3 ? 1 + x + 16 * y : 0;
}

/* @sizes: the second buffer has point sizes instead of vertex numbers. */
static bool eight_are_captured(bool sizes)
{
	static const uint32_t order[] = { 2, 3, 4, 5, 6, 9, 10, 11 };
	uint32_t pairs[18], singles[9];

	for (uint32_t i = 0; i < 8; i++) {
		pairs[2 * i] = order[i] * 3 + 7;
		pairs[2 * i + 1] = 6;
		singles[i] = sizes ? 0x3f800000 : order[i] ^ 0xabc;
	}
	pairs[16] = pairs[17] = singles[8] = UNTOUCHED;
	return words_are("pairs", test.captured.map, pairs, 18) &
	       words_are("singles", (uint32_t *)test.captured.map + SECOND / 4, singles, 9);
}

static void test_feedback(void)
{
	VkCommandBuffer cmd = begin(&(struct how){ .vertex = CODE(captured_vert) });

	bind_captured(cmd, SECOND);
	capture(cmd, false, 5, 2);
	vkCmdDraw(cmd, 4, 1, 0, 0);
	end_rendering(cmd);
	begin_rendering(cmd, 0);
	capture(cmd, true, 3, 9);
	end_rendering(cmd);
	begin_rendering(cmd, 0);
	bind(cmd, &places);
	VK_FUNCTION(vkCmdDrawIndirectByteCountEXT)(cmd, 1, 3, test.counters.buffer, 4, 0, 8);
	finish(cmd);
	tap(eight_are_captured(false), "vertices are captured, paused and resumed, to two buffers");
	tap(picture_is(eight_points), "as many vertices are drawn as were captured");
	tap(((uint32_t *)test.counters.map)[1] == 64 && ((uint32_t *)test.counters.map)[4] == 32,
	    "counter buffers have the bytes that were captured");
}

/* Counter buffers are memory: a program may write them itself. */
static void test_counters(void)
{
	static const uint32_t pairs[] = { UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED, 34, 6, 37, 6,
					  UNTOUCHED };
	static const uint32_t again[] = { 34, 6, UNTOUCHED };
	uint32_t *counters = test.counters.map;
	VkCommandBuffer cmd = begin(&(struct how){ .vertex = CODE(captured_vert) });

	bind_captured(cmd, SECOND);
	counters[1] = 2 * 8;
	counters[4] = 2 * 4;
	capture(cmd, true, 2, 9);
	finish(cmd);
	tap(words_are("pairs", test.captured.map, pairs, 9) && counters[1] == 4 * 8 &&
	    counters[4] == 4 * 4, "capturing goes on where the program says");
	cmd = vk_begin();
	vkCmdFillBuffer(cmd, test.counters.buffer, 0, VK_WHOLE_SIZE, 0);
	vk_run(cmd);
	cmd = begin(&(struct how){ .vertex = CODE(captured_vert) });
	bind_captured(cmd, SECOND);
	capture(cmd, true, 1, 9);
	finish(cmd);
	tap(words_are("pairs", test.captured.map, again, 3),
	    "capturing begins anew where the counters are zero");
	cmd = begin(&places);
	counters[5] = 10 * 8;
	VK_FUNCTION(vkCmdDrawIndirectByteCountEXT)(cmd, 1, 3, test.counters.buffer, 20, 16, 8);
	finish(cmd);
	tap(picture_is(eight_points),
	    "as many vertices are drawn as memory says, less an offset");
}

static void test_captured_blocks(void)
{
	VkCommandBuffer cmd = begin(&(struct how){ .vertex = CODE(captured_blocks_vert) });

	bind_captured(cmd, SECOND);
	capture(cmd, false, 5, 2);
	capture(cmd, true, 3, 9);
	finish(cmd);
	tap(eight_are_captured(true), "members of blocks are captured, built-in ones, too");
}

static void test_streams(void)
{
	static const uint32_t zeros[] = { 21, 28, 35, UNTOUCHED };
	static const uint32_t ones[] = { 150, 151, 200, 201, 250, UNTOUCHED, UNTOUCHED };
	/* primitives written and needed, of two streams */
	static const uint64_t counts[] = { 3, 3, 5, 6 };
	const struct how how = { .vertex = CODE(places_vert),
				 .geometry = CODE(streams_geom),
				 .discard = true };
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 2, 0);
	VkCommandBuffer cmd = vk_begin();

	vkCmdResetQueryPool(cmd, pool, 0, 2);
	begin_rendering(cmd, 0);
	bind(cmd, &how);
	bind_captured(cmd, 20);
	for (uint32_t i = 0; i < 2; i++)
		VK_FUNCTION(vkCmdBeginQueryIndexedEXT)(cmd, pool, i, 0, i);
	VK_FUNCTION(vkCmdBeginTransformFeedbackEXT)(cmd, 0, 0, NULL, NULL);
	vkCmdDraw(cmd, 3, 1, 2, 0);
	VK_FUNCTION(vkCmdEndTransformFeedbackEXT)(cmd, 0, 0, NULL, NULL);
	for (uint32_t i = 0; i < 2; i++)
		VK_FUNCTION(vkCmdEndQueryIndexedEXT)(cmd, pool, i, i);
	finish(cmd);
	tap(words_are("stream 0", test.captured.map, zeros, 4) &
	    words_are("stream 1", (uint32_t *)test.captured.map + SECOND / 4, ones, 7),
	    "a geometry shader's two streams are captured, as far as there is room");
	tap(results_are(pool, 2, 16, counts),
	    "queries of each stream count what was written and what had no room");
}

/*
 * Checks VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT for one or two streams, with and without rasterizer
 * discard.
 */
static bool generates(bool discard, uint32_t streams)
{
	static const uint64_t counts[] = { 5, 10 };
	const struct how how = { .vertex = CODE(places_vert),
				 .geometry = CODE(streams_geom),
				 .discard = discard };
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT, streams, 0);
	VkCommandBuffer cmd = vk_begin();

	vkCmdResetQueryPool(cmd, pool, 0, streams);
	begin_rendering(cmd, 0);
	bind(cmd, &how);
	vkCmdDraw(cmd, 7, 1, 0, 0);
	for (uint32_t i = 0; i < streams; i++) {
		VK_FUNCTION(vkCmdBeginQueryIndexedEXT)(cmd, pool, i, 0, i);
		vkCmdDraw(cmd, 5, 1, 0, 0);
		VK_FUNCTION(vkCmdEndQueryIndexedEXT)(cmd, pool, i, i);
	}
	finish(cmd);
	return results_are(pool, streams, 8, counts);
}

static void test_generated(void)
{
	const uint32_t streams = 1 + generated_features.primitivesGeneratedQueryWithNonZeroStreams;

	tap(generates(false, streams),
	    "primitives that are generated are counted, of each stream that may be");
	if (!generated_features.primitivesGeneratedQuery)
		printf("# this device says that it cannot count them\n");
	if (generated_features.primitivesGeneratedQueryWithRasterizerDiscard)
		tap(generates(true, streams), "and where nothing is rasterised");
	else
		tap(true, "and where nothing is rasterised # SKIP this device cannot");
}

/* Indirect draws */

static const VkDrawIndirectCommand draws[] = { { 3, 1, 1, 0 }, { 2, 2, 5, 4 }, { 1, 1, 15, 9 } };
/* The indices are 2 more than their own offset. */
static const VkDrawIndexedIndirectCommand indexed_draws[] = {
	{ 3, 1, 0, -1, 0 }, { 2, 2, 4, -1, 4 }, { 1, 1, 10, 3, 9 },
};

/* Offsets in `commands`; the draw counts are at 0 and 4. */
enum { DRAWS_AT = 8, INDEXED_AT = 128, INDICES_AT = 256 };

static void put_draws(void)
{
	uint32_t *commands = test.commands.map;

	commands[0] = 2;
	commands[1] = 1000;
	for (uint32_t i = 0; i < 3; i++) {
		memcpy(commands + DRAWS_AT / 4 + 5 * i, &draws[i], sizeof(draws[i]));
		memcpy(commands + INDEXED_AT / 4 + 6 * i, &indexed_draws[i],
		       sizeof(indexed_draws[i]));
	}
	for (uint32_t i = 0; i < 16; i++)
		commands[INDICES_AT / 4 + i] = i + 2;
}

/* Returns the pixel that the first @n draws produce. With indices, base is the vertex offset. */
static uint32_t drawn(uint32_t n, bool indexed, uint32_t x, uint32_t y)
{
	for (uint32_t i = 0; i < n; i++) {
		const VkDrawIndirectCommand *d = &draws[i];
		const int32_t base =
			indexed ? indexed_draws[i].vertexOffset : (int32_t)d->firstVertex;

		if (x - d->firstVertex < d->vertexCount && y - d->firstInstance < d->instanceCount)
			return 4096 + i + 16 * base + 256 * d->firstInstance;
	}
	return 0;
}

static uint32_t three_draws(uint32_t layer, uint32_t x, uint32_t y)
{
	return layer ? 0 : drawn(3, false, x, y);
}

static uint32_t three_indexed(uint32_t layer, uint32_t x, uint32_t y)
{
	return layer ? 0 : drawn(3, true, x, y);
}

static uint32_t two_draws(uint32_t layer, uint32_t x, uint32_t y)
{
	return layer ? 0 : drawn(2, false, x, y);
}

static uint32_t two_indexed(uint32_t layer, uint32_t x, uint32_t y)
{
	return layer ? 0 : drawn(2, true, x, y);
}

static const struct how with_parameters = { .vertex = CODE(parameters_vert) };

static uint32_t one_draw(uint32_t layer, uint32_t x, uint32_t y)
{
	return !layer && x >= 4 && x < 7 && y == 2 ? 4096 + 16 * 4 + 256 * 2 : 0;
}

static void test_parameters(void)
{
	draw(&with_parameters, 3, 1, 4, 2);
	tap(picture_is(one_draw),
	    "a shader knows its draw, and where vertices and instances begin");
}

static void test_multi_draw(void)
{
	VkCommandBuffer cmd = begin(&with_parameters);

	vkCmdDrawIndirect(cmd, test.commands.buffer, DRAWS_AT, 3, 20);
	finish(cmd);
	tap(picture_is(three_draws), "several draws of one command (multiDrawIndirect)");
	cmd = begin(&with_parameters);
	vkCmdBindIndexBuffer(cmd, test.commands.buffer, INDICES_AT, VK_INDEX_TYPE_UINT32);
	vkCmdDrawIndexedIndirect(cmd, test.commands.buffer, INDEXED_AT, 3, 24);
	finish(cmd);
	tap(picture_is(three_indexed), "and with indices");
}

/* The arguments of draws may lie in large structures. */
static void test_far_draws(void)
{
	enum { FAR = 0x10000 };
	struct vk_buffer arguments = vk_buffer_new(3 * FAR, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
	VkCommandBuffer cmd = begin(&with_parameters);

	for (uint32_t i = 0; i < 3; i++)
		memcpy((char *)arguments.map + i * FAR, &draws[i], sizeof(draws[i]));
	vkCmdDrawIndirect(cmd, arguments.buffer, 0, 3, FAR);
	finish(cmd);
	tap(picture_is(three_draws), "several draws whose arguments are 64 KiB apart");
	vk_buffer_del(&arguments);
}

/* Two draws of instance 2 only. */
static const VkDrawIndirectCommand multi_draws[] = { { 3, 1, 1, 2 }, { 2, 1, 5, 2 } };

static uint32_t multi_drawn(bool indexed, uint32_t x, uint32_t y)
{
	for (uint32_t i = 0; i < 2; i++) {
		const int32_t base = indexed ? -1 : (int32_t)multi_draws[i].firstVertex;

		if (y == 2 && x - multi_draws[i].firstVertex < multi_draws[i].vertexCount)
			return 4096 + i + 16 * base + 256 * 2;
	}
	return 0;
}

static uint32_t two_multi(uint32_t layer, uint32_t x, uint32_t y)
{
	return layer ? 0 : multi_drawn(false, x, y);
}

static uint32_t two_multi_indexed(uint32_t layer, uint32_t x, uint32_t y)
{
	return layer ? 0 : multi_drawn(true, x, y);
}

/*
 * vkCmdDrawMultiEXT with a stride larger than a draw; the indexed form with one vertex offset for
 * all draws.
 */
static void test_multi_draw_ext(void)
{
	struct {
		VkMultiDrawInfoEXT draw;
		uint32_t unused;
	} infos[2];
	VkMultiDrawIndexedInfoEXT indexed[2];
	VkCommandBuffer cmd;
	const int32_t offset = -1;

	if (!multi_draw_features.multiDraw)
		return;
	/* Both draws have one instance, number 2. */
	for (uint32_t i = 0; i < 2; i++) {
		infos[i].draw = (VkMultiDrawInfoEXT){ multi_draws[i].firstVertex,
						      multi_draws[i].vertexCount };
		indexed[i] = (VkMultiDrawIndexedInfoEXT){ multi_draws[i].firstVertex - 1,
							  multi_draws[i].vertexCount, 77 };
	}
	cmd = begin(&with_parameters);
	VK_FUNCTION(vkCmdDrawMultiEXT)(cmd, 2, &infos[0].draw, 1, 2, sizeof(infos[0]));
	finish(cmd);
	tap(picture_is(two_multi), "several draws of the CPU's memory (multiDraw)");
	cmd = begin(&with_parameters);
	vkCmdBindIndexBuffer(cmd, test.commands.buffer, INDICES_AT, VK_INDEX_TYPE_UINT32);
	VK_FUNCTION(vkCmdDrawMultiIndexedEXT)(cmd, 2, indexed, 1, 2, sizeof(indexed[0]), &offset);
	finish(cmd);
	tap(picture_is(two_multi_indexed), "and with indices");
}

static bool counted(bool indexed, VkDeviceSize count_at, expect_t expected)
{
	const VkBuffer buffer = test.commands.buffer;
	VkCommandBuffer cmd = begin(&with_parameters);

	vkCmdBindIndexBuffer(cmd, buffer, INDICES_AT, VK_INDEX_TYPE_UINT32);
	if (indexed)
		VK_FUNCTION(vkCmdDrawIndexedIndirectCountKHR)
		(cmd, buffer, INDEXED_AT, buffer, count_at, 3, 24);
	else
		VK_FUNCTION(vkCmdDrawIndirectCountKHR)
		(cmd, buffer, DRAWS_AT, buffer, count_at, 3, 20);
	finish(cmd);
	return picture_is(expected);
}

static void test_counts(void)
{
	tap(counted(false, 0, two_draws) & counted(true, 0, two_indexed),
	    "as many draws as a buffer says (drawIndirectCount)");
	tap(counted(false, 4, three_draws) & counted(true, 4, three_indexed),
	    "but no more than the command allows");
}

/* Viewports and layers */

static uint32_t two_quarters(uint32_t layer, uint32_t x, uint32_t y)
{
	if (layer || (x < SIDE / 2) != (y < SIDE / 2))
		return 0;
	return x < SIDE / 2 ? 300 : 301;
}

static uint32_t twelve_quarters(uint32_t layer, uint32_t x, uint32_t y)
{
	const uint32_t quarter = x / (SIDE / 2) + y / (SIDE / 2) * 2;

	return 100 + (2 - layer) * 4 + 3 - quarter;
}

static void test_viewports(void)
{
	const struct how by_geometry = {
		.vertex = CODE(corners_vert), .geometry = CODE(viewports_geom),
		.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
	};
	const struct how by_vertices = {
		.vertex = CODE(layers_vert), .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
	};

	draw(&by_geometry, 6, 1, 0, 0);
	tap(picture_is(two_quarters), "a geometry shader picks viewports");
	draw(&by_vertices, 4, 12, 0, 0);
	tap(picture_is(twelve_quarters),
	    "a vertex shader picks both (shaderOutputViewportIndex, shaderOutputLayer)");
}

/* Distances */

static uint32_t clipped(uint32_t layer, uint32_t x, uint32_t y)
{
	return !layer && x >= SIDE / 2 && y >= SIDE / 4 ? 50 : 0;
}

static uint32_t columns(uint32_t layer, uint32_t x, uint32_t y)
{
	(void)y;
	return layer || x / 4 == 1 ? 0 : 200 + x / 4;
}

static void test_distances(void)
{
	const struct how clip = { .vertex = CODE(clip_vert),
				  .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP };
	const struct how cull = { .vertex = CODE(cull_vert),
				  .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP };

	draw(&clip, 4, 1, 0, 0);
	tap(picture_is(clipped), "triangles are clipped by two distances");
	draw(&cull, 4, 4, 0, 0);
	tap(picture_is(columns),
	    "triangles are culled of which all vertices are out, by the same distance");
}

/* Instances */

/*
 * With a divisor of 3, three instances share an element; the first element is that of the first
 * instance.
 */
static uint32_t every_third(uint32_t layer, uint32_t x, uint32_t y)
{
	return !layer && x == 5 && y >= 2 && y < 9 ? 2 + 2 + (y - 2) / 3 : 0;
}

static void test_divisor(void)
{
	VkCommandBuffer cmd =
		begin(&(struct how){ .vertex = CODE(elements_vert), .elements = true });

	/* The index buffer serves as vertex buffer: its numbers are known. */
	vkCmdBindVertexBuffers(cmd, 0, 1, &test.commands.buffer, &(VkDeviceSize){ INDICES_AT });
	vkCmdDraw(cmd, 1, 7, 5, 2);
	finish(cmd);
	tap(picture_is(every_third), "a divisor of 3: as many instances have one element");
}

/* Stores of stages before the rasteriser: vertexPipelineStoresAndAtomics. */
static void test_stores(void)
{
	static const uint32_t expected[] = {
		0xfff, 0xf,  0xf,  0xf,	 0,    0,    0,	   0,	 1000, 1003, 1006,
		1009,  1012, 1015, 1018, 1021, 1024, 1027, 1030, 1033, 0,
	};
	const struct how how = {
		.vertex = CODE(stores_vert),
		.control = CODE(stores_tesc),
		.evaluation = CODE(stores_tese),
		.geometry = CODE(stores_geom),
		.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST,
		.patch = 3,
		.discard = true,
	};
	VkCommandBuffer cmd = begin(&how);

	memset(test.words.map, 0, test.words.size);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, test.layout, 0, 1,
				&test.set.set, 0, NULL);
	vkCmdDraw(cmd, 12, 1, 0, 0);
	finish(cmd);
	tap(words_are("words", test.words.map, expected, sizeof(expected) / 4),
	    "all stages store before the rasteriser");
}

/*
 * Point sizes written by stages other than the vertex stage. The results do not depend on the
 * number of a patch: lavapipe counts patches from the first vertex.
 */

static uint32_t size_five(uint32_t layer, uint32_t x, uint32_t y)
{
	return !layer && x >= 6 && x <= 10 && y >= 5 && y <= 9 ? 1 + 8 + 16 * 7 : 0;
}

static uint32_t size_three(uint32_t layer, uint32_t x, uint32_t y)
{
	return !layer && x >= 7 && x <= 9 && y >= 6 && y <= 8 ? 400 + 16 : 0;
}

static void test_sizes(void)
{
	const struct how geometry = { .vertex = CODE(places_vert), .geometry = CODE(size_geom) };
	const struct how patches = {
		.vertex = CODE(places_vert),
		.control = CODE(patch_tesc),
		.evaluation = CODE(size_tese),
		.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST,
		.patch = 1,
	};

	draw(&geometry, 1, 1, 8, 7);
	tap(picture_is(size_five), "a geometry shader's size of points");
	draw(&patches, 1, 1, 8, 7);
	tap(picture_is(size_three), "a tessellation shader's size of points");
}

/* Dynamic states of tessellation */

/* Draws patches of 4 vertices, then of 3. */
static uint32_t patches(uint32_t layer, uint32_t x, uint32_t y)
{
	if (!layer && y == 1 && x < 12 && x % 4 == 0)
		return 400 + 16 * 4 + x / 4;
	if (!layer && y == 2 && x < 12 && x % 3 == 0)
		return 400 + 16 * 3 + x / 3;
	return 0;
}

static void test_patches(void)
{
	const struct how how = {
		.vertex = CODE(places_vert),
		.control = CODE(patch_tesc),
		.evaluation = CODE(points_tese),
		.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST,
		.patch = 1,
		.dynamic = VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT,
		.n_dynamic = 1,
	};
	VkCommandBuffer cmd = begin(&how);

	VK_FUNCTION(vkCmdSetPatchControlPointsEXT)(cmd, 4);
	vkCmdDraw(cmd, 12, 1, 0, 1);
	VK_FUNCTION(vkCmdSetPatchControlPointsEXT)(cmd, 3);
	vkCmdDraw(cmd, 12, 1, 0, 2);
	finish(cmd);
	tap(picture_is(patches), "a command says how many vertices patches have");
}

/* Draws four patches, then eight. */
static uint32_t multi_patches(uint32_t layer, uint32_t x, uint32_t y)
{
	return !layer && y == 1 && x < 12 ? 400 + 16 : 0;
}

/* At the maximal tessellation level these patches exceed the host's buffers. */
static void test_multi_patches(void)
{
	static const VkMultiDrawInfoEXT infos[] = { { 0, 4 }, { 4, 8 } };
	static const VkMultiDrawIndexedInfoEXT indexed[] = { { 0, 4, -2 }, { 4, 8, -2 } };
	const struct how how = {
		.vertex = CODE(places_vert),
		.control = CODE(patch_tesc),
		.evaluation = CODE(large_tese),
		.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST,
		.patch = 1,
	};
	VkCommandBuffer cmd;

	if (!multi_draw_features.multiDraw)
		return;
	cmd = begin(&how);
	VK_FUNCTION(vkCmdDrawMultiEXT)(cmd, 2, infos, 1, 1, sizeof(infos[0]));
	finish(cmd);
	tap(picture_is(multi_patches), "several draws of large patches by one command");
	cmd = begin(&how);
	vkCmdBindIndexBuffer(cmd, test.commands.buffer, INDICES_AT, VK_INDEX_TYPE_UINT32);
	VK_FUNCTION(vkCmdDrawMultiIndexedEXT)(cmd, 2, indexed, 1, 1, sizeof(indexed[0]), NULL);
	finish(cmd);
	tap(picture_is(multi_patches), "and with indices");
}

static uint32_t nothing(uint32_t layer, uint32_t x, uint32_t y)
{
	(void)layer, (void)x, (void)y;
	return 0;
}

static uint32_t all_of_first(uint32_t layer, uint32_t x, uint32_t y)
{
	(void)x, (void)y;
	return layer ? 0 : 400 + 16;
}

/* With one domain origin triangles are front-facing, with the other back-facing and culled. */
static bool origin_draws(bool commanded, VkTessellationDomainOrigin origin, expect_t expected)
{
	const struct how how = {
		.vertex = CODE(places_vert),
		.control = CODE(patch_tesc),
		.evaluation = CODE(all_tese),
		.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST,
		.patch = 1,
		.culled = true,
		/* A command sets the other origin. */
		.origin = commanded ? !origin : origin,
		.dynamic = VK_DYNAMIC_STATE_TESSELLATION_DOMAIN_ORIGIN_EXT,
		.n_dynamic = commanded,
	};
	VkCommandBuffer cmd = begin(&how);

	if (commanded)
		VK_FUNCTION(vkCmdSetTessellationDomainOriginEXT)(cmd, origin);
	vkCmdDraw(cmd, 1, 1, 0, 0);
	finish(cmd);
	return picture_is(expected);
}

static void test_origin(void)
{
	const VkTessellationDomainOrigin upper = VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT;
	const VkTessellationDomainOrigin lower = VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT;

	tap(origin_draws(false, upper, all_of_first) & origin_draws(false, lower, nothing),
	    "the origin of what is tessellated turns triangles");
	tap(origin_draws(true, upper, all_of_first) & origin_draws(true, lower, nothing),
	    "and as a command says it");
}

/* Secondary command buffers that inherit queries and conditional rendering */

static VkCommandBuffer secondary_new(bool counted, bool conditional)
{
	VkCommandBufferInheritanceConditionalRenderingInfoEXT condition = {
		.sType =
			VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_CONDITIONAL_RENDERING_INFO_EXT,
		.conditionalRenderingEnable = conditional,
	};
	const VkCommandBufferInheritanceRenderingInfo rendering = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
		.pNext = &condition,
		.colorAttachmentCount = 1,
		.pColorAttachmentFormats = &format,
		.rasterizationSamples = 1,
	};
	VkCommandBufferInheritanceInfo inherits = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &rendering,
	};
	VkCommandBuffer cmd;

	if (counted) {
		inherits.occlusionQueryEnable = true;
		inherits.queryFlags = VK_QUERY_CONTROL_PRECISE_BIT;
	}
	cmd = vk_begin_secondary(VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inherits);
	bind(cmd, &places);
	vkCmdDraw(cmd, 8, 1, 0, 3);
	VK_CHECK(vkEndCommandBuffer(cmd));
	return cmd;
}

static bool inherited_query_counts(void)
{
	VkCommandBuffer secondary = secondary_new(true, false), cmd = vk_begin();
	VkQueryPool pool = vk_queries_new(VK_QUERY_TYPE_OCCLUSION, 1, 0);

	vkCmdResetQueryPool(cmd, pool, 0, 1);
	vkCmdBeginQuery(cmd, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
	begin_rendering(cmd, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
	vkCmdExecuteCommands(cmd, 1, &secondary);
	end_rendering(cmd);
	vkCmdEndQuery(cmd, pool, 0);
	vk_run(cmd);
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &secondary);
	return results_are(pool, 1, 8, &(uint64_t){ 8 });
}

static void test_inherited_query(void)
{
	VkPhysicalDeviceFeatures has;

	vkGetPhysicalDeviceFeatures(vk.physical, &has);
	if (has.inheritedQueries)
		tap(inherited_query_counts(),
		    "a query is open while a secondary command buffer draws");
	else
		tap(true,
		    "a query is open while a secondary command buffer draws "
		    "# SKIP this device cannot");
}

static bool conditional_draws(uint32_t value, expect_t expected)
{
	const VkConditionalRenderingBeginInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
		.buffer = test.words.buffer,
		.offset = 4,
	};
	VkCommandBuffer secondary = secondary_new(false, true), cmd = vk_begin();
	uint32_t *words = test.words.map;
	bool ok;

	words[0] = words[2] = !value;
	words[1] = value;
	VK_FUNCTION(vkCmdBeginConditionalRenderingEXT)(cmd, &info);
	begin_rendering(cmd, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
	vkCmdExecuteCommands(cmd, 1, &secondary);
	VK_FUNCTION(vkCmdEndRenderingKHR)(cmd);
	VK_FUNCTION(vkCmdEndConditionalRenderingEXT)(cmd);
	vk_barrier(cmd);
	read_back(cmd);
	ok = picture_is(expected);
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &secondary);
	return ok;
}

static void test_inherited_condition(void)
{
	if (condition_features.inheritedConditionalRendering)
		tap(conditional_draws(1, eight_points) & conditional_draws(0, nothing),
		    "a condition is that of a secondary command buffer, too");
	else
		tap(true,
		    "a condition is that of a secondary command buffer, too "
		    "# SKIP this device cannot");
}

/* Objects */

static void make_set(void)
{
	const VkDescriptorSetLayoutBinding binding = {
		0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL_GRAPHICS, NULL,
	};

	test.set = vk_set_new(&binding, 1);
	vk_write_buffer(test.set.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.words);
}

static void make_color(void)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = { SIDE, SIDE, 1 },
		.mipLevels = 1,
		.arrayLayers = LAYERS,
		.samples = 1,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
	};

	test.color = vk_image_new(&info);
	test.view = vk_view_new(&test.color, VK_IMAGE_VIEW_TYPE_2D_ARRAY, format,
				vk_image_all(&test.color));
}

static void make_things(void)
{
	test.captured =
		vk_buffer_new(2 * SECOND, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT);
	test.counters =
		vk_buffer_new(64, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT |
					  VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
					  VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	test.commands = vk_buffer_new(1024, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
						    VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
						    VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
	test.words = vk_buffer_new(256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
				   VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
	test.readback = vk_buffer_new(PICTURE, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	make_set();
	test.layout = vk_layout_new(&test.set.layout, 1, 0, 0);
	make_color();
	put_draws();
}

static void drop_things(void)
{
	for (uint32_t i = 0; i < test.n_pipelines; i++)
		vkDestroyPipeline(vk.device, test.pipelines[i], NULL);
	vkDestroyImageView(vk.device, test.view, NULL);
	vk_image_del(&test.color);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	vk_buffer_del(&test.captured);
	vk_buffer_del(&test.counters);
	vk_buffer_del(&test.commands);
	vk_buffer_del(&test.words);
	vk_buffer_del(&test.readback);
}

int main(void)
{
	static const char *const extensions[] = {
		VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
		VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
		VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
		VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
		VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME,
		VK_KHR_DRAW_INDIRECT_COUNT_EXTENSION_NAME,
		VK_KHR_SHADER_DRAW_PARAMETERS_EXTENSION_NAME,
		VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME,
		VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME,
		VK_EXT_MULTI_DRAW_EXTENSION_NAME,
	};

	vk.features = &multi_draw_features;
	vk_open_with(NULL, 0, extensions, sizeof(extensions) / sizeof(extensions[0]));
	make_things();
	test_feedback();
	test_counters();
	test_captured_blocks();
	test_streams();
	test_generated();
	test_parameters();
	test_multi_draw();
	test_far_draws();
	test_multi_draw_ext();
	test_counts();
	test_viewports();
	test_distances();
	test_divisor();
	test_stores();
	test_sizes();
	test_patches();
	test_multi_patches();
	test_origin();
	test_inherited_query();
	test_inherited_condition();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
