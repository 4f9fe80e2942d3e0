/* SPDX-License-Identifier: MIT */
/*
 * Renderings: begun by the first draw after the framebuffer changed, ended by whatever cannot be
 * inside one. A clear that comes first becomes a load operation.
 */
#ifndef SUNDOG_RENDER_H
#define SUNDOG_RENDER_H

#include <stdint.h>

struct pipe_context;
struct pipe_framebuffer_state;
struct pipe_resource;
struct sdog_context;

/* Colour buffers up to the last one that is there. */
unsigned
sdog_color_count(const struct pipe_framebuffer_state *fb);

/* What the framebuffer takes of what the next draw uses, see sdog_use_for_draw(). */
void
sdog_render_order(struct sdog_context *ctx);

/* Views that the framebuffer is drawn to (GL_OVR_multiview), as bits: layers of all that is
 * attached. Shaders know no layers then (sdog_shader_key.views). */
uint8_t
sdog_render_views(const struct pipe_framebuffer_state *fb);

/* Begin a rendering to the framebuffer, after sdog_render_order() noted its uses. */
void
sdog_render_begin_ordered(struct sdog_context *ctx);

/* End it, and do clears that still wait for one. */
void
sdog_render_end(struct sdog_context *ctx);

/* How much memory the submission will have to list for clears that wait, in bytes. */
uint64_t
sdog_render_clears_missing(const struct sdog_context *ctx);

/* Do the clears that wait, if they are of @prsc. */
void
sdog_render_flush_clears(struct sdog_context *ctx, struct pipe_resource *prsc);

void
sdog_init_render_functions(struct pipe_context *pctx);

#endif
