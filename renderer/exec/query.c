// SPDX-License-Identifier: MIT
/*
 * Queries whose results are added to memory at the end of a batch, see query.h. The main thread
 * records them; the completion thread calls queries_store().
 */
#include "exec/query.h"

#include <string.h>

#include "exec/exec.h"
#include "exec/query_pool.h"
#include "exec/query_value.h"
#include "exec/quirk_prelude.h"
#include "sundog_run.h"

const struct query_kind_info query_kinds[NUM_QUERY_KINDS] = {
	[QUERY_STATISTICS] = { VK_QUERY_TYPE_PIPELINE_STATISTICS, SUNDOG_NUM_STATISTICS },
	[QUERY_OCCLUSION] = { VK_QUERY_TYPE_OCCLUSION, 1 },
	[QUERY_PRIMITIVES] = { VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT, 1 },
	[QUERY_FEEDBACK] = { VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 2 },
	[QUERY_TIMESTAMP] = { VK_QUERY_TYPE_TIMESTAMP, 1 },
	[QUERY_MESH_PRIMITIVES] = { VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT, 1 },
};

static enum query_kind kind_of(enum sundog_query_type type)
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

/* Returns true if queries of @kind are for one vertex stream. */
static bool has_streams(enum query_kind kind)
{
	return kind == QUERY_PRIMITIVES || kind == QUERY_FEEDBACK;
}

bool query_has(const struct vk *vk, enum query_kind kind)
{
	if (kind == QUERY_STATISTICS)
		return vk->features.pipelineStatisticsQuery;
	if (kind == QUERY_MESH_PRIMITIVES)
		return vk->mesh_queries;
	return vk->feedback || !has_streams(kind);
}

bool queries_init(const struct vk *vk, struct queries *q)
{
	VkQueryPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryCount = SUNDOG_MAX_QUERIES,
	};

	for (uint32_t i = 0; i < NUM_QUERY_KINDS; i++) {
		info.queryType = query_kinds[i].type;
		info.pipelineStatistics = i == QUERY_STATISTICS ? (1u << SUNDOG_NUM_STATISTICS) - 1
								: 0;
		if (query_has(vk, i) &&
		    vk->CreateQueryPool(vk->device, &info, NULL, &q->pools[i]) != VK_SUCCESS)
			return false;
	}
	return vk_host_buffer_init(vk, &q->results,
				   SUNDOG_MAX_QUERIES * QUERY_WORDS * sizeof(uint64_t) +
					   QUERY_VALUES_SIZE,
				   VK_BUFFER_USAGE_TRANSFER_DST_BIT |
					   VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
					   VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
					   (vk->conditions
						    ? VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT
						    : 0));
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
	vk->CmdCopyQueryPoolResults(cmd, q->pools[q->query[i].kind], i, 1, q->results.buffer,
				    i * size, size,
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
	if (!query->used || at < query->result ||
	    at >= query->result + query_kinds[query->kind].words)
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
	if (query->kind == QUERY_TIMESTAMP) {
		__atomic_store_n(query->result, *words, __ATOMIC_RELAXED);
		return;
	}
	for (uint32_t i = 0; i < query_kinds[query->kind].words; i++)
		__atomic_fetch_add(&query->result[i], words[i], __ATOMIC_RELAXED);
}

void queries_store(const struct queries *q)
{
	const uint64_t *words = q->results.map;

	for (uint32_t i = 0; i < q->used; i++)
		if (q->query[i].used)
			store(&q->query[i], words + i * QUERY_WORDS);
}

bool queries_closed(struct exec *x, uint32_t scope)
{
	const struct queries *q = &x->batches.recording->queries;

	for (uint32_t i = 0; i < q->used; i++)
		if (q->query[i].open && q->query[i].scope == scope)
			return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_END_QUERY);
	return pool_queries_closed(x, scope);
}

uint32_t query_numbers(const struct exec *x)
{
	return x->draw.view_mask ? (uint32_t)__builtin_popcount(x->draw.view_mask) : 1;
}

static bool numbers_are_free(const struct queries *q, uint32_t first, uint32_t count)
{
	if (count > SUNDOG_MAX_QUERIES - first)
		return false;
	for (uint32_t i = first; i < first + count; i++)
		if (q->query[i].used)
			return false;
	return true;
}

/*
 * Use query @first, and the following ones for other views, for a query whose result goes to
 * @offset of @mem; the results of all views are added up there. Returns NULL with a fault recorded
 * on failure.
 */
