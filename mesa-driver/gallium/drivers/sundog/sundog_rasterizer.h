/* SPDX-License-Identifier: MIT */
/* Rasterizer state. */
#ifndef SUNDOG_RASTERIZER_H
#define SUNDOG_RASTERIZER_H

#include <sundog.h>

#include "pipe/p_state.h"

struct pipe_context;

struct sdog_rasterizer {
   struct pipe_rasterizer_state base;
   /* All but what depends on the primitive. */
   struct sundog_cmd_set_raster cmd;
};

/* The packet for drawing @prim. */
struct sundog_cmd_set_raster
sdog_rasterizer_packet(const struct sdog_rasterizer *rast, enum mesa_prim prim, bool restart);

void
sundog_init_rasterizer_functions(struct pipe_context *pctx);

#endif
