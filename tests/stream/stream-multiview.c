// SPDX-License-Identifier: MIT
/*
 * Tests multiview rendering: it writes to the layers of its views only, uses one query per view,
 * and refuses shaders that write the layer. Runs on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>
#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "feedback.vert.h"
#include "layers.geom.h"
#include "multiview-shaders.h"
#include "probe.vert.h"
#include "strips.vert.h"

#define IMAGE_SIZE (1u << 20)
#define LAYERS 8u
#define FIRST 2u		/* first layer of the attachment's view */
#define VIEWS 3u
#define MASK 5u			/* view mask: the first and the last view */
#define QUERIES 4u
#define UNTOUCHED 1u

enum { ID_VERTEX = HOSTILE_FREE, ID_POINTS, ID_FEEDBACK, ID_LAYERS, ID_VIEWS, ID_LAYER, ID_IMAGE,
       ID_VIEW, ID_SAMPLES,
       ID_TIMES, ID_COUNTER };

struct scene {
	struct hostile *h;
	struct sdrm_bo *image, *buffer;
};

/* Objects */

static void make_shaders(struct hostile *h)
{
	const struct sundog_cmd_create_shader vertex = { .stage = SUNDOG_STAGE_VERTEX };
	const struct sundog_cmd_create_shader fragment = { .stage = SUNDOG_STAGE_FRAGMENT };

	hostile_shader(h, ID_VERTEX, &vertex, probe_vert, sizeof(probe_vert));
	hostile_shader(h, ID_POINTS, &vertex, strips_vert, sizeof(strips_vert));
	hostile_shader(h, ID_FEEDBACK, &vertex, feedback_vert, sizeof(feedback_vert));
	hostile_shader(h, ID_LAYERS,
		       &(struct sundog_cmd_create_shader){ .stage = SUNDOG_STAGE_GEOMETRY,
							   .push_size = 4 },
		       layers_geom, sizeof(layers_geom));
	hostile_shader(h, ID_VIEWS, &fragment, views_frag, sizeof(views_frag));
	hostile_shader(h, ID_LAYER, &fragment, layer_frag, sizeof(layer_frag));
}

static void make_objects(struct scene *s)
{
	const struct sundog_cmd_create_image image = {
		.id = ID_IMAGE, .mem = sdrm_bo_mem(s->image), .type = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32G32_UINT,
		.extent = { HOSTILE_WIDTH, HOSTILE_HEIGHT, 1 }, .levels = 1, .layers = LAYERS,
		.samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT | SUNDOG_IMAGE_USAGE_TRANSFER_SRC |
			 SUNDOG_IMAGE_USAGE_TRANSFER_DST,
	};
	const struct sundog_cmd_create_image_view view = {
		.id = ID_VIEW, .image = ID_IMAGE, .type = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
		.format = image.format,
		.aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .base_layer = FIRST, .layers = VIEWS,
		.usage = SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT,
	};

	hostile_list(s->h, s->image);
	make_shaders(s->h);
	sundog_emit_create_image(s->h->stream, &image);
	sundog_emit_create_image_view(s->h->stream, &view);
	sundog_emit_create_query_pool(s->h->stream, &(struct sundog_cmd_create_query_pool){
		ID_SAMPLES, SUNDOG_POOL_TYPE_OCCLUSION, QUERIES, 0 });
	sundog_emit_create_query_pool(s->h->stream, &(struct sundog_cmd_create_query_pool){
		ID_TIMES, SUNDOG_POOL_TYPE_TIMESTAMP, QUERIES, 0 });
	sundog_emit_create_feedback_counter(
		s->h->stream, &(struct sundog_cmd_create_feedback_counter){ ID_COUNTER });
	hostile_need(s->h, "shaders, an image and pools");
}

/* Commands */

static void emit_begin(struct scene *s, uint32_t mask)
{
	const struct sundog_cmd_begin_multiview begin = {
		.area = { 0, 0, HOSTILE_WIDTH, HOSTILE_HEIGHT }, .view_mask = mask, .count = 1,
	};
	const struct sundog_attachment color = {
		.view = ID_VIEW, .load = SUNDOG_LOAD_OP_CLEAR, .store = SUNDOG_STORE_OP_STORE,
	};

	sundog_emit_begin_multiview(s->h->stream, &begin, &color);
}

