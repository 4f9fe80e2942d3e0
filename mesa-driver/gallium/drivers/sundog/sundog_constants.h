/* SPDX-License-Identifier: MIT */
/* Uniforms: push constants if they are few, else a piece of a streamed buffer. */
#ifndef SUNDOG_CONSTANTS_H
#define SUNDOG_CONSTANTS_H

struct pipe_constant_buffer;
struct pipe_context;
struct sdog_context;

void
sdog_constants_emit(struct sdog_context *ctx, unsigned stage);

/* Describe what is bound, such that set_constant_buffer() can bind it again; once at a time. */
void
sdog_constants_save(struct sdog_context *ctx, unsigned stage, struct pipe_constant_buffer *out);

void
sdog_init_constant_functions(struct pipe_context *pctx);

#endif
