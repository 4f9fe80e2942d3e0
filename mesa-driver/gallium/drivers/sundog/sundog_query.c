/* SPDX-License-Identifier: MIT */
/* Queries of the context: counters, timestamps, results on the CPU and in buffers. Runs on the
 * context's thread. */
#include "sundog_query.h"

#include <errno.h>

#include "sundog_clock.h"
#include "sundog_context.h"
#include "sundog_copy.h"
#include "sundog_query_value.h"
#include "sundog_render.h"
#include "sundog_resource.h"
#include "sundog_screen.h"
#include "util/u_dynarray.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

/* Size of the buffer for the results of a submission, in bytes. */
#define RESULTS_SIZE 4096
/* A result has up to two u64, except for statistics. */
#define RESULT_WORDS 2

/* The counters that run in renderings with several views. A query takes one index per view there,
 * and indices are limited. There is no transform feedback with views, and only programs with
 * feedback distinguish streams. */
#define COUNTERS_OF_VIEWS                                                                          \
   (BITFIELD_BIT(SDOG_COUNTER_SAMPLES) | BITFIELD_BIT(SDOG_COUNTER_PRIMITIVES) |                   \
    BITFIELD_BIT(SDOG_COUNTER_STATISTICS) | BITFIELD_BIT(SDOG_COUNTER_BACK_FRAGMENTS))

/* Returns the first counter of a query, or SDOG_NUM_COUNTERS if it has none. */
static enum sdog_counter_kind
first_counter(unsigned type, unsigned index)
{
   switch (type) {
   case PIPE_QUERY_OCCLUSION_COUNTER:
   case PIPE_QUERY_OCCLUSION_PREDICATE:
   case PIPE_QUERY_OCCLUSION_PREDICATE_CONSERVATIVE:
      return SDOG_COUNTER_SAMPLES;
   case PIPE_QUERY_PRIMITIVES_GENERATED:
      return SDOG_COUNTER_PRIMITIVES + index;
   case PIPE_QUERY_PRIMITIVES_EMITTED:
   case PIPE_QUERY_SO_STATISTICS:
   case PIPE_QUERY_SO_OVERFLOW_PREDICATE:
      return SDOG_COUNTER_FEEDBACK + index;
   case PIPE_QUERY_SO_OVERFLOW_ANY_PREDICATE:
      return SDOG_COUNTER_FEEDBACK;
   case PIPE_QUERY_PIPELINE_STATISTICS_SINGLE:
      return SDOG_COUNTER_STATISTICS;
   default:
      return SDOG_NUM_COUNTERS;
   }
}

static unsigned
num_counters(const struct sdog_context *ctx, const struct sdog_query *query)
{
   if (first_counter(query->type, query->index) == SDOG_NUM_COUNTERS)
      return 0;
   if (query->type == PIPE_QUERY_PIPELINE_STATISTICS_SINGLE)
      return query->index == PIPE_STAT_QUERY_PS_INVOCATIONS ? 2 : 1;
   return query->type == PIPE_QUERY_SO_OVERFLOW_ANY_PREDICATE
             ? ctx->base.screen->caps.max_vertex_streams : 1;
}

/* Places */

/* Allocates a zeroed place that the device does not write yet. Places of one submission share a
 * buffer, so that waiting for them does not wait for another submission. */
static bool
place_new(struct sdog_context *ctx, struct sdog_query_place *place, unsigned words)
{
   struct sdog_queries *queries = &ctx->queries;
   unsigned size = words * sizeof(uint64_t);
   uint8_t *map;

   if (queries->batch != ctx->batch.id || queries->used + size > RESULTS_SIZE) {
      pipe_resource_reference(&queries->buffer, NULL);
      queries->buffer =
         pipe_buffer_create(ctx->base.screen, 0, PIPE_USAGE_STAGING, RESULTS_SIZE);
      queries->batch = ctx->batch.id;
      queries->used = 0;
   }
   map = queries->buffer ? sdog_resource_map(sdog_resource(queries->buffer)) : NULL;
   if (!map)
      return false;
   pipe_resource_reference(&place->buffer, queries->buffer);
   place->offset = queries->used;
   queries->used += size;
   memset(map + place->offset, 0, size);
   return true;
}

