/* SPDX-License-Identifier: MIT */
/* Query values: computing results of queries on the device, see sundog_query_value.h. Runs on the
 * context's thread. */
#include "sundog_query_value.h"

#include "sundog_context.h"
#include "sundog_render.h"
#include "sundog_resource.h"
#include "sundog_screen.h"

static unsigned
num_places(const struct sdog_query *query)
{
   return util_dynarray_num_elements(&query->places, struct sdog_query_place);
}

/* Number of words per place that the value depends on. */
static unsigned
words_of_place(unsigned type)
{
   switch (type) {
   case PIPE_QUERY_SO_OVERFLOW_PREDICATE:
   case PIPE_QUERY_SO_OVERFLOW_ANY_PREDICATE:
      return 2;
   default:
      return 1;
   }
}

bool
sdog_query_value_exists(const struct sdog_context *ctx, const struct sdog_query *query)
{
   const struct sundog_caps *caps = sdog_screen(ctx->base.screen)->caps;
   unsigned places = num_places(query);

   if (!(caps->features & SUNDOG_FEATURE_QUERY_VALUES) || query->active)
      return false;
   switch (query->type) {
   case PIPE_QUERY_TIMESTAMP:
      return places == 1 && caps->timestamp_period == 1.0f;
   case PIPE_QUERY_TIME_ELAPSED:
      return places == 2 && caps->timestamp_period == 1.0f;
   case PIPE_QUERY_OCCLUSION_COUNTER:
   case PIPE_QUERY_OCCLUSION_PREDICATE:
   case PIPE_QUERY_OCCLUSION_PREDICATE_CONSERVATIVE:
   case PIPE_QUERY_PRIMITIVES_GENERATED:
   case PIPE_QUERY_PRIMITIVES_EMITTED:
   case PIPE_QUERY_SO_OVERFLOW_PREDICATE:
   case PIPE_QUERY_SO_OVERFLOW_ANY_PREDICATE:
   case PIPE_QUERY_PIPELINE_STATISTICS_SINGLE:
      return places * words_of_place(query->type) <= SUNDOG_MAX_QUERY_WORDS;
   default:
      return false;
   }
}

bool
sdog_query_value_is_there(const struct sdog_context *ctx, const struct sdog_query *query)
{
   return query->value.batch == ctx->batch.id;
}

static struct sundog_mem_word
word_at(struct sdog_context *ctx, const struct sdog_query_place *place, unsigned word)
{
   struct sdog_resource *result = sdog_resource(place->buffer);

   sdog_batch_add(ctx, result, SUNDOG_ACCESS_READ);
   return (struct sundog_mem_word){result->mem,
                                   result->offset + place->offset + word * sizeof(uint64_t)};
}

/* Stores word @word of the places from @first to before @end in @out. Returns the number of
 * words. */
static unsigned
take_words(struct sdog_context *ctx, const struct sdog_query *query, unsigned first, unsigned end,
           unsigned word, struct sundog_mem_word *out)
{
   const struct sdog_query_place *places = util_dynarray_begin(&query->places);

   for (unsigned i = first; i < end; i++)
      *out++ = word_at(ctx, &places[i], word);
   return end - first;
}

static void
emit_compute(struct sdog_context *ctx, const struct sdog_query *query)
{
   struct sundog_mem_word words[SUNDOG_MAX_QUERY_WORDS];
   struct sundog_cmd_compute_query_value cmd = {.value = query->value.number};
   unsigned places = num_places(query);

   switch (query->type) {
   case PIPE_QUERY_TIME_ELAPSED:
      cmd.added = take_words(ctx, query, 1, 2, 0, words);
      cmd.count = cmd.added + take_words(ctx, query, 0, 1, 0, words + cmd.added);
      break;
   case PIPE_QUERY_SO_OVERFLOW_PREDICATE:
   case PIPE_QUERY_SO_OVERFLOW_ANY_PREDICATE:
      cmd.operation = SUNDOG_QUERY_VALUE_DIFFER;
      cmd.added = take_words(ctx, query, 0, places, 1, words);
      cmd.count = cmd.added + take_words(ctx, query, 0, places, 0, words + cmd.added);
      break;
   case PIPE_QUERY_OCCLUSION_PREDICATE:
   case PIPE_QUERY_OCCLUSION_PREDICATE_CONSERVATIVE:
      cmd.operation = SUNDOG_QUERY_VALUE_DIFFER;
      cmd.added = cmd.count = take_words(ctx, query, 0, places, 0, words);
      break;
   case PIPE_QUERY_PIPELINE_STATISTICS_SINGLE:
      cmd.added = cmd.count = take_words(ctx, query, 0, places, query->index, words);
      break;
   default:
      cmd.added = cmd.count = take_words(ctx, query, 0, places, 0, words);
      break;
   }
   sundog_emit_compute_query_value(ctx->batch.stream, &cmd, words);
}

void
sdog_query_value_make(struct sdog_context *ctx, struct sdog_query *query)
{
   if (sdog_query_value_is_there(ctx, query))
      return;
   if (!sdog_queries_fit(ctx))
      sdog_batch_flush(ctx);
   sdog_render_end(ctx);
   query->value.batch = ctx->batch.id;
   query->value.number = ctx->batch.next_value++;
   emit_compute(ctx, query);
}
