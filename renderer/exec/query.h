/* SPDX-License-Identifier: MIT */
/*
 * Queries of a batch; batch.h defines which thread owns them.
 *
 * Vulkan has a pool per query type, and one open query per type and vertex stream. A query of a
 * stream of packets has the same index in its pool as in the stream. It has QUERY_WORDS words of
 * `results`, where the host copies the result when the stream needs it (query_value.h), or else at
 * the end of the batch: reading a result later with vkGetQueryPoolResults() waits for all work of
 * the host. The completion thread adds results to VRAM.
 */
#ifndef EXEC_QUERY_H
#define EXEC_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "host/vk.h"
#include "sundog_packets.h"

struct exec;

#define QUERY_WORDS SUNDOG_NUM_STATISTICS	/* words of the longest result */

enum query_kind {
	QUERY_OCCLUSION,
	QUERY_PRIMITIVES,
	QUERY_FEEDBACK,
	QUERY_STATISTICS,
	QUERY_TIMESTAMP,
	QUERY_MESH_PRIMITIVES,
	NUM_QUERY_KINDS,
};

/* By kind: the host's query type, and the words of a result. */
extern const struct query_kind_info {
	VkQueryType type;
	uint32_t words;
} query_kinds[NUM_QUERY_KINDS];

struct query {
	bool open, used;
	bool copied;			/* a recorded command copies it to the batch's results */
	enum query_kind kind;
	uint32_t stream;		/* vertex stream */
	/* rendering in which the query began, 0: outside renderings */
	uint32_t scope;
	uint64_t *result;		/* in VRAM */
};

struct queries {
	VkQueryPool pools[NUM_QUERY_KINDS];	/* null: the host has no such queries */
	struct vk_host_buffer results;
	struct query query[SUNDOG_MAX_QUERIES];
	uint32_t used;			/* upper bound of the used entries of `query` */
	/* mask of query values (query_value.h) that were computed; they follow in `results` */
	uint32_t values;
};

bool queries_init(const struct vk *vk, struct queries *q);

/* Forget all queries, when the batch is recorded anew. */
void queries_reset(struct queries *q);

/* Record the copy of the result of query @i, which is not open, unless it is recorded already. */
void query_copy(const struct vk *vk, struct queries *q, uint32_t i, VkCommandBuffer cmd);

/* Returns true if @query adds a word of its result, number *@word, to the word at @at. */
bool query_adds_to(const struct query *query, const uint64_t *at, uint32_t *word);

/* Returns true if any query of the batch adds to the word at @at. */
bool queries_add_to(const struct queries *q, const uint64_t *at);

/* Record copies of all results that were not copied yet, at the end of the batch. */
void queries_copy(const struct vk *vk, struct queries *q, VkCommandBuffer cmd);

/* Add the results of a completed batch to VRAM. */
void queries_store(const struct queries *q);

/*
 * Returns true if no query that began in @scope is open, else false with a fault recorded. Covers
 * queries of pools.
 */
bool queries_closed(struct exec *x, uint32_t scope);

/*
 * Returns how many consecutive queries of a pool one query takes: one for each view of the
 * rendering.
 */
uint32_t query_numbers(const struct exec *x);

/* Returns true if a query of @kind and @stream is open. The host has one at a time. */
bool query_is_open(struct exec *x, enum query_kind kind, uint32_t stream);

/* Return true if the host has queries of @kind, and vertex stream @stream for them. */
bool query_has(const struct vk *vk, enum query_kind kind);
bool query_stream_ok(struct exec *x, enum query_kind kind, uint32_t stream);

/* Record the begin and the end of query @i of @pool. */
void query_record_begin(struct exec *x, enum query_kind kind, VkQueryPool pool, uint32_t i,
			uint32_t stream, bool precise);
void query_record_end(struct exec *x, enum query_kind kind, VkQueryPool pool, uint32_t i,
		      uint32_t stream);

#endif
