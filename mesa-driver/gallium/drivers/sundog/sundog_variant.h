/* SPDX-License-Identifier: MIT */
/* Selection of the shader variants for a draw or dispatch. */
#ifndef SUNDOG_VARIANT_H
#define SUNDOG_VARIANT_H

#include <stdbool.h>

#include "compiler/shader_enums.h"

struct sdog_context;

/* Selects ctx->variants for drawing @prim, and creates them if needed. Returns false if the draw is
 * not possible. */
bool
sdog_shaders_update(struct sdog_context *ctx, enum mesa_prim prim);

/* As sdog_shaders_update(), for a dispatch. */
bool
sdog_shaders_update_compute(struct sdog_context *ctx);

/* Returns the primitive that is rasterized when @prim is drawn, which shaders may change. */
enum mesa_prim
sdog_rasterized_prim(const struct sdog_context *ctx, enum mesa_prim prim);

#endif
