// SPDX-License-Identifier: MIT
/*
 * Tests geometry shaders: their results, topologies, and output that exceeds the buffers of the
 * host driver. Runs on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "geometry-shaders.h"
#include "hostile.h"
#include "probe.vert.h"

#define LAYERS 4u
#define LARGE 500u			/* primitives, each with 32 invocations of 256 vertices */
#define LAYERED_SIZE (1u << 20)
/* an input that begins behind the clipped vertices, which have a position and one input */
#define PAST_VERTICES 16u

enum { ID_VERTEX = HOSTILE_FREE, ID_FRAGMENT, ID_WORDS, ID_COLUMNS, ID_LAYERS, ID_LAYERED,
       ID_LAYERED_VIEW, ID_PLACE,
       ID_INPUTS, ID_LARGE, ID_SHORT };

struct shader {
	const char *name;
	const uint32_t *code;
	size_t size;
};

#define SHADER(name, text) { text, name, sizeof(name) }

/* Shaders whose output is never visible. */
static const struct shader silent[] = {
	SHADER(short_strips_3, "3 strips of one vertex of 3"), SHADER(short_strips_2, "2 of 2"),
	SHADER(short_strips_1, "1 of 1"), SHADER(short_strips_256, "256 of 256"),
	SHADER(short_lines_2, "2 strips of lines"), SHADER(short_lines_64, "64 strips of lines"),
	SHADER(no_vertex, "no vertex at all"), SHADER(never, "vertices in a case that never is"),
};

#define N_SILENT (sizeof(silent) / sizeof(silent[0]))

static void make_layered(struct hostile *h, struct sdrm_bo *bo)
{
	const struct sundog_cmd_create_image image = {
		.id = ID_LAYERED, .mem = sdrm_bo_mem(bo), .type = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32G32_UINT,
		.extent = { HOSTILE_WIDTH, HOSTILE_HEIGHT, 1 }, .levels = 1, .layers = LAYERS,
		.samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT | SUNDOG_IMAGE_USAGE_TRANSFER_SRC,
	};
	const struct sundog_cmd_create_image_view view = {
		.id = ID_LAYERED_VIEW, .image = ID_LAYERED, .type = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
		.format = image.format,
		.aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .layers = LAYERS,
		.usage = SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT,
	};

	hostile_list(h, bo);
	sundog_emit_create_image(h->stream, &image);
	sundog_emit_create_image_view(h->stream, &view);
}

static void make_objects(struct hostile *h, struct sdrm_bo *layered)
{
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader fragment = { .stage = SUNDOG_STAGE_FRAGMENT };
	const struct sundog_cmd_create_shader geometry = { .stage = SUNDOG_STAGE_GEOMETRY,
							   .push_size = 4 };

	hostile_shader(h, ID_VERTEX, &vertex, strips_vert, sizeof(strips_vert));
	hostile_shader(h, ID_FRAGMENT, &fragment, columns_frag, sizeof(columns_frag));
	hostile_shader(h, ID_WORDS, &fragment, words_frag, sizeof(words_frag));
	hostile_shader(h, ID_PLACE, &vertex, probe_vert, sizeof(probe_vert));
	hostile_shader(h, ID_INPUTS, &fragment, inputs_frag, sizeof(inputs_frag));
	hostile_shader(h, ID_COLUMNS, &geometry, columns_geom, sizeof(columns_geom));
	hostile_shader(h, ID_LARGE, &geometry, large_strips, sizeof(large_strips));
	hostile_shader(h, ID_LAYERS, &geometry, layers_geom, sizeof(layers_geom));
	for (uint32_t i = 0; i < N_SILENT; i++)
		hostile_shader(h, ID_SHORT + i, &geometry, silent[i].code, silent[i].size);
	make_layered(h, layered);
}

static void bind(struct hostile *h, uint32_t fragment, uint32_t geometry)
{
	sundog_emit_set_vertex_input(h->stream, &(struct sundog_cmd_set_vertex_input){ 0 }, NULL);
	sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, fragment, geometry } });
}

static void draw(struct hostile *h, uint32_t first, uint32_t count)
{
	sundog_emit_draw(h->stream, &(struct sundog_cmd_draw){ count, 1, first, 0 });
}

