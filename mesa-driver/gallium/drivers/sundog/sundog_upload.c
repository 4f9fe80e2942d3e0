/* SPDX-License-Identifier: MIT */
/* Records copies from staging memory, limits how much is staged, and repeats the copies that were
 * lost: see sundog_upload.h. Runs on the context's thread. */
#include "sundog_upload.h"

#include "sundog_context.h"
#include "sundog_copy.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

/* Staging memory may take up to 1/STAGED_PART of VRAM. */
#define STAGED_PART 8

struct sdog_upload {
   struct list_head link;
   struct pipe_resource *src, *dst;
   unsigned src_offset;
   /* For a buffer, x and width are the offset and the size. */
   struct pipe_box box;
   unsigned stride;
   unsigned level;
   /* Value of dst->cpu_writes when the copy was recorded. If the CPU wrote to @dst since, a
    * repeated copy would overwrite newer data. */
   uint32_t cpu_writes;
   /* Fence of the submission, or NULL while it is not queued. */
   struct sdrm_fence *fence;
   /* Bytes of staging memory that remain allocated for this copy. */
   uint64_t held;
};

void
sdog_uploads_init(struct sdog_context *ctx)
{
   list_inithead(&ctx->uploads.list);
}

static void
upload_del(struct sdog_context *ctx, struct sdog_upload *upload)
{
   list_del(&upload->link);
   ctx->uploads.held -= upload->held;
   pipe_resource_reference(&upload->src, NULL);
   pipe_resource_reference(&upload->dst, NULL);
   sdrm_fence_del(upload->fence);
   FREE(upload);
}

void
sdog_uploads_finish(struct sdog_context *ctx)
{
   list_for_each_entry_safe(struct sdog_upload, upload, &ctx->uploads.list, link)
      upload_del(ctx, upload);
}

/* Records the copy @what. It is not recorded if memory is short, nor for a context that is lost for
 * good. */
static void
keep(struct sdog_context *ctx, const struct sdog_upload *what, struct sdog_resource *dst,
     struct sdog_resource *src)
{
   struct sdog_upload *upload = sdog_loss_is_final(ctx) ? NULL : MALLOC_STRUCT(sdog_upload);

   if (!upload)
      return;
   *upload = *what;
   upload->cpu_writes = dst->cpu_writes;
   pipe_resource_reference(&upload->src, &src->base);
   pipe_resource_reference(&upload->dst, &dst->base);
   list_addtail(&upload->link, &ctx->uploads.list);
   ctx->uploads.held += upload->held;
}

void
sdog_upload_texture(struct sdog_context *ctx, struct sdog_resource *src, unsigned offset,
                    unsigned stride, uint64_t held, struct sdog_resource *dst, unsigned level,
                    const struct pipe_box *box)
{
   struct sdog_upload upload = {
      .src_offset = offset,
      .box = *box,
      .stride = stride,
      .level = level,
      .held = held,
   };

   sdog_copy_buffer_to_texture(ctx, src, offset, stride, dst, level, box);
   keep(ctx, &upload, dst, src);
}

void
sdog_upload_buffer(struct sdog_context *ctx, struct sdog_resource *dst, unsigned dst_offset,
                   struct sdog_resource *src, unsigned src_offset, unsigned size, uint64_t held)
{
   struct sdog_upload upload = {
      .src_offset = src_offset,
      .box = {.x = dst_offset, .width = size},
      .held = held,
   };

   sdog_copy_buffer(ctx, dst, dst_offset, src, src_offset, size);
   keep(ctx, &upload, dst, src);
}

static bool
is_done(const struct sdog_upload *upload)
{
   return upload->fence && !sdrm_fence_wait(upload->fence, 0);
}

/* Uploads complete in the order of the list. */
static void
forget_done(struct sdog_context *ctx)
{
   list_for_each_entry_safe(struct sdog_upload, upload, &ctx->uploads.list, link) {
      if (!is_done(upload))
         return;
      upload_del(ctx, upload);
   }
}

/* Waits for the oldest upload. Returns false if waiting is not possible. */
static bool
wait_for_oldest(struct sdog_context *ctx)
{
   const struct list_head *list = &ctx->uploads.list;
   struct sdog_upload *oldest = list_first_entry(list, struct sdog_upload, link);

   if (!oldest->fence) {
      sdog_batch_flush(ctx);
      if (list_is_empty(list))
         return false;
      oldest = list_first_entry(list, struct sdog_upload, link);
   }
   if (!oldest->fence || sdrm_fence_wait(oldest->fence, SDRM_FOREVER))
      return false;
   upload_del(ctx, oldest);
   return true;
}

void
sdog_uploads_wait_for_room(struct sdog_context *ctx)
{
   const uint64_t room = sdrm_device_vram_size(sdog_screen(ctx->base.screen)->dev) / STAGED_PART;

   /* A context that holds the rename lock must not wait, since others wait for that lock; draws
    * stage little. */
   if (ctx->naming || ctx->uploads.held <= room)
      return;
   forget_done(ctx);
   if (ctx->uploads.held <= room)
      return;
   /* Waits until half is free, so that not every further write has to wait. */
   while (ctx->uploads.held > room / 2 && wait_for_oldest(ctx))
      ;
}

void
sdog_uploads_queued(struct sdog_context *ctx, struct sdrm_fence *fence)
{
   list_for_each_entry_rev(struct sdog_upload, upload, &ctx->uploads.list, link) {
      if (!fence || upload->fence)
         break;
      upload->fence = sdrm_fence_ref(fence);
   }
   forget_done(ctx);
}

bool
sdog_uploads_are_pending(const struct sdog_context *ctx)
{
   return !list_is_empty(&ctx->uploads.list);
}

void
sdog_uploads_settle(struct sdog_context *ctx)
{
   if (!sdog_uploads_are_pending(ctx) || !sdrm_context_is_lost(ctx->batch.hw))
      return;
   sdog_batch_flush(ctx);
   sdog_batch_reserve(ctx, 0);
}

static void
repeat(struct sdog_context *ctx, const struct sdog_upload *upload)
{
   struct sdog_resource *src = sdog_resource(upload->src), *dst = sdog_resource(upload->dst);

   if (upload->cpu_writes != dst->cpu_writes)
      return;
   if (dst->base.target == PIPE_BUFFER)
      sdog_upload_buffer(ctx, dst, upload->box.x, src, upload->src_offset, upload->box.width,
                         upload->held);
   else
      sdog_upload_texture(ctx, src, upload->src_offset, upload->stride, upload->held, dst,
                          upload->level, &upload->box);
}

void
sdog_uploads_repeat(struct sdog_context *ctx)
{
   struct list_head lost;

   forget_done(ctx);
   list_replace(&ctx->uploads.list, &lost);
   list_inithead(&ctx->uploads.list);
   list_for_each_entry_safe(struct sdog_upload, upload, &lost, link) {
      repeat(ctx, upload);
      upload_del(ctx, upload);
   }
   if (!list_is_empty(&ctx->uploads.list))
      sdog_batch_flush(ctx);
}