static void
query_add_place(struct sdog_query *query, const struct sdog_query_place *place)
{
   struct sdog_query_place copy = {.offset = place->offset};

   pipe_resource_reference(&copy.buffer, place->buffer);
   util_dynarray_append(&query->places, struct sdog_query_place, copy);
   query->value.batch = 0;
}

static void
query_drop_places(struct sdog_query *query)
{
   util_dynarray_foreach(&query->places, struct sdog_query_place, place)
      pipe_resource_reference(&place->buffer, NULL);
   util_dynarray_clear(&query->places);
   query->value.batch = 0;
}

/* Counters */

static bool
counters_fit(const struct sdog_context *ctx, unsigned numbers)
{
   return ctx->batch.next_query + numbers <= SUNDOG_MAX_QUERIES;
}

static unsigned
num_views(const struct pipe_framebuffer_state *fb)
{
   return util_bitcount(sdog_render_views(fb));
}

/* Maximum number of query indices for a draw: each counter begins once, once more if polygons are
 * drawn in two passes, and with several views takes an index per view. */
static unsigned
numbers_of_draw(const struct sdog_context *ctx)
{
   return 2 * MAX2(SDOG_NUM_COUNTERS,
                   util_bitcount(COUNTERS_OF_VIEWS) * num_views(&ctx->framebuffer));
}

bool
sdog_queries_fit(const struct sdog_context *ctx)
{
   return counters_fit(ctx, numbers_of_draw(ctx)) &&
          ctx->batch.next_value < SUNDOG_MAX_QUERY_VALUES;
}

static enum sundog_query_type
device_type(const struct sdog_context *ctx, enum sdog_counter_kind kind)
{
   if (kind >= SDOG_COUNTER_STATISTICS)
      return SUNDOG_QUERY_TYPE_STATISTICS;
   if (kind >= SDOG_COUNTER_FEEDBACK)
      return SUNDOG_QUERY_TYPE_FEEDBACK;
   if (kind >= SDOG_COUNTER_PRIMITIVES)
      return SUNDOG_QUERY_TYPE_PRIMITIVES;
   list_for_each_entry(struct sdog_query_link, link, &ctx->queries.counters[kind].queries, list) {
      if (link->query->type == PIPE_QUERY_OCCLUSION_COUNTER)
         return SUNDOG_QUERY_TYPE_OCCLUSION;
   }
   return SUNDOG_QUERY_TYPE_OCCLUSION_BOOL;
}

static unsigned
counter_stream(enum sdog_counter_kind kind)
{
   if (kind == SDOG_COUNTER_SAMPLES || kind >= SDOG_COUNTER_STATISTICS)
      return 0;
   return (kind - SDOG_COUNTER_PRIMITIVES) % SUNDOG_MAX_STREAMS;
}

static unsigned
counter_words(enum sdog_counter_kind kind)
{
   return kind >= SDOG_COUNTER_STATISTICS ? SUNDOG_NUM_STATISTICS : RESULT_WORDS;
}

/* Number of query indices per counter in the current rendering. */
static unsigned
rendering_numbers(const struct sdog_context *ctx)
{
   return ctx->rendering ? MAX2(num_views(&ctx->framebuffer), 1) : 1;
}

