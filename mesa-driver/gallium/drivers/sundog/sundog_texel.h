/* SPDX-License-Identifier: MIT */
/* Texture buffers, which are sampler views of buffers and have slots of their own, and the device's
 * buffer views, which buffer images use, too. */
#ifndef SUNDOG_TEXEL_H
#define SUNDOG_TEXEL_H

#include <sundog.h>

#include "sundog_object.h"
#include "util/format/u_formats.h"

struct sdog_context;
struct sdog_resource;

struct sdog_texel_view {
   struct sdog_object object;
   /* The packet that created the view, and the memory of the buffer at that time (see
    * sundog_resource.h). */
   struct sundog_cmd_create_buffer_view made;
   uint64_t memory;
};

/* Emits the binding of the texture buffers that the current shader of @stage reads. */
void
sdog_texels_emit(struct sdog_context *ctx, unsigned stage);

struct sdog_sampler_view;

/* Returns the id of the device's view for a sampler view of a buffer, or 0 if its range is
 * empty. */
uint32_t
sdog_sampler_texels_id(struct sdog_context *ctx, struct sdog_sampler_view *view);

/* Returns the id of the device's view of a range of a buffer, or 0 if the range is empty. @view is
 * the last view; it is replaced if it does not match, for example because the buffer got other
 * memory. */
uint32_t
sdog_texel_view_id(struct sdog_context *ctx, struct sdog_resource *rsc, enum pipe_format format,
                   unsigned offset, unsigned size, struct sdog_texel_view *view);
void
sdog_texel_view_drop(struct sdog_context *ctx, struct sdog_texel_view *view);

/* Must be called when the memory of @rsc changed. */
void
sdog_texels_rebind_buffer(struct sdog_context *ctx, const struct sdog_resource *rsc);

#endif
