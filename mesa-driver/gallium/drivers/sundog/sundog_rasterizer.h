/* SPDX-License-Identifier: MIT */
/* Rasterizer state. */
#ifndef SUNDOG_RASTERIZER_H
#define SUNDOG_RASTERIZER_H

#include <sundog.h>

#include "pipe/p_state.h"

struct pipe_context;
struct sdog_context;

struct sdog_rasterizer {
   struct pipe_rasterizer_state base;
   /* All but what depends on the primitive. The device has one polygon mode: where the faces have
    * two, polygons are drawn in two turns, the front ones first (ctx->back_turn). */
   struct sundog_cmd_set_raster cmd;
   struct sundog_cmd_set_raster back_cmd;
   bool two_modes;
};

/* The PIPE_POLYGON_MODE_* of what is drawn in this turn. */
unsigned
sdog_rasterizer_fill(const struct sdog_context *ctx);

/* Emit it for the primitives that are drawn next (ctx->emitted). */
void
sdog_rasterizer_emit(struct sdog_context *ctx);

/* Does @prim have to be drawn in two turns? */
bool
sdog_rasterizer_needs_two(const struct sdog_rasterizer *rast, enum mesa_prim prim);

/* Are there polygons that are drawn as lines or points? */
bool
sdog_rasterizer_unfilled(const struct sdog_rasterizer *rast);

void
sdog_init_rasterizer_functions(struct pipe_context *pctx);

#endif
