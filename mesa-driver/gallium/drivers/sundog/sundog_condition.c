/* SPDX-License-Identifier: MIT */
#include "sundog_condition.h"

#include "sundog_context.h"

static void
sdog_render_condition(struct pipe_context *pctx, struct pipe_query *query, bool condition,
                      enum pipe_render_cond_flag mode)
{
   sdog_context(pctx)->condition = (struct sdog_condition){
      .query = query,
      .inverted = condition,
      .mode = mode,
   };
}

static bool
waits(enum pipe_render_cond_flag mode)
{
   return mode == PIPE_RENDER_COND_WAIT || mode == PIPE_RENDER_COND_BY_REGION_WAIT;
}

bool
sdog_condition_passes(struct sdog_context *ctx)
{
   struct sdog_condition *condition = &ctx->condition;
   /* Predicates are just the first byte of it. */
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

void
sdog_condition_settle(struct sdog_context *ctx, const struct pipe_query *query)
{
   struct sdog_condition *condition = &ctx->condition;

   if (condition->query != query)
      return;
   /* The blitter takes the condition away and puts it back, so what is not to be drawn has a query
    * still. */
   *condition = (struct sdog_condition){
      .query = sdog_condition_passes(ctx) ? NULL : sdog_query_of_nothing(),
   };
}

void
sdog_init_condition_functions(struct pipe_context *pctx)
{
   pctx->render_condition = sdog_render_condition;
}
