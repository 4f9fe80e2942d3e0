// SPDX-License-Identifier: MIT
/*
 * Query pools and the states of their queries, see query_pool.h. Called by the decoder on the
 * worker's main thread.
 */
#include "exec/query_pool.h"
#include "exec/barrier.h"

#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "exec/memory.h"
#include "sundog_run.h"

static const enum query_kind kinds[] = {
	[SUNDOG_POOL_TYPE_OCCLUSION] = QUERY_OCCLUSION,
	[SUNDOG_POOL_TYPE_STATISTICS] = QUERY_STATISTICS,
	[SUNDOG_POOL_TYPE_TIMESTAMP] = QUERY_TIMESTAMP,
	[SUNDOG_POOL_TYPE_FEEDBACK] = QUERY_FEEDBACK,
	[SUNDOG_POOL_TYPE_PRIMITIVES] = QUERY_PRIMITIVES,
	[SUNDOG_POOL_TYPE_MESH_PRIMITIVES] = QUERY_MESH_PRIMITIVES,
};

/* Pools */

static struct query_pool *pool_new(struct exec *x, const struct sundog_cmd_create_query_pool *cmd)
{
	const VkQueryPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
		.queryType = query_kinds[kinds[cmd->type]].type,
		.queryCount = cmd->count,
		.pipelineStatistics = cmd->statistics,
	};
	struct query_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->states = calloc(cmd->count, sizeof(*pool->states));
	if (!pool->states ||
	    x->vk.CreateQueryPool(x->vk.device, &info, NULL, &pool->pool) != VK_SUCCESS) {
		free(pool->states);
		free(pool);
		return NULL;
	}
	return pool;
}

bool run_create_query_pool(struct exec *x, const struct sundog_cmd_create_query_pool *cmd)
{
	struct query_pool *pool;

	if (!query_has(&x->vk, kinds[cmd->type]))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 2);
	if ((cmd->type == SUNDOG_POOL_TYPE_STATISTICS) != !!cmd->statistics)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 4);
	/* The bits behind these count invocations of task and mesh shaders. */
	if (cmd->statistics >> SUNDOG_NUM_STATISTICS && !x->vk.mesh_queries)
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 4);
	if (!object_id_free(x, cmd->id))
		return false;
	/*
	 * The host allocates memory for each query, used or not. Pools live on until their batch is
	 * complete, so as many may wait for that.
	 */
	if (cmd->count > SUNDOG_MAX_CLIENT_QUERIES - x->objects.n_queries ||
	    x->objects.n_dead_queries > SUNDOG_MAX_CLIENT_QUERIES)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	pool = pool_new(x, cmd);
	if (!pool)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	pool->object = (struct object){ .kind = SUNDOG_OBJECT_KIND_QUERY_POOL, .refs = 1 };
	pool->kind = kinds[cmd->type];
	pool->count = cmd->count;
	/* Pipeline statistics have one word per selected counter. */
	pool->words = cmd->statistics ? (uint32_t)__builtin_popcount(cmd->statistics)
				      : query_kinds[pool->kind].words;
	x->objects.n_queries += pool->count;
	object_publish(x, cmd->id, &pool->object);
	return true;
}

void query_pool_free(struct exec *x, struct query_pool *pool)
{
	x->vk.DestroyQueryPool(x->vk.device, pool->pool, NULL);
	if (pool->dead)
		x->objects.n_dead_queries -= pool->count;
	else
		x->objects.n_queries -= pool->count;
	free(pool->states);
	free(pool);
}

void query_pool_bury(struct exec *x, struct query_pool *pool)
{
	pool->dead = true;
	x->objects.n_queries -= pool->count;
	x->objects.n_dead_queries += pool->count;
}

/*
 * Returns the pool with @id if it has queries @first to @first + @count; NULL with a fault recorded
 * if not.
 */
static struct query_pool *pool_find(struct exec *x, uint32_t id, uint32_t first, uint32_t count)
{
	struct query_pool *pool = (struct query_pool *)object_find(x, id,
								   SUNDOG_OBJECT_KIND_QUERY_POOL);

	if (!pool)
		return NULL;
	if (first >= pool->count || count > pool->count - first) {
		fault(x, SUNDOG_FAULT_CODE_RANGE, id);
		return NULL;
	}
	return pool;
}

/* Open queries */

void pool_queries_reset(struct exec *x)
{
	memset(x->draw.pool_queries, 0, sizeof(x->draw.pool_queries));
}

bool pool_queries_closed(struct exec *x, uint32_t scope)
{
	for (int kind = 0; kind < NUM_QUERY_KINDS; kind++)
		for (int i = 0; i < SUNDOG_MAX_STREAMS; i++)
			if (x->draw.pool_queries[kind][i].pool &&
			    x->draw.pool_queries[kind][i].scope == scope)
				return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_END_POOL_QUERY);
	return true;
}

