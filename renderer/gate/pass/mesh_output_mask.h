/* SPDX-License-Identifier: MIT */
/*
 * Finds the components that the outputs of a mesh shader have. pass/clamp_mesh_outputs.c calls it.
 */
#ifndef GATE_PASS_MESH_OUTPUT_MASK_H
#define GATE_PASS_MESH_OUTPUT_MASK_H

#include "gate/module.h"

#define GATE_LOCATIONS 32u

/*
 * Sets the bits of the components that an output @var of type @type_id has, in one mask for each
 * of the GATE_LOCATIONS locations.
 */
void gate_mesh_output_mask(struct gate *g, const struct gate_id *var, uint32_t type_id,
			   uint8_t *masks);

#endif
