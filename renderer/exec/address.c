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

bool address_range_ok(uint64_t address, uint64_t size)
{
	const uint64_t end = 1ull << SUNDOG_ADDRESS_BITS;

	return address >= SUNDOG_MIN_ADDRESS && address % SUNDOG_PAGE_SIZE == 0 && size <= end &&
	       address <= end - size;
}

/* Returns the place of @size bytes at @offset of an allocation at @place. */
static struct mapping_place part_of(const struct mapping_place *place, uint64_t offset,
				    uint64_t size)
{
	return (struct mapping_place){ place->fd, place->offset + offset, size, place->handle };
}

static bool map_at(struct exec *x, struct alloc *alloc, uint64_t offset, uint64_t size,
		   uint64_t address)
{
	const struct mapping_place place = part_of(&alloc->mapping->place, offset, size);
	struct mapping *m;

	if (!address_range_ok(address, size))
		return fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	m = mapping_new_at_device(&x->memory.space, address, &place, alloc);
	if (!m && errno == EEXIST)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	if (!m) {
		log_warn("cannot map an allocation at device address %#llx: %s",
			 (unsigned long long)address, strerror(errno));
		return fault(x, SUNDOG_FAULT_CODE_HOST, -VK_ERROR_OUT_OF_HOST_MEMORY);
	}
	object_ref(&alloc->object);
	m->start = offset;
	m->sibling = alloc->devices;
	alloc->devices = m;
	return true;
}

bool run_map_address(struct exec *x, const struct sundog_cmd_map_address *cmd)
{
	struct alloc *alloc;

	if (!there_are(x, SUNDOG_OP_MAP_ADDRESS))
		return false;
	alloc = memory_find_alloc(x, cmd->mem, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
	return alloc && map_at(x, alloc, 0, alloc->size, cmd->address);
}

bool run_map_address_range(struct exec *x, const struct sundog_cmd_map_address_range *cmd)
{
	struct alloc *alloc;

	if (!exec_has(x, SUNDOG_FEATURE_SPARSE_MEMORY))
		return fault(x, SUNDOG_FAULT_CODE_OPCODE, SUNDOG_OP_MAP_ADDRESS_RANGE);
	alloc = memory_find_alloc(x, cmd->mem, SUNDOG_ACCESS_READ | SUNDOG_ACCESS_WRITE);
	if (!alloc || !memory_range(x, alloc, cmd->offset, cmd->size))
		return false;
	if (!cmd->size || cmd->size % SUNDOG_PAGE_SIZE || cmd->offset % SUNDOG_PAGE_SIZE)
		return fault(x, SUNDOG_FAULT_CODE_RANGE, alloc->handle);
	return map_at(x, alloc, cmd->offset, cmd->size, cmd->address);
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
		const struct mapping_place part = part_of(place, m->start, m->place.size);
		const int err = mapping_move(&x->memory.space, m, &part);

		if (err)
			return err;
	}
	return 0;
}