bool pool_query_is_open(const struct exec *x, enum query_kind kind, uint32_t stream)
{
	return x->draw.pool_queries[kind][stream].pool;
}

/* Set the state of @count queries from @i on, in the current stream. */
static void set_states(struct exec *x, struct query_pool *pool, uint32_t i, uint32_t count,
		       enum pool_query_state state)
{
	memset(pool->states + i, state, count);
	if (!pool->in_changed) {
		pool->in_changed = true;
		pool->changed_from = i;
		pool->changed_to = i + count;
		pool->next_changed = x->draw.changed_pools;
		x->draw.changed_pools = pool;
		return;
	}
	if (i < pool->changed_from)
		pool->changed_from = i;
	if (i + count > pool->changed_to)
		pool->changed_to = i + count;
}

void pool_queries_done(struct exec *x, bool submitted)
{
	while (x->draw.changed_pools) {
		struct query_pool *pool = x->draw.changed_pools;
		const uint32_t from = pool->changed_from;

		x->draw.changed_pools = pool->next_changed;
		pool->in_changed = false;
		if (!submitted)
			memset(pool->states + from, POOL_QUERY_UNKNOWN, pool->changed_to - from);
	}
}

/*
 * Change the state of @count queries from @i on. Returns false with a fault recorded if one of them
 * is not in state @from.
 */
static bool turn(struct exec *x, struct query_pool *pool, uint32_t i, uint32_t count,
		 enum pool_query_state from, enum pool_query_state to, uint32_t opcode)
{
	for (uint32_t n = 0; n < count; n++)
		if (pool->states[i + n] != from)
			return fault(x, SUNDOG_FAULT_CODE_STATE, opcode);
	set_states(x, pool, i, count, to);
	return true;
}

/* Packets */

bool run_reset_query_pool(struct exec *x, const struct sundog_cmd_reset_query_pool *cmd)
{
	struct query_pool *pool = pool_find(x, cmd->pool, cmd->first, cmd->count);

	if (!pool || !outside_rendering(x, SUNDOG_OP_RESET_QUERY_POOL))
		return false;
	for (uint32_t i = 0; i < cmd->count; i++)
		if (pool->states[cmd->first + i] == POOL_QUERY_OPEN)
			return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_RESET_QUERY_POOL);
	set_states(x, pool, cmd->first, cmd->count, POOL_QUERY_RESET);
	x->vk.CmdResetQueryPool(x->draw.cmd, pool->pool, cmd->first, cmd->count);
	return true;
}

bool run_begin_pool_query(struct exec *x, const struct sundog_cmd_begin_pool_query *cmd)
{
	const uint32_t count = query_numbers(x);
	struct query_pool *pool = pool_find(x, cmd->pool, cmd->query, count);

	if (!pool)
		return false;
	if (pool->kind == QUERY_TIMESTAMP)
		return fault(x, SUNDOG_FAULT_CODE_OBJECT, cmd->pool);
	if (!query_stream_ok(x, pool->kind, cmd->stream))
		return fault(x, SUNDOG_FAULT_CODE_FIELD, 3);
	if (query_is_open(x, pool->kind, cmd->stream))
		return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_BEGIN_POOL_QUERY);
	if (!turn(x, pool, cmd->query, count, POOL_QUERY_RESET, POOL_QUERY_OPEN,
		  SUNDOG_OP_BEGIN_POOL_QUERY))
		return false;
	x->draw.pool_queries[pool->kind][cmd->stream] =
		(struct open_pool_query){ pool, cmd->query, count, x->draw.scope };
	query_record_begin(x, pool->kind, pool->pool, cmd->query, cmd->stream, cmd->precise);
	return true;
}

/* Returns the open query that @cmd names, NULL if there is none. */
static struct open_pool_query *find_open(struct exec *x, const struct query_pool *pool,
					 const struct sundog_cmd_end_pool_query *cmd)
{
	struct open_pool_query *open = &x->draw.pool_queries[pool->kind][cmd->stream];

	return open->pool == pool && open->query == cmd->query && open->scope == x->draw.scope
		       ? open
		       : NULL;
}

bool run_end_pool_query(struct exec *x, const struct sundog_cmd_end_pool_query *cmd)
{
	struct query_pool *pool = pool_find(x, cmd->pool, cmd->query, 1);
	struct open_pool_query *open = pool ? find_open(x, pool, cmd) : NULL;

	if (!pool)
		return false;
	if (!open)
		return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_END_POOL_QUERY);
	open->pool = NULL;
	set_states(x, pool, cmd->query, open->count, POOL_QUERY_ENDED);
	query_record_end(x, pool->kind, pool->pool, cmd->query, cmd->stream);
	return true;
}

