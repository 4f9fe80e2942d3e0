/* SPDX-License-Identifier: MIT */
/* Shader stages: SUNDOG_STAGE_* are the indices of the context's arrays. */
#ifndef SUNDOG_STAGE_H
#define SUNDOG_STAGE_H

#include <stdbool.h>

#include <sundog.h>

#include "pipe/p_defines.h"

#define SDOG_STAGES 6
/* Those before are of draws. */
#define SDOG_GRAPHICS_STAGES SUNDOG_STAGE_COMPUTE

/* Push constants of a stage. The device has twice as many, the first half is the vertex shader's,
 * the second the fragment shader's; other stages have none. */
#define SDOG_PUSH_DWORDS 32

/* The last vector, for a shader that knows of its draw. The dwords of a vertex shader's are the
 * number of the packet's first draw, and whether there are indices, as a mask; the first of a
 * fragment shader's is the number of the draw's first polygon. */
#define SDOG_DRAW_PARAMETERS (SDOG_PUSH_DWORDS - 4)
#define SDOG_DRAW_FIRST_ID 0
#define SDOG_DRAW_INDEXED 1

static inline bool
sdog_stage_pushes(unsigned stage)
{
   return stage == SUNDOG_STAGE_VERTEX || stage == SUNDOG_STAGE_FRAGMENT;
}

/* Both of Gallium's and of NIR's stages, which have the same numbers. */
static inline unsigned
sdog_stage_index(unsigned shader)
{
   switch (shader) {
   case PIPE_SHADER_FRAGMENT:
      return SUNDOG_STAGE_FRAGMENT;
   case PIPE_SHADER_GEOMETRY:
      return SUNDOG_STAGE_GEOMETRY;
   case PIPE_SHADER_TESS_CTRL:
      return SUNDOG_STAGE_TESS_CTRL;
   case PIPE_SHADER_TESS_EVAL:
      return SUNDOG_STAGE_TESS_EVAL;
   case PIPE_SHADER_COMPUTE:
      return SUNDOG_STAGE_COMPUTE;
   default:
      return SUNDOG_STAGE_VERTEX;
   }
}

#endif
