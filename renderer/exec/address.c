// SPDX-License-Identifier: MIT
/*
 * Device addresses: packets that map and unmap them, and moves. Runs on the worker's main thread,
 * see address.h.
 */
#include "exec/address.h"

#include <errno.h>
#include <string.h>

#include "exec/exec.h"
#include "exec/memory.h"
#include "ipc/log.h"
#include "sundog_run.h"

static bool there_are(struct exec *x, uint32_t opcode)
{
	return exec_has(x, SUNDOG_FEATURE_ADDRESSES) ||
	       fault(x, SUNDOG_FAULT_CODE_OPCODE, opcode);
}

static bool address_ok(uint64_t address, uint64_t size)
{
	const uint64_t end = 1ull << SUNDOG_ADDRESS_BITS;

	return address >= SUNDOG_MIN_ADDRESS && address % SUNDOG_PAGE_SIZE == 0 && size <= end &&
	       address <= end - size;
}

bool run_map_address(struct exec *x, const struct sundog_cmd_map_address *cmd)
{
	struct alloc *alloc;
	struct mapping *m;

	if (!there_are(x, SUNDOG_OP_MAP_ADDRESS))
		return false;
	alloc = memory_find(x, cmd->mem, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
	if (!alloc)
		return false;
	if (!address_ok(cmd->address, alloc->size))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	m = mapping_new_at_device(&x->memory.space, cmd->address, &alloc->mapping->place, alloc);
	if (!m && errno == EEXIST)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	if (!m) {
		log_warn("cannot map an allocation at device address %#llx: %s",
			 (unsigned long long)cmd->address, strerror(errno));
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	}
	object_ref(&alloc->object);
	m->sibling = alloc->devices;
	alloc->devices = m;
	return true;
}

static void take_out(struct alloc *alloc, const struct mapping *m)
{
	struct mapping **at = &alloc->devices;

	while (*at != m)
		at = &(*at)->sibling;
	*at = m->sibling;
}

bool run_unmap_address(struct exec *x, const struct sundog_cmd_unmap_address *cmd)
{
	struct mapping *m;
	struct alloc *alloc;

	if (!there_are(x, SUNDOG_OP_UNMAP_ADDRESS))
		return false;
	m = cmd->address < 1ull << SUNDOG_ADDRESS_BITS
		    ? mapping_at_device(&x->memory.space, cmd->address)
		    : NULL;
	/* A mapping without an owner is one that an earlier packet could not unmap. */
	if (!m || !m->owner)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, 0);
	alloc = m->owner;
	take_out(alloc, m);
	mapping_free(&x->memory.space, m);
	object_unref(x, &alloc->object);
	return true;
}

int addresses_move(struct exec *x, struct alloc *alloc, const struct mapping_place *place)
{
	for (struct mapping *m = alloc->devices; m; m = m->sibling) {
		const int err = mapping_move(&x->memory.space, m, place);

		if (err)
			return err;
	}
	return 0;
}
