/* SPDX-License-Identifier: MIT */
/* What the driver tells the state tracker about itself. */
#ifndef SUNDOG_CAPS_H
#define SUNDOG_CAPS_H

#include <stdbool.h>

#include "compiler/shader_enums.h"

struct pipe_screen;
struct sundog_caps;

/* Do invocations of a stage vote with those of their subgroup? */
bool
sdog_has_subgroups(const struct sundog_caps *caps, gl_shader_stage stage);

void
sdog_init_caps(struct pipe_screen *pscreen);

#endif
