/* SPDX-License-Identifier: MIT */
/* Shader stages. SUNDOG_STAGE_* are the indices of the arrays in the context. */
#ifndef SUNDOG_STAGE_H
#define SUNDOG_STAGE_H

#include <stdbool.h>

#include <sundog.h>

#include "pipe/p_defines.h"

#define SDOG_STAGES 6
/* Number of graphics stages, which have the lower indices. */
#define SDOG_GRAPHICS_STAGES SUNDOG_STAGE_COMPUTE

/* Push constants per stage. The device has twice as many: the first half is for the vertex shader,
 * the second for the fragment shader. Other stages have none. */
#define SDOG_PUSH_DWORDS 32

/* The last vector, for a shader that uses draw parameters. In a vertex shader, its dwords are the
 * number of the first draw in the packet, and a mask that is ~0 for indexed draws. In a fragment
 * shader, the first dword is the number of the draw's first polygon. */
#define SDOG_DRAW_PARAMETERS (SDOG_PUSH_DWORDS - 4)
#define SDOG_DRAW_FIRST_ID 0
#define SDOG_DRAW_INDEXED 1

static inline bool
sdog_stage_pushes(unsigned stage)
{
   return stage == SUNDOG_STAGE_VERTEX || stage == SUNDOG_STAGE_FRAGMENT;
}

/* Converts a stage of Gallium or NIR, which have the same numbers. */
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
