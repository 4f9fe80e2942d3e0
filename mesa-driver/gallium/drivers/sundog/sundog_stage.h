/* SPDX-License-Identifier: MIT */
/* Shader stages: SUNDOG_STAGE_* are the indices of the context's arrays. */
#ifndef SUNDOG_STAGE_H
#define SUNDOG_STAGE_H

#include <sundog.h>

#include "pipe/p_defines.h"

#define SDOG_STAGES 3

/* Push constants of a stage. The device has twice as many, the first half is the vertex shader's,
 * the second the fragment shader's; a geometry shader has none. */
#define SDOG_PUSH_DWORDS 32

/* Both of Gallium's and of NIR's stages, which have the same numbers. */
static inline unsigned
sdog_stage_index(unsigned shader)
{
   switch (shader) {
   case PIPE_SHADER_FRAGMENT:
      return SUNDOG_STAGE_FRAGMENT;
   case PIPE_SHADER_GEOMETRY:
      return SUNDOG_STAGE_GEOMETRY;
   default:
      return SUNDOG_STAGE_VERTEX;
   }
}

#endif
