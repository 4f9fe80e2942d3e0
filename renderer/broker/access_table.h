/* SPDX-License-Identifier: MIT */
/*
 * Access checks of the broker: whether the driver's tables of a connection (extent table,
 * allocation table, rings and lists of a client's channels) let a client map a range.
 *
 * The driver can change the tables at any time. It removes a right from the tables before it sends
 * REVOKE, so a right that was read here just before the change is revoked later.
 */
#ifndef BROKER_ACCESS_TABLE_H
#define BROKER_ACCESS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "sundog_hw.h"

struct client;
struct connection;

/*
 * Returns the number of extents of VRAM that clients can own; 0 if all of VRAM belongs to one
 * client.
 */
uint64_t access_extents_count(const struct connection *c);

/*
 * Reads the owners of @n extents, starting with extent @first. Returns false if there are fewer, or
 * if the table cannot be read.
 */
bool access_extents_read(const struct connection *c, uint64_t first, uint64_t n, uint32_t *owners);

/* Returns true if all of this range of VRAM lies in extents of the client. */
bool access_range(const struct client *client, uint64_t offset, uint64_t size);

/*
 * Reads the current table entry of @handle. Returns false unless the entry is valid: one run of
 * whole pages, inside VRAM if it is there.
 */
bool access_allocation(const struct connection *c, uint32_t handle,
		       struct sundog_alloc_entry *entry);

/* Returns true if @handle still has @generation, i.e. names the same allocation. */
bool access_is_current(const struct connection *c, uint32_t handle, uint64_t generation);

/*
 * Returns true if the ring or the list of a channel of the client names this allocation. The driver
 * wrote both.
 */
bool access_listed(const struct client *client, uint32_t handle, uint64_t generation);

#endif
