/* SPDX-License-Identifier: MIT */
/* State that is small enough to need no object: viewport, scissor, sample mask and the like. */
#ifndef SUNDOG_STATE_H
#define SUNDOG_STATE_H

#include <stdbool.h>

struct pipe_context;
struct sdog_context;

void
sdog_viewports_emit(struct sdog_context *ctx);
void
sdog_scissors_emit(struct sdog_context *ctx);
/* Vertices of patches, if there are patches. */
void
sdog_patch_emit(struct sdog_context *ctx);
void
sdog_multisample_emit(struct sdog_context *ctx);
/* Is multisampling off where the picture has samples? Where the device cannot do that, it is on. */
bool
sdog_draws_whole_pixels(const struct sdog_context *ctx);

void
sdog_init_state_functions(struct pipe_context *pctx);

#endif
