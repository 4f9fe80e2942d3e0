// SPDX-License-Identifier: MIT
/*
 * Tests tessellation: patches, vertices beyond the patch, and invalid levels. Runs on the device
 * that device.h finds. Prints TAP.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "corners-shaders.h"
#include "hostile.h"

#define PATCH 4u
#define VERTICES 32u			/* largest number of vertices of a patch */

enum { ID_VERTEX = HOSTILE_FREE, ID_FRAGMENT, ID_CONTROL, ID_CONTROL_NOWHERE, ID_EVAL_NOWHERE,
       ID_GEOMETRY, ID_EVAL };

static const struct {
	const char *name;
	const uint32_t *code;
	size_t size;
	bool covers;			/* it is a quad and fills the target */
} domains[] = {
#define DOMAIN(name, covers) { #name, corners_##name, sizeof(corners_##name), covers }
	DOMAIN(quads_equal, true), DOMAIN(quads_even, true), DOMAIN(quads_odd, true),
		DOMAIN(triangles_equal, false),
	DOMAIN(triangles_even, false), DOMAIN(triangles_odd, false), DOMAIN(isolines_equal, false),
	DOMAIN(isolines_even, false), DOMAIN(isolines_odd, false),
};

#define N_DOMAINS (sizeof(domains) / sizeof(domains[0]))

static void make_shaders(struct hostile *h)
{
	struct sundog_cmd_create_shader cmd = { .stage = SUNDOG_STAGE_VERTEX };

	hostile_shader(h, ID_VERTEX, &cmd, corners_vert, sizeof(corners_vert));
	cmd.stage = SUNDOG_STAGE_FRAGMENT;
	hostile_shader(h, ID_FRAGMENT, &cmd, corners_frag, sizeof(corners_frag));
	cmd.stage = SUNDOG_STAGE_GEOMETRY;
	hostile_shader(h, ID_GEOMETRY, &cmd, corners_geom, sizeof(corners_geom));
	cmd = (struct sundog_cmd_create_shader){ .stage = SUNDOG_STAGE_TESS_CTRL, .push_size = 8 };
	hostile_shader(h, ID_CONTROL, &cmd, corners_tesc, sizeof(corners_tesc));
	hostile_shader(h, ID_CONTROL_NOWHERE, &cmd, corners_nowhere_tesc,
		       sizeof(corners_nowhere_tesc));
	cmd.stage = SUNDOG_STAGE_TESS_EVAL;
	hostile_shader(h, ID_EVAL_NOWHERE, &cmd, corners_nowhere_tese,
		       sizeof(corners_nowhere_tese));
	for (uint32_t i = 0; i < N_DOMAINS; i++)
		hostile_shader(h, ID_EVAL + i, &cmd, domains[i].code, domains[i].size);
}

static void begin_geometry(struct hostile *h, uint32_t control, uint32_t eval, uint32_t vertices,
			   uint32_t geometry)
{
	hostile_begin(h, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST);
	sundog_emit_set_vertex_input(h->stream, &(struct sundog_cmd_set_vertex_input){ 0 }, NULL);
	if (vertices)
		sundog_emit_set_patch(h->stream, &(struct sundog_cmd_set_patch){ vertices, 0 });
	sundog_emit_bind_shaders(h->stream, &(struct sundog_cmd_bind_shaders){ .shaders = {
		[SUNDOG_STAGE_VERTEX] = ID_VERTEX, [SUNDOG_STAGE_FRAGMENT] = ID_FRAGMENT,
		[SUNDOG_STAGE_TESS_CTRL] = control, [SUNDOG_STAGE_TESS_EVAL] = eval,
		[SUNDOG_STAGE_GEOMETRY] = geometry } });
}

static void begin(struct hostile *h, uint32_t control, uint32_t eval, uint32_t vertices)
{
	begin_geometry(h, control, eval, vertices, 0);
}

static void draw(struct hostile *h, uint32_t count, uint32_t number, float level)
{
	struct {
		uint32_t number;
		float level;
	} push = { number, level };
	uint32_t words[2];

	memcpy(words, &push, sizeof(words));
	sundog_emit_push_constants(h->stream, &(struct sundog_cmd_push_constants){ .count = 2 },
				   words);
	sundog_emit_draw(h->stream, &(struct sundog_cmd_draw){ count, 1, 0, 0 });
	hostile_end(h);
}

/* Returns true if each pixel has the two words, or with @or_none two zeroes. */
static bool all_pixels(struct hostile *h, uint32_t first, uint32_t second, bool or_none)
{
	const uint32_t *pixels = hostile_pixels(h);

	for (uint32_t i = 0; i < HOSTILE_PIXELS; i++) {
		const uint32_t *p = &pixels[2 * i];

		if ((p[0] != first || p[1] != second) && !(or_none && !p[0] && !p[1])) {
			printf("# pixel %u is %#x %#x\n", i, p[0], p[1]);
			return false;
		}
	}
	return true;
}

static bool covers(struct hostile *h, uint32_t domain)
{
	begin(h, ID_CONTROL, ID_EVAL + domain, PATCH);
	draw(h, PATCH, 0, 3.0f);
	/* One word from the first vertex, and one from the first and the last. */
	return hostile_runs(h) && all_pixels(h, 1, 1 * 16 + 4, !domains[domain].covers);
}

/*
 * The control shader reads input vertices beyond the patch, and then its own outputs likewise. It
 * must get zero or vertices of the patch.
 */
