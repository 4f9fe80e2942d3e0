/* SPDX-License-Identifier: MIT */
/*
 * Pass "strips": bounds the strips of geometry shaders. gate.c runs it.
 */
#ifndef GATE_PASS_BOUND_STRIPS_H
#define GATE_PASS_BOUND_STRIPS_H

#include "gate/module.h"

/*
 * Bounds the strips that a geometry shader emits to the memory of the host. Runs after
 * gate_reflect().
 */
bool gate_bound_strips(struct gate *g);

#endif
