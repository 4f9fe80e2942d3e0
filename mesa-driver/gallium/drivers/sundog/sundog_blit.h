/* SPDX-License-Identifier: MIT */
/* Copies and blits. */
#ifndef SUNDOG_BLIT_H
#define SUNDOG_BLIT_H

#include "pipe/p_state.h"

struct pipe_context;
struct sdog_context;
struct sdog_resource;

/* Copy @box of a level from a buffer with @stride bytes per row and packed slices. */
void
sdog_copy_buffer_to_texture(struct sdog_context *ctx, struct sdog_resource *src, unsigned offset,
                            unsigned stride, struct sdog_resource *dst, unsigned level,
                            const struct pipe_box *box);

void
sdog_copy_buffer(struct sdog_context *ctx, struct sdog_resource *dst, unsigned dst_offset,
                 struct sdog_resource *src, unsigned src_offset, unsigned size);

void
sundog_init_blit_functions(struct pipe_context *pctx);

#endif
