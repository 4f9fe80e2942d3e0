/* SPDX-License-Identifier: MIT */
/* All that the shader of one stage is bound to. */
#ifndef SUNDOG_BINDINGS_H
#define SUNDOG_BINDINGS_H

struct sdog_context;

/* Order it with its other uses, ending the rendering if that takes a barrier: what is bound anew,
 * or all of it where no rendering is begun. */
void
sdog_bindings_order(struct sdog_context *ctx, unsigned stage);

/* Tell the device what of it changed. */
void
sdog_bindings_emit(struct sdog_context *ctx, unsigned stage);

#endif
