/* SPDX-License-Identifier: MIT */
/* Copies by the device between buffers and images. */
#ifndef SUNDOG_COPY_H
#define SUNDOG_COPY_H

#include <sundog.h>

#include "pipe/p_state.h"

struct pipe_context;
struct sdog_context;
struct sdog_resource;

/* Returns the corner of a box in a level of an image, in the form of transfer packets. */
struct sundog_image_region
sdog_image_region(uint32_t image, uint32_t aspect, unsigned level, int x, int y, int z);

/* Ends the rendering, emits the barriers and lists the memory for a transfer packet from @src to
 * @dst. */
void
sdog_transfer_begin(struct sdog_context *ctx, struct sdog_resource *src,
                    struct sdog_resource *dst);

/* Copies @box of a level from a buffer that has @stride bytes per row and tightly packed slices. */
void
sdog_copy_buffer_to_texture(struct sdog_context *ctx, struct sdog_resource *src, unsigned offset,
                            unsigned stride, struct sdog_resource *dst, unsigned level,
                            const struct pipe_box *box);

void
sdog_copy_buffer(struct sdog_context *ctx, struct sdog_resource *dst, unsigned dst_offset,
                 struct sdog_resource *src, unsigned src_offset, unsigned size);

/* Copies the aspects in @aspects (SUNDOG_ASPECT_*) of @box. */
void
sdog_copy_image(struct sdog_context *ctx, struct sdog_resource *dst, unsigned dst_level, int x,
                int y, int z, struct sdog_resource *src, unsigned src_level,
                const struct pipe_box *box, uint32_t aspects);

void
sdog_init_copy_functions(struct pipe_context *pctx);

#endif
