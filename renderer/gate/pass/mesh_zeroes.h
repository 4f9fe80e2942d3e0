/* SPDX-License-Identifier: MIT */
/*
 * The code that zeroes outputs and shared memory when a task or mesh shader starts, for
 * clamp_mesh_outputs.c: a loop with an access chain and a store for each part of the variables.
 */
#ifndef GATE_PASS_MESH_ZEROES_H
#define GATE_PASS_MESH_ZEROES_H

#include "gate/writer.h"

struct gate_zeroes {
	struct gate_writer *ids;		/* allocates ids */
	struct gate_writer globals, stores;	/* types and constants; the body of the loop */
	uint32_t number;			/* type of unsigned 32-bit integers */
	uint32_t at;				/* the loop counter */
	uint32_t turns;				/* number of iterations that the stores need */
	/* Parts of shared memory; stores beyond GATE_MAX_SHARED_PARTS are left out. */
	uint32_t parts;
};

#define GATE_MAX_SHARED_PARTS 1024u

/*
 * zero_shared_memory.c: gate_is_shared() returns true if an instruction is a variable of shared
 * memory that may be used. gate_zero_shared() adds stores of zero to all of these.
 */
bool gate_is_shared(struct gate *g, const uint32_t *in);
void gate_zero_shared(struct gate *g, struct gate_zeroes *to);

/*
 * mesh_output_mask.c: set the bits of the components that an output @var of type @type_id has, in
 * one mask for each location.
 */
#define GATE_LOCATIONS 32u
void gate_cover(struct gate *g, const struct gate_id *var, uint32_t type_id, uint8_t *masks);

#endif
