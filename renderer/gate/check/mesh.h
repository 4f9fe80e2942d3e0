/* SPDX-License-Identifier: MIT */
/*
 * Checks of task and mesh shaders: execution modes, inputs, outputs, payload and instructions.
 * check/reflect.c and check/stage.c call them.
 */
#ifndef GATE_CHECK_MESH_H
#define GATE_CHECK_MESH_H

#include "gate/module.h"

bool gate_mesh_is_per_primitive(uint32_t builtin);	/* predicate: may be per primitive */
bool gate_mesh_is_index_builtin(uint32_t builtin);	/* predicate: indices of primitives */

/* Records an execution mode. */
bool gate_mesh_mode(struct gate *g, const uint32_t *in, uint32_t words);

bool gate_mesh_input(struct gate *g, const struct gate_id *var);

/*
 * Returns the type of an output without the array of vertices or primitives around it; 0: refused.
 * @begins: the variable has an initializer.
 */
uint32_t gate_mesh_output(struct gate *g, const struct gate_id *var, uint32_t id, uint32_t type_id,
			  bool begins);

/* Records the mask @locations of the locations that an output has. */
bool gate_mesh_locations(struct gate *g, const struct gate_id *var, uint32_t type_id,
			 uint32_t locations);

bool gate_mesh_payload(struct gate *g, uint32_t id, uint32_t type_id, uint32_t words);

/* Checks an instruction that may access an output. */
bool gate_mesh_access(struct gate *g, const uint32_t *in);

/* Checks the sums of the stage against the limits, at the end of gate_reflect(). */
bool gate_mesh_ok(struct gate *g);

#endif
