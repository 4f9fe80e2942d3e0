/* SPDX-License-Identifier: MIT */
/* Rasterizer state, with its packets prepared when the state is created. */
#ifndef SUNDOG_RASTERIZER_H
#define SUNDOG_RASTERIZER_H

#include <sundog.h>

#include "pipe/p_state.h"

struct pipe_context;
struct sdog_context;

struct sdog_rasterizer {
   struct pipe_rasterizer_state base;
   /* The packets without the fields that depend on the primitive. The device has a single polygon
    * mode. If it differs between front and back faces (@two_modes), polygons are drawn in two
    * passes: front faces with @cmd, then back faces with @back_cmd (ctx->back_turn). */
   struct sundog_cmd_set_raster cmd;
   struct sundog_cmd_set_raster back_cmd;
   bool two_modes;
};

/* Returns the PIPE_POLYGON_MODE_* of the current pass. */
unsigned
sdog_rasterizer_fill(const struct sdog_context *ctx);

/* Emits the packet for the primitives of the next draw (ctx->emitted). */
void
sdog_rasterizer_emit(struct sdog_context *ctx);

/* Returns true if @prim must be drawn in two passes. */
bool
sdog_rasterizer_needs_two(const struct sdog_rasterizer *rast, enum mesa_prim prim);

/* Returns true if any polygons are drawn as lines or points. */
bool
sdog_rasterizer_unfilled(const struct sdog_rasterizer *rast);

void
sdog_init_rasterizer_functions(struct pipe_context *pctx);

#endif
