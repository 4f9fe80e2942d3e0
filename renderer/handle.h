/* SPDX-License-Identifier: MIT */
/*
 * Tables of handles: textures and images that shaders pick by number.
 *
 * There is a table for each kind that the gate tells apart (SUNDOG_NUM_HANDLE_KINDS), a binding of one
 * more descriptor set: whatever number a shader comes up with, it finds there a view of the kind that it
 * declares, or nothing. All tables of an object are one descriptor buffer. The queue writes it, in the order
 * of the stream, so that what runs meanwhile sees whole descriptors. What an entry names lives as long as it
 * is there; before a shader may look, all memory of all entries must be listed.
 */
#ifndef HANDLE_H
#define HANDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "object.h"

#define MAX_HANDLE_BYTES (2ull << 30)	/* of all tables, looked at or not: the host's heap ends, see jail.c */
#define MAX_HANDLE_KINDS 256	/* with entries, of all objects: they take memory */

struct draw;
struct handle_table;

struct handles {
	/* Made once. */
	VkDeviceSize offset[SUNDOG_NUM_HANDLE_KINDS], size;
	uint32_t n_tables, n_kinds;	/* that there are */

	/* Of the current stream. */
	struct handle_table *bound;
	struct handle_table *written;	/* a list */
	bool unsettled;			/* writes that what follows might not see yet */
	uint32_t points;		/* where the set is bound, a mask of VkPipelineBindPoint */
};

/* The layout of the set. */
bool handles_init(struct worker *w);

void handles_begin(struct handles *h);
/* The stream was submitted, or will never be: what it wrote is not there then. */
void handles_done(struct handles *h, bool submitted);

/* Before what may read tables, outside of renderings, and at the end: it sees all that was written. */
void handles_settle(struct worker *w);

/* Do shaders of @stages, a mask, use tables? */
bool handles_used(const struct draw *d, uint32_t stages);
/* May they use those that are bound? */
bool handles_ready(struct worker *w, uint32_t stages);
/* Bind the set for shaders of @stages. */
void handles_flush(struct worker *w, uint32_t stages);
/* The descriptor buffer of the tables that are bound, 0: there is none. */
VkDeviceAddress handles_address(const struct handles *h);

void handle_table_free(struct worker *w, struct handle_table *table);

/* Packets */
bool handle_table_create(struct worker *w, const struct sundog_cmd_create_handle_table *cmd);
bool write_handle(struct worker *w, const struct sundog_cmd_write_handle *cmd);
bool bind_handles(struct worker *w, const struct sundog_cmd_bind_handles *cmd);

#endif
