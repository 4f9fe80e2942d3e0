/* SPDX-License-Identifier: MIT */
#include "sundog_loss.h"

#include <inttypes.h>
#include <string.h>

#include "sundog_context.h"
#include "util/log.h"

static const char *
cause(uint32_t fault)
{
   switch (fault) {
   case SUNDOG_FAULT_CODE_SHADER:
      return "a shader was refused";
   case SUNDOG_FAULT_CODE_HOST:
      return "the host's driver failed";
   case SUNDOG_FAULT_CODE_WORKER:
      return "the renderer's process for this program ended";
   case SUNDOG_FAULT_CODE_TIMEOUT:
      return "it took too long";
   case SUNDOG_FAULT_DEVICE:
      return "the device was reset or is gone";
   default:
      return "a command was refused";
   }
}

static void
report(const struct sundog_context_status *status, bool guilty, int error)
{
   const char *whose = guilty ? "for its own work" : "for no fault of its own";

   if (!status->fault)
      mesa_loge("sundog: a context is lost, %s: %s", whose,
                error ? strerror(-error) : "no reason is given");
   else
      mesa_loge("sundog: a context is lost, %s: %s (fault %u at byte %" PRIu64
                " of submission %" PRIu64 ", argument 0x%" PRIx64 ")",
                whose, cause(status->fault), status->fault, status->offset, status->seqno,
                status->arg);
}

void
sdog_loss_check(struct sdog_context *ctx, int error)
{
   struct sundog_context_status status = {0};
   struct sdog_loss *loss = &ctx->loss;
   bool guilty;

   if (loss->status != PIPE_NO_RESET || !(error || sundog_context_is_lost(ctx->batch.hw)))
      return;
   sundog_context_query(ctx->batch.hw, &status);
   guilty = status.guilty || status.state == SUNDOG_CONTEXT_RUNNING;
   loss->status = guilty ? PIPE_GUILTY_CONTEXT_RESET : PIPE_INNOCENT_CONTEXT_RESET;
   report(&status, guilty, error);
   if (loss->callback.reset)
      loss->callback.reset(loss->callback.data, loss->status);
}

/* May some of its work still run? */
static bool
is_ending(struct sdog_context *ctx)
{
   struct sundog_context_status status = {0};

   sundog_context_query(ctx->batch.hw, &status);
   return status.state == SUNDOG_CONTEXT_LOST;
}

/* A program asks until the reset is over; then it makes a new context. */
static enum pipe_reset_status
sdog_get_device_reset_status(struct pipe_context *pctx)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_loss *loss = &ctx->loss;

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