static void bind(struct scene *s, uint32_t vertex, uint32_t geometry, uint32_t fragment)
{
	sundog_emit_set_vertex_input(s->h->stream, &(struct sundog_cmd_set_vertex_input){ 0 },
				     NULL);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ vertex, fragment, geometry } });
}

static void draw(struct scene *s, uint32_t count)
{
	sundog_emit_draw(s->h->stream, &(struct sundog_cmd_draw){ count, 1, 0, 0 });
}

/* Sets all state, binds shaders for triangles, and begins multiview rendering. */
static void begin(struct scene *s, uint32_t mask)
{
	hostile_list(s->h, s->image);
	hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	sundog_emit_end_rendering(s->h->stream);
	bind(s, ID_VERTEX, 0, ID_VIEWS);
	emit_begin(s, mask);
}

static void reset(struct scene *s, uint32_t pool, uint32_t first, uint32_t count)
{
	sundog_emit_reset_query_pool(s->h->stream, &(struct sundog_cmd_reset_query_pool){
		pool, first, count });
}

static void query(struct scene *s, uint32_t number)
{
	sundog_emit_begin_pool_query(s->h->stream, &(struct sundog_cmd_begin_pool_query){
		ID_SAMPLES, number, 0, 1 });
}

static void end_query(struct scene *s, uint32_t number)
{
	sundog_emit_end_pool_query(s->h->stream, &(struct sundog_cmd_end_pool_query){
		ID_SAMPLES, number, 0 });
}

static void timestamp(struct scene *s, uint32_t number)
{
	sundog_emit_write_pool_timestamp(s->h->stream, &(struct sundog_cmd_write_pool_timestamp){
		ID_TIMES, number });
}

/* Valid use */

static void read_layer(struct scene *s, uint32_t layer)
{
	const struct sundog_cmd_barrier barrier = {
		.src_stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		.src_access = VK_ACCESS_2_MEMORY_WRITE_BIT,
		.dst_stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		.dst_access = VK_ACCESS_2_MEMORY_READ_BIT,
	};
	const struct sundog_cmd_copy_image_to_buffer copy = {
		.mem = sdrm_bo_mem(s->h->readback),
		.src = { .image = ID_IMAGE, .aspect = SUNDOG_ASPECT_COLOR,
			 .offset = { 0, 0, layer } },
		.extent = { HOSTILE_WIDTH, HOSTILE_HEIGHT, 1 },
	};

	sundog_emit_barrier(s->h->stream, &barrier);
	sundog_emit_copy_image_to_buffer(s->h->stream, &copy);
}

static void mark_all(struct scene *s)
{
	hostile_list(s->h, s->image);
	sundog_emit_clear_image(s->h->stream, &(struct sundog_cmd_clear_image){
		.image = ID_IMAGE, .aspect = SUNDOG_ASPECT_COLOR, .levels = 1, .layers = LAYERS,
		.clear = { UNTOUCHED, UNTOUCHED } });
}

static bool all_pixels(struct scene *s, uint32_t layer, uint32_t first, uint32_t second)
{
	const uint32_t *pixels = hostile_pixels(s->h);

	for (uint32_t i = 0; i < HOSTILE_PIXELS; i++) {
		if (pixels[2 * i] == first && pixels[2 * i + 1] == second)
			continue;
		printf("# layer %u, pixel %u: %#x %#x, not %#x %#x\n", layer, i, pixels[2 * i],
		       pixels[2 * i + 1], first, second);
		return false;
	}
	return true;
}

/* View i is layer i of the attachment's view. Other layers do not change. */
static bool writes_its_layers(struct scene *s)
{
	for (uint32_t layer = 0; layer < LAYERS; layer++) {
		const uint32_t view = layer - FIRST;
		const bool drawn = view < VIEWS && MASK >> view & 1;

		mark_all(s);
		begin(s, MASK);
		draw(s, 3);
		sundog_emit_end_rendering(s->h->stream);
		read_layer(s, layer);
		if (!hostile_runs(s->h) ||
		    !all_pixels(s, layer, drawn ? 7 : UNTOUCHED, drawn ? 100 + view : UNTOUCHED))
			return false;
	}
	return true;
}

