/* SPDX-License-Identifier: MIT */
#include "sundog_query.h"

#include <errno.h>

#include "sundog_context.h"
#include "sundog_resource.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

/* Of the results of a submission. */
#define QUERY_MEMORY_SIZE 4096

struct sdog_query {
   struct list_head link;
   unsigned type;
   /* A u64 at @offset of @result, zero when the query begins. */
   struct pipe_resource *result;
   uint32_t offset;
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
                              .offset = query->offset,
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
   /* A draw flushes first if they would not fit; what comes here without room for them is a clear,
    * which they do not count. */
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

/* A place for a result that the device does not write yet. Queries that begin in one submission
 * share their memory, which is busy as long as they are; those of others do not wait for them. */
static bool
place_result(struct sdog_context *ctx, struct sdog_query *query)
{
   struct sdog_query_memory *memory = &ctx->query_memory;
   uint8_t *map;

   if (memory->batch != ctx->batch.id || memory->used == QUERY_MEMORY_SIZE) {
      pipe_resource_reference(&memory->buffer, NULL);
      memory->buffer = pipe_buffer_create(ctx->base.screen, 0, PIPE_USAGE_STAGING,
                                          QUERY_MEMORY_SIZE);
      memory->batch = ctx->batch.id;
      memory->used = 0;
   }
   pipe_resource_reference(&query->result, memory->buffer);
   map = query->result ? sdog_resource_map(sdog_resource(query->result)) : NULL;
   if (!map)
      return false;
   query->offset = memory->used;
   memory->used += sizeof(uint64_t);
   memset(map + query->offset, 0, sizeof(uint64_t));
   return true;
}

void
sdog_queries_finish(struct sdog_context *ctx)
{
   pipe_resource_reference(&ctx->query_memory.buffer, NULL);
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

   /* A new place each time: the device may still add to the old. */
   if (!place_result(ctx, query))
      return false;
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
   /* -EIO: the context was lost; the result is what was counted until then. */
   if (sundog_bo_wait(result->bo, false, wait ? SUNDOG_FOREVER : 0) == -ETIME)
      return false;
   memcpy(&count, sdog_resource_map(result) + query->offset, sizeof(count));
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
sdog_init_query_functions(struct pipe_context *pctx)
{
   pctx->create_query = sdog_create_query;
   pctx->destroy_query = sdog_destroy_query;
   pctx->begin_query = sdog_begin_query;
   pctx->end_query = sdog_end_query;
   pctx->get_query_result = sdog_get_query_result;
   pctx->set_active_query_state = sdog_set_active_query_state;
}