static void
counter_start(struct sdog_context *ctx, enum sdog_counter_kind kind)
{
   struct sdog_counter *counter = &ctx->queries.counters[kind];
   struct sdog_resource *result = sdog_resource(counter->place.buffer);

   if (counter->counting || !result)
      return;
   sdog_batch_add(ctx, result, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
   counter->number = ctx->batch.next_query;
   ctx->batch.next_query += rendering_numbers(ctx);
   counter->counting = true;
   sundog_emit_begin_query(ctx->batch.stream, &(struct sundog_cmd_begin_query){
                                                 .query = counter->number,
                                                 .type = device_type(ctx, kind),
                                                 .stream = counter_stream(kind),
                                                 .mem = result->mem,
                                                 .offset = result->offset + counter->place.offset,
                                              });
}

static void
counter_stop(struct sdog_context *ctx, struct sdog_counter *counter)
{
   if (!counter->counting)
      return;
   sundog_emit_end_query(ctx->batch.stream,
                         &(struct sundog_cmd_end_query){.query = counter->number});
   counter->counting = false;
}

void
sdog_queries_resume(struct sdog_context *ctx, uint32_t kinds)
{
   /* A draw flushes first if its counters do not fit; only a clear gets here without room, and
    * clears are not counted. The draw may have used the last query value. */
   if (ctx->rendering && num_views(&ctx->framebuffer))
      kinds &= COUNTERS_OF_VIEWS;
   /* Feedback counters run only during transform feedback. The primitives counters also count the
    * primitives outside of it. */
   if (!ctx->feedback.on)
      kinds &= ~SDOG_COUNTERS_OF_FEEDBACK;
   if (ctx->back_turn)
      kinds &= ~SDOG_COUNTERS_OF_PRIMITIVES;
   if (ctx->queries.paused ||
       !counters_fit(ctx, util_bitcount(kinds) * rendering_numbers(ctx)))
      return;
   u_foreach_bit(i, kinds)
      counter_start(ctx, i);
}

void
sdog_queries_pause(struct sdog_context *ctx, uint32_t kinds)
{
   u_foreach_bit(i, kinds)
      counter_stop(ctx, &ctx->queries.counters[i]);
}

/* Called when the set of active queries changes: the counter continues at a new place. Returns
 * false if memory is short. */
static bool
counter_move(struct sdog_context *ctx, enum sdog_counter_kind kind)
{
   struct sdog_counter *counter = &ctx->queries.counters[kind];

   counter_stop(ctx, counter);
   pipe_resource_reference(&counter->place.buffer, NULL);
   if (list_is_empty(&counter->queries))
      return true;
   if (!place_new(ctx, &counter->place, counter_words(kind)))
      return false;
   list_for_each_entry(struct sdog_query_link, link, &counter->queries, list)
      query_add_place(link->query, &counter->place);
   if (!sdog_queries_fit(ctx))
      sdog_batch_flush(ctx);
   else if (ctx->rendering)
      sdog_queries_resume(ctx, BITFIELD_BIT(kind) & SDOG_COUNTERS_ALL);
   return true;
}

void
sdog_queries_init(struct sdog_context *ctx)
{
   for (unsigned i = 0; i < SDOG_NUM_COUNTERS; i++)
      list_inithead(&ctx->queries.counters[i].queries);
}

void
sdog_queries_finish(struct sdog_context *ctx)
{
   for (unsigned i = 0; i < SDOG_NUM_COUNTERS; i++)
      pipe_resource_reference(&ctx->queries.counters[i].place.buffer, NULL);
   pipe_resource_reference(&ctx->queries.buffer, NULL);
}

/* Timestamps */

static bool
query_write_time(struct sdog_context *ctx, struct sdog_query *query)
{
   struct sdog_query_place place = {0};
   struct sdog_resource *result;

   sdog_batch_prepare(ctx, 0);
   if (!sdog_queries_fit(ctx))
      sdog_batch_flush(ctx);
   /* The timestamp comes after all earlier commands, including pending clears. */
   sdog_render_end(ctx);
   if (!place_new(ctx, &place, RESULT_WORDS))
      return false;
   query_add_place(query, &place);
   result = sdog_resource(place.buffer);
   sdog_batch_add(ctx, result, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
   sundog_emit_write_timestamp(ctx->batch.stream, &(struct sundog_cmd_write_timestamp){
                                                     .query = ctx->batch.next_query++,
                                                     .mem = result->mem,
                                                     .offset = result->offset + place.offset,
                                                  });
   pipe_resource_reference(&place.buffer, NULL);
   return true;
}

static void
query_take_fence(struct sdog_context *ctx, struct sdog_query *query)
{
   sdog_batch_flush(ctx);
   sdrm_fence_del(query->fence);
   query->fence = ctx->batch.last_fence ? sdrm_fence_ref(ctx->batch.last_fence) : NULL;
}

/* Context functions */

static bool
is_supported(const struct sdog_screen *screen, unsigned type)
{
   switch (type) {
   case PIPE_QUERY_TIMESTAMP:
   case PIPE_QUERY_TIME_ELAPSED:
      return sdog_clock_exists(screen);
   case PIPE_QUERY_TIMESTAMP_DISJOINT:
   case PIPE_QUERY_GPU_FINISHED:
      return true;
   default:
      break;
   }
   switch (first_counter(type, 0)) {
   case SDOG_COUNTER_SAMPLES:
      return true;
   case SDOG_COUNTER_STATISTICS:
      return screen->caps->features & SUNDOG_FEATURE_STATISTICS;
   case SDOG_NUM_COUNTERS:
      return false;
   default:
      return screen->caps->features & SUNDOG_FEATURE_FEEDBACK;
   }
}

static struct pipe_query *
sdog_create_query(struct pipe_context *pctx, unsigned type, unsigned index)
{
   struct sdog_query *query;

   if (!is_supported(sdog_screen(pctx->screen), type))
      return NULL;
   query = CALLOC_STRUCT(sdog_query);
   if (!query)
      return NULL;
   query->type = type;
   query->index = index;
   for (unsigned i = 0; i < ARRAY_SIZE(query->links); i++)
      query->links[i].query = query;
   util_dynarray_init(&query->places, NULL);
   return (struct pipe_query *)query;
}

static void
query_deactivate(struct sdog_context *ctx, struct sdog_query *query)
{
   enum sdog_counter_kind first = first_counter(query->type, query->index);

   query->active = false;
   for (unsigned i = 0; i < num_counters(ctx, query); i++) {
      list_del(&query->links[i].list);
      /* If memory is short, the other queries of the counter get no result from here on. */
      counter_move(ctx, first + i);
   }
}

static bool
query_activate(struct sdog_context *ctx, struct sdog_query *query)
{
   enum sdog_counter_kind first = first_counter(query->type, query->index);
   bool counts = true;

   query->active = true;
   for (unsigned i = 0; i < num_counters(ctx, query); i++) {
      list_addtail(&query->links[i].list, &ctx->queries.counters[first + i].queries);
      counts &= counter_move(ctx, first + i);
   }
   if (!counts)
      query_deactivate(ctx, query);
   return counts;
}

static void
sdog_destroy_query(struct pipe_context *pctx, struct pipe_query *pquery)
{
   struct sdog_query *query = sdog_query(pquery);

   sdog_condition_settle(sdog_context(pctx), pquery);
   if (query->active)
      query_deactivate(sdog_context(pctx), query);
   query_drop_places(query);
   util_dynarray_fini(&query->places);
   sdrm_fence_del(query->fence);
   FREE(query);
}

static bool
sdog_begin_query(struct pipe_context *pctx, struct pipe_query *pquery)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_query *query = sdog_query(pquery);

   /* Uses new places, because the device may still write the old ones. */
   query_drop_places(query);
   if (query->type == PIPE_QUERY_TIME_ELAPSED)
      return query_write_time(ctx, query);
   return !num_counters(ctx, query) || query_activate(ctx, query);
}

static bool
sdog_end_query(struct pipe_context *pctx, struct pipe_query *pquery)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_query *query = sdog_query(pquery);

   switch (query->type) {
   case PIPE_QUERY_TIMESTAMP:
      query_drop_places(query);
      return query_write_time(ctx, query);
   case PIPE_QUERY_TIME_ELAPSED:
      return query_write_time(ctx, query);
   case PIPE_QUERY_GPU_FINISHED:
      query_take_fence(ctx, query);
      return true;
   case PIPE_QUERY_TIMESTAMP_DISJOINT:
      return true;
   default:
      break;
   }
   if (!query->active)
      return false;
   query_deactivate(ctx, query);
   return true;
}

