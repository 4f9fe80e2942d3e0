/* SPDX-License-Identifier: MIT */
/*
 * The code that zeroes outputs and shared memory when a task or mesh shader starts: a loop with an
 * access chain and a store for each part of the variables. pass/clamp_mesh_outputs.c calls it.
 */
#ifndef GATE_PASS_ZERO_SHARED_MEMORY_H
#define GATE_PASS_ZERO_SHARED_MEMORY_H

#include "gate/writer.h"

struct gate_zero_loop {
	struct spirv_out *ids;		/* allocates ids */
	struct spirv_out globals, stores;	/* types and constants; the body of the loop */
	uint32_t number;			/* type of unsigned 32-bit integers */
	uint32_t at;				/* the loop counter */
	uint32_t turns;				/* number of iterations that the stores need */
	/* Parts of shared memory; stores beyond GATE_MAX_SHARED_PARTS are left out. */
	uint32_t parts;
};

#define GATE_MAX_SHARED_PARTS 1024u

/* Returns true if an instruction is a variable of shared memory that may be used. */
bool gate_is_shared_variable(struct gate *g, const uint32_t *in);

/* Adds stores of zero to all variables of shared memory. */
void gate_zero_shared_memory(struct gate *g, struct gate_zero_loop *to);

#endif
