// SPDX-License-Identifier: MIT
/*
 * Tests inputs that the stage before does not write, for each pair of stages: built-ins and a
 * location, declared there or not. They read as zero, and never as old memory of the worker, which
 * earlier draws have filled with a number. Runs on the device that device.h finds. Prints TAP.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "strides-shaders.h"
#include "unwritten-shaders.h"

#define COLUMNS 6u			/* pairs of words that the fragment shader shows */

enum { ID_FILL_VERTEX = HOSTILE_FREE, ID_FILL_CONTROL, ID_FILL_EVAL, ID_FILL_FRAGMENT, ID_SHADERS };

/* Shaders in the order of the table below. */
enum { NO_SHADER, V_NOTHING, V_DECLARES, V_COVERS, C_NOTHING, C_DECLARES, C_READS, E_PASSES,
       E_READS, E_NOTHING, E_DECLARES, G_READS, G_COVERS, F_SHOWS, F_READS, N_SHADERS };

#define SHADER(stage, name) { SUNDOG_STAGE_##stage, name, sizeof(name) }

static const struct {
	uint32_t stage;
	const uint32_t *code;
	size_t size;
} shaders[N_SHADERS] = {
	[V_NOTHING] = SHADER(VERTEX, unwritten_v_nothing),
	[V_DECLARES] = SHADER(VERTEX, unwritten_v_declares),
	[V_COVERS] = SHADER(VERTEX, unwritten_v_covers),
	[C_NOTHING] = SHADER(TESS_CTRL, unwritten_c_nothing),
	[C_DECLARES] = SHADER(TESS_CTRL, unwritten_c_declares),
	[C_READS] = SHADER(TESS_CTRL, unwritten_c_reads),
	[E_PASSES] = SHADER(TESS_EVAL, unwritten_e_passes),
	[E_READS] = SHADER(TESS_EVAL, unwritten_e_reads),
	[E_NOTHING] = SHADER(TESS_EVAL, unwritten_e_nothing),
	[E_DECLARES] = SHADER(TESS_EVAL, unwritten_e_declares),
	[G_READS] = SHADER(GEOMETRY, unwritten_g_reads),
	[G_COVERS] = SHADER(GEOMETRY, unwritten_g_covers),
	[F_SHOWS] = SHADER(FRAGMENT, unwritten_f_shows),
	[F_READS] = SHADER(FRAGMENT, unwritten_f_reads),
};

static const struct {
	const char *name;
	uint32_t vertex, control, eval, geometry, fragment;
} pairs[] = {
	{ "vertex to control, not declared", V_NOTHING, C_READS, E_PASSES, 0, F_SHOWS },
	{ "vertex to control, declared", V_DECLARES, C_READS, E_PASSES, 0, F_SHOWS },
	{ "control to evaluation, not declared", V_NOTHING, C_NOTHING, E_READS, 0, F_SHOWS },
	{ "control to evaluation, declared", V_DECLARES, C_DECLARES, E_READS, 0, F_SHOWS },
	{ "vertex to geometry, not declared", V_NOTHING, 0, 0, G_READS, F_SHOWS },
	{ "vertex to geometry, declared", V_DECLARES, 0, 0, G_READS, F_SHOWS },
	{ "evaluation to geometry, not declared", V_NOTHING, C_NOTHING, E_NOTHING, G_READS,
	  F_SHOWS },
	{ "evaluation to geometry, declared", V_NOTHING, C_NOTHING, E_DECLARES, G_READS, F_SHOWS },
	{ "vertex to fragment", V_COVERS, 0, 0, 0, F_READS },
	{ "evaluation to fragment", V_NOTHING, C_NOTHING, E_PASSES, 0, F_READS },
	{ "geometry to fragment", V_NOTHING, 0, 0, G_COVERS, F_READS },
};

static void make_shader(struct hostile *h, uint32_t id, uint32_t stage, const uint32_t *code,
			size_t size)
{
	hostile_shader(h, id, &(struct sundog_cmd_create_shader){ .stage = stage }, code, size);
}

static void make_shaders(struct hostile *h)
{
	make_shader(h, ID_FILL_VERTEX, SUNDOG_STAGE_VERTEX, stride_vert, sizeof(stride_vert));
	make_shader(h, ID_FILL_CONTROL, SUNDOG_STAGE_TESS_CTRL, stride_tesc, sizeof(stride_tesc));
	make_shader(h, ID_FILL_EVAL, SUNDOG_STAGE_TESS_EVAL, stride_tese, sizeof(stride_tese));
	make_shader(h, ID_FILL_FRAGMENT, SUNDOG_STAGE_FRAGMENT, stride_plain, sizeof(stride_plain));
	for (uint32_t i = 1; i < N_SHADERS; i++)
		make_shader(h, ID_SHADERS + i, shaders[i].stage, shaders[i].code, shaders[i].size);
}