/* Results */

/* Returns false if the device has not completed the work. */
static bool
place_wait(struct sdog_context *ctx, const struct sdog_query_place *place, bool wait)
{
   struct sdog_resource *result = sdog_resource(place->buffer);

   if (sdog_batch_access(&ctx->batch, result))
      sdog_batch_flush(ctx);
   /* -EIO means that the context was lost; the result has the counts up to then. */
   return sdrm_bo_wait(result->bo, false, wait ? SDRM_FOREVER : 0) != -ETIME;
}

bool
sdog_query_is_done(const struct sdog_context *ctx, const struct sdog_query *query)
{
   util_dynarray_foreach(&query->places, struct sdog_query_place, place) {
      struct sdog_resource *result = sdog_resource(place->buffer);

      if (sdog_batch_access(&ctx->batch, result) ||
          sdrm_bo_wait(result->bo, false, 0) == -ETIME)
         return false;
   }
   return true;
}

static uint64_t
place_word(const struct sdog_query_place *place, unsigned word)
{
   uint64_t value;

   memcpy(&value,
          sdog_resource_map(sdog_resource(place->buffer)) + place->offset + word * sizeof(value),
          sizeof(value));
   return value;
}

static uint64_t
query_sum(const struct sdog_query *query, unsigned word)
{
   uint64_t sum = 0;

   util_dynarray_foreach(&query->places, struct sdog_query_place, place)
      sum += place_word(place, word);
   return sum;
}

