// SPDX-License-Identifier: MIT
/*
 * Tests draws that share an evaluation shader and differ in the slots that llvmpipe adds to its
 * vertices: for FrontFacing of polygons that are not filled, for PrimitiveId, and for smooth lines.
 * With code for another vertex stride the host writes behind its vertices, or reads words that no
 * shader wrote.
 * Runs on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>

#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "strides-shaders.h"
#include "tap.h"

#define WORD 0x41414141u		/* of which all vertices are full */
#define SAMPLES 4u
#define MAX_STEPS 8u

enum { ID_VERTEX = HOSTILE_FREE, ID_CONTROL, ID_EVAL, ID_EVAL_2, ID_BARE, ID_BARE_2, ID_GEOMETRY,
       ID_FRAGMENTS,
       ID_SAMPLED = ID_FRAGMENTS + 8, ID_SAMPLED_VIEW };

/* By their order in make_objects(): FrontFacing and location that they read. */
enum fragment { UNUSED_FACE, USED_FACE, PLAIN, OTHER, FIRST, NUMBER, N_FRAGMENTS };

/* A draw of one patch at level 64. */
struct step {
	enum fragment fragment;
	bool lines, smooth, sampled, second;	/* polygon mode, lines, 4 samples, other object */
	bool geometry;				/* with a geometry shader; NUMBER only */
};

struct scene {
	struct hostile *h;
	struct sdrm_bo *sampled;
};

static void make_objects(struct scene *s)
{
	const struct sundog_cmd_create_shader stage[] = { { .stage = SUNDOG_STAGE_VERTEX },
							  { .stage = SUNDOG_STAGE_TESS_CTRL },
							  { .stage = SUNDOG_STAGE_TESS_EVAL },
							  { .stage = SUNDOG_STAGE_FRAGMENT },
							  { .stage = SUNDOG_STAGE_GEOMETRY } };
	const struct sundog_cmd_create_image image = {
		.id = ID_SAMPLED, .mem = sdrm_bo_mem(s->sampled), .type = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32G32_UINT, .extent = { HOSTILE_WIDTH, HOSTILE_HEIGHT, 1 },
		.levels = 1, .layers = 1, .samples = SAMPLES,
		.usage = SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT };
	const struct sundog_cmd_create_image_view view = {
		.id = ID_SAMPLED_VIEW, .image = ID_SAMPLED, .type = VK_IMAGE_VIEW_TYPE_2D,
		.format = VK_FORMAT_R32G32_UINT, .aspect = SUNDOG_ASPECT_COLOR, .levels = 1,
		.layers = 1, .usage = SUNDOG_IMAGE_USAGE_COLOR_ATTACHMENT };
	struct hostile *h = s->h;

	hostile_list(h, s->sampled);
	hostile_shader(h, ID_VERTEX, &stage[0], stride_vert, sizeof(stride_vert));
	hostile_shader(h, ID_CONTROL, &stage[1], stride_tesc, sizeof(stride_tesc));
	hostile_shader(h, ID_EVAL, &stage[2], stride_tese, sizeof(stride_tese));
	hostile_shader(h, ID_EVAL_2, &stage[2], stride_tese, sizeof(stride_tese));
	hostile_shader(h, ID_BARE, &stage[2], stride_bare, sizeof(stride_bare));
	hostile_shader(h, ID_BARE_2, &stage[2], stride_bare, sizeof(stride_bare));
	hostile_shader(h, ID_GEOMETRY, &stage[4], stride_geom, sizeof(stride_geom));
	hostile_shader(h, ID_FRAGMENTS + NUMBER, &stage[3], stride_number, sizeof(stride_number));
	hostile_shader(h, ID_FRAGMENTS + UNUSED_FACE, &stage[3], stride_unused_face,
		       sizeof(stride_unused_face));
	hostile_shader(h, ID_FRAGMENTS + USED_FACE, &stage[3], stride_used_face,
		       sizeof(stride_used_face));
	hostile_shader(h, ID_FRAGMENTS + PLAIN, &stage[3], stride_plain, sizeof(stride_plain));
	hostile_shader(h, ID_FRAGMENTS + OTHER, &stage[3], stride_plain, sizeof(stride_plain));
	/* llvmpipe puts the distance from a smooth line at the next location, which exists. */
	hostile_shader(h, ID_FRAGMENTS + FIRST, &stage[3], stride_first, sizeof(stride_first));
	sundog_emit_create_image(h->stream, &image);
	sundog_emit_create_image_view(h->stream, &view);
}

