/* SPDX-License-Identifier: MIT */
/*
 * Uniforms. Those outside of blocks are push constants if they are few, else a piece of a streamed
 * buffer; blocks are ranges of buffers that the program made, and that the device may write.
 */
#ifndef SUNDOG_CONSTANTS_H
#define SUNDOG_CONSTANTS_H

struct pipe_constant_buffer;
struct pipe_context;
struct sdog_context;

void
sdog_constants_emit(struct sdog_context *ctx, unsigned stage);

/* Bind the blocks that the current shader of @stage reads. */
void
sdog_blocks_emit(struct sdog_context *ctx, unsigned stage);

/* Order the blocks after what wrote them, ending the rendering if it takes a barrier. */
void
sdog_blocks_order(struct sdog_context *ctx, unsigned stage);

void
sdog_constants_unbind(struct sdog_context *ctx, unsigned stage);

/* Describe what is bound, such that set_constant_buffer() can bind it again; once at a time. */
void
sdog_constants_save(struct sdog_context *ctx, unsigned stage, struct pipe_constant_buffer *out);

void
sdog_init_constant_functions(struct pipe_context *pctx);

#endif
