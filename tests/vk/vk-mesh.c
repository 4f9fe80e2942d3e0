// SPDX-License-Identifier: MIT
/*
 * Vulkan: task and mesh shaders, drawn directly and indirectly (VK_EXT_mesh_shader). Each draw
 * makes tiles of an image, all of which are checked. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "vk-pipeline.h"

#include "vk-mesh-shaders.h"

#define SIDE 64
#define PIXELS (SIDE * SIDE)
/* pixels of a tile's side, the same in the shaders; and tiles of the image's side */
#define TILE 8
#define BLUE 51u		/* push constant */
#define FIRST 255u		/* alpha of a tile's first triangle, and of its second */
#define SECOND 102u
#define TASK_SIZE 16u		/* invocations of a work group */
#define MESH_SIZE 64u

static struct {
	struct vk_set set;
	VkPipelineLayout layout;
	VkRenderPass pass;
	VkFramebuffer framebuffer;
	struct vk_image image;
	VkImageView view;
	struct vk_buffer pixels, counts, arguments;
	VkPipeline tiles, one, tasks, draws, cull, lines, points, vertices, dispatch, count, zeroes,
		zero_tasks;
} test;

static const VkShaderStageFlags all_stages =
	VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_COMPUTE_BIT;

/* Objects */

static VkPipeline pipeline_new(const uint32_t *task, size_t task_size, const uint32_t *mesh,
			       size_t mesh_size)
{
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	if (task)
		vk_pipeline_code(&p, VK_SHADER_STAGE_TASK_BIT_EXT, task, task_size);
	vk_pipeline_code(&p, VK_SHADER_STAGE_MESH_BIT_EXT, mesh, mesh_size);
	vk_pipeline_code(&p, VK_SHADER_STAGE_FRAGMENT_BIT, VK_CODE(mesh_frag));
	p.info.pVertexInputState = NULL;
	p.info.pInputAssemblyState = NULL;
	p.info.renderPass = test.pass;
	return vk_pipeline_new(&p);
}

static VkPipeline vertices_new(void)
{
	struct vk_pipeline p;

	vk_pipeline_init(&p, test.layout, SIDE);
	vk_pipeline_code(&p, VK_SHADER_STAGE_VERTEX_BIT, VK_CODE(mesh_cover_vert));
	p.info.renderPass = test.pass;
	p.raster.rasterizerDiscardEnable = true;
	return vk_pipeline_new(&p);
}

static VkPipeline dispatch_new(void)
{
	VkComputePipelineCreateInfo info = vk_compute_info(test.layout, VK_CODE(mesh_comp));
	VkPipeline pipeline;

	info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE;
	VK_CHECK(vk_compute_try(&info, &pipeline));
	return pipeline;
}

