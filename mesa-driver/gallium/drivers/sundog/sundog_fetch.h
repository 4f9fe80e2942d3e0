/* SPDX-License-Identifier: MIT */
/*
 * Fragment shaders that fetch the colour that is already there: advanced blending is made of that.
 * The first colour buffer is bound as a texture, too, and texels are fetched where the fragment is.
 * Draws that overlap are ordered by barriers; what overlaps within one by the device, with feature
 * ORDERED_FETCH, as long as it is blended with what is there.
 */
#ifndef SUNDOG_FETCH_H
#define SUNDOG_FETCH_H

#include <sundog.h>

#include "sundog_shader.h"

struct pipe_framebuffer_state;
struct sdog_context;

/* Does the shader of the next draw? */
bool
sdog_fetches_color(const struct sdog_context *ctx);

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
