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
   /* The packets that create the view, without its ids: with the swizzle, and without it for
    * shaders that compare depth and swizzle themselves. */
   struct sundog_cmd_create_image_view cmd;
   struct sundog_cmd_create_image_view plain_cmd;
   /* For a buffer. */
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

/* Returns the use of textures by shaders of @stage. */
enum sdog_use
sdog_texture_use(unsigned stage);

/* Returns the id of @sampler, or of any sampler if it is NULL. Emits the packet that creates it if
 * needed. Returns 0 if memory is short. */
uint32_t
sdog_sampler_id(struct sdog_context *ctx, struct sdog_sampler *sampler);

/* Passes the uses of the textures that @stage reads to sdog_use_for_draw(). */
void
sdog_textures_order(struct sdog_context *ctx, unsigned stage);

/* Emits the binding of the textures that the current shader of @stage reads. */
void
sdog_textures_emit(struct sdog_context *ctx, unsigned stage);

void
sdog_textures_finish(struct sdog_context *ctx);

void
sdog_init_texture_functions(struct pipe_context *pctx);

#endif