static bool all_pixels(const uint32_t *pixels, uint32_t first, uint32_t second)
{
	for (uint32_t i = 0; i < HOSTILE_PIXELS; i++)
		if (pixels[2 * i] != first || pixels[2 * i + 1] != second) {
			printf("# pixel %u is %u %u\n", i, pixels[2 * i], pixels[2 * i + 1]);
			return false;
		}
	return true;
}

/* Draws a column for each point, with the numbers of the vertex and of the primitive. */
static bool columns(struct hostile *h)
{
	const uint32_t *pixels = hostile_pixels(h);

	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	bind(h, ID_FRAGMENT, ID_COLUMNS);
	draw(h, 3, 20);
	hostile_end(h);
	if (!hostile_runs(h))
		return false;
	for (uint32_t i = 0; i < HOSTILE_PIXELS; i++) {
		const uint32_t x = i % HOSTILE_WIDTH, *p = &pixels[2 * i];
		const bool drawn = x >= 3 && x < 23;

		if (p[0] != (drawn ? x + 1 : 0) || p[1] != (drawn ? x - 2 : 0)) {
			printf("# pixel %u is %u %u\n", i, p[0], p[1]);
			return false;
		}
	}
	return true;
}

/*
 * Draws more empty primitives than a batch of the host has, filled and as lines. Columns outside
 * the picture are drawn before each, so that stale results exist that could be drawn.
 */
static bool is_silent(struct hostile *h, uint32_t shader)
{
	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	for (uint32_t i = 0; i < 4; i++) {
		sundog_emit_set_raster(h->stream, &(struct sundog_cmd_set_raster){
			.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST, .polygon_mode = i & 1,
			.line_width = 1.0f,
			.stipple_factor = 1 });
		bind(h, ID_WORDS, ID_COLUMNS);
		draw(h, HOSTILE_WIDTH + 1, 4096);
		bind(h, ID_WORDS, shader);
		draw(h, 0, 5000 >> i);
	}
	hostile_end(h);
	return hostile_runs(h) && all_pixels(hostile_pixels(h), 0, 0);
}

/*
 * Draws columns with write mask 0, and then a shader without output: stale results would be
 * visible.
 */
static bool shows_nothing(struct hostile *h, uint32_t shader)
{
	const struct sundog_cmd_set_blend blend = { .count = 1 };
	const struct sundog_blend_attachment off = { .write_mask = 0 }, on = { .write_mask = 15 };

	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	for (uint32_t i = 0; i < 4; i++) {
		sundog_emit_set_blend(h->stream, &blend, &off);
		bind(h, ID_WORDS, ID_COLUMNS);
		draw(h, 0, HOSTILE_WIDTH >> i);
		sundog_emit_set_blend(h->stream, &blend, &on);
		bind(h, ID_WORDS, shader);
		draw(h, 0, HOSTILE_WIDTH >> i);
	}
	hostile_end(h);
	return hostile_runs(h) && all_pixels(hostile_pixels(h), 0, 0);
}

/*
 * Inputs that no stage writes are undefined. The host reads them from behind the vertices, here in
 * the first draw of all: that memory must not have data of the host.
 */
static bool inputs_are_nobodys(struct hostile *h)
{
	const uint32_t *pixels = hostile_pixels(h);

	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	sundog_emit_set_vertex_input(h->stream, &(struct sundog_cmd_set_vertex_input){ 0 }, NULL);
	sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_PLACE, ID_INPUTS } });
	draw(h, 0, 3);
	hostile_end(h);
	if (!hostile_runs(h))
		return false;
	for (uint32_t x = PAST_VERTICES; x < 32; x++)
		if (pixels[2 * x] || pixels[2 * x + 1]) {
			printf("# input %u is %#x %#x\n", x, pixels[2 * x], pixels[2 * x + 1]);
			return false;
		}
	return true;
}

