/* SPDX-License-Identifier: MIT */
/*
 * Checks of tessellation shaders, for check/stage.c. gate.c runs gate_tess_barriers() as pass
 * "tess-barriers".
 */
#ifndef GATE_CHECK_TESS_H
#define GATE_CHECK_TESS_H

#include "gate/module.h"

/* Records an execution mode. */
bool gate_tess_mode(struct gate *g, uint32_t mode, uint32_t value);

/* Returns the type of an input or output without the array of vertices around it; 0: refused. */
uint32_t gate_tess_vertices(struct gate *g, const struct gate_id *var, uint32_t type_id);

/* Checks the sums of the stage against the limits, at the end of gate_reflect(). */
bool gate_tess_ok(struct gate *g);

/* Returns the vertices of a primitive that an evaluation shader emits. */
uint32_t gate_tess_output_vertices(const struct gate *g);

/*
 * Refuses a control shader if not all of its invocations reach the same barriers. Runs before calls
 * are inlined.
 */
bool gate_tess_barriers(struct gate *g);

#endif