/* Draws to the attachment with more samples instead, whose pixels nobody reads. */
static void begin_sampled(struct scene *s)
{
	const struct sundog_cmd_begin_rendering begin = {
		.area = { 0, 0, HOSTILE_WIDTH, HOSTILE_HEIGHT }, .layers = 1, .count = 1 };
	const struct sundog_attachment color = { .view = ID_SAMPLED_VIEW,
						 .load = SUNDOG_LOAD_OP_CLEAR,
						 .store = SUNDOG_STORE_OP_STORE };

	hostile_list(s->h, s->sampled);
	sundog_emit_end_rendering(s->h->stream);
	sundog_emit_begin_rendering(s->h->stream, &begin, &color);
}

static bool pixels_are_right(const struct scene *s)
{
	const uint32_t *pixels = hostile_pixels(s->h);

	for (uint32_t i = 0; i < 2 * HOSTILE_PIXELS; i++) {
		if (!pixels[i] || pixels[i] == WORD)
			continue;
		printf("# word %u is %#x, which no shader wrote\n", i, pixels[i]);
		return false;
	}
	return true;
}

static bool draw(struct scene *s, const struct step *step)
{
	const uint32_t samples = step->sampled ? SAMPLES : 1;
	const bool bare = step->fragment == NUMBER;
	struct hostile *h = s->h;

	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST);
	if (step->sampled)
		begin_sampled(s);
	sundog_emit_set_multisample(h->stream, &(struct sundog_cmd_set_multisample){
		.samples = samples, .mask = UINT32_MAX });
	sundog_emit_set_raster(h->stream, &(struct sundog_cmd_set_raster){
		.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, .polygon_mode = step->lines,
		.line_mode = step->smooth ? VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT : 0,
		.line_width = 1.0f, .stipple_factor = 1 });
	sundog_emit_set_vertex_input(h->stream, &(struct sundog_cmd_set_vertex_input){ 0 }, NULL);
	sundog_emit_set_patch(h->stream, &(struct sundog_cmd_set_patch){ 1, 0 });
	sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENTS + step->fragment,
		  bare && step->geometry ? ID_GEOMETRY : 0, ID_CONTROL,
		  (bare ? ID_BARE : ID_EVAL) + step->second } });
	sundog_emit_draw(h->stream, &(struct sundog_cmd_draw){ 1, 1, 0, 0 });
	hostile_end(h);
	return hostile_runs(h) && pixels_are_right(s);
}

static void destroy_objects(struct scene *s)
{
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		.id = ID_SAMPLED_VIEW, .kind = SUNDOG_OBJECT_KIND_IMAGE_VIEW });
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		.id = ID_SAMPLED, .kind = SUNDOG_OBJECT_KIND_IMAGE });
	for (uint32_t id = ID_VERTEX; id < ID_FRAGMENTS + N_FRAGMENTS; id++)
		sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
			.id = id, .kind = SUNDOG_OBJECT_KIND_SHADER });
}

/* Draws the steps with shader objects that no earlier sequence has drawn with. */
static bool draw_all(struct scene *s, const struct step *steps, uint32_t n)
{
	make_objects(s);
	hostile_need(s->h, "shaders");
	for (uint32_t i = 0; i < n; i++)
		if (!draw(s, &steps[i]))
			return false;
	destroy_objects(s);
	return hostile_runs(s->h);
}