bool run_write_pool_timestamp(struct exec *x, const struct sundog_cmd_write_pool_timestamp *cmd)
{
	const uint32_t count = query_numbers(x);
	struct query_pool *pool = pool_find(x, cmd->pool, cmd->query, count);

	if (!pool)
		return false;
	if (pool->kind != QUERY_TIMESTAMP)
		return fault(x, SUNDOG_FAULT_CODE_OBJECT, cmd->pool);
	if (!turn(x, pool, cmd->query, count, POOL_QUERY_RESET, POOL_QUERY_ENDED,
		  SUNDOG_OP_WRITE_POOL_TIMESTAMP))
		return false;
	x->vk.CmdWriteTimestamp2(x->draw.cmd, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool->pool,
				 cmd->query);
	return true;
}

/* Copies */

/* Destination and format of a copy. */
struct copy {
	VkBuffer buffer;
	/* bytes of a word; bytes of a result with its availability word */
	VkDeviceSize value, size;
	uint32_t flags;
};

/*
 * Copy the result of a query that did not end. Writes availability 0 if the packet wants it. Writes
 * 0 as the result only if it wants partial results.
 */
static void copy_none(struct exec *x, const struct copy *copy, VkDeviceSize offset)
{
	const VkDeviceSize availability = copy->flags & SUNDOG_RESULT_FLAG_AVAILABILITY
						  ? copy->value
						  : 0;
	const VkDeviceSize size = copy->flags & SUNDOG_RESULT_FLAG_PARTIAL ? copy->size
									   : availability;

	if (size)
		x->vk.CmdFillBuffer(x->draw.cmd, copy->buffer, offset + copy->size - size, size, 0);
}

/* Copies results one by one, with exactly their size: lavapipe sometimes clears a whole stride. */
static void copy_one(struct exec *x, const struct copy *copy, const struct query_pool *pool,
		     uint32_t i, VkDeviceSize offset)
{
	const VkQueryResultFlags flags = VK_QUERY_RESULT_WAIT_BIT |
		(copy->flags & (SUNDOG_RESULT_FLAG_64BIT | SUNDOG_RESULT_FLAG_AVAILABILITY));

	if (pool->states[i] == POOL_QUERY_ENDED)
		x->vk.CmdCopyQueryPoolResults(x->draw.cmd, pool->pool, i, 1, copy->buffer, offset,
					      copy->size, flags);
	else
		copy_none(x, copy, offset);
}

/*
 * Returns true if the memory has room for all results and the stride is valid, else false with a
 * fault recorded.
 */
static bool copy_fits(struct exec *x, const struct sundog_cmd_copy_query_results *cmd,
		      const struct alloc *alloc, const struct copy *copy)
{
	if (cmd->offset % copy->value || cmd->stride % copy->value ||
	    (cmd->count > 1 && cmd->stride < copy->size))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	return memory_buffer_range(x, alloc, cmd->offset,
				   (uint64_t)(cmd->count - 1) * cmd->stride + copy->size);
}

bool run_copy_query_results(struct exec *x, const struct sundog_cmd_copy_query_results *cmd)
{
	const struct query_pool *pool = pool_find(x, cmd->pool, cmd->first, cmd->count);
	struct alloc *alloc = pool ? memory_find(x, cmd->mem, SUNDOG_ACCESS_WRITE) : NULL;
	struct copy copy = { .flags = cmd->flags };

	if (!alloc || !may_transfer(x, SUNDOG_OP_COPY_QUERY_RESULTS))
		return false;
	copy.value = cmd->flags & SUNDOG_RESULT_FLAG_64BIT ? 8 : 4;
	copy.size = (pool->words + !!(cmd->flags & SUNDOG_RESULT_FLAG_AVAILABILITY)) * copy.value;
	if (!copy_fits(x, cmd, alloc, &copy))
		return false;
	for (uint32_t i = 0; i < cmd->count; i++)
		if (pool->states[cmd->first + i] == POOL_QUERY_OPEN)
			return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_COPY_QUERY_RESULTS);
	if (cmd->count > SUNDOG_MAX_RESULT_COPIES - x->draw.copies)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->pool);
	x->draw.copies += cmd->count;
	copy.buffer = memory_buffer(x, alloc);
	if (!copy.buffer)
		return false;
	for (uint32_t i = 0; i < cmd->count; i++)
		copy_one(x, &copy, pool, cmd->first + i, cmd->offset + (uint64_t)i * cmd->stride);
	return true;
}
