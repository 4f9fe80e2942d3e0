/* SPDX-License-Identifier: MIT */
/*
 * Device addresses: allocations where pointers in shaders find them.
 *
 * The client's driver chooses the places, and the gate makes every pointer one into the range of them (mapping.h).
 * What is mapped there is the client's own memory, for as long as it is that: a mapping holds its allocation, follows
 * it when it moves, and goes with the rest when memory is taken back. So it need not come and go with each
 * submission's list, and an address that nothing is at any more, or that is made up, leads to memory of the client's
 * or to none, which ends its worker.
 */
#ifndef ADDRESS_H
#define ADDRESS_H

#include <stdbool.h>

#include "mapping.h"
#include "sundog_packets.h"

struct alloc;
struct worker;

/* @alloc is at @place now: so are its device addresses. Returns 0 or -errno. */
int addresses_move(struct worker *w, struct alloc *alloc, const struct mapping_place *place);

/* Packets */
bool map_address(struct worker *w, const struct sundog_cmd_map_address *cmd);
bool unmap_address(struct worker *w, const struct sundog_cmd_unmap_address *cmd);

#endif
