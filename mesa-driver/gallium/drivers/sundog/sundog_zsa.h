/* SPDX-License-Identifier: MIT */
/* Depth and stencil state. The alpha test is lowered to the fragment shader. */
#ifndef SUNDOG_ZSA_H
#define SUNDOG_ZSA_H

#include <sundog.h>

#include "pipe/p_state.h"

struct pipe_context;
struct sdog_context;

struct sdog_zsa {
   struct sundog_cmd_set_depth_stencil cmd;
   bool two_sided;
};

void
sdog_depth_stencil_emit(struct sdog_context *ctx);
void
sdog_stencil_reference_emit(struct sdog_context *ctx);

void
sdog_init_zsa_functions(struct pipe_context *pctx);

#endif
