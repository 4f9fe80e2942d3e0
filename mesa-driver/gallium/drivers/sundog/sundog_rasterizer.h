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
    * two, polygons are drawn once for each, the front ones first. */
   struct sundog_cmd_set_raster cmd;
   struct sundog_cmd_set_raster back_cmd;
   bool two_modes;
};

/* Emit it for the primitives that are drawn next (ctx->emitted); @back for the second turn of
 * polygons with two modes. */
void
sdog_rasterizer_emit(struct sdog_context *ctx, bool back);

/* Does @prim have to be drawn twice? */
bool
sdog_rasterizer_needs_two(const struct sdog_rasterizer *rast, enum mesa_prim prim);

/* Are there polygons that are drawn as lines or points? */
bool
sdog_rasterizer_unfilled(const struct sdog_rasterizer *rast);

void
sdog_init_rasterizer_functions(struct pipe_context *pctx);

#endif