/* Returns timestamp @i in nanoseconds, or 0 if it was never requested or was lost with its
 * client. */
static uint64_t
query_time(const struct sdog_context *ctx, const struct sdog_query *query, unsigned i)
{
   const struct sdog_query_place *places = util_dynarray_begin(&query->places);
   uint64_t ticks;

   if (i >= util_dynarray_num_elements(&query->places, struct sdog_query_place))
      return 0;
   ticks = place_word(&places[i], 0);
   return ticks ? sdog_clock_ns(sdog_screen(ctx->base.screen), ticks) : 0;
}

static uint64_t
query_elapsed(const struct sdog_context *ctx, const struct sdog_query *query)
{
   uint64_t first = query_time(ctx, query, 0), last = query_time(ctx, query, 1);

   return first && last ? last - first : 0;
}

static void
query_read(const struct sdog_context *ctx, const struct sdog_query *query,
           union pipe_query_result *out)
{
   uint64_t first = query_sum(query, 0), second = query_sum(query, 1);

   switch (query->type) {
   case PIPE_QUERY_OCCLUSION_PREDICATE:
   case PIPE_QUERY_OCCLUSION_PREDICATE_CONSERVATIVE:
      out->b = first != 0;
      break;
   case PIPE_QUERY_SO_OVERFLOW_PREDICATE:
   case PIPE_QUERY_SO_OVERFLOW_ANY_PREDICATE:
      out->b = first != second;
      break;
   case PIPE_QUERY_SO_STATISTICS:
      out->so_statistics.num_primitives_written = first;
      out->so_statistics.primitives_storage_needed = second;
      break;
   case PIPE_QUERY_PIPELINE_STATISTICS_SINGLE:
      /* The indices of Gallium's statistics are in the order of Vulkan's. */
      out->u64 = query_sum(query, query->index);
      break;
   case PIPE_QUERY_TIMESTAMP:
      out->u64 = query_time(ctx, query, 0);
      break;
   case PIPE_QUERY_TIME_ELAPSED:
      out->u64 = query_elapsed(ctx, query);
      break;
   case PIPE_QUERY_TIMESTAMP_DISJOINT:
      out->timestamp_disjoint.frequency = 1000 * 1000 * 1000;
      out->timestamp_disjoint.disjoint = false;
      break;
   default:
      out->u64 = first;
      break;
   }
}

