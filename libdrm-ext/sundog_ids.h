/* SPDX-License-Identifier: MIT */
/*
 * Allocator of small ids other than 0, for objects of the device and for the handles of the direct
 * back end. A freed id is reused as late as possible, oldest first. Not thread-safe.
 */
#ifndef SUNDOG_IDS_H
#define SUNDOG_IDS_H

#include <stdint.h>

struct sundog_ids {
	uint32_t limit;		/* ids are below this */
	uint32_t next;		/* lowest id that was never allocated */
	uint32_t *freed;	/* ring, oldest at head */
	uint32_t size, head, count;
};

void sundog_ids_init(struct sundog_ids *ids, uint32_t limit);
void sundog_ids_fini(struct sundog_ids *ids);
/* Returns an id, or 0 if none is left or memory is short. */
uint32_t sundog_ids_new(struct sundog_ids *ids);
/* Never fails: sundog_ids_new() has made room for the id in the ring. */
void sundog_ids_del(struct sundog_ids *ids, uint32_t id);

#endif
