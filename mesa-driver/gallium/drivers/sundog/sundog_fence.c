/* SPDX-License-Identifier: MIT */
/* Fences and imported semaphores, and pipe_context::flush. The screen functions run on any thread,
 * the others on the context's thread. */
#include "sundog_fence.h"

#include <errno.h>
#include <unistd.h>

#include "sundog_context.h"
#include "sundog_screen.h"
#include "util/libsync.h"
#include "util/log.h"
#include "util/os_file.h"
#include "util/os_time.h"
#include "util/u_memory.h"

#define CODE_PATIENCE_NS (60 * 1000000000ull)

/* A fence, or a semaphore, which has a fence while it is signalled. */
struct pipe_fence_handle {
   struct pipe_reference reference;
   struct sdrm_fence *fence;
   struct sdrm_semaphore *semaphore;
   /* The submission creates shaders, which the host compiles before it signals the fence. */
   bool compiles;
};

/* Takes over @fence. NULL is a fence that has signalled. */
static struct pipe_fence_handle *
sdog_fence_create(struct sdrm_fence *fence)
{
   struct pipe_fence_handle *handle = CALLOC_STRUCT(pipe_fence_handle);

   if (!handle) {
      sdrm_fence_del(fence);
      return NULL;
   }
   pipe_reference_init(&handle->reference, 1);
   handle->fence = fence;
   return handle;
}

static void
sdog_fence_reference(struct pipe_screen *pscreen, struct pipe_fence_handle **ptr,
                     struct pipe_fence_handle *fence)
{
   struct pipe_fence_handle *old = *ptr;

   if (pipe_reference(old ? &old->reference : NULL, fence ? &fence->reference : NULL)) {
      sdrm_fence_del(old->fence);
      sdrm_semaphore_del(old->semaphore);
      FREE(old);
   }
   *ptr = fence;
}

static bool
sdog_fence_finish(struct pipe_screen *pscreen, struct pipe_context *pctx,
                  struct pipe_fence_handle *handle, uint64_t timeout)
{
   int64_t until = 0;

   if (!handle->fence)
      return true;
   if (timeout)
      until = os_time_get_absolute_timeout(timeout);
   /* An infinite timeout, or one that overflows. */
   if (until < 0)
      until = SDRM_FOREVER;
   /* llvmpipe compiles inside glDrawArrays(), but this device compiles during execution. Programs
    * with a timeout do not expect that (wgpu gives up after 2 s), so the timeout is extended. GL
    * permits waits that last longer than requested (OpenGL 4.6, 4.1.1 Waiting for Sync Objects). */
   if (timeout && handle->compiles)
      until = MAX2(until, os_time_get_absolute_timeout(CODE_PATIENCE_NS));
   /* -EIO: the context was lost and the fence will never signal, so waiting is over. */
   return sdrm_fence_wait(handle->fence, until) != -ETIME;
}

static int
sdog_fence_get_fd(struct pipe_screen *pscreen, struct pipe_fence_handle *handle)
{
   return handle->fence ? sdrm_fence_export(handle->fence) : -1;
}

static void
sdog_create_fence_fd(struct pipe_context *pctx, struct pipe_fence_handle **ptr, int fd,
                     enum pipe_fd_type type)
{
   struct sdrm_device *dev = sdog_screen(pctx->screen)->dev;
   struct pipe_fence_handle *handle = sdog_fence_create(NULL);
   int ret = -ENOMEM;

   if (handle && type == PIPE_FD_TYPE_NATIVE_SYNC)
      ret = sdrm_fence_import(dev, fd, &handle->fence);
   else if (handle)
      ret = sdrm_semaphore_import(dev, fd, &handle->semaphore);
   if (ret) {
      mesa_logd("sundog: cannot import a fence: %s", strerror(-ret));
      sdog_fence_reference(pctx->screen, &handle, NULL);
   }
   *ptr = handle;
}

/* Returns the fence to wait for, or NULL if there is none. Removes it from a semaphore. */
static struct sdrm_fence *
take_fence(struct pipe_fence_handle *handle)
{
   struct sdrm_fence *fence = NULL;
   int ret;

   if (!handle->semaphore)
      return handle->fence ? sdrm_fence_ref(handle->fence) : NULL;
   ret = sdrm_semaphore_wait(handle->semaphore, &fence);
   if (ret)
      mesa_loge("sundog: cannot wait for a semaphore, going on without: %s", strerror(-ret));
   return fence;
}

static void
sdog_fence_server_sync(struct pipe_context *pctx, struct pipe_fence_handle *handle)
{
   struct sdog_context *ctx = sdog_context(pctx);
   /* GL semaphores whose import failed have no handle. */
   struct sdrm_fence *fence = handle ? take_fence(handle) : NULL;
   int fd;

   if (!fence)
      return;
   /* Flushes, so that earlier commands do not wait for @handle. */
   sdog_batch_flush(ctx);
   fd = sdrm_fence_export(fence);
   if (fd < 0 || sync_accumulate("sundog", &ctx->batch.in_fence, fd))
      sdrm_fence_wait(fence, SDRM_FOREVER);
   else
      ctx->batch.in_fence_queued = false;
   if (fd >= 0)
      close(fd);
   sdrm_fence_del(fence);
}

/* Flushes the submission. Only a submission has a fence to export, so submits a nop if there has
 * been none. */
static void
flush_to_fence(struct sdog_context *ctx)
{
   sdog_batch_flush(ctx);
   if (ctx->batch.last_fence)
      return;
   sundog_emit_nop(ctx->batch.stream, &(struct sundog_cmd_nop){0}, NULL);
   sdog_batch_flush(ctx);
}

static void
sdog_fence_server_signal(struct pipe_context *pctx, struct pipe_fence_handle *handle)
{
   struct sdog_context *ctx = sdog_context(pctx);
   int ret = -EINVAL;

   flush_to_fence(ctx);
   if (handle && handle->semaphore && ctx->batch.last_fence)
      ret = sdrm_semaphore_signal(handle->semaphore, ctx->batch.last_fence);
   if (ret)
      mesa_loge("sundog: cannot signal a semaphore, its waiters may hang: %s", strerror(-ret));
}

static void
sdog_flush(struct pipe_context *pctx, struct pipe_fence_handle **out, unsigned flags)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdrm_fence *fence;

   if (flags & PIPE_FLUSH_FENCE_FD)
      flush_to_fence(ctx);
   else
      sdog_batch_flush(ctx);
   if (!out)
      return;
   fence = ctx->batch.last_fence ? sdrm_fence_ref(ctx->batch.last_fence) : NULL;
   sdog_fence_reference(pctx->screen, out, NULL);
   *out = sdog_fence_create(fence);
   if (*out)
      (*out)->compiles = ctx->batch.compiles;
}

void
sdog_init_fence_screen_functions(struct pipe_screen *pscreen)
{
   pscreen->fence_reference = sdog_fence_reference;
   pscreen->fence_finish = sdog_fence_finish;
   pscreen->fence_get_fd = sdog_fence_get_fd;
}

void
sdog_init_fence_functions(struct pipe_context *pctx)
{
   pctx->flush = sdog_flush;
   pctx->create_fence_fd = sdog_create_fence_fd;
   pctx->fence_server_sync = sdog_fence_server_sync;
   pctx->fence_server_signal = sdog_fence_server_signal;
}
