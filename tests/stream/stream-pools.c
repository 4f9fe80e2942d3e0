// SPDX-License-Identifier: MIT
/*
 * Tests query pools: which commands are valid in which state of a query, and invalid packets. Runs
 * on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "hostile.h"

#define BUFFER_SIZE 65536u
#define COUNT 8u
#define UNTOUCHED 0x5a5a5a5au

enum { ID_SAMPLES = HOSTILE_FREE, ID_STATISTICS, ID_TIMES, ID_MANY, ID_NEW, ID_POOLS };

struct scene {
	struct hostile *h;
	struct sdrm_bo *buffer;
};

static void create(struct scene *s, uint32_t id, uint32_t type, uint32_t count, uint32_t statistics)
{
	sundog_emit_create_query_pool(s->h->stream, &(struct sundog_cmd_create_query_pool){
		id, type, count, statistics });
}

static void reset(struct scene *s, uint32_t pool, uint32_t first, uint32_t count)
{
	sundog_emit_reset_query_pool(s->h->stream, &(struct sundog_cmd_reset_query_pool){
		pool, first, count });
}

static void begin(struct scene *s, uint32_t pool, uint32_t query, uint32_t stream)
{
	sundog_emit_begin_pool_query(s->h->stream, &(struct sundog_cmd_begin_pool_query){
		pool, query, stream, 1 });
}

static void end(struct scene *s, uint32_t pool, uint32_t query)
{
	sundog_emit_end_pool_query(s->h->stream, &(struct sundog_cmd_end_pool_query){
		pool, query, 0 });
}

static void count_one(struct scene *s, uint32_t pool, uint32_t query)
{
	reset(s, pool, query, 1);
	begin(s, pool, query, 0);
	end(s, pool, query);
}

static void timestamp(struct scene *s, uint32_t pool, uint32_t query)
{
	sundog_emit_write_pool_timestamp(s->h->stream, &(struct sundog_cmd_write_pool_timestamp){
		pool, query });
}

static void copy(struct scene *s, uint32_t pool, uint32_t first, uint32_t count, uint32_t flags,
		 uint64_t offset,
		 uint32_t stride)
{
	hostile_list(s->h, s->buffer);
	sundog_emit_copy_query_results(s->h->stream, &(struct sundog_cmd_copy_query_results){
		pool, first, count, flags, sdrm_bo_mem(s->buffer), offset, stride });
}

/* Valid use */

/*
 * Results are written at their places and nothing else is: the renderer copies one query at a time.
 */
static bool copies(struct scene *s)
{
	const uint32_t *words = sdrm_bo_map(s->buffer);

	memset(sdrm_bo_map(s->buffer), 0x5a, BUFFER_SIZE);
	reset(s, ID_TIMES, 0, COUNT);
	timestamp(s, ID_TIMES, 1);
	copy(s, ID_TIMES, 0, 3, SUNDOG_RESULT_FLAG_AVAILABILITY, 0, 16);
	copy(s, ID_TIMES, 0, 1, SUNDOG_RESULT_FLAG_64BIT, 64, 0);
	copy(s, ID_TIMES, 0, 1, SUNDOG_RESULT_FLAG_64BIT | SUNDOG_RESULT_FLAG_PARTIAL, 80, 0);
	/* As close to the end of the buffer as possible. */
	copy(s, ID_TIMES, 0, 2, SUNDOG_RESULT_FLAG_64BIT | SUNDOG_RESULT_FLAG_AVAILABILITY,
	     BUFFER_SIZE - 32, 16);
	if (!hostile_runs(s->h))
		return false;
	for (uint32_t i = 0; i < 28; i++) {
		const bool written = i == 1 || i == 4 || i == 5 || i == 9 || i == 20 || i == 21;

		if ((words[i] == UNTOUCHED) == written) {
			printf("# word %u is %#x\n", i, words[i]);
			return false;
		}
	}
	words += BUFFER_SIZE / 4 - 8;
	return words[0] == UNTOUCHED && words[2] == 0 && words[4] != UNTOUCHED && words[6] == 1 &&
	       words[7] == 0;
}

