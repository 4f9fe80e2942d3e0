/* SPDX-License-Identifier: MIT */
#include "sundog_fence.h"

#include <unistd.h>

#include "sundog_context.h"
#include "sundog_screen.h"
#include "util/libsync.h"
#include "util/os_file.h"
#include "util/os_time.h"
#include "util/u_memory.h"

struct pipe_fence_handle {
   struct pipe_reference reference;
   struct sundog_fence *fence;
};

struct pipe_fence_handle *
sdog_fence_create(struct sundog_fence *fence)
{
   struct pipe_fence_handle *handle = CALLOC_STRUCT(pipe_fence_handle);

   if (!handle)
      return NULL;
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
      sundog_fence_del(old->fence);
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
   if (timeout == OS_TIMEOUT_INFINITE)
      until = SUNDOG_FOREVER;
   else if (timeout)
      until = os_time_get_absolute_timeout(timeout);
   return sundog_fence_wait(handle->fence, until) == 0;
}

static int
sdog_fence_get_fd(struct pipe_screen *pscreen, struct pipe_fence_handle *handle)
{
   return handle->fence ? sundog_fence_export(handle->fence) : -1;
}

static void
sdog_create_fence_fd(struct pipe_context *pctx, struct pipe_fence_handle **ptr, int fd,
                     enum pipe_fd_type type)
{
   struct sundog_fence *fence = NULL;

   *ptr = NULL;
   if (type == PIPE_FD_TYPE_NATIVE_SYNC &&
       sundog_fence_import(sdog_screen(pctx->screen)->dev, fd, &fence) == 0)
      *ptr = sdog_fence_create(fence);
}

static void
sdog_fence_server_sync(struct pipe_context *pctx, struct pipe_fence_handle *handle)
{
   struct sdog_context *ctx = sdog_context(pctx);
   int fd = handle->fence ? sundog_fence_export(handle->fence) : -1;

   if (fd < 0) {
      if (handle->fence)
         sundog_fence_wait(handle->fence, SUNDOG_FOREVER);
      return;
   }
   /* What was emitted so far need not wait. */
   sdog_batch_flush(ctx);
   sync_accumulate("sundog", &ctx->batch.in_fence, fd);
   close(fd);
}

static void
sdog_flush(struct pipe_context *pctx, struct pipe_fence_handle **out, unsigned flags)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sundog_fence *fence;

   /* A file descriptor can only be had of a real submission. */
   if ((flags & PIPE_FLUSH_FENCE_FD) && !ctx->batch.last_fence)
      sundog_emit_nop(ctx->batch.stream, &(struct sundog_cmd_nop){0}, NULL);
   sdog_batch_flush(ctx);
   if (!out)
      return;
   fence = ctx->batch.last_fence ? sundog_fence_ref(ctx->batch.last_fence) : NULL;
   sdog_fence_reference(pctx->screen, out, NULL);
   *out = sdog_fence_create(fence);
}

void
sundog_init_fence_screen_functions(struct pipe_screen *pscreen)
{
   pscreen->fence_reference = sdog_fence_reference;
   pscreen->fence_finish = sdog_fence_finish;
   pscreen->fence_get_fd = sdog_fence_get_fd;
}

void
sundog_init_fence_functions(struct pipe_context *pctx)
{
   pctx->flush = sdog_flush;
   pctx->create_fence_fd = sdog_create_fence_fd;
   pctx->fence_server_sync = sdog_fence_server_sync;
}
