// SPDX-License-Identifier: MIT
/*
 * Draws whose arguments are in memory, see draw.h. Called by the decoder on the worker's main
 * thread.
 *
 * A client may write the arguments until the host reads them, so they are not checked here; the
 * host must check them. llvmpipe compares each index with the end of the index buffer and each
 * vertex with the end of its buffer, and uses the smaller of the draw count in memory and ours.
 */
#include "exec/memory.h"
#include "worker/worker.h"

bool indirect_init(struct worker *w)
{
	struct vk_host_buffer *b = &w->draw.no_limit;

	if (!worker_has(w, SUNDOG_FEATURE_INDIRECT))
		return true;
	if (!vk_host_buffer_init(&w->vk, b, sizeof(uint32_t), VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT))
		return false;
	*(uint32_t *)b->map = UINT32_MAX;
	return true;
}

static bool has_count(const struct sundog_indirect *i)
{
	return i->count_mem.kres || i->count_mem.index;
}

/* Returns the memory of @i, which has commands of @size bytes each; NULL with a fault recorded. */
static struct alloc *find_commands(struct worker *w, const struct sundog_indirect *i, uint32_t size)
{
	struct alloc *alloc;

	if (i->stride % 4 || i->stride < size) {
		fault(w, SUNDOG_FAULT_CODE_FIELD, 5);
		return NULL;
	}
	if ((i->max_draws > 1 || has_count(i)) && !worker_has(w, SUNDOG_FEATURE_INDIRECT)) {
		fault(w, SUNDOG_FAULT_CODE_FIELD, 6);
		return NULL;
	}
	alloc = memory_find(w, i->mem, SUNDOG_ACCESS_READ);
	if (!alloc || !memory_words(w, alloc, i->offset,
				i->max_draws ? (uint64_t)(i->max_draws - 1) * i->stride + size : 0))
		return NULL;
	return alloc;
}

/*
 * Find the buffer and offset of the draw count. Once lavapipe was given a count buffer in a stream,
 * it also uses it for draws without one: these get a buffer with UINT32_MAX. Returns false with a
 * fault recorded on failure.
 */
static bool find_count(struct worker *w, const struct sundog_indirect *i, VkBuffer *buffer,
		       VkDeviceSize *offset)
{
	struct alloc *alloc;

	*buffer = w->draw.counted ? w->draw.no_limit.buffer : VK_NULL_HANDLE;
	*offset = 0;
	if (!has_count(i))
		return true;
	alloc = memory_find(w, i->count_mem, SUNDOG_ACCESS_READ);
	if (!alloc || !memory_words(w, alloc, i->count_offset, sizeof(uint32_t)))
		return false;
	w->draw.counted = true;
	*buffer = alloc->buffer;
	*offset = i->count_offset;
	return true;
}

bool draw_indirect(struct worker *w, const struct sundog_cmd_draw_indirect *cmd)
{
	const struct sundog_indirect *i = &cmd->indirect;
	struct alloc *alloc;
	VkDeviceSize offset;
	VkBuffer count;

	if (!ready_to_draw_indirect(w, SUNDOG_OP_DRAW_INDIRECT))
		return false;
	alloc = find_commands(w, i, sizeof(VkDrawIndirectCommand));
	if (!alloc || !find_count(w, i, &count, &offset))
		return false;
	if (count)
		w->vk.CmdDrawIndirectCount(w->draw.cmd, alloc->buffer, i->offset, count, offset,
					   i->max_draws, i->stride);
	else
		w->vk.CmdDrawIndirect(w->draw.cmd, alloc->buffer, i->offset, i->max_draws,
				      i->stride);
	return true;
}

/*
 * lavapipe accepts any group counts, and runs as many groups as their product modulo 2^32. Once it
 * was given a count buffer, it uses that for draws without one, too. It also starts counting groups
 * at the base of the last dispatch; an empty draw resets the base.
 */
bool draw_mesh_indirect(struct worker *w, const struct sundog_cmd_draw_mesh_indirect *cmd)
{
	const struct sundog_indirect *i = &cmd->indirect;
	struct alloc *alloc;
	VkDeviceSize offset;
	VkBuffer count;

	if (!worker_has(w, SUNDOG_FEATURE_MESH_SHADERS | SUNDOG_FEATURE_INDIRECT))
		return fault(w, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_DRAW_MESH_INDIRECT);
	if (!ready_to_draw_mesh(w, SUNDOG_OP_DRAW_MESH_INDIRECT))
		return false;
	alloc = find_commands(w, i, sizeof(VkDrawMeshTasksIndirectCommandEXT));
	if (!alloc || !find_count(w, i, &count, &offset))
		return false;
	if (!count)
		count = w->draw.no_limit.buffer;
	w->draw.mesh_groups = true;
	w->vk.CmdDrawMeshTasksEXT(w->draw.cmd, 0, 0, 0);
	w->vk.CmdDrawMeshTasksIndirectCountEXT(w->draw.cmd, alloc->buffer, i->offset, count, offset,
					       i->max_draws, i->stride);
	return true;
}

bool draw_indexed_indirect(struct worker *w, const struct sundog_cmd_draw_indexed_indirect *cmd)
{
	const struct sundog_indirect *i = &cmd->indirect;
	struct alloc *alloc;
	VkDeviceSize offset;
	VkBuffer count;

	if (!ready_to_draw_indirect(w, SUNDOG_OP_DRAW_INDEXED_INDIRECT))
		return false;
	if (!w->draw.index_size)
		return fault(w, SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_DRAW_INDEXED_INDIRECT);
	alloc = find_commands(w, i, sizeof(VkDrawIndexedIndirectCommand));
	if (!alloc || !find_count(w, i, &count, &offset))
		return false;
	if (!count) {
		w->vk.CmdDrawIndexedIndirect(w->draw.cmd, alloc->buffer, i->offset, i->max_draws,
					     i->stride);
		return true;
	}
	/*
	 * With a count buffer lavapipe uses the restart index of the previous draw; an empty draw
	 * sets it.
	 */
	w->vk.CmdDrawIndexed(w->draw.cmd, 0, 1, 0, 0, 0);
	w->vk.CmdDrawIndexedIndirectCount(w->draw.cmd, alloc->buffer, i->offset, count, offset,
					  i->max_draws, i->stride);
	return true;
}
