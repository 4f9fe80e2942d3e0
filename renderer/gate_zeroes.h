/* SPDX-License-Identifier: MIT */
/*
 * Zeroes that task and mesh shaders begin with, for gate_meshes.c: an access chain and a store for each part of what
 * they are in, once in each turn of a loop.
 */
#ifndef GATE_ZEROES_H
#define GATE_ZEROES_H

#include "gate_writer.h"

struct gate_zeroes {
	struct gate_writer *ids;		/* new ones */
	struct gate_writer globals, stores;	/* types and constants, and the body of the loop */
	uint32_t number;			/* the type of numbers without a sign */
	uint32_t at;				/* the number of a turn */
	uint32_t turns;				/* how many there have to be */
	uint32_t parts;				/* of shared memory, what is beyond that many is left out */
};

#define GATE_MAX_SHARED_PARTS 1024u

/* gate_shared.c: is an instruction a variable of shared memory that may be used? Zeroes in all of these. */
bool gate_is_shared(struct gate *g, const uint32_t *in);
void gate_zero_shared(struct gate *g, struct gate_zeroes *to);

/* gate_cover.c: add the components that outputs of @type_id have, being at @var's location, one mask for each location. */
#define GATE_LOCATIONS 32u
void gate_cover(struct gate *g, const struct gate_id *var, uint32_t type_id, uint8_t *masks);

#endif
