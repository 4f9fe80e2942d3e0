/* SPDX-License-Identifier: MIT */
/* Line loops, which the device does not support: they are drawn as line strips that end where they
 * began (OpenGL 4.6, 10.1.3 Line Loops). */
#ifndef SUNDOG_LOOPS_H
#define SUNDOG_LOOPS_H

struct sdog_draw;

/* Draws the loops of @draw as strips, by a recursive call of draw_vbo() for each of its draws. */
void
sdog_loops_draw(const struct sdog_draw *draw);

#endif
