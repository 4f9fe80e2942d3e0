/* SPDX-License-Identifier: MIT */
/* Polygon stipple: a texture that the fragment shader samples to discard fragments (OpenGL 4.6
 * Compatibility Profile, 14.6.2 Stippling). */
#ifndef SUNDOG_STIPPLE_H
#define SUNDOG_STIPPLE_H

#include <sundog.h>

#include "sundog_fetch.h"

struct pipe_context;
struct sdog_context;

/* Slot of the texture; programs get fewer slots. */
#define SDOG_STIPPLE_SLOT (SDOG_FETCH_SLOT - 1)

/* Binds the pattern to the slot in the fragment stage. */
void
sdog_stipple_bind(struct sdog_context *ctx);

void
sdog_stipple_finish(struct sdog_context *ctx);

void
sdog_init_stipple_functions(struct pipe_context *pctx);

#endif
