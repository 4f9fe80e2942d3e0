/* SPDX-License-Identifier: MIT */
/*
 * Uniforms. Uniforms outside of blocks are push constants if they are few, otherwise they are in a
 * part of a streamed buffer. Uniform blocks are ranges of buffers of the program, which the device
 * may write.
 */
#ifndef SUNDOG_CONSTANTS_H
#define SUNDOG_CONSTANTS_H

struct pipe_constant_buffer;
struct pipe_context;
struct sdog_context;

void
sdog_constants_emit(struct sdog_context *ctx, unsigned stage);

/* Emits the bindings of the blocks that the current shader of @stage reads. */
void
sdog_blocks_emit(struct sdog_context *ctx, unsigned stage);

/* Passes the uses of the blocks to sdog_use_for_draw(). */
void
sdog_blocks_order(struct sdog_context *ctx, unsigned stage);

void
sdog_constants_unbind(struct sdog_context *ctx, unsigned stage);

/* Returns in @out a description of the bound uniforms that set_constant_buffer() can restore. There
 * is storage for one saved state per context. */
void
sdog_constants_save(struct sdog_context *ctx, unsigned stage, struct pipe_constant_buffer *out);

void
sdog_init_constant_functions(struct pipe_context *pctx);

#endif
