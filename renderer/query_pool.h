/* SPDX-License-Identifier: MIT */
/*
 * Query pools: queries that live until they are reset, as Vulkan has them.
 *
 * What became of each is known as it is recorded, since the streams of a client are executed in that order: the host
 * is never told to begin one that was not reset, nor to wait for one that never ended.
 */
#ifndef QUERY_POOL_H
#define QUERY_POOL_H

#include "object.h"
#include "query.h"

enum pool_query_state { POOL_QUERY_UNKNOWN, POOL_QUERY_RESET, POOL_QUERY_OPEN, POOL_QUERY_ENDED };

struct query_pool {
	struct object object;
	VkQueryPool pool;
	enum query_kind kind;
	uint32_t count, words;		/* queries, and words of a result */
	uint8_t *states;		/* of each, enum pool_query_state */
	/* What the current stream changes: all of that is between two queries. */
	uint32_t changed_from, changed_to;
	struct query_pool *next_changed;
	bool in_changed;
};

/* One that is open, in draw.h. */
struct open_pool_query {
	struct query_pool *pool;	/* NULL: none */
	uint32_t query, count;		/* the first, and how many of those that follow */
	uint32_t scope;			/* rendering it began in, 0: outside */
};

void query_pool_free(struct worker *w, struct query_pool *pool);

/* A stream begins. */
void pool_queries_reset(struct worker *w);
/* It was submitted, or will never be: what it changed is unknown then, what it did not name is as it was. */
void pool_queries_done(struct worker *w, bool submitted);
bool pool_queries_closed(struct worker *w, uint32_t scope);
bool pool_query_is_open(const struct worker *w, enum query_kind kind, uint32_t stream);

/* Packets */
bool query_pool_create(struct worker *w, const struct sundog_cmd_create_query_pool *cmd);
bool query_pool_reset(struct worker *w, const struct sundog_cmd_reset_query_pool *cmd);
bool pool_query_begin(struct worker *w, const struct sundog_cmd_begin_pool_query *cmd);
bool pool_query_end(struct worker *w, const struct sundog_cmd_end_pool_query *cmd);
bool pool_query_timestamp(struct worker *w, const struct sundog_cmd_write_pool_timestamp *cmd);
bool query_results_copy(struct worker *w, const struct sundog_cmd_copy_query_results *cmd);

#endif
