/* SPDX-License-Identifier: MIT */
/* Storage buffers of shaders, which include atomic counters. */
#ifndef SUNDOG_SHADER_BUFFER_H
#define SUNDOG_SHADER_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include <sundog.h>

struct pipe_context;
struct pipe_resource;
struct sdog_context;
struct sdog_resource;

struct sdog_shader_buffers {
   struct sdog_shader_buffer {
      struct pipe_resource *buffer;
      uint32_t offset;
      uint32_t size;
   } slots[SUNDOG_MAX_SSBOS];
   /* Mask of the slots that the program may write. */
   uint32_t writable;
};

/* Passes the uses of the buffers by the shader of @stage to sdog_use_for_draw(). */
void
sdog_shader_buffers_order(struct sdog_context *ctx, unsigned stage);

/* Emits the binding of the buffers. */
void
sdog_shader_buffers_emit(struct sdog_context *ctx, unsigned stage);

void
sdog_shader_buffers_unbind(struct sdog_context *ctx, unsigned stage);

/* Must be called when the memory of @rsc changed. */
void
sdog_shader_buffers_rebind_buffer(struct sdog_context *ctx, const struct sdog_resource *rsc);

void
sdog_init_shader_buffer_functions(struct pipe_context *pctx);

#endif