static bool
query_get_finished(const struct sdog_query *query, bool wait, union pipe_query_result *out)
{
   out->b = !query->fence ||
            sdrm_fence_wait(query->fence, wait ? SDRM_FOREVER : 0) != -ETIME;
   return out->b;
}

static bool
sdog_get_query_result(struct pipe_context *pctx, struct pipe_query *pquery, bool wait,
                      union pipe_query_result *out)
{
   struct sdog_context *ctx = sdog_context(pctx);
   struct sdog_query *query = sdog_query(pquery);

   if (query->type == PIPE_QUERY_GPU_FINISHED)
      return query_get_finished(query, wait, out);
   util_dynarray_foreach(&query->places, struct sdog_query_place, place) {
      if (!place_wait(ctx, place, wait))
         return false;
   }
   query_read(ctx, query, out);
   return true;
}

/* Results in buffers */

static bool
is_predicate(unsigned type)
{
   switch (type) {
   case PIPE_QUERY_OCCLUSION_PREDICATE:
   case PIPE_QUERY_OCCLUSION_PREDICATE_CONSERVATIVE:
   case PIPE_QUERY_SO_OVERFLOW_PREDICATE:
   case PIPE_QUERY_SO_OVERFLOW_ANY_PREDICATE:
   case PIPE_QUERY_GPU_FINISHED:
      return true;
   default:
      return false;
   }
}

/* Clamps @value to the range of @type. */
static uint64_t
clamp_value(uint64_t value, enum pipe_query_value_type type)
{
   switch (type) {
   case PIPE_QUERY_TYPE_I32:
      return MIN2(value, INT32_MAX);
   case PIPE_QUERY_TYPE_U32:
      return MIN2(value, UINT32_MAX);
   case PIPE_QUERY_TYPE_I64:
      return MIN2(value, INT64_MAX);
   default:
      return value;
   }
}

static bool
is_wide(enum pipe_query_value_type type)
{
   return type == PIPE_QUERY_TYPE_I64 || type == PIPE_QUERY_TYPE_U64;
}

/* The CPU reads the result and then writes it to the buffer, in order with the device's work. */
static void
write_by_cpu(struct pipe_context *pctx, struct pipe_query *pquery, enum pipe_query_flags flags,
             enum pipe_query_value_type type, bool asks_available, struct pipe_resource *prsc,
             unsigned offset)
{
   union pipe_query_result result = {0};
   bool available = sdog_get_query_result(pctx, pquery, flags & PIPE_QUERY_WAIT, &result);
   uint64_t value = is_predicate(sdog_query(pquery)->type) ? result.b : result.u64;

   if (!available && !asks_available)
      return;
   value = asks_available ? available : clamp_value(value, type);
   pipe_buffer_write(pctx, prsc, offset, is_wide(type) ? 8 : 4, &value);
}

static void
fill_word(struct sdog_context *ctx, const struct sdog_resource *rsc, unsigned offset,
          uint32_t value)
{
   sundog_emit_fill_buffer(ctx->batch.stream, &(struct sundog_cmd_fill_buffer){
                                                 .dst = {rsc->mem, rsc->offset + offset, 4},
                                                 .value = value,
                                              });
}

