/* SPDX-License-Identifier: MIT */
/* The capabilities and limits that the screen reports to the state tracker. */
#ifndef SUNDOG_CAPS_H
#define SUNDOG_CAPS_H

#include <stdbool.h>

#include "compiler/shader_enums.h"

struct pipe_screen;
struct sundog_caps;

/* Returns true if votes and ballots of @stage use the subgroups of the device. */
bool
sdog_has_subgroups(const struct sundog_caps *caps, gl_shader_stage stage);

void
sdog_init_caps(struct pipe_screen *pscreen);

#endif