static void scene_new(struct scene *s)
{
	s->h = hostile_new();
	s->sampled = hostile_bo(s->h, 1 << 20);
}

static void scene_del(struct scene *s)
{
	sdrm_bo_del(s->sampled);
	hostile_del(s->h);
}

/* Draws the steps in a worker of their own. */
static bool sequence(const struct step *steps, uint32_t n)
{
	struct scene s;
	bool ok;

	scene_new(&s);
	ok = draw_all(&s, steps, n);
	scene_del(&s);
	return ok;
}

#define LINES .lines = true
#define SMOOTH .lines = true, .smooth = true

static const struct {
	const char *name;
	struct step steps[MAX_STEPS];
	uint32_t n;
} sequences[] = {
	{ "a draw that uses FrontFacing, then one that only declares it",
	  { { USED_FACE, LINES }, { UNUSED_FACE, LINES } }, 2 },
	{ "a draw that only declares FrontFacing, then one that uses it",
	  { { UNUSED_FACE, LINES }, { USED_FACE, LINES } }, 2 },
	{ "filled polygons, then lines, then filled polygons, with FrontFacing",
	  { { USED_FACE, .lines = false }, { USED_FACE, LINES },
	    { USED_FACE, .lines = false } }, 3 },
	{ "smooth lines, then a second evaluation shader, then 4 samples",
	  { { PLAIN, SMOOTH }, { PLAIN, SMOOTH, .second = true },
	    { PLAIN, SMOOTH, .second = true, .sampled = true } }, 3 },
	{ "smooth lines, then a second fragment shader",
	  { { PLAIN, SMOOTH }, { PLAIN, SMOOTH, .second = true },
	    { OTHER, SMOOTH, .second = true } }, 3 },
	{ "smooth lines, then a fragment shader whose next location is written",
	  { { PLAIN, SMOOTH }, { PLAIN, SMOOTH, .second = true },
	    { FIRST, SMOOTH, .second = true } }, 3 },
	{ "PrimitiveId that no shader writes, then one that a geometry shader writes",
	  { { NUMBER, .lines = false }, { NUMBER, .geometry = true } }, 2 },
	{ "PrimitiveId that a geometry shader writes, then one that no shader writes",
	  { { NUMBER, .geometry = true }, { NUMBER, .lines = false },
	    { NUMBER, .geometry = true, .second = true } }, 3 },
	{ "smooth lines with FrontFacing, then plain ones",
	  { { USED_FACE, SMOOTH }, { USED_FACE, SMOOTH }, { USED_FACE, LINES },
	    { PLAIN, LINES } }, 4 },
};

/* Makes a step of 8 random bits. */
static struct step random_step(uint32_t bits)
{
	return (struct step){ .fragment = (bits & 7) % N_FRAGMENTS, .lines = bits >> 3 & 1,
			      .smooth = bits >> 4 & 1, .sampled = bits >> 5 & 1,
			      .second = bits >> 6 & 1, .geometry = bits >> 7 & 1 };
}

static bool random_sequences(int n)
{
	struct step steps[MAX_STEPS];
	struct scene s;
	bool ok = true;

	scene_new(&s);
	for (int seed = 0; seed < n && ok; seed++) {
		srand((unsigned int)seed);
		for (uint32_t i = 0; i < MAX_STEPS; i++)
			steps[i] = random_step((uint32_t)rand() >> 8);
		ok = draw_all(&s, steps, MAX_STEPS);
		if (!ok)
			printf("# the sequence of seed %d\n", seed);
	}
	scene_del(&s);
	return ok;
}

int main(void)
{
	for (uint32_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++)
		hostile_result(sequence(sequences[i].steps, sequences[i].n), "tessellation: %s",
			       sequences[i].name);
	hostile_result(random_sequences(tap_rounds(8, 300)),
		       "tessellation: random sequences of %u draws", MAX_STEPS);
	return hostile_status();
}
