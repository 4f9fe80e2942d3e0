/* SPDX-License-Identifier: MIT */
/*
 * Small numbers handed out and taken back, 0 excepted. Not thread-safe.
 */
#ifndef SUNDOG_IDS_H
#define SUNDOG_IDS_H

#include <stdint.h>

struct sundog_ids {
	uint32_t limit;		/* ids are below this */
	uint32_t next;		/* never handed out so far */
	uint32_t *freed;	/* ring, oldest at head */
	uint32_t size, head, count;
};

void sundog_ids_init(struct sundog_ids *ids, uint32_t limit);
void sundog_ids_fini(struct sundog_ids *ids);
/* 0 if none is left or memory is short. */
uint32_t sundog_ids_new(struct sundog_ids *ids);
/* Never fails: its room was made when the id was handed out. */
void sundog_ids_del(struct sundog_ids *ids, uint32_t id);

#endif
