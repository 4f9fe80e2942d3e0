/* SPDX-License-Identifier: MIT */
/*
 * Allocator of small ids other than 0, for objects of the device and for the handles of the direct
 * back end. A freed id is reused as late as possible, oldest first. Not thread-safe.
 */
#ifndef SUNDOG_IDS_H
#define SUNDOG_IDS_H

#include <stdbool.h>
#include <stdint.h>

struct sdrm_ids {
	uint32_t limit;		/* ids are below this */
	uint32_t next;		/* lowest id that was never allocated */
	uint32_t *freed;	/* ring, oldest at head */
	uint32_t size, head, count;
};

void sdrm_ids_init(struct sdrm_ids *ids, uint32_t limit);
void sdrm_ids_fini(struct sdrm_ids *ids);
/* Returns an id, or 0 if none is left or memory is short. */
uint32_t sdrm_ids_new(struct sdrm_ids *ids);
/* Never fails: sdrm_ids_new() has made room for the id in the ring. */
void sdrm_ids_del(struct sdrm_ids *ids, uint32_t id);
/* Returns true if no id is in use. */
bool sdrm_ids_unused(const struct sdrm_ids *ids);

#endif
