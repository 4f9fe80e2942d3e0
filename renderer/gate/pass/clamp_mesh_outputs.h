/* SPDX-License-Identifier: MIT */
/*
 * Pass "mesh-outputs": bounds the output of task and mesh shaders. gate.c runs it.
 */
#ifndef GATE_PASS_CLAMP_MESH_OUTPUTS_H
#define GATE_PASS_CLAMP_MESH_OUTPUTS_H

#include "gate/module.h"

/*
 * Bounds the output of task and mesh shaders to the memory of the host. Runs after gate_reflect().
 */
bool gate_clamp_mesh_outputs(struct gate *g);

#endif
