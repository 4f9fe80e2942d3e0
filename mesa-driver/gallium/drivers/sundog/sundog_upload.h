/* SPDX-License-Identifier: MIT */
/*
 * Uploads: copies by the device from staging memory that the CPU wrote. The program wrote the data
 * once and relies on it, so each copy is recorded until it completes. Copies that were lost with a
 * client of the device (sundog_loss.h) are repeated.
 */
#ifndef SUNDOG_UPLOAD_H
#define SUNDOG_UPLOAD_H

#include <stdint.h>

#include "util/list.h"

struct pipe_box;
struct sdog_context;
struct sdog_resource;
struct sdrm_fence;

struct sdog_uploads {
   /* List of struct sdog_upload, oldest first. */
   struct list_head list;
   /* Total bytes of staging memory that they keep allocated. */
   uint64_t held;
};

void
sdog_uploads_init(struct sdog_context *ctx);
void
sdog_uploads_finish(struct sdog_context *ctx);

/* As sdog_copy_buffer_to_texture(); @held is the number of bytes of @src that remain allocated
 * until the copy completes. */
void
sdog_upload_texture(struct sdog_context *ctx, struct sdog_resource *src, unsigned offset,
                    unsigned stride, uint64_t held, struct sdog_resource *dst, unsigned level,
                    const struct pipe_box *box);
/* As sdog_copy_buffer(), with @held as above. */
void
sdog_upload_buffer(struct sdog_context *ctx, struct sdog_resource *dst, unsigned dst_offset,
                   struct sdog_resource *src, unsigned src_offset, unsigned size, uint64_t held);

/* Called before more data is staged: waits until enough uploads complete, so that a device that
 * lags behind does not end up with all its memory used for staging. */
void
sdog_uploads_wait_for_room(struct sdog_context *ctx);

/* Called after a submission was queued with @fence, or could not be queued (NULL). */
void
sdog_uploads_queued(struct sdog_context *ctx, struct sdrm_fence *fence);

/* Returns true if there are uploads that may have to be repeated. */
bool
sdog_uploads_are_pending(const struct sdog_context *ctx);

/* Called before the CPU writes to memory: if the client was lost, repeats the uploads first. */
void
sdog_uploads_settle(struct sdog_context *ctx);

/* Called when the context has a new client: queues the uploads that the old one did not
 * complete. */
void
sdog_uploads_repeat(struct sdog_context *ctx);

#endif
