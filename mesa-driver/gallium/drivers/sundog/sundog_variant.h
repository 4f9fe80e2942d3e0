/* SPDX-License-Identifier: MIT */
/* Which variants of its shaders a draw takes. */
#ifndef SUNDOG_VARIANT_H
#define SUNDOG_VARIANT_H

#include <stdbool.h>

#include "compiler/shader_enums.h"

struct sdog_context;

/* Choose ctx->variants for drawing @prim, making them if need be. False if that failed. */
bool
sdog_shaders_update(struct sdog_context *ctx, enum mesa_prim prim);

/* The same for a dispatch. */
bool
sdog_shaders_update_compute(struct sdog_context *ctx);

/* What is rasterised when @prim is drawn: shaders may make something else of it. */
enum mesa_prim
sdog_rasterized_prim(const struct sdog_context *ctx, enum mesa_prim prim);

#endif