static bool clears_its_layers(struct scene *s)
{
	const struct sundog_clear_attachment clear = { SUNDOG_ASPECT_COLOR, 0, { 5, 6 } };

	for (uint32_t layer = 0; layer < LAYERS; layer++) {
		const uint32_t view = layer - FIRST;
		const bool cleared = view < VIEWS && MASK >> view & 1;

		mark_all(s);
		begin(s, MASK);
		sundog_emit_clear_attachments(s->h->stream, &(struct sundog_cmd_clear_attachments){
			{ 0, 0, HOSTILE_WIDTH, HOSTILE_HEIGHT }, 0, 1, 1 }, &clear);
		sundog_emit_end_rendering(s->h->stream);
		read_layer(s, layer);
		if (!hostile_runs(s->h) ||
		    !all_pixels(s, layer, cleared ? 5 : UNTOUCHED, cleared ? 6 : UNTOUCHED))
			return false;
	}
	return true;
}

/*
 * A multiview query uses one query per view. After the rendering a query is one again: the host
 * must not use queries beyond the pool's end.
 */
static bool counts_once(struct scene *s)
{
	const uint32_t *words = sdrm_bo_map(s->buffer);
	uint32_t sum;

	reset(s, ID_SAMPLES, 0, QUERIES);
	reset(s, ID_TIMES, 0, QUERIES);
	begin(s, MASK);
	query(s, 0);
	timestamp(s, 0);
	draw(s, 3);
	end_query(s, 0);
	sundog_emit_end_rendering(s->h->stream);
	query(s, QUERIES - 1);
	end_query(s, QUERIES - 1);
	timestamp(s, QUERIES - 1);
	hostile_list(s->h, s->buffer);
	sundog_emit_copy_query_results(s->h->stream, &(struct sundog_cmd_copy_query_results){
		ID_SAMPLES, 0, 2, 0, sdrm_bo_mem(s->buffer), 0, 4 });
	sundog_emit_copy_query_results(s->h->stream, &(struct sundog_cmd_copy_query_results){
		ID_SAMPLES, QUERIES - 1, 1, 0, sdrm_bo_mem(s->buffer), 8, 4 });
	if (!hostile_runs(s->h))
		return false;
	sum = words[0] + words[1];
	printf("# %u and %u samples, then %u\n", words[0], words[1], words[2]);
	return sum == 2 * HOSTILE_PIXELS && words[2] == 0;
}

static void count_in_memory(struct scene *s, uint32_t number, uint64_t offset)
{
	sundog_emit_begin_query(s->h->stream, &(struct sundog_cmd_begin_query){
		number, SUNDOG_QUERY_TYPE_OCCLUSION, 0, sdrm_bo_mem(s->buffer), offset });
}

static void end_count(struct scene *s, uint32_t number)
{
	sundog_emit_end_query(s->h->stream, &(struct sundog_cmd_end_query){ number });
}

/*
 * Without a pool the host also uses one query per view, up to the last one. The result is the sum
 * of them.
 */
static bool adds_up_views(struct scene *s)
{
	uint64_t *sums = sdrm_bo_map(s->buffer);

	memset(sums, 0, 4 * sizeof(*sums));
	hostile_list(s->h, s->buffer);
	begin(s, MASK);
	count_in_memory(s, 0, 0);
	draw(s, 3);
	end_count(s, 0);
	count_in_memory(s, SUNDOG_MAX_QUERIES - 2, 8);
	draw(s, 3);
	draw(s, 3);
	end_count(s, SUNDOG_MAX_QUERIES - 2);
	sundog_emit_end_rendering(s->h->stream);
	count_in_memory(s, 2, 16);
	end_count(s, 2);
	if (!hostile_runs(s->h))
		return false;
	printf("# %u, %u, %u and %u samples\n", (uint32_t)sums[0], (uint32_t)sums[1],
	       (uint32_t)sums[2], (uint32_t)sums[3]);
	return sums[0] == 2 * HOSTILE_PIXELS && sums[1] == 4 * HOSTILE_PIXELS && !sums[2] &&
	       !sums[3];
}

/* Invalid packets */