static uint32_t id_of(uint32_t shader)
{
	return shader ? ID_SHADERS + shader : 0;
}

static void begin(struct hostile *h, uint32_t topology)
{
	hostile_begin(h, topology);
	sundog_emit_set_vertex_input(h->stream, &(struct sundog_cmd_set_vertex_input){ 0 }, NULL);
	if (topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST)
		sundog_emit_set_patch(h->stream, &(struct sundog_cmd_set_patch){ 1, 0 });
}

/* Leaves vertices full of a number in memory that the worker frees and allocates again. */
static bool fill(struct hostile *h)
{
	begin(h, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST);
	sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_FILL_VERTEX, ID_FILL_FRAGMENT, 0, ID_FILL_CONTROL, ID_FILL_EVAL } });
	sundog_emit_draw(h->stream, &(struct sundog_cmd_draw){ 4, 1, 0, 0 });
	hostile_end(h);
	return hostile_runs(h);
}

/*
 * The installed lavapipe takes the position of the vertex for inputs of a fragment shader that no
 * stage writes. Returns true if a word may be a coordinate of a vertex here: they are halves.
 */
static bool is_coordinate(uint32_t word)
{
	float value;

	memcpy(&value, &word, sizeof(value));
	return value >= 0.0f && value <= HOSTILE_WIDTH && 2.0f * value == floorf(2.0f * value);
}

static bool is_expected(uint32_t word, bool coordinates)
{
	return !word || (coordinates && is_coordinate(word));
}

/* Returns true if all columns show zeros, or coordinates. The fragment shader adds 1 to each. */
static bool pixels_are_zeros(struct hostile *h, bool coordinates)
{
	const uint32_t *pixels = hostile_pixels(h);

	for (uint32_t i = 0; i < HOSTILE_PIXELS; i++) {
		const uint32_t pair = i % HOSTILE_WIDTH % COLUMNS;

		if (is_expected(pixels[2 * i] - 1, coordinates) &&
		    is_expected(pixels[2 * i + 1] - 1, coordinates))
			continue;
		printf("# pixel %u of row %u: words %u and %u are %#x and %#x\n", i % HOSTILE_WIDTH,
		       i / HOSTILE_WIDTH, 2 * pair, 2 * pair + 1, pixels[2 * i] - 1,
		       pixels[2 * i + 1] - 1);
		return false;
	}
	return true;
}

static bool reads_zeros(struct hostile *h, size_t i)
{
	const uint32_t topology = pairs[i].control  ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST :
				  pairs[i].geometry ? VK_PRIMITIVE_TOPOLOGY_POINT_LIST :
						      VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
	const uint32_t vertices = pairs[i].control || pairs[i].geometry ? 1 : 3;

	if (!fill(h))
		return false;
	begin(h, topology);
	sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){
		{ id_of(pairs[i].vertex), id_of(pairs[i].fragment), id_of(pairs[i].geometry),
		  id_of(pairs[i].control), id_of(pairs[i].eval) } });
	sundog_emit_draw(h->stream, &(struct sundog_cmd_draw){ vertices, 1, 0, 0 });
	hostile_end(h);
	return hostile_runs(h) && pixels_are_zeros(h, pairs[i].fragment == F_READS);
}

/*
 * llvmpipe numbers the distance from a smooth line like the second element of the last input, if
 * that is an array. The first draw of lines makes it, and triangles do not write it.
 */
static bool reads_zeros_after_lines(struct hostile *h)
{
	static const uint32_t topologies[] = { VK_PRIMITIVE_TOPOLOGY_LINE_LIST,
					       VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST };

	for (uint32_t i = 0; i < 2; i++) {
		if (!fill(h))
			return false;
		begin(h, topologies[i]);
		sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){
			{ id_of(V_COVERS), id_of(F_SHOWS) } });
		sundog_emit_set_raster(h->stream, &(struct sundog_cmd_set_raster){
			.topology = topologies[i], .line_width = 1.0f, .stipple_factor = 1,
			.line_mode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT });
		sundog_emit_draw(h->stream, &(struct sundog_cmd_draw){ 2 + i, 1, 0, 0 });
		hostile_end(h);
		if (!hostile_runs(h))
			return false;
	}
	return pixels_are_zeros(h, true);
}

int main(void)
{
	struct hostile *h = hostile_new();

	make_shaders(h);
	hostile_need(h, "shaders");
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		hostile_result(reads_zeros(h, i), "inputs that no stage writes are zero: %s",
			       pairs[i].name);
	hostile_result(reads_zeros_after_lines(h),
		       "an array that no stage writes is zero after a smooth line");
	hostile_del(h);
	return hostile_status();
}
