/* SPDX-License-Identifier: MIT */
/*
 * Queries of a batch, see batch.h for who owns them when.
 *
 * Vulkan has a pool for each type of query, and one open query of a type and stream. A stream's query has the same
 * number in its pool as in the stream, and QUERY_WORDS of `results`, where the host copies what it counted when the
 * stream asks for it (query_value.h), or at the end of the batch: asking it later waits for all it has. The
 * completion thread takes them to VRAM.
 */
#ifndef QUERY_H
#define QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_packets.h"
#include "vk.h"

struct worker;

#define QUERY_WORDS SUNDOG_NUM_STATISTICS	/* of the longest result */

enum query_kind {
	QUERY_OCCLUSION, QUERY_PRIMITIVES, QUERY_FEEDBACK, QUERY_STATISTICS, QUERY_TIMESTAMP, NUM_QUERY_KINDS,
};

/* Of each kind: the host's type, and the words of a result. */
extern const struct query_kind_info {
	VkQueryType type;
	uint32_t words;
} query_kinds[NUM_QUERY_KINDS];

struct query {
	bool open, used;
	bool copied;			/* to the batch's results, by a command that is recorded */
	enum query_kind kind;
	uint32_t stream;		/* of vertices */
	uint32_t scope;			/* rendering it began in, 0: outside */
	uint64_t *result;		/* in VRAM */
};

struct queries {
	VkQueryPool pools[NUM_QUERY_KINDS];	/* null: the host has no such queries */
	struct vk_host_buffer results;
	struct query query[SUNDOG_MAX_QUERIES];
	uint32_t used;			/* upper bound of used entries */
	uint32_t values;		/* of query_value.h that were computed, a mask; they follow in `results` */
};

bool queries_init(const struct vk *vk, struct queries *q);

/* The batch is recorded anew. */
void queries_reset(struct queries *q);

/* Have the host write the result of query @i, which is not open, if it was not told to yet. */
void query_copy(const struct vk *vk, struct queries *q, uint32_t i, VkCommandBuffer cmd);

/* Does @query add a word of its result, number *@word, to the one at @at? */
bool query_adds_to(const struct query *query, const uint64_t *at, uint32_t *word);

/* Is there one that does? */
bool queries_add_to(const struct queries *q, const uint64_t *at);

/* Have the host write the results at the end of the batch. */
void queries_copy(const struct vk *vk, struct queries *q, VkCommandBuffer cmd);

/* Take the results of a batch that is done to VRAM. */
void queries_store(const struct queries *q);

/* Is no query open that began in @scope, of a pool or not? */
bool queries_closed(struct worker *w, uint32_t scope);

/* Numbers that a query takes: one for each view of the rendering. */
uint32_t query_numbers(const struct worker *w);

/* Is one of @kind and @stream open? The host has one at a time. */
bool query_is_open(struct worker *w, enum query_kind kind, uint32_t stream);

/* Has the host such queries, and those of @stream? */
bool query_has(const struct vk *vk, enum query_kind kind);
bool query_stream_ok(struct worker *w, enum query_kind kind, uint32_t stream);

/* Have the host begin and end query @i of @pool. */
void query_record_begin(struct worker *w, enum query_kind kind, VkQueryPool pool, uint32_t i, uint32_t stream,
			bool precise);
void query_record_end(struct worker *w, enum query_kind kind, VkQueryPool pool, uint32_t i, uint32_t stream);

/* Packets */
bool query_begin(struct worker *w, const struct sundog_cmd_begin_query *cmd);
bool query_end(struct worker *w, const struct sundog_cmd_end_query *cmd);
bool query_timestamp(struct worker *w, const struct sundog_cmd_write_timestamp *cmd);

#endif
