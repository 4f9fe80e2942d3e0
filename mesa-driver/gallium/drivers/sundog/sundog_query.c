/* SPDX-License-Identifier: MIT */
#include "sundog_query.h"

#include <errno.h>

#include "sundog_context.h"
#include "sundog_transfer.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

struct sdog_query {
   struct list_head link;
   unsigned type;
   /* A u64, zero when the query begins. */
   struct pipe_resource *result;
   /* Its number in the submission being built, while it counts. */
   uint32_t number;
   bool counting;
   bool active;
};

static struct sdog_query *
sdog_query(struct pipe_query *pquery)
{
   return (struct sdog_query *)pquery;
}

bool
sdog_queries_fit(const struct sdog_context *ctx)
{
   return ctx->batch.next_query + list_length(&ctx->active_queries) <= SUNDOG_MAX_QUERIES;
}

static void
query_start(struct sdog_context *ctx, struct sdog_query *query)
{
   struct sdog_resource *result = sdog_resource(query->result);

   sdog_batch_add(ctx, result, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
   query->number = ctx->batch.next_query++;
   query->counting = true;
   sundog_emit_begin_query(ctx->batch.stream,
                           &(struct sundog_cmd_begin_query){
                              .query = query->number,
                              .type = query->type == PIPE_QUERY_OCCLUSION_COUNTER
                                         ? SUNDOG_QUERY_TYPE_OCCLUSION
                                         : SUNDOG_QUERY_TYPE_OCCLUSION_BOOL,
                              .mem = result->mem,
                           });
}

static void
query_stop(struct sdog_context *ctx, struct sdog_query *query)
{
   if (!query->counting)
      return;
   sundog_emit_end_query(ctx->batch.stream,
                         &(struct sundog_cmd_end_query){.query = query->number});
   query->counting = false;
}

void
sdog_queries_resume(struct sdog_context *ctx)
{
   /* They need not count a clear; a draw begins a submission in which they fit. */
   if (ctx->queries_paused || !sdog_queries_fit(ctx))
      return;
   list_for_each_entry(struct sdog_query, query, &ctx->active_queries, link)
      query_start(ctx, query);
}

void
sdog_queries_pause(struct sdog_context *ctx)
{
   list_for_each_entry(struct sdog_query, query, &ctx->active_queries, link)
      query_stop(ctx, query);
}

static struct pipe_query *
sdog_create_query(struct pipe_context *pctx, unsigned type, unsigned index)
{
   struct sdog_query *query;

   if (type != PIPE_QUERY_OCCLUSION_COUNTER && type != PIPE_QUERY_OCCLUSION_PREDICATE &&
       type != PIPE_QUERY_OCCLUSION_PREDICATE_CONSERVATIVE)
      return NULL;
   query = CALLOC_STRUCT(sdog_query);
   if (query)
      query->type = type;
   return (struct pipe_query *)query;
}

static void
sdog_destroy_query(struct pipe_context *pctx, struct pipe_query *pquery)
{
   struct sdog_query *query = sdog_query(pquery);

   if (query->active) {
      query_stop(sdog_context(pctx), query);
      list_del(&query->link);
   }
   pipe_resource_reference(&query->result, NULL);
   FREE(query);
}

static bool
sdog_begin_query(struct pipe_context *pctx, struct pipe_query *pquery)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_query *query = sdog_query(pquery);
   void *map;

   /* Fresh memory each time: the device may still add to the old. */
   pipe_resource_reference(&query->result, NULL);
   query->result = pipe_buffer_create(pctx->screen, 0, PIPE_USAGE_STAGING, sizeof(uint64_t));
   if (!query->result)
      return false;
   map = sdog_resource_map(sdog_resource(query->result));
   if (!map)
      return false;
   memset(map, 0, sizeof(uint64_t));
   query->active = true;
   list_addtail(&query->link, &ctx->active_queries);
   if (!sdog_queries_fit(ctx))
      sdog_batch_flush(ctx);
   else if (ctx->rendering && !ctx->queries_paused)
      query_start(ctx, query);
   return true;
}

static bool
sdog_end_query(struct pipe_context *pctx, struct pipe_query *pquery)
{
   struct sdog_query *query = sdog_query(pquery);

   if (!query->active)
      return false;
   query_stop(sdog_context(pctx), query);
   list_del(&query->link);
   query->active = false;
   return true;
}

static bool
sdog_get_query_result(struct pipe_context *pctx, struct pipe_query *pquery, bool wait,
                      union pipe_query_result *out)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_query *query = sdog_query(pquery);
   struct sdog_resource *result = sdog_resource(query->result);
   uint64_t count;

   if (!result)
      return false;
   if (sdog_batch_access(&ctx->batch, result))
      sdog_batch_flush(ctx);
   /* On a device that is lost nothing more is going to be counted. */
   if (sundog_bo_wait(result->bo, false, wait ? SUNDOG_FOREVER : 0) == -ETIME)
      return false;
   memcpy(&count, sdog_resource_map(result), sizeof(count));
   if (query->type == PIPE_QUERY_OCCLUSION_COUNTER)
      out->u64 = count;
   else
      out->b = count != 0;
   return true;
}

static void
sdog_set_active_query_state(struct pipe_context *pctx, bool enable)
{
   struct sdog_context *ctx = sdog_context(pctx);

   if (ctx->queries_paused == !enable)
      return;
   ctx->queries_paused = !enable;
   if (!ctx->rendering)
      return;
   if (enable)
      sdog_queries_resume(ctx);
   else
      sdog_queries_pause(ctx);
}

void
sundog_init_query_functions(struct pipe_context *pctx)
{
   pctx->create_query = sdog_create_query;
   pctx->destroy_query = sdog_destroy_query;
   pctx->begin_query = sdog_begin_query;
   pctx->end_query = sdog_end_query;
   pctx->get_query_result = sdog_get_query_result;
   pctx->set_active_query_state = sdog_set_active_query_state;
}
