/* SPDX-License-Identifier: MIT */
/* Detects lost contexts, and either renews them or reports the reset: see sundog_loss.h. Runs on
 * the context's thread. */
#include "sundog_loss.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "sundog_context.h"
#include "sundog_screen.h"
#include "util/log.h"
#include "util/os_time.h"

/* A context is lost for good when it has more than MAX_STRIKES losses of clients in close
 * succession. A hang counts as HANG_STRIKES, because it delays all programs. */
#define MAX_STRIKES 3
#define HANG_STRIKES 2

/* Number of completed submissions of a client after which its end, or its hang, is not in close
 * succession to the one before, so that the strikes restart at 0. Both are more than one frame
 * has. */
static const unsigned milestones[] = {4, 16};

/* Limit on the time that a worker takes to end. The device kills it earlier. */
#define END_TIMEOUT_NS (15ll * 1000 * 1000 * 1000)

static const char *
cause(uint32_t fault)
{
   switch (fault) {
   case SUNDOG_FAULT_CODE_SHADER:
      return "a shader was refused, see the renderer's log";
   case SUNDOG_FAULT_CODE_HOST:
      return "the host's driver failed, see the renderer's log";
   case SUNDOG_FAULT_CODE_WORKER:
      return "the renderer's process for this program ended, see the renderer's log";
   case SUNDOG_FAULT_CODE_TIMEOUT:
      return "it took too long, see --timeout of sundog-renderd";
   case SDRM_FAULT_DEVICE:
      return "the device was reset or is gone";
   default:
      return "a command was refused, see the renderer's log";
   }
}

static const char *
guilt(bool guilty)
{
   return guilty ? "a guilty" : "an innocent";
}

static void
report(const struct sdog_context *ctx, const struct sdrm_context_status *status, bool guilty,
       int error)
{
   const uint64_t mib = 1 << 20;

   if (!status->fault && error == -ENOSPC)
      mesa_loge("sundog: %s context is lost: one draw needs %" PRIu64 " MiB of VRAM at the same"
                " time, for which the device's %" PRIu64 " MiB have no room: raise vram=",
                guilt(guilty), DIV_ROUND_UP(ctx->batch.flushed_bytes, mib),
                sdrm_device_vram_size(sdog_screen(ctx->base.screen)->dev) / mib);
   else if (!status->fault)
      mesa_loge("sundog: %s context is lost: %s", guilt(guilty),
                error ? strerror(-error) : "the reason is unknown");
   else
      mesa_loge("sundog: %s context is lost: %s (fault %u at byte %" PRIu64
                " of submission %" PRIu64 ", argument 0x%" PRIx64 ")",
                guilt(guilty), cause(status->fault), status->fault, status->offset, status->seqno,
                status->arg);
}

static bool
is_worker_end(const struct sdrm_context_status *status)
{
   return status->fault == SUNDOG_FAULT_CODE_WORKER || status->fault == SUNDOG_FAULT_CODE_TIMEOUT;
}

static bool
is_done(struct sdrm_fence *fence)
{
   return fence && !sdrm_fence_wait(fence, 0);
}

static void
forget_progress(struct sdog_loss *loss)
{
   for (unsigned i = 0; i < ARRAY_SIZE(loss->milestones); i++) {
      sdrm_fence_del(loss->milestones[i]);
      loss->milestones[i] = NULL;
   }
   loss->queued = 0;
}

/* Returns false if the context has too many strikes: it would probably kill each new worker,
 * too. */
static bool
may_go_on(struct sdog_loss *loss, const struct sdrm_context_status *status)
{
   bool hung = status->fault == SUNDOG_FAULT_CODE_TIMEOUT;

   if (is_done(loss->milestones[hung]))
      loss->strikes = 0;
   if (status->guilty)
      loss->strikes += hung ? HANG_STRIKES : 1;
   return loss->strikes <= MAX_STRIKES;
}

/* Waits for the last submission of the old client, which must not write memory any more when the
 * new client starts. Returns false on timeout. */
