/* SPDX-License-Identifier: MIT */
/*
 * Handle tables: textures and images that shaders select by number (bindless).
 *
 * There is a table for each kind that the gate distinguishes (SUNDOG_NUM_HANDLE_KINDS); each is a
 * binding of one additional descriptor set. Whatever index a shader uses, it finds a view of the
 * declared kind or a null descriptor. All tables of a handle table object are in one descriptor
 * buffer. The queue writes it in the order of the stream, so that running work sees whole
 * descriptors. An entry holds references to its view and sampler. Before a shader may access the
 * tables, the memory of all entries must be listed.
 */
#ifndef EXEC_HANDLE_H
#define EXEC_HANDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/object.h"

/* of all tables, used or not; worker_sandbox.c limits the host's heap */
#define MAX_HANDLE_BYTES (2ull << 30)
#define MAX_HANDLE_KINDS 256	/* kinds with entries, of all objects; each costs memory */

struct draw;
struct handle_table;

struct handles {
	/* Created once. */
	VkDeviceSize offset[SUNDOG_NUM_HANDLE_KINDS], size;
	uint32_t n_tables, n_kinds;	/* existing tables and kinds */

	/* State of the current stream. */
	struct handle_table *bound;
	struct handle_table *written;	/* a list */
	bool unsettled;			/* later commands might not see the last writes yet */
	uint32_t points;		/* mask of VkPipelineBindPoint where the set is bound */
};

/* Create the set layout. Returns false if the host fails. */
bool handles_init(struct exec *x);

void handles_begin(struct handles *h);
/* The stream was submitted, or will never be: then the tables that it wrote are lost. */
void handles_done(struct handles *h, bool submitted);

/*
 * Make all recorded writes visible, before commands that may read tables (outside renderings) and
 * at the end of the stream.
 */
void handles_settle(struct exec *x);

/* Returns true if bound shaders of @stages (a mask) use handle tables. */
bool handles_used(const struct draw *d, uint32_t stages);
/* Returns true if they may use the bound tables, else false with a fault recorded. */
bool handles_ready(struct exec *x, uint32_t stages);
/* Bind the handle set for shaders of @stages. */
void handles_flush(struct exec *x, uint32_t stages);
/* Returns the address of the bound table's descriptor buffer, 0: none is bound. */
VkDeviceAddress handles_address(const struct handles *h);

void handle_table_free(struct exec *x, struct handle_table *table);

#endif
