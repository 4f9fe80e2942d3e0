/* SPDX-License-Identifier: MIT */
/* Storage buffers of shaders, atomic counters among them. */
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
   /* Slots that the program may write. */
   uint32_t writable;
};

/* Order those that the shader of @stage uses with their other uses. */
void
sdog_shader_buffers_order(struct sdog_context *ctx, unsigned stage);

/* Bind them. */
void
sdog_shader_buffers_emit(struct sdog_context *ctx, unsigned stage);

void
sdog_shader_buffers_unbind(struct sdog_context *ctx, unsigned stage);

/* The memory of @rsc changed. */
void
sdog_shader_buffers_rebind_buffer(struct sdog_context *ctx, const struct sdog_resource *rsc);

void
sdog_init_shader_buffer_functions(struct pipe_context *pctx);

#endif
