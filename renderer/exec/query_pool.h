/* SPDX-License-Identifier: MIT */
/*
 * Query pools: queries that live until they are reset, as in Vulkan.
 *
 * The state of each query is tracked while streams are recorded, because a client's streams execute
 * in that order. So the host never begins a query that was not reset
 * (VUID-vkCmdBeginQuery-None-00807) and never waits for a query that did not end.
 */
#ifndef EXEC_QUERY_POOL_H
#define EXEC_QUERY_POOL_H

#include "exec/object.h"
#include "exec/query.h"

enum pool_query_state { POOL_QUERY_UNKNOWN, POOL_QUERY_RESET, POOL_QUERY_OPEN, POOL_QUERY_ENDED };

struct query_pool {
	struct object object;
	VkQueryPool pool;
	enum query_kind kind;
	uint32_t count, words;		/* number of queries; words of a result */
	bool dead;			/* it has no id any more */
	uint8_t *states;		/* by query, enum pool_query_state */
	/*
	 * The current stream changes queries changed_from (included) to changed_to (excluded) only.
	 */
	uint32_t changed_from, changed_to;
	struct query_pool *next_changed;
	bool in_changed;
};

/* An open query of a pool; struct draw holds them. */
struct open_pool_query {
	struct query_pool *pool;	/* NULL: none */
	uint32_t query, count;		/* the first query, and how many consecutive ones */
	/* rendering in which the query began, 0: outside renderings */
	uint32_t scope;
};

void query_pool_free(struct exec *x, struct query_pool *pool);
/* Notes that the pool has no id any more, before its last reference may go. */
void query_pool_bury(struct exec *x, struct query_pool *pool);

/* Forget the open queries, at the start of a stream. */
void pool_queries_reset(struct exec *x);
/*
 * The stream was submitted, or will never be: then the state of the queries that it changed is
 * unknown. Other queries keep their state.
 */
void pool_queries_done(struct exec *x, bool submitted);
bool pool_queries_closed(struct exec *x, uint32_t scope);
bool pool_query_is_open(const struct exec *x, enum query_kind kind, uint32_t stream);

#endif
