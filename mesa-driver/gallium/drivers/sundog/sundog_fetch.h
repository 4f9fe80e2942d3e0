/* SPDX-License-Identifier: MIT */
/*
 * Fragment shaders that fetch the colour that is already there: advanced blending is made of that.
 * The first colour buffer is bound as a texture, too, and texels are fetched where the fragment is.
 * Programs put a barrier between draws that overlap.
 */
#ifndef SUNDOG_FETCH_H
#define SUNDOG_FETCH_H

#include <sundog.h>

#include "sundog_shader.h"

struct pipe_framebuffer_state;
struct sdog_context;

/* Slot of that texture; programs have fewer. */
#define SDOG_FETCH_SLOT (SUNDOG_MAX_TEXTURES - 1)

struct sdog_fetch_key
sdog_fetch_key(const struct pipe_framebuffer_state *fb);

/* See to it that the next draw fetches what was drawn before its rendering. */
void
sdog_fetch_order(struct sdog_context *ctx);

/* Id of a view of it, or 0 if there is no such buffer. */
uint32_t
sdog_fetch_view(struct sdog_context *ctx);

#endif
