/* SPDX-License-Identifier: MIT */
/*
 * Device addresses: mappings of allocations that pointers in shaders can reach. The worker's main
 * thread makes all calls.
 *
 * The client's driver chooses the addresses, and the gate bounds every pointer to their range
 * (mapping.h). A device address shows memory of the client as long as the client owns it: a mapping
 * holds a reference to its allocation, follows it when it moves, and is unmapped when memory is
 * revoked. So mappings need not follow each submission's list. An invalid or stale address leads to
 * memory of the client or to an unmapped page, which ends the client's worker.
 */
#ifndef EXEC_ADDRESS_H
#define EXEC_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/mapping.h"
#include "sundog_packets.h"

struct alloc;
struct exec;

/* Returns true if @size bytes at device address @address can be mapped. */
bool address_range_ok(uint64_t address, uint64_t size);

/* Move the device addresses of @alloc, which is at @place now. Returns 0 or -errno. */
int addresses_move(struct exec *x, struct alloc *alloc, const struct mapping_place *place);

#endif