/* A query can be used over several entries. */
static bool lives_on(struct scene *s)
{
	const uint64_t *words = sdrm_bo_map(s->buffer);

	memset(sdrm_bo_map(s->buffer), 0x5a, BUFFER_SIZE);
	reset(s, ID_SAMPLES, 0, COUNT);
	if (!hostile_runs(s->h))
		return false;
	begin(s, ID_SAMPLES, 2, 0);
	end(s, ID_SAMPLES, 2);
	if (!hostile_runs(s->h))
		return false;
	copy(s, ID_SAMPLES, 2, 1, SUNDOG_RESULT_FLAG_64BIT | SUNDOG_RESULT_FLAG_AVAILABILITY, 0, 0);
	return hostile_runs(s->h) && words[0] == 0 && words[1] == 1;
}

/*
 * A stream that faults, in this or another context, does not affect queries that it does not use.
 */
static bool bears_faults(struct scene *s)
{
	const uint64_t *words = sdrm_bo_map(s->buffer);

	memset(sdrm_bo_map(s->buffer), 0x5a, BUFFER_SIZE);
	reset(s, ID_SAMPLES, 0, COUNT);
	begin(s, ID_SAMPLES, 0, 0);
	end(s, ID_SAMPLES, 0);
	if (!hostile_runs(s->h))
		return false;
	hostile_fault_beside(s->h);
	begin(s, ID_SAMPLES, 1, 0);
	end(s, ID_SAMPLES, 1);
	if (!hostile_runs(s->h))
		return false;
	reset(s, ID_TIMES, 0, COUNT);
	begin(s, ID_SAMPLES, COUNT - 1, 0);
	if (hostile_run(s->h) || hostile_fault(s->h) != SUNDOG_FAULT_CODE_STATE)
		return false;
	begin(s, ID_SAMPLES, 2, 0);
	end(s, ID_SAMPLES, 2);
	copy(s, ID_SAMPLES, 0, 3, SUNDOG_RESULT_FLAG_64BIT | SUNDOG_RESULT_FLAG_AVAILABILITY, 0,
	     16);
	return hostile_runs(s->h) && words[1] == 1 && words[3] == 1 && words[5] == 1;
}

static bool ends_with_its_pool(struct scene *s)
{
	create(s, ID_NEW, SUNDOG_POOL_TYPE_OCCLUSION, 1, 0);
	count_one(s, ID_NEW, 0);
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_QUERY_POOL, ID_NEW });
	return hostile_runs(s->h);
}

/* Invalid packets */

static void taken(struct scene *s) { create(s, ID_SAMPLES, SUNDOG_POOL_TYPE_OCCLUSION, 1, 0); }
static void no_queries(struct scene *s) { create(s, ID_NEW, SUNDOG_POOL_TYPE_OCCLUSION, 0, 0); }

static void too_many(struct scene *s)
{
	create(s, ID_NEW, SUNDOG_POOL_TYPE_OCCLUSION, SUNDOG_MAX_POOL_QUERIES + 1, 0);
}

static void no_type(struct scene *s)
{
	create(s, ID_NEW, SUNDOG_POOL_TYPE_MESH_PRIMITIVES + 1, 1, 0);
}

static void no_statistics(struct scene *s) { create(s, ID_NEW, SUNDOG_POOL_TYPE_STATISTICS, 1, 0); }

static void strange_statistics(struct scene *s)
{
	create(s, ID_NEW, SUNDOG_POOL_TYPE_STATISTICS, 1, 0x2000);
}

static void statistics_of_samples(struct scene *s)
{
	create(s, ID_NEW, SUNDOG_POOL_TYPE_OCCLUSION, 1, 1);
}

