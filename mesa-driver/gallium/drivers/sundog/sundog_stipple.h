/* SPDX-License-Identifier: MIT */
/* Polygon stipple: a texture that the fragment shader looks up and discards by. */
#ifndef SUNDOG_STIPPLE_H
#define SUNDOG_STIPPLE_H

struct pipe_context;
struct sdog_context;

/* Bind the pattern to the slot that the current fragment shader reads it from. */
void
sdog_stipple_bind(struct sdog_context *ctx);

void
sdog_stipple_finish(struct sdog_context *ctx);

void
sdog_init_stipple_functions(struct pipe_context *pctx);

#endif
