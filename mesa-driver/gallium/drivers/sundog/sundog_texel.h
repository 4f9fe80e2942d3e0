/* SPDX-License-Identifier: MIT */
/* Texture buffers: sampler views of buffers, which have views and slots of their own. */
#ifndef SUNDOG_TEXEL_H
#define SUNDOG_TEXEL_H

#include <sundog.h>

struct pipe_context;
struct sdog_context;
struct sdog_resource;
struct sdog_sampler_view;

/* Bind the texture buffers of @stage that the current shader reads. */
void
sdog_texels_emit(struct sdog_context *ctx, unsigned stage);

/* The view ends. */
void
sdog_texels_drop(struct sdog_context *ctx, struct sdog_sampler_view *view);

/* The memory of @rsc changed. */
void
sdog_texels_rebind_buffer(struct sdog_context *ctx, const struct sdog_resource *rsc);

#endif
