/* SPDX-License-Identifier: MIT */
/* Line loops, which the device does not support: they are drawn as line strips that end where they
 * began. */
#ifndef SUNDOG_LOOPS_H
#define SUNDOG_LOOPS_H

struct pipe_draw_info;
struct pipe_draw_start_count_bias;
struct sdog_context;

/* Draws the loops of @info as strips, by a recursive call of draw_vbo() for each draw. */
void
sdog_loops_draw(struct sdog_context *ctx, const struct pipe_draw_info *info, unsigned drawid_offset,
                const struct pipe_draw_start_count_bias *draws, unsigned num_draws);

#endif
