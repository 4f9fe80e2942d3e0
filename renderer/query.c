// SPDX-License-Identifier: MIT
/*
 * Queries, see query.h.
 */
#include "query.h"

#include <string.h>

#include "prelude.h"
#include "query_value.h"
#include "worker.h"

static const struct {
	VkQueryType type;
	uint32_t words;			/* of a result */
} pool_kinds[NUM_QUERY_POOLS] = {
	[QUERY_STATISTICS] = { VK_QUERY_TYPE_PIPELINE_STATISTICS, SUNDOG_NUM_STATISTICS },
	[QUERY_OCCLUSION] = { VK_QUERY_TYPE_OCCLUSION, 1 },
	[QUERY_PRIMITIVES] = { VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT, 1 },
	[QUERY_FEEDBACK] = { VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 2 },
	[QUERY_TIMESTAMP] = { VK_QUERY_TYPE_TIMESTAMP, 1 },
};

static enum query_pool pool_of(enum sundog_query_type type)
{
	switch (type) {
	case SUNDOG_QUERY_TYPE_PRIMITIVES:
		return QUERY_PRIMITIVES;
	case SUNDOG_QUERY_TYPE_FEEDBACK:
		return QUERY_FEEDBACK;
	case SUNDOG_QUERY_TYPE_STATISTICS:
		return QUERY_STATISTICS;
	default:
		return QUERY_OCCLUSION;
	}
}

/* Queries of one vertex stream. */
static bool has_streams(enum query_pool pool)
{
	return pool == QUERY_PRIMITIVES || pool == QUERY_FEEDBACK;
}

static bool has_pool(const struct vk *vk, enum query_pool pool)
{
	if (pool == QUERY_STATISTICS)
		return vk->features.pipelineStatisticsQuery;
	return vk->feedback || !has_streams(pool);
}

bool queries_init(const struct vk *vk, struct queries *q)
{
	VkQueryPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryCount = SUNDOG_MAX_QUERIES,
	};

	for (uint32_t i = 0; i < NUM_QUERY_POOLS; i++) {
		info.queryType = pool_kinds[i].type;
		info.pipelineStatistics = i == QUERY_STATISTICS ? (1u << SUNDOG_NUM_STATISTICS) - 1 : 0;
		if (has_pool(vk, i) &&
		    vk->CreateQueryPool(vk->device, &info, NULL, &q->pools[i]) != VK_SUCCESS)
			return false;
	}
	return vk_host_buffer_init(vk, &q->results,
				   SUNDOG_MAX_QUERIES * QUERY_WORDS * sizeof(uint64_t) + QUERY_VALUES_SIZE,
				   VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
				   VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
				   (vk->conditions ? VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT : 0));
}

void queries_reset(struct queries *q)
{
	memset(q->query, 0, q->used * sizeof(q->query[0]));
	q->used = 0;
	q->values = 0;
}