static bool
has_ended(const struct sdog_context *ctx)
{
   int64_t until = os_time_get_absolute_timeout(END_TIMEOUT_NS);

   return !ctx->batch.last_fence || sdrm_fence_wait(ctx->batch.last_fence, until) != -ETIME;
}

static bool
recover(struct sdog_context *ctx, const struct sdrm_context_status *status)
{
   struct sdog_loss *loss = &ctx->loss;

   if (loss->notifies || !is_worker_end(status) || !may_go_on(loss, status) || !has_ended(ctx) ||
       !sdog_batch_renew(ctx))
      return false;
   forget_progress(loss);
   sdog_uploads_repeat(ctx);
   mesa_logw("sundog: %s context goes on, its queued work is lost: %s", guilt(status->guilty),
             cause(status->fault));
   return true;
}

bool
sdog_loss_is_final(const struct sdog_context *ctx)
{
   return ctx->loss.status != PIPE_NO_RESET;
}

void
sdog_loss_queued(struct sdog_context *ctx, struct sdrm_fence *fence)
{
   struct sdog_loss *loss = &ctx->loss;

   if (!fence || loss->over)
      return;
   loss->queued++;
   for (unsigned i = 0; i < ARRAY_SIZE(milestones); i++) {
      if (loss->queued == milestones[i])
         loss->milestones[i] = sdrm_fence_ref(fence);
   }
}

void
sdog_loss_finish(struct sdog_context *ctx)
{
   forget_progress(&ctx->loss);
   ctx->loss.client_gone = ctx->batch.submit && sdog_loss_client_is_gone(ctx);
   ctx->loss.over = true;
}

bool
sdog_loss_client_is_gone(const struct sdog_context *ctx)
{
   struct sdrm_context_status status = {0};

   if (ctx->loss.over)
      return ctx->loss.client_gone;
   return sdrm_context_is_lost(ctx->batch.hw) &&
          !sdrm_context_query(ctx->batch.hw, &status) && is_worker_end(&status);
}

void
sdog_loss_check(struct sdog_context *ctx, int error)
{
   struct sdrm_context_status status = {0};
   struct sdog_loss *loss = &ctx->loss;
   bool guilty;

   if (loss->over || sdog_loss_is_final(ctx) ||
       !(error || sdrm_context_is_lost(ctx->batch.hw)))
      return;
   /* The query fails if the device is unplugged. */
   if (sdrm_context_query(ctx->batch.hw, &status))
      status.state = SDRM_CONTEXT_ENDED;
   if (recover(ctx, &status))
      return;
   guilty = status.guilty || status.state == SDRM_CONTEXT_RUNNING;
   loss->status = guilty ? PIPE_GUILTY_CONTEXT_RESET : PIPE_INNOCENT_CONTEXT_RESET;
   report(ctx, &status, guilty, error);
   /* Pending uploads will neither complete nor be repeated. */
   sdog_uploads_finish(ctx);
   if (loss->callback.reset)
      loss->callback.reset(loss->callback.data, loss->status);
}

/* Returns true if work of the lost context may still be running. */
static bool
is_ending(struct sdog_context *ctx)
{
   struct sdrm_context_status status = {0};

   sdrm_context_query(ctx->batch.hw, &status);
   return status.state == SDRM_CONTEXT_LOST;
}

/* A program polls until the reset is complete, and then creates a new context. */
static enum pipe_reset_status
sdog_get_device_reset_status(struct pipe_context *pctx)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_loss *loss = &ctx->loss;

   if (loss->notifies)
      sdog_loss_check(ctx, 0);
   if (loss->told && !is_ending(ctx))
      return PIPE_NO_RESET;
   loss->told = loss->status != PIPE_NO_RESET;
   return loss->status;
}

static void
sdog_set_device_reset_callback(struct pipe_context *pctx,
                               const struct pipe_device_reset_callback *callback)
{
   const struct pipe_device_reset_callback none = {0};

   sdog_context(pctx)->loss.callback = callback ? *callback : none;
}

void
sdog_init_loss_functions(struct pipe_context *pctx)
{
   pctx->get_device_reset_status = sdog_get_device_reset_status;
   pctx->set_device_reset_callback = sdog_set_device_reset_callback;
}
