/* SPDX-License-Identifier: MIT */
/* Blend state, with its packet prepared when the state is created. */
#ifndef SUNDOG_BLEND_H
#define SUNDOG_BLEND_H

#include <sundog.h>

#include "pipe/p_state.h"

struct pipe_context;
struct sdog_context;

struct sdog_blend {
   struct pipe_blend_state base;
   /* The first colour buffer blends with the second colour output of the fragment shader. */
   bool dual_source;
   struct sundog_cmd_set_blend cmd;
   struct sundog_blend_attachment attachments[PIPE_MAX_COLOR_BUFS];
};

void
sdog_blend_emit(struct sdog_context *ctx);
void
sdog_blend_constants_emit(struct sdog_context *ctx);

void
sdog_init_blend_functions(struct pipe_context *pctx);

#endif