static void draw_layers(struct hostile *h, struct sdrm_bo *layered, const uint32_t *layers,
			uint32_t n)
{
	const struct sundog_cmd_begin_rendering begin = {
		.area = { 0, 0, HOSTILE_WIDTH, HOSTILE_HEIGHT }, .layers = LAYERS, .count = 1,
	};
	const struct sundog_attachment color = {
		.view = ID_LAYERED_VIEW, .load = SUNDOG_LOAD_OP_CLEAR,
		.store = SUNDOG_STORE_OP_STORE,
	};

	hostile_list(h, layered);
	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
	sundog_emit_end_rendering(h->stream);
	sundog_emit_begin_rendering(h->stream, &begin, &color);
	bind(h, ID_WORDS, ID_LAYERS);
	for (uint32_t i = 0; i < n; i++) {
		sundog_emit_push_constants(h->stream, &(struct sundog_cmd_push_constants){
			.count = 1 }, &layers[i]);
		draw(h, 0, 1);
	}
	sundog_emit_end_rendering(h->stream);
}

static void read_layer(struct hostile *h, uint32_t layer)
{
	const struct sundog_cmd_barrier barrier = {
		.src_stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		.src_access = VK_ACCESS_2_MEMORY_WRITE_BIT,
		.dst_stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		.dst_access = VK_ACCESS_2_MEMORY_READ_BIT,
	};
	const struct sundog_cmd_copy_image_to_buffer copy = {
		.mem = sdrm_bo_mem(h->readback),
		.src = { .image = ID_LAYERED, .aspect = SUNDOG_ASPECT_COLOR,
			 .offset = { 0, 0, layer } },
		.extent = { HOSTILE_WIDTH, HOSTILE_HEIGHT, 1 },
	};

	sundog_emit_barrier(h->stream, &barrier);
	sundog_emit_copy_image_to_buffer(h->stream, &copy);
}

static bool reaches_layers(struct hostile *h, struct sdrm_bo *layered)
{
	const uint32_t drawn[] = { 1, 3 };

	for (uint32_t layer = 0; layer < LAYERS; layer++) {
		draw_layers(h, layered, drawn, 2);
		read_layer(h, layer);
		if (!hostile_runs(h) ||
		    !all_pixels(hostile_pixels(h), layer & 1 ? 7 : 0, layer & 1 ? 9 : 0))
			return false;
	}
	return true;
}

static bool bears_layers(struct hostile *h, struct sdrm_bo *layered)
{
	const uint32_t drawn[] = { LAYERS, 1000, 0x7fffffff, 0x80000000, 0xffffffff };

	draw_layers(h, layered, drawn, sizeof(drawn) / sizeof(drawn[0]));
	return hostile_runs(h);
}

/* Draws with topologies that do not match the shader's input primitive. */
static bool refuses_topologies(struct hostile *h, uint32_t shader, uint32_t fits)
{
	bool ok = true;

	for (uint32_t topology = 0; topology <= VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY;
	     topology++) {
		const enum sundog_fault_code expected =
			fits >> topology & 1 ? SUNDOG_FAULT_CODE_NONE : SUNDOG_FAULT_CODE_STATE;
		enum sundog_fault_code code = SUNDOG_FAULT_CODE_NONE;

		hostile_begin(h, topology);
		bind(h, ID_WORDS, shader);
		draw(h, 0, 12);
		hostile_end(h);
		if (!hostile_run(h))
			code = hostile_fault(h);
		if (code != expected) {
			printf("# topology %u: fault %u\n", topology, code);
			ok = false;
		}
	}
	return ok;
}

/*
 * Draws primitives of a megabyte each: so many that the renderer splits the draw. All of them must
 * be written.
 */
static void large(struct hostile *h, uint32_t topology, uint32_t flags, uint32_t count)
{
	hostile_begin(h, topology);
	sundog_emit_set_raster(h->stream, &(struct sundog_cmd_set_raster){
		.flags = flags, .topology = topology, .line_width = 1.0f, .stipple_factor = 1 });
	bind(h, ID_FRAGMENT, ID_LARGE);
	draw(h, 0, count);
	hostile_end(h);
}

static bool is_cut(struct hostile *h)
{
	large(h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, 0, 3 * LARGE);
	return hostile_runs(h) && all_pixels(hostile_pixels(h), 0, 0);
}

