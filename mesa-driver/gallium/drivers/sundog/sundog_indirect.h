/* SPDX-License-Identifier: MIT */
/* Draws whose arguments are in memory. */
#ifndef SUNDOG_INDIRECT_H
#define SUNDOG_INDIRECT_H

#include <stdbool.h>

struct pipe_draw_indirect_info;
struct pipe_draw_info;
struct sdog_context;

/* Does the device take them as they are? */
bool
sdog_indirect_fits(const struct sdog_context *ctx, const struct pipe_draw_info *info,
                   const struct pipe_draw_indirect_info *indirect);

/* If not: read them, or the number of vertices, and draw each by a call of draw_vbo(). */
void
sdog_indirect_read(struct sdog_context *ctx, const struct pipe_draw_info *info, unsigned first_id,
                   const struct pipe_draw_indirect_info *indirect);

/* Order the arguments after what wrote them, ending the rendering if it takes a barrier. */
void
sdog_indirect_order(struct sdog_context *ctx, const struct pipe_draw_indirect_info *indirect);

void
sdog_indirect_emit(struct sdog_context *ctx, const struct pipe_draw_info *info,
                   const struct pipe_draw_indirect_info *indirect);

#endif
