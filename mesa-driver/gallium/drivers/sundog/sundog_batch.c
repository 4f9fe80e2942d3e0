/* SPDX-License-Identifier: MIT */
/* Builds the submissions of a context: space in the command stream, the list of BOs, and the flush
 * to libdrm. Runs on the context's thread. */
#include "sundog_batch.h"

#include <errno.h>
#include <unistd.h>

#include "sundog_context.h"
#include "sundog_image.h"
#include "sundog_render.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "util/libsync.h"
#include "util/u_atomic.h"

/* Limit on the shaders that one submission creates. The device kills a context whose submission
 * runs for too long, and on a loaded machine the compilation of 30 shaders takes a second. */
#define MAX_NEW_SHADERS 32

static uint64_t last_batch_id;

/* Starts an empty submission. Device objects are the only state that outlives a submission, so all
 * other state becomes dirty. */
static void
batch_begin(struct sdog_context *ctx)
{
   struct sdog_batch *batch = &ctx->batch;

   batch->id = p_atomic_inc_return(&last_batch_id);
   batch->stream = sdrm_submit_stream(batch->submit);
   batch->next_query = 0;
   batch->next_value = 0;
   batch->new_shaders = 0;
   batch->flushed_bytes = batch->listed_bytes;
   batch->listed = 0;
   batch->listed_bytes = 0;
   ctx->dirty |= SDOG_DIRTY_ALL & ~(uint64_t)SDOG_DIRTY_KEYS;
   sdog_hazards_reset(&ctx->hazards);
   batch->fresh = false;
   sdog_context_trim_views(ctx);
   sdog_objects_begin(ctx);
   batch->fresh = true;
}

static bool
hw_begin(struct sdog_context *ctx)
{
   struct sdog_batch *batch = &ctx->batch;
   struct sdrm_context *hw = sdrm_context_new(sdog_screen(ctx->base.screen)->dev);
   struct sdrm_submit *submit = hw ? sdrm_submit_new(hw, SDOG_BATCH_DWORDS) : NULL;

   if (!submit) {
      sdrm_context_del(hw);
      return false;
   }
   batch->hw = hw;
   batch->submit = submit;
   batch->room = sdrm_device_vram_size(sdog_screen(ctx->base.screen)->dev) / 2;
   return true;
}

static void
hw_end(struct sdog_batch *batch)
{
   sdrm_fence_del(batch->last_fence);
   sdrm_submit_del(batch->submit);
   sdrm_context_del(batch->hw);
   batch->last_fence = NULL;
}

bool
sdog_batch_init(struct sdog_context *ctx)
{
   ctx->batch.in_fence = -1;
   ctx->dirty = SDOG_DIRTY_KEYS;
   if (!hw_begin(ctx))
      return false;
   batch_begin(ctx);
   return true;
}

bool
sdog_batch_renew(struct sdog_context *ctx)
{
   struct sdog_batch lost = ctx->batch;

   if (!hw_begin(ctx))
      return false;
   hw_end(&lost);
   ctx->batch.last_fence = NULL;
   /* The submission that waited was one of the lost context's. */
   ctx->batch.in_fence_queued = false;
   sdog_objects_renew(ctx);
   /* The next draw creates the variants again. */
   memset(ctx->variants, 0, sizeof(ctx->variants));
   ctx->dirty |= SDOG_DIRTY_KEYS;
   batch_begin(ctx);
   ctx->batch.fresh = false;
   return true;
}

static void
drop_in_fence(struct sdog_batch *batch)
{
   if (batch->in_fence >= 0)
      close(batch->in_fence);
   batch->in_fence = -1;
   batch->in_fence_queued = false;
}

bool
sdog_batch_wait_in_fence(struct sdog_context *ctx, int timeout_ms)
{
   struct sdog_batch *batch = &ctx->batch;

   if (batch->in_fence < 0)
      return true;
   if (sync_wait(batch->in_fence, timeout_ms))
      return false;
   drop_in_fence(batch);
   return true;
}

void
sdog_batch_finish(struct sdog_context *ctx)
{
   struct sdog_batch *batch = &ctx->batch;

   if (batch->submit)
      sdog_batch_flush(ctx);
   drop_in_fence(batch);
   hw_end(batch);
}

static void
look_for_loss(struct sdog_context *ctx)
{
   if (!ctx->batch.fresh)
      return;
   ctx->batch.fresh = false;
   sdog_loss_check(ctx, 0);
   ctx->batch.fresh = false;
}

void
sdog_batch_reserve(struct sdog_context *ctx, uint32_t dwords)
{
   const struct sundog_stream *stream = ctx->batch.stream;

   if (ctx->batch.flushing)
      return;
   if (stream->size - stream->used < dwords + SDOG_BATCH_RESERVE)
      sdog_batch_flush(ctx);
   look_for_loss(ctx);
}

/* Flushes, and leaves pending clears to the next submission: this one may lack room for the
 * attachments that they clear. */
static void
flush_for_room(struct sdog_context *ctx)
{
   const unsigned clears = ctx->clears;

   ctx->clears = 0;
   sdog_batch_flush(ctx);
   ctx->clears = clears;
}

