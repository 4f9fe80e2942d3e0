// SPDX-License-Identifier: MIT
/*
 * Sparse memory, see sparse_memory.h. Runs on the worker's main thread.
 */
#include "exec/sparse_memory.h"

#include <stdlib.h>

#include "exec/address.h"
#include "exec/barrier.h"
#include "exec/exec.h"
#include "exec/memory.h"
#include "sundog_run.h"

/* The allocation and its mapping, which no tree or list of mappings contains. */
struct sparse_memory {
	struct alloc alloc;
	struct mapping mapping;
};

struct alloc *sparse_memory_find(struct exec *x, uint32_t id)
{
	return (struct alloc *)object_find(x, id, SUNDOG_OBJECT_KIND_SPARSE_MEMORY);
}

bool run_create_sparse_memory(struct exec *x, const struct sundog_cmd_create_sparse_memory *cmd)
{
	struct sparse_memory *sparse;

	if (!exec_has(x, SUNDOG_FEATURE_SPARSE_MEMORY))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_CREATE_SPARSE_MEMORY);
	if (!object_id_free(x, cmd->id))
		return false;
	if (!cmd->size || cmd->size % SUNDOG_PAGE_SIZE ||
	    !address_range_ok(cmd->address, cmd->size))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, cmd->id);
	sparse = calloc(1, sizeof(*sparse));
	if (!sparse)
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	sparse->mapping.addr = (char *)MAPPING_DEVICE + cmd->address;
	sparse->mapping.place.size = cmd->size;
	sparse->alloc = (struct alloc){
		.object = { .kind = SUNDOG_OBJECT_KIND_SPARSE_MEMORY, .refs = 1 },
		.access = SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE,
		.size = cmd->size,
		.mapping = &sparse->mapping,
	};
	if (!memory_import(x, &sparse->alloc)) {
		free(sparse);
		return false;
	}
	/* Other memory shows the same bytes. */
	memory_aliased(x);
	object_publish(x, cmd->id, &sparse->alloc.object);
	return true;
}

void sparse_memory_free(struct exec *x, struct alloc *memory)
{
	memory_import_end(x, memory);
	free(memory);
}