static void make_things(void)
{
	const VkDescriptorSetLayoutBinding binding = { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
						       all_stages, NULL };

	test.pixels = vk_buffer_new(PIXELS * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	test.counts = vk_buffer_new(8, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	test.arguments = vk_buffer_new(256, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
	test.image = vk_picture_new(VK_FORMAT_R8G8B8A8_UNORM, SIDE,
				    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &test.view);
	test.pass = vk_pass_new(VK_FORMAT_R8G8B8A8_UNORM, VK_ATTACHMENT_LOAD_OP_CLEAR);
	test.framebuffer = vk_framebuffer_new(test.pass, &test.view, 1, SIDE);
	test.set = vk_set_new(&binding, 1);
	vk_write_buffer(test.set.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &test.counts);
	test.layout = vk_layout_new(&test.set.layout, 1, all_stages, 4);
	test.tiles = pipeline_new(NULL, 0, VK_CODE(mesh_tiles));
	test.one = pipeline_new(NULL, 0, VK_CODE(mesh_one));
	test.tasks = pipeline_new(VK_CODE(mesh_task), VK_CODE(mesh_of_task));
	test.draws = pipeline_new(NULL, 0, VK_CODE(mesh_draws));
	test.cull = pipeline_new(NULL, 0, VK_CODE(mesh_cull));
	test.lines = pipeline_new(NULL, 0, VK_CODE(mesh_lines));
	test.points = pipeline_new(NULL, 0, VK_CODE(mesh_points));
	test.vertices = vertices_new();
	test.zeroes = pipeline_new(NULL, 0, VK_CODE(mesh_zeroes));
	test.zero_tasks = pipeline_new(VK_CODE(mesh_zero_task), VK_CODE(mesh_of_task));
	test.dispatch = dispatch_new();
	test.count = vk_compute_new(test.layout, VK_CODE(mesh_count));
}

static void drop_things(void)
{
	const VkPipeline all[] = {
		test.tiles,  test.one,	    test.tasks,	   test.draws, test.cull,   test.lines,
		test.points, test.vertices, test.dispatch, test.count, test.zeroes, test.zero_tasks,
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		vkDestroyPipeline(vk.device, all[i], NULL);
	vkDestroyPipelineLayout(vk.device, test.layout, NULL);
	vk_set_del(&test.set);
	vkDestroyFramebuffer(vk.device, test.framebuffer, NULL);
	vkDestroyRenderPass(vk.device, test.pass, NULL);
	vkDestroyImageView(vk.device, test.view, NULL);
	vk_image_del(&test.image);
	vk_buffer_del(&test.arguments);
	vk_buffer_del(&test.counts);
	vk_buffer_del(&test.pixels);
}

/* Draws */

static void begin_pass(VkCommandBuffer cmd)
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

	vkCmdBeginRenderPass(cmd, &info, VK_SUBPASS_CONTENTS_INLINE);
}

static VkCommandBuffer begin(void)
{
	const float blue = BLUE / 255.0f;
	VkCommandBuffer cmd = vk_begin();

	memset(test.counts.map, 0, test.counts.size);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.dispatch);
	vkCmdDispatchBase(cmd, 3, 2, 1, 1, 1, 1);
	begin_pass(cmd);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, test.layout, 0, 1,
				&test.set.set, 0, NULL);
	vkCmdPushConstants(cmd, test.layout, all_stages, 0, 4, &blue);
	return cmd;
}

static void bind(VkCommandBuffer cmd, VkPipeline pipeline)
{
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
}

static void draw(VkCommandBuffer cmd, VkPipeline pipeline, uint32_t x, uint32_t y, uint32_t z)
{
	bind(cmd, pipeline);
	VK_FUNCTION(vkCmdDrawMeshTasksEXT)(cmd, x, y, z);
}

static uint32_t color(uint32_t x, uint32_t y, uint32_t alpha)
{
	return x * 16 | y * 16 << 8 | BLUE << 16 | alpha << 24;
}

/* Returns the expected pixel @x, @y of the tile at @column, @row. */
typedef uint32_t pixel_of(uint32_t column, uint32_t row, uint32_t x, uint32_t y);

static uint32_t tile_pixel(uint32_t column, uint32_t row, uint32_t x, uint32_t y)
{
	/* Pixels on the diagonal may belong to either triangle. */
	return color(column, row, x + y < TILE - 1 ? FIRST : SECOND);
}

static uint32_t culled_pixel(uint32_t column, uint32_t row, uint32_t x, uint32_t y)
{
	return x + y > TILE - 1 && (column + row) % 2 ? 0 : tile_pixel(column, row, x, y);
}

static uint32_t line_pixel(uint32_t column, uint32_t row, uint32_t x, uint32_t y)
{
	(void)x;
	return y ? 0 : color(column, row, FIRST);
}

static uint32_t point_pixel(uint32_t column, uint32_t row, uint32_t x, uint32_t y)
{
	return x == 3 && y == 4 ? color(column, row, FIRST) : 0;
}

/* The number of tiles of each row. */
typedef const uint32_t row_lengths[TILE];

static const row_lengths full = { 8, 8, 8, 8, 8, 8, 8, 8 };

static bool may_be_either(pixel_of *pixel, uint32_t x, uint32_t y)
{
	return (pixel == tile_pixel || pixel == culled_pixel) && x + y == TILE - 1;
}

static bool picture_is(pixel_of *pixel, row_lengths rows)
{
	const uint32_t *pixels = test.pixels.map;

	for (uint32_t i = 0; i < PIXELS; i++) {
		const uint32_t x = i % SIDE, y = i / SIDE, column = x / TILE, row = y / TILE;
		const uint32_t expected =
			column < rows[row] ? pixel(column, row, x % TILE, y % TILE) : 0;

		if (pixels[i] == expected ||
		    (column < rows[row] && may_be_either(pixel, x % TILE, y % TILE)))
			continue;
		printf("# pixel %u, %u is %#x, not %#x\n", x, y, pixels[i], expected);
		return false;
	}
	return true;
}

static bool ends_with(VkCommandBuffer cmd, pixel_of *pixel, row_lengths rows)
{
	vkCmdEndRenderPass(cmd);
	vk_image_read(cmd, &test.image, SIDE, &test.pixels);
	vk_run(cmd);
	return picture_is(pixel, rows);
}

static bool counted(uint32_t tasks, uint32_t meshes)
{
	const uint32_t *counts = test.counts.map;

	if (counts[0] == tasks && counts[1] == meshes)
		return true;
	printf("# %u task shaders and %u mesh shaders, not %u and %u\n", counts[0], counts[1],
	       tasks, meshes);
	return false;
}

static void test_draws(void)
{
	VkCommandBuffer cmd = begin();

	draw(cmd, test.tiles, 8, 8, 1);
	tap(ends_with(cmd, tile_pixel, full) && counted(0, 64), "a tile of each work group");
	cmd = begin();
	draw(cmd, test.one, 1, 1, 1);
	tap(ends_with(cmd, tile_pixel, full) && counted(0, 1), "all of them from one group");
	cmd = begin();
	draw(cmd, test.tasks, 4, 2, 1);
	tap(ends_with(cmd, tile_pixel, full) && counted(8, 64), "where task shaders say");
	cmd = begin();
	draw(cmd, test.cull, 8, 8, 1);
	tap(ends_with(cmd, culled_pixel, full), "without the primitives that are culled");
	cmd = begin();
	draw(cmd, test.lines, 8, 8, 1);
	tap(ends_with(cmd, line_pixel, full), "lines");
	cmd = begin();
	draw(cmd, test.points, 8, 8, 1);
	tap(ends_with(cmd, point_pixel, full), "points");
	cmd = begin();
	draw(cmd, test.tiles, 0, 8, 1);
	draw(cmd, test.tasks, 0, 1, 1);
	tap(ends_with(cmd, tile_pixel, (row_lengths){ 0 }) && counted(0, 0),
	    "nothing of no groups");
}

static uint64_t result_of(VkQueryPool pool, uint32_t word)
{
	uint64_t words[2] = { 0 };

	VK_CHECK(vkGetQueryPoolResults(vk.device, pool, 0, 1, sizeof(words), words, sizeof(words),
				       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
	return words[word];
}

/* Vulkan 1.4, "Mesh Shader Queries" and "Pipeline Statistics Queries". */
static void test_queries(void)
{
	VkQueryPool primitives = vk_queries_new(VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT, 1, 0);
	VkQueryPool statistics =
		vk_queries_new(VK_QUERY_TYPE_PIPELINE_STATISTICS, 1,
			       VK_QUERY_PIPELINE_STATISTIC_TASK_SHADER_INVOCATIONS_BIT_EXT |
			       VK_QUERY_PIPELINE_STATISTIC_MESH_SHADER_INVOCATIONS_BIT_EXT);
	VkCommandBuffer cmd = vk_begin();

	vkCmdResetQueryPool(cmd, primitives, 0, 1);
	vkCmdResetQueryPool(cmd, statistics, 0, 1);
	vk_run(cmd);
	cmd = begin();
	draw(cmd, test.tiles, 8, 8, 1);
	vkCmdBeginQuery(cmd, primitives, 0, 0);
	vkCmdBeginQuery(cmd, statistics, 0, 0);
	draw(cmd, test.tasks, 4, 2, 1);
	draw(cmd, test.tiles, 3, 2, 1);
	vkCmdEndQuery(cmd, statistics, 0);
	vkCmdEndQuery(cmd, primitives, 0);
	draw(cmd, test.tiles, 8, 8, 1);
	tap(ends_with(cmd, tile_pixel, full), "draws with queries of meshes");
	tap(result_of(primitives, 0) == 2 * (64 + 3 * 2), "primitives of mesh shaders are counted");
	tap(result_of(statistics, 0) == 8 * TASK_SIZE,
	    "statistics count invocations of task shaders");
	tap(result_of(statistics, 1) == (64 + 3 * 2) * MESH_SIZE,
	    "statistics count invocations of mesh shaders");
	vkDestroyQueryPool(vk.device, primitives, NULL);
	vkDestroyQueryPool(vk.device, statistics, NULL);
}

/* A mesh shader may declare a payload that it does not access, without a task shader. */
static void test_unused_payload(void)
{
	VkPipeline pipeline = pipeline_new(NULL, 0, VK_CODE(mesh_unused));
	VkCommandBuffer cmd = begin();

	draw(cmd, pipeline, 8, 8, 1);
	tap(ends_with(cmd, tile_pixel, full), "a payload that is declared and not accessed");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* Subgroups of mesh shaders, where the device says that they have some. */
static void test_groups(void)
{
	VkPhysicalDeviceSubgroupProperties groups = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
		.pNext = &groups,
	};
	VkCommandBuffer cmd;
	VkPipeline pipeline;

	vkGetPhysicalDeviceProperties2(vk.physical, &properties);
	if (!(groups.supportedStages & VK_SHADER_STAGE_MESH_BIT_EXT)) {
		tap(true, "subgroups of mesh shaders # SKIP they have none");
		return;
	}
	pipeline = pipeline_new(NULL, 0, VK_CODE(mesh_groups));
	cmd = begin();
	draw(cmd, pipeline, 8, 8, 1);
	tap(ends_with(cmd, tile_pixel, full) && counted(64 * MESH_SIZE, 64),
	    "subgroups of mesh shaders");
	vkDestroyPipeline(vk.device, pipeline, NULL);
}

/* The host driver implements blits as draws; they must work while mesh shaders are bound. */
static void test_blits(void)
{
	const VkImageSubresourceLayers layer = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 };
	const VkImageBlit blit = {
		layer,
		{ { 0, 0, 0 }, { SIDE / 2, SIDE / 2, 1 } },
		layer,
		{ { 0, 0, 0 }, { SIDE, SIDE, 1 } },
	};
	struct vk_buffer pixels = vk_buffer_new(PIXELS * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	const uint32_t *from = test.pixels.map, *to = pixels.map;
	VkPipeline pipelines[] = { test.tiles, test.points, test.cull };
	VkImageView view;
	struct vk_image image = vk_picture_new(VK_FORMAT_R8G8B8A8_UNORM, SIDE, 0, &view);
	uint32_t right = 0;

	for (int i = 0; i < 3; i++) {
		VkCommandBuffer cmd = begin();

		draw(cmd, pipelines[i], 8, 8, 1);
		vkCmdEndRenderPass(cmd);
		vk_barrier(cmd);
		vkCmdBlitImage(cmd, test.image.image, VK_IMAGE_LAYOUT_GENERAL, image.image,
			       VK_IMAGE_LAYOUT_GENERAL, 1, &blit, VK_FILTER_NEAREST);
		vk_image_read(cmd, &test.image, SIDE, &test.pixels);
		vk_image_read(cmd, &image, SIDE, &pixels);
		vk_run(cmd);
		for (uint32_t k = 0; k < PIXELS; k++)
			right += to[k] == from[k / SIDE / 2 * SIDE + k % SIDE / 2];
	}
	tap(right == 3 * PIXELS, "blits after meshes: %u of %u pixels", right, 3 * PIXELS);
	vkDestroyImageView(vk.device, view, NULL);
	vk_image_del(&image);
	vk_buffer_del(&pixels);
}

/* Alternates draws of mesh shaders with draws of vertex shaders. */
static void test_turns(void)
{
	VkCommandBuffer cmd = begin();

	draw(cmd, test.tiles, 4, 4, 1);
	bind(cmd, test.vertices);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	draw(cmd, test.tasks, 8, 1, 1);
	bind(cmd, test.vertices);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	draw(cmd, test.tiles, 5, 6, 1);
	tap(ends_with(cmd, tile_pixel, full) && counted(8, 16 + 64 + 30),
	    "meshes and vertices in turns");
}

/* Shared memory is zero, whatever earlier work groups left there. */
static void test_zeroes(void)
{
	bool ok = true;

	for (int i = 0; i < 4; i++) {
		VkCommandBuffer cmd = begin();

		draw(cmd, test.zeroes, 8, 8, 1);
		ok &= ends_with(cmd, tile_pixel, full) && counted(0, 64);
		cmd = begin();
		draw(cmd, test.zero_tasks, 4, 2, 1);
		ok &= ends_with(cmd, tile_pixel, full) && counted(8, 64);
	}
	tap(ok, "shared memory begins with zeroes");
}

/*
 * Dispatches keep the work group size of their own shader, which was bound before a mesh draw, and
 * is used again after it.
 */
static void test_dispatches(void)
{
	VkCommandBuffer cmd = begin();

	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.count);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 1,
				&test.set.set, 0, NULL);
	for (int i = 0; i < 2; i++) {
		draw(cmd, test.tiles, 8, 8, 1);
		vkCmdEndRenderPass(cmd);
		vk_barrier(cmd);
		vkCmdDispatch(cmd, 2, 1, 1);
		vk_barrier(cmd);
		begin_pass(cmd);
	}
	draw(cmd, test.tiles, 8, 8, 1);
	tap(ends_with(cmd, tile_pixel, full) && counted(2 * 6, 3 * 64), "dispatches after draws");
}

/* Indirect draws of 3, 8, 0, 1 ... work groups, 16 bytes each; the first words are draw counts. */
#define COMMANDS 16
#define STRIDE 16

static const row_lengths some = { 3, 8, 0, 1, 5, 0, 7, 2 };

static void fill_arguments(void)
{
	uint32_t *map = test.arguments.map;

	map[0] = 3;
	map[1] = 100;
	for (uint32_t i = 0; i < TILE; i++) {
		const VkDrawMeshTasksIndirectCommandEXT command = { some[i], 1, 1 };

		memcpy((char *)test.arguments.map + COMMANDS + i * STRIDE, &command,
		       sizeof(command));
	}
}

static void draw_indirect(VkCommandBuffer cmd, VkPipeline pipeline, uint32_t first, uint32_t draws)
{
	bind(cmd, pipeline);
	VK_FUNCTION(vkCmdDrawMeshTasksIndirectEXT)
	(cmd, test.arguments.buffer, COMMANDS + first * STRIDE, draws, STRIDE);
}

static void draw_counted(VkCommandBuffer cmd, VkPipeline pipeline, uint32_t count_at, uint32_t most)
{
	bind(cmd, pipeline);
	VK_FUNCTION(vkCmdDrawMeshTasksIndirectCountEXT)
	(cmd, test.arguments.buffer, COMMANDS, test.arguments.buffer, count_at, most, STRIDE);
}

static void test_indirect(void)
{
	VkCommandBuffer cmd = begin();

	fill_arguments();
	draw_indirect(cmd, test.draws, 0, TILE);
	tap(ends_with(cmd, tile_pixel, some),
	    "draws whose groups are in memory, and their numbers");
	cmd = begin();
	draw_counted(cmd, test.draws, 0, TILE);
	tap(ends_with(cmd, tile_pixel, (row_lengths){ 3, 8 }), "as many as memory says");
	cmd = begin();
	draw_counted(cmd, test.draws, 4, 5);
	tap(ends_with(cmd, tile_pixel, (row_lengths){ 3, 8, 0, 1, 5 }), "and as there may be");
	cmd = begin();
	draw_counted(cmd, test.draws, 0, TILE);
	draw_indirect(cmd, test.draws, 0, TILE);
	tap(ends_with(cmd, tile_pixel, some), "the number of one draw is not the next one's");
	cmd = begin();
	draw_indirect(cmd, test.tasks, 1, 1);
	tap(ends_with(cmd, tile_pixel, full) && counted(8, 64),
	    "task shaders whose groups are in memory, after a dispatch");
}

int main(void)
{
	static const char *const extensions[] = {
		VK_EXT_MESH_SHADER_EXTENSION_NAME, VK_KHR_SPIRV_1_4_EXTENSION_NAME,
		VK_KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY_EXTENSION_NAME,
	};
	VkPhysicalDeviceShaderDrawParametersFeatures parameters = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES, NULL, true,
	};
	VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zeroes = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES,
		&parameters,
		true,
	};
	VkPhysicalDeviceMeshShaderFeaturesEXT meshes = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
		.pNext = &zeroes,
	};

	vk.features = &meshes;
	vk_open_with(NULL, 0, extensions, sizeof(extensions) / sizeof(extensions[0]));
	tap(meshes.taskShader && meshes.meshShader, "there are task and mesh shaders");
	make_things();
	test_draws();
	test_unused_payload();
	test_groups();
	if (meshes.meshShaderQueries)
		test_queries();
	else
		tap(true, "queries of meshes # SKIP there are none");
	test_blits();
	test_turns();
	test_dispatches();
	test_zeroes();
	test_indirect();
	drop_things();
	vk_close();
	return tap_failures() != 0;
}