/* Draws as large() does, with the number of vertices in memory. */
static void large_in_memory(struct hostile *h, struct sdrm_bo *bo, uint32_t topology,
			    uint32_t flags, uint32_t count)
{
	const struct sundog_indirect arguments = { .mem = sdrm_bo_mem(bo), .stride = 16,
						   .max_draws = 1 };

	memcpy(sdrm_bo_map(bo), (uint32_t[]){ count, 1, 0, 0 }, 16);
	hostile_list(h, bo);
	hostile_begin(h, topology);
	sundog_emit_set_raster(h->stream, &(struct sundog_cmd_set_raster){
		.flags = flags, .topology = topology, .line_width = 1.0f, .stipple_factor = 1 });
	bind(h, ID_FRAGMENT, ID_LARGE);
	sundog_emit_draw_indirect(h->stream, &(struct sundog_cmd_draw_indirect){ arguments });
	hostile_end(h);
}

static bool is_cut_in_memory(struct hostile *h, struct sdrm_bo *bo, uint32_t topology,
			     uint32_t count)
{
	large_in_memory(h, bo, topology, 0, count);
	return hostile_runs(h) && all_pixels(hostile_pixels(h), 0, 0);
}

/* Draws that cannot be cut are drawn as far as there is room. */
static bool bears_in_memory(struct hostile *h, struct sdrm_bo *bo, uint32_t topology,
			    uint32_t flags)
{
	large_in_memory(h, bo, topology, flags, 3 * LARGE);
	return hostile_runs(h);
}

/* As of draws in memory, what there is no room for is not drawn. */
static void bears_large(struct hostile *h)
{
	large(h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, 0, 3 * LARGE);
	hostile_result(hostile_runs(h), "a fan of more than there is room for");
	large(h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, SUNDOG_RASTER_FLAG_PRIMITIVE_RESTART,
	      3 * LARGE);
	hostile_result(hostile_runs(h), "triangles that restart");
}

int main(void)
{
	struct hostile *h = hostile_new();
	struct sdrm_bo *layered;

	hostile_guard_front(h);
	layered = hostile_bo(h, LAYERED_SIZE);
	hostile_guard_back(h);
	make_objects(h, layered);
	hostile_need(h, "shaders");
	hostile_result(inputs_are_nobodys(h),
		       "inputs that nothing writes are nothing of the host's");
	hostile_result(columns(h), "points become columns, with the numbers of primitives");
	for (uint32_t i = 0; i < N_SILENT; i++)
		hostile_result(is_silent(h, ID_SHORT + i), "nothing is drawn of %s",
			       silent[i].name);
	for (uint32_t i = 0; i < N_SILENT; i++)
		hostile_result(shows_nothing(h, ID_SHORT + i),
			       "nothing is taken for what is drawn of %s", silent[i].name);
	hostile_result(is_cut(h), "more than there is room for is done in pieces");
	hostile_result(columns(h), "points become columns once more");
	hostile_result(reaches_layers(h, layered), "layers are drawn to");
	hostile_result(bears_layers(h, layered), "layers that are not there do no harm");
	hostile_result(refuses_topologies(h, ID_COLUMNS, 1u << VK_PRIMITIVE_TOPOLOGY_POINT_LIST),
		       "a shader gets the primitives that it declares");
	hostile_result(refuses_topologies(
			       h, 0,
			       (2u << VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY) - 1),
		       "without a geometry shader every topology is drawn");
	hostile_result(is_cut_in_memory(h, layered, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, 3 * LARGE),
		       "triangles whose number is in memory are drawn in pieces");
	hostile_result(is_cut_in_memory(h, layered, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
					LARGE + 2),
		       "a strip whose length is in memory is drawn in pieces");
	hostile_result(bears_in_memory(h, layered, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, 0),
		       "a fan in memory of more than there is room for does no harm");
	hostile_result(bears_in_memory(h, layered, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
				       SUNDOG_RASTER_FLAG_PRIMITIVE_RESTART),
		       "triangles in memory that restart do no harm");
	bears_large(h);
	sdrm_bo_del(layered);
	hostile_del(h);
	return hostile_status();
}
