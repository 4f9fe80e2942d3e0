/* SPDX-License-Identifier: MIT */
/*
 * Fragment shaders that read the framebuffer: KHR_blend_equation_advanced, which Mesa lowers to
 * framebuffer fetch, and EXT_shader_framebuffer_fetch. Each colour buffer that the shader reads is
 * also bound as a texture, and the shader fetches the texel at the fragment's position. Barriers
 * order overlapping draws. Within a draw, a device with feature ORDERED_FETCH orders the fragments
 * if the buffer blends with its contents (sundog_blend.c).
 */
#ifndef SUNDOG_FETCH_H
#define SUNDOG_FETCH_H

#include <sundog.h>

#include "sundog_shader.h"

struct pipe_framebuffer_state;
struct sdog_context;

/* Returns the mask of colour buffers that the fragment shader of the next draw reads. */
uint8_t
sdog_fetched_colors(const struct sdog_context *ctx);

/* Texture slot of colour buffer 0; the others follow. Programs get fewer texture slots than
 * this. */
#define SDOG_FETCH_SLOT (SUNDOG_MAX_TEXTURES - SUNDOG_MAX_COLOR_ATTACHMENTS)

/* Returns the part of the shader key for colour buffer @index. */
struct sdog_fetch_key
sdog_fetch_key(const struct pipe_framebuffer_state *fb, unsigned index);

/* Orders the next draw after earlier draws to the buffers that it reads. */
void
sdog_fetch_order(struct sdog_context *ctx);

/* Returns the id of a view of colour buffer @index, or 0 if there is no such buffer. */
uint32_t
sdog_fetch_view(struct sdog_context *ctx, unsigned index);

#endif
