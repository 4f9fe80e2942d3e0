/* SPDX-License-Identifier: MIT */
/* What the driver tells the state tracker about itself. */
#ifndef SUNDOG_CAPS_H
#define SUNDOG_CAPS_H

struct pipe_screen;

void
sdog_init_caps(struct pipe_screen *pscreen);

#endif
