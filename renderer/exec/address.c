// SPDX-License-Identifier: MIT
/*
 * Device addresses: packets that map and unmap them, and moves. Runs on the worker's main thread,
 * see address.h.
 */
#include "exec/address.h"

#include <errno.h>
#include <string.h>

#include "ipc/log.h"
#include "exec/memory.h"
#include "worker/worker.h"

static bool there_are(struct worker *w, uint32_t opcode)
{
	return worker_has(w, SUNDOG_FEATURE_ADDRESSES) ||
	       fault(w, SUNDOG_FAULT_CODE_OPCODE, opcode);
}

static bool address_ok(uint64_t address, uint64_t size)
{
	const uint64_t end = 1ull << SUNDOG_ADDRESS_BITS;

	return address >= SUNDOG_MIN_ADDRESS && address % SUNDOG_PAGE_SIZE == 0 && size <= end &&
	       address <= end - size;
}

bool map_address(struct worker *w, const struct sundog_cmd_map_address *cmd)
{
	struct alloc *alloc;
	struct mapping *m;

	if (!there_are(w, SUNDOG_OP_MAP_ADDRESS))
		return false;
	alloc = memory_find(w, cmd->mem, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
	if (!alloc)
		return false;
	if (!address_ok(cmd->address, alloc->size))
		return fault(w, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	m = mapping_new_at_device(&w->memory.space, cmd->address, &alloc->mapping->place, alloc);
	if (!m && errno == EEXIST)
		return fault(w, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	if (!m) {
		log_warn("cannot map an allocation at a device address: %s", strerror(errno));
		return fault(w, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
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

bool unmap_address(struct worker *w, const struct sundog_cmd_unmap_address *cmd)
{
	struct mapping *m;
	struct alloc *alloc;

	if (!there_are(w, SUNDOG_OP_UNMAP_ADDRESS))
		return false;
	m = cmd->address < 1ull << SUNDOG_ADDRESS_BITS
		    ? mapping_at_device(&w->memory.space, cmd->address)
		    : NULL;
	/* A mapping without an owner is one that an earlier packet could not unmap. */
	if (!m || !m->owner)
		return fault(w, SUNDOG_FAULT_CODE_RANGE, 0);
	alloc = m->owner;
	take_out(alloc, m);
	mapping_free(&w->memory.space, m);
	object_unref(w, &alloc->object);
	return true;
}

int addresses_move(struct worker *w, struct alloc *alloc, const struct mapping_place *place)
{
	for (struct mapping *m = alloc->devices; m; m = m->sibling) {
		const int err = mapping_move(&w->memory.space, m, place);

		if (err)
			return err;
	}
	return 0;
}
