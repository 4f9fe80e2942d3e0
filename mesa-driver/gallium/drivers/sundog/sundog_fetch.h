/* SPDX-License-Identifier: MIT */
/*
 * Fragment shaders that read the framebuffer: KHR_blend_equation_advanced, which Mesa lowers to it,
 * and EXT_shader_framebuffer_fetch. Each colour buffer that the shader reads is bound as a texture,
 * too, and the shader fetches the texel at the fragment's place. Barriers order draws that overlap.
 * Within a draw the device orders fragments, with feature ORDERED_FETCH, if the buffer is blended
 * with what it contains (sundog_blend.c).
 */
#ifndef SUNDOG_FETCH_H
#define SUNDOG_FETCH_H

#include <sundog.h>

#include "sundog_shader.h"

struct pipe_framebuffer_state;
struct sdog_context;

/* Colour buffers, as bits, that the fragment shader of the next draw reads. */
uint8_t
sdog_fetched_colors(const struct sdog_context *ctx);

/* Texture slot of colour buffer 0; those of the others follow. Programs have fewer textures. */
#define SDOG_FETCH_SLOT (SUNDOG_MAX_TEXTURES - SUNDOG_MAX_COLOR_ATTACHMENTS)

/* The key of colour buffer @index. */
struct sdog_fetch_key
sdog_fetch_key(const struct pipe_framebuffer_state *fb, unsigned index);

/* Order the next draw behind earlier draws to the buffers that it reads. */
void
sdog_fetch_order(struct sdog_context *ctx);

/* Id of a view of colour buffer @index, or 0 if there is no such buffer. */
uint32_t
sdog_fetch_view(struct sdog_context *ctx, unsigned index);

#endif
