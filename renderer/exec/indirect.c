// SPDX-License-Identifier: MIT
/*
 * Draws whose arguments are in memory, see indirect.h. Called by the decoder on the worker's main
 * thread.
 *
 * A client may write the arguments until the host reads them, so they are not checked here; the
 * host must check them. llvmpipe compares each index with the end of the index buffer and each
 * vertex with the end of its buffer, and uses the smaller of the draw count in memory and ours.
 */
#include "exec/indirect.h"

#include "exec/exec.h"
#include "exec/memory.h"
#include "exec/split_draw.h"
#include "exec/split_indirect.h"
#include "sundog_run.h"

bool indirect_init(struct exec *x)
{
	struct vk_host_buffer *b = &x->draw.no_limit;

	if (!exec_has(x, SUNDOG_FEATURE_INDIRECT))
		return true;
	if (!vk_host_buffer_init(&x->vk, b, sizeof(uint32_t), VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT))
		return false;
	*(uint32_t *)b->map = UINT32_MAX;
	return split_indirect_init(x);
}

static bool has_count(const struct sundog_indirect *i)
{
	return i->count_mem.kres || i->count_mem.index;
}

/* Returns the memory of @i, which has commands of @size bytes each; NULL with a fault recorded. */
static struct alloc *find_commands(struct exec *x, const struct sundog_indirect *i, uint32_t size)
{
	struct alloc *alloc;

	if (i->stride % 4 || i->stride < size) {
		fault(x, SUNDOG_FAULT_CODE_FIELD, 5);
		return NULL;
	}
	if ((i->max_draws > 1 || has_count(i)) && !exec_has(x, SUNDOG_FEATURE_INDIRECT)) {
		fault(x, SUNDOG_FAULT_CODE_FIELD, 6);
		return NULL;
	}
	alloc = memory_find(x, i->mem, SUNDOG_ACCESS_READ);
	if (!alloc || !memory_words(x, alloc, i->offset,
				i->max_draws ? (uint64_t)(i->max_draws - 1) * i->stride + size : 0))
		return NULL;
	return alloc;
}

/*
 * Find the buffer and offset of the draw count. Once lavapipe was given a count buffer in a stream,
 * it also uses it for draws without one: these get a buffer with UINT32_MAX. Returns false with a
 * fault recorded on failure.
 */
static bool find_count(struct exec *x, const struct sundog_indirect *i, VkBuffer *buffer,
		       VkDeviceSize *offset)
{
	struct alloc *alloc;

	*buffer = x->draw.counted ? x->draw.no_limit.buffer : VK_NULL_HANDLE;
	*offset = 0;
	if (!has_count(i))
		return true;
	alloc = memory_find(x, i->count_mem, SUNDOG_ACCESS_READ);
	if (!alloc || !memory_words(x, alloc, i->count_offset, sizeof(uint32_t)))
		return false;
	x->draw.counted = true;
	*buffer = alloc->buffer;
	*offset = i->count_offset;
	return true;
}

/* Record an indirect draw in pieces if the host may have no room for it as it is. */
static bool split_draws(struct exec *x, const struct sundog_indirect *i, const struct alloc *alloc,
			bool indexed)
{
	const struct alloc *count = has_count(i) ? memory_find(x, i->count_mem, SUNDOG_ACCESS_READ)
						 : NULL;
	const struct split_indirect s = {
		.indexed = indexed,
		.draws = alloc->address + i->offset,
		.stride = i->stride,
		.max_draws = i->max_draws,
		.count = count ? count->address + i->count_offset : 0,
	};

	return split_indirect(x, &s);
}

bool run_draw_indirect(struct exec *x, const struct sundog_cmd_draw_indirect *cmd)
{
	const struct sundog_indirect *i = &cmd->indirect;
	struct alloc *alloc;
	VkDeviceSize offset;
	VkBuffer count;

	if (!ready_to_draw_indirect(x, SUNDOG_OP_DRAW_INDIRECT, i->max_draws))
		return false;
	alloc = find_commands(x, i, sizeof(VkDrawIndirectCommand));
	if (!alloc || !find_count(x, i, &count, &offset))
		return false;
	if (!fits_at_once(x))
		return split_draws(x, i, alloc, false);
	if (count)
		x->vk.CmdDrawIndirectCount(x->draw.cmd, alloc->buffer, i->offset, count, offset,
					   i->max_draws, i->stride);
	else
		x->vk.CmdDrawIndirect(x->draw.cmd, alloc->buffer, i->offset, i->max_draws,
				      i->stride);
	return true;
}

/*
 * lavapipe accepts any group counts, and runs as many groups as their product modulo 2^32. Once it
 * was given a count buffer, it uses that for draws without one, too. It also starts counting groups
 * at the base of the last dispatch; an empty draw resets the base.
 */
bool run_draw_mesh_indirect(struct exec *x, const struct sundog_cmd_draw_mesh_indirect *cmd)
{
	const struct sundog_indirect *i = &cmd->indirect;
	struct alloc *alloc;
	VkDeviceSize offset;
	VkBuffer count;

	if (!exec_has(x, SUNDOG_FEATURE_MESH_SHADERS | SUNDOG_FEATURE_INDIRECT))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_DRAW_MESH_INDIRECT);
	if (!ready_to_draw_mesh(x, SUNDOG_OP_DRAW_MESH_INDIRECT))
		return false;
	alloc = find_commands(x, i, sizeof(VkDrawMeshTasksIndirectCommandEXT));
	if (!alloc || !find_count(x, i, &count, &offset))
		return false;
	if (!count)
		count = x->draw.no_limit.buffer;
	x->draw.mesh_groups = true;
	x->vk.CmdDrawMeshTasksEXT(x->draw.cmd, 0, 0, 0);
	x->vk.CmdDrawMeshTasksIndirectCountEXT(x->draw.cmd, alloc->buffer, i->offset, count, offset,
					       i->max_draws, i->stride);
	return true;
}

bool run_draw_indexed_indirect(struct exec *x, const struct sundog_cmd_draw_indexed_indirect *cmd)
{
	const struct sundog_indirect *i = &cmd->indirect;
	struct alloc *alloc;
	VkDeviceSize offset;
	VkBuffer count;

	if (!ready_to_draw_indirect(x, SUNDOG_OP_DRAW_INDEXED_INDIRECT, i->max_draws))
		return false;
	if (!x->draw.index_size)
		return fault(x, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_DRAW_INDEXED_INDIRECT);
	alloc = find_commands(x, i, sizeof(VkDrawIndexedIndirectCommand));
	if (!alloc || !find_count(x, i, &count, &offset))
		return false;
	if (!fits_at_once(x))
		return split_draws(x, i, alloc, true);
	if (!count) {
		x->vk.CmdDrawIndexedIndirect(x->draw.cmd, alloc->buffer, i->offset, i->max_draws,
					     i->stride);
		return true;
	}
	/*
	 * With a count buffer lavapipe uses the restart index of the previous draw; an empty draw
	 * sets it.
	 */
	x->vk.CmdDrawIndexed(x->draw.cmd, 0, 1, 0, 0, 0);
	x->vk.CmdDrawIndexedIndirectCount(x->draw.cmd, alloc->buffer, i->offset, count, offset,
					  i->max_draws, i->stride);
	return true;
}