void
sdog_batch_prepare(struct sdog_context *ctx, uint32_t dwords)
{
   if (ctx->batch.listed >= SDOG_BATCH_LIST || ctx->batch.listed_bytes >= ctx->batch.room)
      flush_for_room(ctx);
   sdog_batch_reserve(ctx, dwords);
}

/* Another context may have overwritten rsc->batch in the meantime, so a mismatch falls back to
 * libdrm's list. */
static bool
is_listed(const struct sdog_batch *batch, const struct sdog_resource *rsc)
{
   return rsc->batch == batch->id || sdrm_submit_access(batch->submit, rsc->bo);
}

uint64_t
sdog_batch_missing(const struct sdog_batch *batch, const struct sdog_resource *rsc)
{
   return is_listed(batch, rsc) ? 0 : sdrm_bo_size(rsc->bo);
}

bool
sdog_batch_make_room(struct sdog_context *ctx, uint64_t bytes)
{
   struct sdog_batch *batch = &ctx->batch;

   if (!bytes || !batch->listed_bytes || batch->flushing ||
       batch->listed_bytes + bytes <= batch->room)
      return false;
   flush_for_room(ctx);
   return true;
}

void
sdog_batch_prepare_shaders(struct sdog_context *ctx, uint32_t dwords)
{
   if (ctx->batch.new_shaders > MAX_NEW_SHADERS)
      sdog_batch_flush(ctx);
   sdog_batch_prepare(ctx, dwords);
}

/* Returns the sync_file that the next submission has to wait for, or -1. */
static int
next_in_fence(const struct sdog_batch *batch)
{
   return batch->in_fence_queued ? -1 : batch->in_fence;
}

static bool
is_empty(const struct sdog_batch *batch)
{
   return !batch->stream->used && !batch->stream->overflow && next_in_fence(batch) < 0;
}

void
sdog_batch_flush(struct sdog_context *ctx)
{
   struct sdog_batch *batch = &ctx->batch;
   struct sdrm_fence *fence = NULL;
   int ret;

   sdog_batch_make_room(ctx, sdog_render_clears_missing(ctx));
   if (ctx->clears)
      look_for_loss(ctx);
   batch->flushing = true;
   sdog_render_end(ctx);
   batch->flushing = false;
   /* A loss must be found here: nothing else after this flush would repeat the pending uploads. */
   if (is_empty(batch) && sdog_uploads_are_pending(ctx))
      sdog_loss_check(ctx, 0);
   if (is_empty(batch))
      return;

   if (!batch->last_fence || sdrm_fence_wait(batch->last_fence, 0) != -ETIME)
      batch->compiles = false;
   batch->compiles |= batch->new_shaders;
   /* If a submission did not fit into VRAM, the kernel does not know that the context is lost.
    * Later submissions would use objects that this one should have created. */
   if (sdog_loss_is_final(ctx))
      sdog_batch_fail(ctx);
   ret = sdrm_submit_flush(batch->submit, next_in_fence(batch), &fence);
   /* A submission that was not queued did not wait for the in-fence, so the next one has to. */
   if (!ret)
      batch->in_fence_queued = true;
   if (fence) {
      sdrm_fence_del(batch->last_fence);
      batch->last_fence = fence;
      if (SDOG_DBG(SYNC))
         sdrm_fence_wait(fence, SDRM_FOREVER);
   }
   sdog_objects_queued(ctx, fence);
   sdog_loss_queued(ctx, fence);
   sdog_uploads_queued(ctx, fence);
   batch_begin(ctx);
   sdog_loss_check(ctx, ret);
}

void
sdog_batch_fail(struct sdog_context *ctx)
{
   ctx->batch.stream->overflow = true;
}

uint32_t
sdog_batch_access(const struct sdog_batch *batch, const struct sdog_resource *rsc)
{
   /* rsc->batch_access may belong to another context by now. */
   return sdrm_submit_access(batch->submit, rsc->bo);
}

void
sdog_batch_add(struct sdog_context *ctx, struct sdog_resource *rsc, uint32_t access)
{
   struct sdog_batch *batch = &ctx->batch;

   /* Contexts of other threads change rsc->batch_access without a lock. The device refuses a
    * write to memory that is not listed for writing, so writes always go to libdrm, whose list
    * is exact. */
   if (rsc->batch == batch->id && (rsc->batch_access & access) == access &&
       !(access & SUNDOG_ACCESS_WRITE))
      return;
   /* The user comes first: once it is recorded, other contexts cannot move the buffer to other
    * memory. */
   if (rsc->base.target == PIPE_BUFFER)
      sdog_buffer_add_user(ctx, rsc);
   if (rsc->batch != batch->id) {
      rsc->batch_access = 0;
      if (!is_listed(batch, rsc)) {
         batch->listed++;
         batch->listed_bytes += sdrm_bo_size(rsc->bo);
      }
   }
   rsc->batch = batch->id;
   rsc->batch_access |= access;
   if (sdrm_submit_add(batch->submit, rsc->bo, access))
      sdog_batch_fail(ctx);
}