void query_copy(const struct vk *vk, struct queries *q, uint32_t i, VkCommandBuffer cmd)
{
	const VkDeviceSize size = QUERY_WORDS * sizeof(uint64_t);

	if (q->query[i].copied)
		return;
	q->query[i].copied = true;
	vk->CmdCopyQueryPoolResults(cmd, q->pools[q->query[i].pool], i, 1, q->results.buffer, i * size, size,
				    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
}

void queries_copy(const struct vk *vk, struct queries *q, VkCommandBuffer cmd)
{
	for (uint32_t i = 0; i < q->used; i++)
		if (q->query[i].used)
			query_copy(vk, q, i, cmd);
}

bool query_adds_to(const struct query *query, const uint64_t *at, uint32_t *word)
{
	if (!query->used || at < query->result || at >= query->result + pool_kinds[query->pool].words)
		return false;
	*word = at - query->result;
	return true;
}

bool queries_add_to(const struct queries *q, const uint64_t *at)
{
	uint32_t word;

	for (uint32_t i = 0; i < q->used; i++)
		if (query_adds_to(&q->query[i], at, &word))
			return true;
	return false;
}

static void store(const struct query *query, const uint64_t *words)
{
	if (query->pool == QUERY_TIMESTAMP) {
		__atomic_store_n(query->result, *words, __ATOMIC_RELAXED);
		return;
	}
	for (uint32_t i = 0; i < pool_kinds[query->pool].words; i++)
		__atomic_fetch_add(&query->result[i], words[i], __ATOMIC_RELAXED);
}

void queries_store(const struct queries *q)
{
	const uint64_t *words = q->results.map;

	for (uint32_t i = 0; i < q->used; i++)
		if (q->query[i].used)
			store(&q->query[i], words + i * QUERY_WORDS);
}

bool queries_closed(struct worker *w, uint32_t scope)
{
	const struct queries *q = &w->batches.recording->queries;

	for (uint32_t i = 0; i < q->used; i++)
		if (q->query[i].open && q->query[i].scope == scope)
			return fault(w, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_END_QUERY);
	return true;
}

/* Take number @i for a query whose result goes to @offset of @mem; NULL with a fault recorded. */
static struct query *take(struct worker *w, uint32_t i, enum query_pool pool, struct sundog_mem mem,
			  uint64_t offset, uint32_t opcode)
{
	struct queries *q = &w->batches.recording->queries;
	struct alloc *alloc = memory_find(w, mem, SUNDOG_ACCESS_WRITE);

	if (!alloc)
		return NULL;
	if (offset % 8 || !memory_range(w, alloc, offset, pool_kinds[pool].words * sizeof(uint64_t))) {
		fault(w, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
		return NULL;
	}
	if (q->query[i].used) {
		fault(w, SUNDOG_FAULT_CODE_STATE, opcode);
		return NULL;
	}
	/* The batch that used it last is done. */
	w->vk.ResetQueryPool(w->vk.device, q->pools[pool], i, 1);
	q->query[i] = (struct query){
		.used = true, .pool = pool, .scope = w->draw.scope, .result = memory_at(alloc, offset),
	};
	if (i >= q->used)
		q->used = i + 1;
	return &q->query[i];
}

static bool is_open(const struct queries *q, enum query_pool pool, uint32_t stream)
{
	for (uint32_t i = 0; i < q->used; i++)
		if (q->query[i].open && q->query[i].pool == pool && q->query[i].stream == stream)
			return true;
	return false;
}

bool query_begin(struct worker *w, const struct sundog_cmd_begin_query *cmd)
{
	struct batch *batch = w->batches.recording;
	const enum query_pool pool = pool_of(cmd->type);
	struct query *query;

	if (!has_pool(&w->vk, pool))
		return fault(w, SUNDOG_FAULT_CODE_FIELD, 2);
	if (cmd->stream && !(has_streams(pool) && worker_has(w, SUNDOG_FEATURE_STREAMS)))
		return fault(w, SUNDOG_FAULT_CODE_FIELD, 3);
	if (is_open(&batch->queries, pool, cmd->stream))
		return fault(w, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_BEGIN_QUERY);
	query = take(w, cmd->query, pool, cmd->mem, cmd->offset, SUNDOG_OP_BEGIN_QUERY);
	if (!query)
		return false;
	query->open = true;
	query->stream = cmd->stream;
	if (pool == QUERY_STATISTICS)
		prelude_compute(w);
	if (has_streams(pool))
		w->vk.CmdBeginQueryIndexedEXT(batch->cmd, batch->queries.pools[pool], cmd->query, 0, cmd->stream);
	else
		w->vk.CmdBeginQuery(batch->cmd, batch->queries.pools[pool], cmd->query,
				    cmd->type == SUNDOG_QUERY_TYPE_OCCLUSION &&
				    w->vk.features.occlusionQueryPrecise ? VK_QUERY_CONTROL_PRECISE_BIT : 0);
	return true;
}

bool query_end(struct worker *w, const struct sundog_cmd_end_query *cmd)
{
	struct batch *batch = w->batches.recording;
	struct query *query = &batch->queries.query[cmd->query];

	if (!query->open || query->scope != w->draw.scope)
		return fault(w, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_END_QUERY);
	query->open = false;
	if (has_streams(query->pool))
		w->vk.CmdEndQueryIndexedEXT(batch->cmd, batch->queries.pools[query->pool], cmd->query, query->stream);
	else
		w->vk.CmdEndQuery(batch->cmd, batch->queries.pools[query->pool], cmd->query);
	return true;
}

bool query_timestamp(struct worker *w, const struct sundog_cmd_write_timestamp *cmd)
{
	struct batch *batch = w->batches.recording;

	if (!take(w, cmd->query, QUERY_TIMESTAMP, cmd->mem, cmd->offset, SUNDOG_OP_WRITE_TIMESTAMP))
		return false;
	w->vk.CmdWriteTimestamp2(batch->cmd, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
				 batch->queries.pools[QUERY_TIMESTAMP], cmd->query);
	return true;
}