/* Stores "available". The result is available when the device executes this packet. */
static void
write_available(struct sdog_context *ctx, const struct sdog_resource *rsc, unsigned offset,
                bool wide)
{
   fill_word(ctx, rsc, offset, true);
   if (wide)
      fill_word(ctx, rsc, offset + 4, 0);
}

static void
write_value(struct sdog_context *ctx, const struct sdog_query *query,
            enum pipe_query_value_type type, const struct sdog_resource *rsc, unsigned offset)
{
   static const enum sundog_query_value_type types[] = {
      [PIPE_QUERY_TYPE_I32] = SUNDOG_QUERY_VALUE_TYPE_I32,
      [PIPE_QUERY_TYPE_U32] = SUNDOG_QUERY_VALUE_TYPE_U32,
      [PIPE_QUERY_TYPE_I64] = SUNDOG_QUERY_VALUE_TYPE_U64,
      [PIPE_QUERY_TYPE_U64] = SUNDOG_QUERY_VALUE_TYPE_U64,
   };

   sundog_emit_copy_query_value(ctx->batch.stream, &(struct sundog_cmd_copy_query_value){
                                                      .value = query->value.number,
                                                      .type = types[type],
                                                      .mem = rsc->mem,
                                                      .offset = rsc->offset + offset,
                                                   });
}

/* Writes the result by packets, in the order of the stream. */
static void
write_in_stream(struct sdog_context *ctx, struct sdog_query *query, bool asks_available,
                enum pipe_query_value_type type, struct sdog_resource *rsc, unsigned offset)
{
   sdog_transfer_begin(ctx, rsc, rsc);
   if (!asks_available) {
      sdog_query_value_make(ctx, query);
      sdog_use_resource(ctx, rsc, SDOG_USE_BUFFER_WRITE);
   }
   util_range_add(&rsc->base, &rsc->valid_range, offset, offset + (is_wide(type) ? 8 : 4));
   if (asks_available)
      write_available(ctx, rsc, offset, is_wide(type));
   else
      write_value(ctx, query, type, rsc, offset);
}

/* The device writes aligned dwords only. */
static void
sdog_get_query_result_resource(struct pipe_context *pctx, struct pipe_query *pquery,
                               enum pipe_query_flags flags, enum pipe_query_value_type type,
                               int index, struct pipe_resource *prsc, unsigned offset)
{
   struct sdog_context *ctx = sdog_context(pctx);
   bool asks_available = index == -1;

   if (offset % 4 || !sdog_query_value_exists(ctx, sdog_query(pquery))) {
      write_by_cpu(pctx, pquery, flags, type, asks_available, prsc, offset);
      return;
   }
   sdog_naming_begin(ctx);
   write_in_stream(ctx, sdog_query(pquery), asks_available, type, sdog_resource(prsc), offset);
   sdog_naming_end(ctx);
}

struct pipe_query *
sdog_query_of_nothing(void)
{
   static struct sdog_query nothing = {.type = PIPE_QUERY_OCCLUSION_PREDICATE};

   return (struct pipe_query *)&nothing;
}

static void
sdog_set_active_query_state(struct pipe_context *pctx, bool enable)
{
   struct sdog_context *ctx = sdog_context(pctx);

   if (ctx->queries.paused == !enable)
      return;
   ctx->queries.paused = !enable;
   if (!ctx->rendering)
      return;
   if (enable)
      sdog_queries_resume(ctx, SDOG_COUNTERS_ALL);
   else
      sdog_queries_pause(ctx, SDOG_COUNTERS_ALL);
}

void
sdog_init_query_functions(struct pipe_context *pctx)
{
   pctx->create_query = sdog_create_query;
   pctx->destroy_query = sdog_destroy_query;
   pctx->begin_query = sdog_begin_query;
   pctx->end_query = sdog_end_query;
   pctx->get_query_result = sdog_get_query_result;
   pctx->get_query_result_resource = sdog_get_query_result_resource;
   pctx->set_active_query_state = sdog_set_active_query_state;
}
