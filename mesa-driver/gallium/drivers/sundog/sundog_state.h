/* SPDX-License-Identifier: MIT */
/* State without state objects: viewports, scissors, sample mask and the like. */
#ifndef SUNDOG_STATE_H
#define SUNDOG_STATE_H

#include <stdbool.h>

struct pipe_context;
struct sdog_context;

void
sdog_viewports_emit(struct sdog_context *ctx);
void
sdog_scissors_emit(struct sdog_context *ctx);
/* Emits the patch state if the draw has tessellation. */
void
sdog_patch_emit(struct sdog_context *ctx);
void
sdog_multisample_emit(struct sdog_context *ctx);
/* Returns true if multisampling is disabled although the framebuffer has samples. If the device
 * does not support that, it remains enabled. */
bool
sdog_draws_whole_pixels(const struct sdog_context *ctx);

/* Stores in @out where in its pixel sample @index of @count is, from 0 to 1 with y down. */
void
sdog_sample_position(unsigned count, unsigned index, float *out);

void
sdog_init_state_functions(struct pipe_context *pctx);

#endif
