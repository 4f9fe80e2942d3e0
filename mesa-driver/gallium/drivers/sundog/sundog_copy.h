/* SPDX-License-Identifier: MIT */
/* Copies by the device, of buffers, images, and from one to the other. */
#ifndef SUNDOG_COPY_H
#define SUNDOG_COPY_H

#include <sundog.h>

#include "pipe/p_state.h"

struct pipe_context;
struct sdog_context;
struct sdog_resource;

/* A corner in a level of an image, as transfer packets name it. */
struct sundog_image_region
sdog_image_region(uint32_t image, uint32_t aspect, unsigned level, int x, int y, int z);

/* Leave the rendering and get the memory ready for a transfer packet from @src to @dst. */
void
sdog_transfer_begin(struct sdog_context *ctx, struct sdog_resource *src,
                    struct sdog_resource *dst);

/* Copy @box of a level from a buffer with @stride bytes per row and packed slices. */
void
sdog_copy_buffer_to_texture(struct sdog_context *ctx, struct sdog_resource *src, unsigned offset,
                            unsigned stride, struct sdog_resource *dst, unsigned level,
                            const struct pipe_box *box);

void
sdog_copy_buffer(struct sdog_context *ctx, struct sdog_resource *dst, unsigned dst_offset,
                 struct sdog_resource *src, unsigned src_offset, unsigned size);

/* Copy the SUNDOG_ASPECT_* @aspects of a box. */
void
sdog_copy_image(struct sdog_context *ctx, struct sdog_resource *dst, unsigned dst_level, int x,
                int y, int z, struct sdog_resource *src, unsigned src_level,
                const struct pipe_box *box, uint32_t aspects);

void
sdog_init_copy_functions(struct pipe_context *pctx);

#endif
