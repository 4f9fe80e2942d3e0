/* SPDX-License-Identifier: MIT */
/* Shader stages: SUNDOG_STAGE_VERTEX and _FRAGMENT are the indices of the context's arrays. */
#ifndef SUNDOG_STAGE_H
#define SUNDOG_STAGE_H

#include <sundog.h>

#include "pipe/p_defines.h"

#define SDOG_STAGES 2

/* Push constants of a stage. The device has twice as many, the second half is the fragment's. */
#define SDOG_PUSH_DWORDS 32

static inline unsigned
sdog_stage_index(enum pipe_shader_type shader)
{
   return shader == PIPE_SHADER_FRAGMENT ? SUNDOG_STAGE_FRAGMENT : SUNDOG_STAGE_VERTEX;
}

#endif