static struct query *take(struct exec *x, uint32_t first, enum query_kind kind,
			  struct sundog_mem mem, uint64_t offset, uint32_t opcode)
{
	const uint32_t count = query_numbers(x);
	struct queries *q = &x->batches.recording->queries;
	struct alloc *alloc = memory_find_alloc(x, mem, SUNDOG_ACCESS_WRITE);

	if (!alloc)
		return NULL;
	if (offset % 8 ||
	    !memory_range(x, alloc, offset, query_kinds[kind].words * sizeof(uint64_t))) {
		fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
		return NULL;
	}
	if (!numbers_are_free(q, first, count)) {
		fault(x, SUNDOG_FAULT_CODE_STATE, opcode);
		return NULL;
	}
	/* The last batch that used these queries is done. */
	x->vk.ResetQueryPool(x->vk.device, q->pools[kind], first, count);
	for (uint32_t i = first; i < first + count; i++)
		q->query[i] = (struct query){
			.used = true,
			.kind = kind,
			.scope = x->draw.scope,
			.result = memory_at(alloc, offset),
		};
	if (first + count > q->used)
		q->used = first + count;
	return &q->query[first];
}

bool query_is_open(struct exec *x, enum query_kind kind, uint32_t stream)
{
	const struct queries *q = &x->batches.recording->queries;

	for (uint32_t i = 0; i < q->used; i++)
		if (q->query[i].open && q->query[i].kind == kind && q->query[i].stream == stream)
			return true;
	return pool_query_is_open(x, kind, stream);
}

void query_record_begin(struct exec *x, enum query_kind kind, VkQueryPool pool, uint32_t i,
			uint32_t stream, bool precise)
{
	const VkQueryControlFlags flags = kind == QUERY_OCCLUSION && precise &&
		x->vk.features.occlusionQueryPrecise ? VK_QUERY_CONTROL_PRECISE_BIT : 0;

	if (kind == QUERY_STATISTICS)
		prelude_compute(x);
	if (has_streams(kind))
		x->vk.CmdBeginQueryIndexedEXT(x->draw.cmd, pool, i, flags, stream);
	else
		x->vk.CmdBeginQuery(x->draw.cmd, pool, i, flags);
}

void query_record_end(struct exec *x, enum query_kind kind, VkQueryPool pool, uint32_t i,
		      uint32_t stream)
{
	if (has_streams(kind))
		x->vk.CmdEndQueryIndexedEXT(x->draw.cmd, pool, i, stream);
	else
		x->vk.CmdEndQuery(x->draw.cmd, pool, i);
}

bool query_stream_ok(struct exec *x, enum query_kind kind, uint32_t stream)
{
	return !stream || (has_streams(kind) && exec_has(x, SUNDOG_FEATURE_STREAMS));
}

bool run_begin_query(struct exec *x, const struct sundog_cmd_begin_query *cmd)
{
	struct batch *batch = x->batches.recording;
	const enum query_kind kind = kind_of(cmd->type);
	struct query *query;

	if (!query_has(&x->vk, kind))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 2);
	if (!query_stream_ok(x, kind, cmd->stream))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 3);
	if (query_is_open(x, kind, cmd->stream))
		return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_BEGIN_QUERY);
	query = take(x, cmd->query, kind, cmd->mem, cmd->offset, SUNDOG_OP_BEGIN_QUERY);
	if (!query)
		return false;
	query->open = true;
	query->stream = cmd->stream;
	query_record_begin(x, kind, batch->queries.pools[kind], cmd->query, cmd->stream,
			   cmd->type == SUNDOG_QUERY_TYPE_OCCLUSION);
	return true;
}

bool run_end_query(struct exec *x, const struct sundog_cmd_end_query *cmd)
{
	struct batch *batch = x->batches.recording;
	struct query *query = &batch->queries.query[cmd->query];

	if (!query->open || query->scope != x->draw.scope)
		return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_END_QUERY);
	query->open = false;
	query_record_end(x, query->kind, batch->queries.pools[query->kind], cmd->query,
			 query->stream);
	return true;
}

bool run_write_timestamp(struct exec *x, const struct sundog_cmd_write_timestamp *cmd)
{
	struct batch *batch = x->batches.recording;

	/* Timestamps of several views must not be added up. */
	if (x->draw.view_mask)
		return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_WRITE_TIMESTAMP);
	if (!take(x, cmd->query, QUERY_TIMESTAMP, cmd->mem, cmd->offset, SUNDOG_OP_WRITE_TIMESTAMP))
		return false;
	x->vk.CmdWriteTimestamp2(batch->cmd, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
				 batch->queries.pools[QUERY_TIMESTAMP], cmd->query);
	return true;
}