static void no_pool(struct scene *s) { reset(s, ID_NEW, 0, 1); }
static void other_object(struct scene *s) { reset(s, HOSTILE_TARGET, 0, 1); }
static void reset_past_the_end(struct scene *s) { reset(s, ID_SAMPLES, COUNT - 1, 2); }
static void begin_past_the_end(struct scene *s) { begin(s, ID_SAMPLES, COUNT, 0); }

static void begin_twice(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, 2);
	begin(s, ID_SAMPLES, 0, 0);
	begin(s, ID_SAMPLES, 1, 0);
}

static void begin_beside_another(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, 1);
	hostile_list(s->h, s->buffer);
	sundog_emit_begin_query(s->h->stream, &(struct sundog_cmd_begin_query){
		0, SUNDOG_QUERY_TYPE_OCCLUSION, 0, sdrm_bo_mem(s->buffer), 0 });
	begin(s, ID_SAMPLES, 0, 0);
}

static void another_beside_it(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, 1);
	begin(s, ID_SAMPLES, 0, 0);
	hostile_list(s->h, s->buffer);
	sundog_emit_begin_query(s->h->stream, &(struct sundog_cmd_begin_query){
		0, SUNDOG_QUERY_TYPE_OCCLUSION, 0, sdrm_bo_mem(s->buffer), 0 });
}

static void begin_again(struct scene *s)
{
	count_one(s, ID_SAMPLES, 0);
	begin(s, ID_SAMPLES, 0, 0);
}

static void begin_a_time(struct scene *s)
{
	reset(s, ID_TIMES, 0, 1);
	begin(s, ID_TIMES, 0, 0);
}

static void time_of_samples(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, 1);
	timestamp(s, ID_SAMPLES, 0);
}

static void time_twice(struct scene *s)
{
	reset(s, ID_TIMES, 0, 1);
	timestamp(s, ID_TIMES, 0);
	timestamp(s, ID_TIMES, 0);
}

static void samples_of_a_stream(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, 1);
	begin(s, ID_SAMPLES, 0, 1);
}

static void end_unbegun(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, 1);
	end(s, ID_SAMPLES, 0);
}

/* The previous stream reset the query, but ended in a fault. */
static void begin_unreset(struct scene *s)
{
	begin(s, ID_SAMPLES, 0, 0);
	end(s, ID_SAMPLES, 0);
}

static void end_another(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, 2);
	begin(s, ID_SAMPLES, 0, 0);
	end(s, ID_SAMPLES, 1);
}

static void never_ends(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, 1);
	begin(s, ID_SAMPLES, 0, 0);
}

static void ends_in_a_rendering(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, 1);
	begin(s, ID_SAMPLES, 0, 0);
	hostile_begin(s->h, 3);
	end(s, ID_SAMPLES, 0);
}

static void outlives_its_rendering(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, 1);
	hostile_begin(s->h, 3);
	begin(s, ID_SAMPLES, 0, 0);
	hostile_end(s->h);
}

static void reset_open(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, 1);
	begin(s, ID_SAMPLES, 0, 0);
	reset(s, ID_SAMPLES, 0, COUNT);
}

static void reset_in_a_rendering(struct scene *s)
{
	hostile_begin(s->h, 3);
	reset(s, ID_SAMPLES, 0, 1);
}

/* The pool of the open query is destroyed, and its id is reused. */
static void end_of_another_pool(struct scene *s)
{
	create(s, ID_NEW, SUNDOG_POOL_TYPE_OCCLUSION, 1, 0);
	reset(s, ID_NEW, 0, 1);
	begin(s, ID_NEW, 0, 0);
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_QUERY_POOL, ID_NEW });
	create(s, ID_NEW, SUNDOG_POOL_TYPE_OCCLUSION, 1, 0);
	end(s, ID_NEW, 0);
}

static void copy_open(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, 1);
	begin(s, ID_SAMPLES, 0, 0);
	copy(s, ID_SAMPLES, 0, 1, 0, 0, 0);
}

