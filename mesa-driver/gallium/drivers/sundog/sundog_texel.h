/* SPDX-License-Identifier: MIT */
/* Texture buffers: sampler views of buffers, which have views and slots of their own; and those
 * views, which images of buffers have, too. */
#ifndef SUNDOG_TEXEL_H
#define SUNDOG_TEXEL_H

#include <sundog.h>

#include "sundog_object.h"
#include "util/format/u_formats.h"

struct sdog_context;
struct sdog_resource;

struct sdog_texel_view {
   struct sdog_object object;
   /* What made it, and in what memory (see sundog_resource.h). */
   struct sundog_cmd_create_buffer_view made;
   uint64_t memory;
};

/* Bind the texture buffers of @stage that the current shader reads. */
void
sdog_texels_emit(struct sdog_context *ctx, unsigned stage);

struct sdog_sampler_view;

/* Id of the device's view of what a sampler view of a buffer shows; 0 for a view of nothing. */
uint32_t
sdog_sampler_texels_id(struct sdog_context *ctx, struct sdog_sampler_view *view);

/* Id of the device's view of part of a buffer. @view is the last one; it is made anew where it
 * would be another, as when the buffer got other memory. 0 for a view of nothing. */
uint32_t
sdog_texel_view_id(struct sdog_context *ctx, struct sdog_resource *rsc, enum pipe_format format,
                   unsigned offset, unsigned size, struct sdog_texel_view *view);
void
sdog_texel_view_drop(struct sdog_context *ctx, struct sdog_texel_view *view);

/* The memory of @rsc changed. */
void
sdog_texels_rebind_buffer(struct sdog_context *ctx, const struct sdog_resource *rsc);

#endif
