/* SPDX-License-Identifier: MIT */
/* All resources bound to the shader of one stage: constants, blocks, textures, storage buffers and
 * storage images. */
#ifndef SUNDOG_BINDINGS_H
#define SUNDOG_BINDINGS_H

struct sdog_context;

/* Passes the uses of the bound resources to sdog_use_for_draw(): within a rendering those whose
 * bindings are dirty, otherwise all of them. */
void
sdog_bindings_order(struct sdog_context *ctx, unsigned stage);

/* Emits the packets for the bindings of @stage that are dirty. */
void
sdog_bindings_emit(struct sdog_context *ctx, unsigned stage);

#endif
