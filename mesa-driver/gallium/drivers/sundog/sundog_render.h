/* SPDX-License-Identifier: MIT */
/*
 * Renderings. The first draw after a change of the framebuffer begins one, and any operation that
 * is not permitted inside ends it. A clear at the begin becomes a load operation.
 */
#ifndef SUNDOG_RENDER_H
#define SUNDOG_RENDER_H

#include <stdint.h>

struct pipe_context;
struct pipe_framebuffer_state;
struct pipe_resource;
struct sdog_context;

/* Returns the number of colour buffers up to the last one that is bound. */
unsigned
sdog_color_count(const struct pipe_framebuffer_state *fb);

/* Passes the uses of the attachments to sdog_use_for_draw(). */
void
sdog_render_order(struct sdog_context *ctx);

/* Returns the mask of views of the framebuffer (GL_OVR_multiview), which are layers of all
 * attachments. Shaders cannot use layers then (sdog_shader_key.views). */
uint8_t
sdog_render_views(const struct pipe_framebuffer_state *fb);

/* Begins a rendering to the framebuffer. The uses of the attachments must have been recorded by
 * sdog_render_order(). */
void
sdog_render_begin_ordered(struct sdog_context *ctx);

/* Ends the rendering, and executes pending clears. */
void
sdog_render_end(struct sdog_context *ctx);

/* Returns the bytes that the submission would have to list in addition for pending clears. */
uint64_t
sdog_render_clears_missing(const struct sdog_context *ctx);

/* Executes pending clears if @prsc is an attachment. */
void
sdog_render_flush_clears(struct sdog_context *ctx, struct pipe_resource *prsc);

void
sdog_init_render_functions(struct pipe_context *pctx);

#endif