static void copy_in_a_rendering(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, 1);
	hostile_begin(s->h, 3);
	copy(s, ID_SAMPLES, 0, 1, 0, 0, 0);
}

static void copy_unlisted(struct scene *s)
{
	reset(s, ID_SAMPLES, 0, 1);
	sundog_emit_copy_query_results(s->h->stream, &(struct sundog_cmd_copy_query_results){
		ID_SAMPLES, 0, 1, 0, sdrm_bo_mem(s->buffer), 0, 0 });
}

static void copy_past_the_pool(struct scene *s) { copy(s, ID_SAMPLES, 1, COUNT, 0, 0, 4); }

static void copy_past_the_end(struct scene *s)
{
	copy(s, ID_SAMPLES, 0, 2, 0, BUFFER_SIZE - 64, 64);
}

static void copy_far_past_the_end(struct scene *s)
{
	copy(s, ID_SAMPLES, 0, 1, 0, UINT64_MAX - 3, 0);
}

static void availability_past_the_end(struct scene *s)
{
	copy(s, ID_STATISTICS, 0, 1, 5, BUFFER_SIZE - 24, 0);
}

static void copy_askew(struct scene *s)
{
	copy(s, ID_SAMPLES, 0, 1, SUNDOG_RESULT_FLAG_64BIT, 4, 0);
}

static void stride_askew(struct scene *s)
{
	copy(s, ID_SAMPLES, 0, 2, SUNDOG_RESULT_FLAG_64BIT, 0, 12);
}

static void stride_too_small(struct scene *s)
{
	copy(s, ID_STATISTICS, 0, 2, SUNDOG_RESULT_FLAG_64BIT, 0, 16);
}

/* Each copied result is a command of the host. */
static void too_many_copies(struct scene *s)
{
	create(s, ID_MANY, SUNDOG_POOL_TYPE_OCCLUSION, SUNDOG_MAX_POOL_QUERIES, 0);
	reset(s, ID_MANY, 0, SUNDOG_MAX_POOL_QUERIES);
	for (uint32_t i = 0; i <= 64; i++)
		copy(s, ID_MANY, 0, BUFFER_SIZE / 4, SUNDOG_RESULT_FLAG_PARTIAL, 0, 4);
}

/* The host needs memory for each query of a pool. */
static void too_many_pools(struct scene *s)
{
	for (uint32_t i = 0; i <= SUNDOG_MAX_CLIENT_QUERIES / SUNDOG_MAX_POOL_QUERIES; i++)
		create(s, ID_POOLS + i, SUNDOG_POOL_TYPE_OCCLUSION, SUNDOG_MAX_POOL_QUERIES, 0);
}

static void waits(struct scene *s) { copy(s, ID_SAMPLES, 0, 1, 2, 0, 0); }

