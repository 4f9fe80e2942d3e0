/* SPDX-License-Identifier: MIT */
/* Draws whose arguments are in memory of the device. */
#ifndef SUNDOG_INDIRECT_H
#define SUNDOG_INDIRECT_H

#include <stdbool.h>

struct pipe_draw_indirect_info;
struct sdog_context;
struct sdog_draw;

/* Returns true if the device can execute the indirect draw directly. */
bool
sdog_indirect_fits(const struct sdog_draw *draw);

/* For the other draws: reads the arguments, or the number of captured vertices, on the CPU and
 * calls draw_vbo() for each draw. */
void
sdog_indirect_read(const struct sdog_draw *draw);

/* Passes the reads of the arguments to sdog_use_for_draw(). */
void
sdog_indirect_order(struct sdog_context *ctx, const struct pipe_draw_indirect_info *indirect);

/* Emits the packet of an indirect draw whose arguments are in a buffer. */
void
sdog_indirect_emit(const struct sdog_draw *draw);

#endif
