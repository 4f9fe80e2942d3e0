/* SPDX-License-Identifier: MIT */
/*
 * Pass "rotations": bounds the distances of shuffles and rotations. gate.c runs it.
 */
#ifndef GATE_PASS_BOUND_ROTATIONS_H
#define GATE_PASS_BOUND_ROTATIONS_H

#include "gate/module.h"

/*
 * Bounds the distances of shuffles and rotations to the subgroup. Runs after gate_reflect().
 */
bool gate_bound_rotations(struct gate *g);

#endif
