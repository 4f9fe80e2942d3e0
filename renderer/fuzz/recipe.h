/* SPDX-License-Identifier: MIT */
/*
 * Parts of valid streams, for the fuzz targets that generate streams.
 */
#ifndef RECIPE_H
#define RECIPE_H

#include <stdint.h>

#include "sundog_emit.h"

/*
 * Emits all state that a draw of triangles to a target of @size by @size pixels needs, except for
 * bindings.
 */
static inline void recipe_state(struct sundog_stream *s, uint32_t size)
{
	const struct sundog_viewport viewport = { 0.0f, 0.0f, size, size, 0.0f, 1.0f };
	const struct sundog_rect scissor = { 0, 0, size, size };
	const struct sundog_blend_attachment blend[2] = { { .write_mask = 15 },
							  { .write_mask = 15 } };
	const struct sundog_cmd_set_raster raster = {
		.topology = 3, .line_width = 1.0f, .stipple_factor = 1,
	};

	sundog_emit_set_viewports(s, &(struct sundog_cmd_set_viewports){ 1 }, &viewport);
	sundog_emit_set_scissors(s, &(struct sundog_cmd_set_scissors){ 1 }, &scissor);
	sundog_emit_set_raster(s, &raster);
	sundog_emit_set_depth_stencil(s, &(struct sundog_cmd_set_depth_stencil){ 0 });
	sundog_emit_set_stencil_reference(s, &(struct sundog_cmd_set_stencil_reference){ 0 });
	sundog_emit_set_blend(s, &(struct sundog_cmd_set_blend){ 0, 0, 2 }, blend);
	sundog_emit_set_blend_constants(s, &(struct sundog_cmd_set_blend_constants){ 0 });
	sundog_emit_set_multisample(s, &(struct sundog_cmd_set_multisample){ 0, 1, UINT32_MAX });
}

#endif