static bool stays_in_the_patch(struct hostile *h, uint32_t number)
{
	const uint32_t *pixels = hostile_pixels(h);

	begin(h, ID_CONTROL, ID_EVAL, PATCH);
	draw(h, PATCH, number, 1.0f);
	if (!hostile_runs(h))
		return false;
	for (uint32_t i = 0; i < 2 * HOSTILE_PIXELS; i++)
		if (pixels[i] > 4 * 16 + 4) {
			printf("# word %u is %#x\n", i, pixels[i]);
			return false;
		}
	return true;
}

/* Levels above the limit draw the whole patch, levels that are NaN or not positive draw nothing. */
static bool bears_level(struct hostile *h, uint32_t domain, float level)
{
	const bool none = !(level > 0.0f);

	begin(h, ID_CONTROL, ID_EVAL + domain, PATCH);
	draw(h, PATCH, 0, level);
	return hostile_runs(h) && all_pixels(h, none ? 0 : 1, none ? 0 : 1 * 16 + 4,
					     !domains[domain].covers);
}

/* Draws many patches with the highest level. */
static bool bears_many(struct hostile *h, uint32_t domain)
{
	begin(h, ID_CONTROL, ID_EVAL + domain, PATCH);
	draw(h, PATCH * 10, 0, 64.0f);
	return hostile_runs(h);
}

/* Draws patches of each size. The control shader makes patches of four vertices. */
static bool takes_patches(struct hostile *h)
{
	for (uint32_t vertices = 1; vertices <= VERTICES; vertices++) {
		begin(h, ID_CONTROL, ID_EVAL, vertices);
		draw(h, 5 * vertices, 0, 2.0f);
		if (!hostile_runs(h))
			return false;
	}
	return true;
}

/*
 * Vertices without a position draw nothing, and a geometry shader can replace the output of
 * tessellation.
 */
static bool positions_are_followed(struct hostile *h)
{
	begin(h, ID_CONTROL_NOWHERE, ID_EVAL_NOWHERE, PATCH);
	draw(h, PATCH, 0, 2.0f);
	if (!hostile_runs(h) || !all_pixels(h, 0, 0, false))
		return false;
	begin_geometry(h, ID_CONTROL, ID_EVAL, PATCH, ID_GEOMETRY);
	draw(h, PATCH, 0, 2.0f);
	return hostile_runs(h) && all_pixels(h, 1, 1 * 16 + 4, false);
}

/*
 * Positions that the stage before does not write are zero, so nothing is drawn: by the next stage,
 * or by a geometry shader that passes them on.
 */
static bool missing_positions_are_zero(struct hostile *h)
{
	begin(h, ID_CONTROL_NOWHERE, ID_EVAL, PATCH);
	draw(h, PATCH, 0, 1.0f);
	if (!hostile_runs(h) || !all_pixels(h, 0, 0, false))
		return false;
	begin_geometry(h, ID_CONTROL, ID_EVAL_NOWHERE, PATCH, ID_GEOMETRY);
	draw(h, PATCH, 0, 1.0f);
	return hostile_runs(h) && all_pixels(h, 0, 0, false);
}

static void test_refusals(struct hostile *h)
{
	begin(h, ID_CONTROL, ID_EVAL, 0);
	draw(h, PATCH, 0, 1.0f);
	hostile_refused(h, SUNDOG_FAULT_CODE_STATE, "a patch of no size is refused");
	begin(h, 0, ID_EVAL, PATCH);
	draw(h, PATCH, 0, 1.0f);
	hostile_refused(h, SUNDOG_FAULT_CODE_OBJECT, "an evaluation shader alone is refused");
	begin(h, ID_CONTROL, 0, PATCH);
	draw(h, PATCH, 0, 1.0f);
	hostile_refused(h, SUNDOG_FAULT_CODE_OBJECT, "a control shader alone is refused");
	begin(h, 0, 0, PATCH);
	draw(h, PATCH, 0, 1.0f);
	hostile_refused(h, SUNDOG_FAULT_CODE_STATE, "patches without tessellation are refused");
}

int main(void)
{
	static const uint32_t numbers[] = { 1, 3, 4, 31, 32, 1000, 0x10000, 0x7fffffff, 0x80000000,
					    0xffffffff };
	const float levels[] = { 1.0f, 1.5f, 63.5f, 64.0f, 65.0f, 1e30f, INFINITY, 0.0f, -0.0f,
				 -1.0f, -INFINITY, NAN,
				 1e-30f };
	struct hostile *h = hostile_new();

	hostile_guard_front(h);
	hostile_guard_back(h);
	make_shaders(h);
	hostile_need(h, "shaders");
	for (uint32_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		hostile_result(stays_in_the_patch(h, numbers[i]),
			       "vertex %#x of a patch is one, or nothing", numbers[i]);
	for (uint32_t i = 0; i < N_DOMAINS; i++) {
		hostile_result(covers(h, i), "%s cover what they should", domains[i].name);
		for (uint32_t k = 0; k < sizeof(levels) / sizeof(levels[0]); k++)
			hostile_result(bears_level(h, i, levels[k]), "%s bear level %g",
				       domains[i].name, levels[k]);
		hostile_result(bears_many(h, i), "many patches of %s", domains[i].name);
	}
	hostile_result(takes_patches(h), "patches of all sizes");
	hostile_result(positions_are_followed(h), "positions are followed through all stages");
	hostile_result(missing_positions_are_zero(h),
		       "positions that a control or evaluation shader does not write are zero");
	test_refusals(h);
	hostile_del(h);
	return hostile_status();
}
