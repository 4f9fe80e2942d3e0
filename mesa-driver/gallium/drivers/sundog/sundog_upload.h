/* SPDX-License-Identifier: MIT */
/*
 * What the device copies in from memory that the CPU wrote. The program wrote it once and counts on
 * it, so copies are kept until they are done; those that were lost with a client of the device
 * (sundog_loss.h) are made again.
 */
#ifndef SUNDOG_UPLOAD_H
#define SUNDOG_UPLOAD_H

#include <stdint.h>

#include "util/list.h"

struct pipe_box;
struct sdog_context;
struct sdog_resource;
struct sundog_fence;

struct sdog_uploads {
   /* struct sdog_upload, oldest first. */
   struct list_head list;
   /* Bytes that are staged for them. */
   uint64_t held;
};

void
sdog_uploads_init(struct sdog_context *ctx);
void
sdog_uploads_finish(struct sdog_context *ctx);

/* As sdog_copy_buffer_to_texture(); @held bytes of @src stay until it is done. */
void
sdog_upload_texture(struct sdog_context *ctx, struct sdog_resource *src, unsigned offset,
                    unsigned stride, uint64_t held, struct sdog_resource *dst, unsigned level,
                    const struct pipe_box *box);
/* Likewise, as sdog_copy_buffer(). */
void
sdog_upload_buffer(struct sdog_context *ctx, struct sdog_resource *dst, unsigned dst_offset,
                   struct sdog_resource *src, unsigned src_offset, unsigned size, uint64_t held);

/* More is about to be staged, and stays in memory until it is copied: wait, so that a device that is
 * behind does not have all of it taken. */
void
sdog_uploads_wait_for_room(struct sdog_context *ctx);

/* A submission was queued, with @fence; or could not be, NULL. */
void
sdog_uploads_queued(struct sdog_context *ctx, struct sundog_fence *fence);

/* Are there any that may have to be done again? */
bool
sdog_uploads_are_pending(const struct sdog_context *ctx);

/* The CPU is about to write to memory that may lack something because a client was lost. */
void
sdog_uploads_settle(struct sdog_context *ctx);

/* The context has another client: queue what the last one did not do. */
void
sdog_uploads_repeat(struct sdog_context *ctx);

#endif
