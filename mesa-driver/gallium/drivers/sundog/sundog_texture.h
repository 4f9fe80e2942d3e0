/* SPDX-License-Identifier: MIT */
/* Sampler views and samplers. */
#ifndef SUNDOG_TEXTURE_H
#define SUNDOG_TEXTURE_H

#include "pipe/p_state.h"

struct pipe_context;
struct sdog_context;

struct sdog_sampler_view {
   struct pipe_sampler_view base;
   /* Image view, 0 until it is needed, and the version of the images that it is of. */
   uint32_t view;
   uint32_t version;
   /* The same without the swizzle, for shaders that compare depth and swizzle themselves. */
   uint32_t plain_view;
};

struct sdog_sampler {
   struct pipe_sampler_state state;
   uint32_t id;
};

static inline struct sdog_sampler_view *
sdog_sampler_view(struct pipe_sampler_view *pview)
{
   return (struct sdog_sampler_view *)pview;
}

/* Order the bound textures after what wrote them, ending the rendering if it takes a barrier. */
void
sdog_textures_order(struct sdog_context *ctx);

/* Bind the textures of @stage that the current shader reads. */
void
sdog_textures_emit(struct sdog_context *ctx, unsigned stage);

void
sundog_init_texture_functions(struct pipe_context *pctx);

#endif