static void too_many_views(struct scene *s) { begin(s, 1u << 7); }
static void views_past_the_layers(struct scene *s) { begin(s, 1u << VIEWS); }
static void no_views(struct scene *s) { begin(s, 0); }
static void views_past_the_mask(struct scene *s) { begin(s, 1u << 31); }

static void in_a_rendering(struct scene *s)
{
	begin(s, MASK);
	emit_begin(s, MASK);
}

/* If the host added the layer to the view, this would write beyond the attachment. */
static void writes_a_layer(struct scene *s)
{
	const struct sundog_cmd_set_raster points = {
		.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST, .line_width = 1.0f,
		.stipple_factor = 1,
	};

	begin(s, MASK);
	sundog_emit_set_raster(s->h->stream, &points);
	bind(s, ID_POINTS, ID_LAYERS, ID_VIEWS);
	sundog_emit_push_constants(s->h->stream, &(struct sundog_cmd_push_constants){ .count = 1 },
				   &(uint32_t){ VIEWS - 1 });
	draw(s, 1);
}

static void reads_a_layer(struct scene *s)
{
	begin(s, MASK);
	bind(s, ID_VERTEX, 0, ID_LAYER);
	draw(s, 3);
}

static void clears_a_layer(struct scene *s)
{
	begin(s, MASK);
	sundog_emit_clear_attachments(s->h->stream, &(struct sundog_cmd_clear_attachments){
		{ 0, 0, 1, 1 }, 1, 1,
		1 }, &(struct sundog_clear_attachment){ SUNDOG_ASPECT_COLOR, 0, { 0 } });
}

static void clears_layers(struct scene *s)
{
	begin(s, MASK);
	sundog_emit_clear_attachments(s->h->stream, &(struct sundog_cmd_clear_attachments){
		{ 0, 0, 1, 1 }, 0, 2,
		1 }, &(struct sundog_clear_attachment){ SUNDOG_ASPECT_COLOR, 0, { 0 } });
}

static void feeds_back(struct scene *s)
{
	const struct sundog_mem_range ranges[2] = {
		{ sdrm_bo_mem(s->buffer), 0, 256 }, { sdrm_bo_mem(s->buffer), 256, 256 },
	};

	hostile_list(s->h, s->buffer);
	begin(s, MASK);
	bind(s, ID_FEEDBACK, 0, ID_VIEWS);
	sundog_emit_bind_feedback_buffers(s->h->stream, &(struct sundog_cmd_bind_feedback_buffers){
		2 }, ranges);
	sundog_emit_begin_feedback(s->h->stream,
				   &(struct sundog_cmd_begin_feedback){ 0, { ID_COUNTER } });
}

static void counts_past_the_last_number(struct scene *s)
{
	hostile_list(s->h, s->buffer);
	begin(s, MASK);
	count_in_memory(s, SUNDOG_MAX_QUERIES - 1, 0);
}

static void counts_that_of_a_view(struct scene *s)
{
	hostile_list(s->h, s->buffer);
	begin(s, MASK);
	count_in_memory(s, 4, 0);
	end_count(s, 4);
	sundog_emit_end_rendering(s->h->stream);
	count_in_memory(s, 5, 0);
}

static void a_view_is_counted_already(struct scene *s)
{
	hostile_list(s->h, s->buffer);
	begin(s, MASK);
	sundog_emit_end_rendering(s->h->stream);
	count_in_memory(s, 5, 0);
	end_count(s, 5);
	emit_begin(s, MASK);
	count_in_memory(s, 4, 0);
}

static void counts_past_the_memory(struct scene *s)
{
	hostile_list(s->h, s->buffer);
	begin(s, MASK);
	count_in_memory(s, 0, 4096);
}

static void ends_that_of_a_view(struct scene *s)
{
	hostile_list(s->h, s->buffer);
	begin(s, MASK);
	count_in_memory(s, 0, 0);
	end_count(s, 1);
}

static void time_without_a_pool(struct scene *s)
{
	hostile_list(s->h, s->buffer);
	begin(s, MASK);
	sundog_emit_write_timestamp(s->h->stream, &(struct sundog_cmd_write_timestamp){
		63, sdrm_bo_mem(s->buffer), 0 });
}

