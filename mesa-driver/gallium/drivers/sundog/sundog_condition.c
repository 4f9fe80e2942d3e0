/* SPDX-License-Identifier: MIT */
/* Conditional rendering: see sundog_condition.h. Draws, dispatches, clears and blits call it on the
 * context's thread. */
#include "sundog_condition.h"

#include "sundog_context.h"
#include "sundog_query_value.h"

static void
set_condition(struct sdog_context *ctx, struct pipe_query *query, bool inverted,
              enum pipe_render_cond_flag mode)
{
   sdog_condition_end(ctx);
   ctx->condition = (struct sdog_condition){
      .query = query,
      .inverted = inverted,
      .mode = mode,
   };
}

static void
sdog_render_condition(struct pipe_context *pctx, struct pipe_query *query, bool condition,
                      enum pipe_render_cond_flag mode)
{
   set_condition(sdog_context(pctx), query, condition, mode);
}

static bool
waits(enum pipe_render_cond_flag mode)
{
   return mode == PIPE_RENDER_COND_WAIT || mode == PIPE_RENDER_COND_BY_REGION_WAIT;
}

bool
sdog_condition_wait(struct sdog_context *ctx)
{
   struct sdog_condition *condition = &ctx->condition;
   /* Predicates set only the first byte of the union. */
   union pipe_query_result result = {0};

   if (!condition->query)
      return true;
   if (!condition->known) {
      if (!ctx->base.get_query_result(&ctx->base, condition->query, waits(condition->mode),
                                      &result))
         return true;
      condition->known = true;
      condition->passed = (result.u64 != 0) != condition->inverted;
   }
   return condition->passed;
}

bool
sdog_condition_streams(const struct sdog_context *ctx)
{
   return ctx->condition.query && !ctx->condition.known &&
          sdog_query_value_exists(ctx, sdog_query(ctx->condition.query));
}

bool
sdog_condition_passes(struct sdog_context *ctx)
{
   if (sdog_condition_streams(ctx)) {
      struct sdog_query *query = sdog_query(ctx->condition.query);

      if (sdog_query_value_is_there(ctx, query) || !sdog_query_is_done(ctx, query))
         return true;
   }
   return sdog_condition_wait(ctx);
}

void
sdog_condition_prepare(struct sdog_context *ctx)
{
   if (sdog_condition_streams(ctx))
      sdog_query_value_make(ctx, sdog_query(ctx->condition.query));
}

void
sdog_condition_begin(struct sdog_context *ctx)
{
   struct sdog_condition *condition = &ctx->condition;
   const struct sdog_query *query = sdog_query(condition->query);

   if (condition->open || !sdog_condition_streams(ctx))
      return;
   assert(sdog_query_value_is_there(ctx, query));
   sundog_emit_begin_condition(ctx->batch.stream, &(struct sundog_cmd_begin_condition){
                                                     .value = query->value.number,
                                                     .inverted = condition->inverted,
                                                  });
   condition->open = true;
}

void
sdog_condition_end(struct sdog_context *ctx)
{
   if (ctx->condition.open)
      sundog_emit_end_condition(ctx->batch.stream);
   ctx->condition.open = false;
}

void
sdog_condition_settle(struct sdog_context *ctx, const struct pipe_query *query)
{
   if (ctx->condition.query != query)
      return;
   /* Condition for draws that must be skipped: it needs a query, because the blitter removes and
    * restores the condition by its query. */
   set_condition(ctx, sdog_condition_wait(ctx) ? NULL : sdog_query_of_nothing(), false,
                 PIPE_RENDER_COND_WAIT);
}

void
sdog_init_condition_functions(struct pipe_context *pctx)
{
   pctx->render_condition = sdog_render_condition;
}