static const struct hostile_fault faults[] = {
	{ "a pool with an id that is taken", taken, SUNDOG_FAULT_CODE_OBJECT },
	{ "a pool of no queries", no_queries, SUNDOG_FAULT_CODE_FIELD },
	{ "a pool of too many queries", too_many, SUNDOG_FAULT_CODE_FIELD },
	{ "a pool of no type", no_type, SUNDOG_FAULT_CODE_FIELD },
	{ "statistics of nothing", no_statistics, SUNDOG_FAULT_CODE_FIELD },
	{ "statistics that there are not", strange_statistics, SUNDOG_FAULT_CODE_FIELD },
	{ "statistics in a pool of samples", statistics_of_samples, SUNDOG_FAULT_CODE_FIELD },
	{ "a pool that there is not", no_pool, SUNDOG_FAULT_CODE_OBJECT },
	{ "an image as a pool", other_object, SUNDOG_FAULT_CODE_OBJECT },
	{ "a reset past the end", reset_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a query past the end", begin_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "two queries at once", begin_twice, SUNDOG_FAULT_CODE_STATE },
	{ "a query beside one without a pool", begin_beside_another, SUNDOG_FAULT_CODE_STATE },
	{ "one without a pool beside it", another_beside_it, SUNDOG_FAULT_CODE_STATE },
	{ "a query that has ended", begin_again, SUNDOG_FAULT_CODE_STATE },
	{ "a time stamp that begins", begin_a_time, SUNDOG_FAULT_CODE_OBJECT },
	{ "a time stamp in a pool of samples", time_of_samples, SUNDOG_FAULT_CODE_OBJECT },
	{ "a time stamp twice", time_twice, SUNDOG_FAULT_CODE_STATE },
	{ "samples of a stream", samples_of_a_stream, SUNDOG_FAULT_CODE_FIELD },
	{ "the end of what did not begin", end_unbegun, SUNDOG_FAULT_CODE_STATE },
	{ "a query that was reset in a stream that ended in a fault", begin_unreset,
	  SUNDOG_FAULT_CODE_STATE },
	{ "the end of another query", end_another, SUNDOG_FAULT_CODE_STATE },
	{ "a query that does not end", never_ends, SUNDOG_FAULT_CODE_STATE },
	{ "a query that ends in a rendering", ends_in_a_rendering, SUNDOG_FAULT_CODE_STATE },
	{ "a query that outlives its rendering", outlives_its_rendering, SUNDOG_FAULT_CODE_STATE },
	{ "a reset of an open query", reset_open, SUNDOG_FAULT_CODE_STATE },
	{ "a reset in a rendering", reset_in_a_rendering, SUNDOG_FAULT_CODE_STATE },
	{ "the end of a query of a pool that is gone", end_of_another_pool,
	  SUNDOG_FAULT_CODE_STATE },
	{ "a copy of an open query", copy_open, SUNDOG_FAULT_CODE_STATE },
	{ "a copy in a rendering", copy_in_a_rendering, SUNDOG_FAULT_CODE_STATE },
	{ "a copy to memory that is not listed", copy_unlisted, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "a copy past the pool's end", copy_past_the_pool, SUNDOG_FAULT_CODE_RANGE },
	{ "a copy past the end", copy_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a copy far past the end", copy_far_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "an availability past the end", availability_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a copy askew", copy_askew, SUNDOG_FAULT_CODE_RANGE },
	{ "a stride askew", stride_askew, SUNDOG_FAULT_CODE_RANGE },
	{ "a stride that is too small", stride_too_small, SUNDOG_FAULT_CODE_RANGE },
	{ "more copies than a stream may have", too_many_copies, SUNDOG_FAULT_CODE_RANGE },
	{ "more queries than a client may have", too_many_pools, SUNDOG_FAULT_CODE_HOST },
	{ "a copy that waits", waits, SUNDOG_FAULT_CODE_FIELD },
};

int main(void)
{
	struct scene s = { .h = hostile_new() };

	hostile_guard_front(s.h);
	s.buffer = hostile_bo(s.h, BUFFER_SIZE);
	hostile_guard_back(s.h);
	create(&s, ID_SAMPLES, SUNDOG_POOL_TYPE_OCCLUSION, COUNT, 0);
	create(&s, ID_STATISTICS, SUNDOG_POOL_TYPE_STATISTICS, COUNT, 7);
	create(&s, ID_TIMES, SUNDOG_POOL_TYPE_TIMESTAMP, COUNT, 0);
	hostile_need(s.h, "pools");
	hostile_result(copies(&s), "results are copied to where they belong");
	hostile_result(lives_on(&s), "a query outlives its ring entry");
	hostile_result(bears_faults(&s), "a query outlives faults of others");
	hostile_result(ends_with_its_pool(&s), "a pool is destroyed where it was used");
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	hostile_result(lives_on(&s), "queries are reset and used after all of that");
	sdrm_bo_del(s.buffer);
	hostile_del(s.h);
	return hostile_status();
}