static void queries_past_the_end(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, QUERIES);
	begin(s, MASK);
	query(s, QUERIES - 1);
}

static void times_past_the_end(struct scene *s)
{
	reset(s, ID_TIMES, 0, QUERIES);
	begin(s, MASK);
	timestamp(s, QUERIES - 1);
}

static void queries_unreset(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, QUERIES);
	query(s, 1);
	end_query(s, 1);
	begin(s, MASK);
	query(s, 0);
}

static void times_unreset(struct scene *s)
{
	reset(s, ID_TIMES, 0, QUERIES);
	timestamp(s, 1);
	begin(s, MASK);
	timestamp(s, 0);
}

static void outlives_its_rendering(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, QUERIES);
	begin(s, MASK);
	query(s, 0);
	sundog_emit_end_rendering(s->h->stream);
}

/* The queries of the other views have ended with the first one. */
static void begins_that_of_a_view(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, QUERIES);
	begin(s, MASK);
	query(s, 0);
	end_query(s, 0);
	sundog_emit_end_rendering(s->h->stream);
	query(s, 1);
}

static const struct hostile_fault faults[] = {
	{ "more views than there can be", too_many_views, SUNDOG_FAULT_CODE_FIELD },
	{ "more views than an attachment has layers", views_past_the_layers,
	  SUNDOG_FAULT_CODE_RANGE },
	{ "no views", no_views, SUNDOG_FAULT_CODE_FIELD },
	{ "views that the packet has no room for", views_past_the_mask, SUNDOG_FAULT_CODE_FIELD },
	{ "views within a rendering", in_a_rendering, SUNDOG_FAULT_CODE_STATE },
	{ "a shader that writes a layer", writes_a_layer, SUNDOG_FAULT_CODE_STATE },
	{ "a shader that reads a layer that nobody wrote", reads_a_layer, SUNDOG_FAULT_CODE_STATE },
	{ "a clear of a layer", clears_a_layer, SUNDOG_FAULT_CODE_FIELD },
	{ "a clear of layers", clears_layers, SUNDOG_FAULT_CODE_FIELD },
	{ "feedback of views", feeds_back, SUNDOG_FAULT_CODE_STATE },
	{ "a query past the last number", counts_past_the_last_number, SUNDOG_FAULT_CODE_STATE },
	{ "a query with a view's number", counts_that_of_a_view, SUNDOG_FAULT_CODE_STATE },
	{ "views with a query's number", a_view_is_counted_already, SUNDOG_FAULT_CODE_STATE },
	{ "a query past the end of memory", counts_past_the_memory, SUNDOG_FAULT_CODE_RANGE },
	{ "the end of a view's query", ends_that_of_a_view, SUNDOG_FAULT_CODE_STATE },
	{ "a time stamp without a pool", time_without_a_pool, SUNDOG_FAULT_CODE_STATE },
	{ "queries past the pool's end", queries_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "time stamps past the pool's end", times_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a view's query that was not reset", queries_unreset, SUNDOG_FAULT_CODE_STATE },
	{ "a view's time stamp that was not reset", times_unreset, SUNDOG_FAULT_CODE_STATE },
	{ "a query that outlives its rendering", outlives_its_rendering, SUNDOG_FAULT_CODE_STATE },
	{ "a view's query once more", begins_that_of_a_view, SUNDOG_FAULT_CODE_STATE },
};

int main(void)
{
	struct scene s = { .h = hostile_new() };

	hostile_guard_front(s.h);
	s.image = hostile_bo(s.h, IMAGE_SIZE);
	s.buffer = hostile_bo(s.h, 4096);
	hostile_guard_back(s.h);
	make_objects(&s);
	hostile_result(writes_its_layers(&s), "views are drawn to their layers");
	hostile_result(clears_its_layers(&s), "and cleared");
	hostile_result(counts_once(&s), "queries are of all views, and of one after the rendering");
	hostile_result(adds_up_views(&s), "so are those without a pool");
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	hostile_result(writes_its_layers(&s) && counts_once(&s) && adds_up_views(&s),
		       "views are drawn after all of that");
	sdrm_bo_del(s.image);
	sdrm_bo_del(s.buffer);
	hostile_del(s.h);
	return hostile_status();
}
