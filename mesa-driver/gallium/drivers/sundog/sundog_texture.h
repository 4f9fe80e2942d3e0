/* SPDX-License-Identifier: MIT */
/* Sampler views and samplers. */
#ifndef SUNDOG_TEXTURE_H
#define SUNDOG_TEXTURE_H

#include <sundog.h>

#include "pipe/p_state.h"
#include "sundog_barrier.h"
#include "sundog_texel.h"
#include "vulkan/vulkan_core.h"

struct pipe_context;
struct sdog_context;

struct sdog_sampler_view {
   struct pipe_sampler_view base;
   /* The packet that makes the device's view, but for the ids; and of one without the swizzle, for
    * shaders that compare depth and swizzle themselves. */
   struct sundog_cmd_create_image_view cmd;
   struct sundog_cmd_create_image_view plain_cmd;
   /* Of a buffer. */
   struct sdog_texel_view texels;
};

struct sdog_sampler {
   struct pipe_sampler_state state;
   struct sdog_object object;
};

static inline struct sdog_sampler_view *
sdog_sampler_view(struct pipe_sampler_view *pview)
{
   return (struct sdog_sampler_view *)pview;
}

/* How shaders of @stage use textures. */
enum sdog_use
sdog_texture_use(unsigned stage);

/* Id of a sampler in @ctx, made in the current submission if need be; NULL: of any one. */
uint32_t
sdog_sampler_id(struct sdog_context *ctx, struct sdog_sampler *sampler);

/* Order the textures that @stage reads after what wrote them, ending the rendering if it takes a
 * barrier. */
void
sdog_textures_order(struct sdog_context *ctx, unsigned stage);

/* Bind the textures of @stage that the current shader reads. */
void
sdog_textures_emit(struct sdog_context *ctx, unsigned stage);

void
sdog_textures_finish(struct sdog_context *ctx);

void
sdog_init_texture_functions(struct pipe_context *pctx);

#endif
