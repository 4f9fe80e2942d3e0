/* SPDX-License-Identifier: MIT */
/*
 * Pass "unrolling": asks the host not to unroll loops that would multiply the cost of a module.
 * gate.c runs it.
 */
#ifndef GATE_PASS_LIMIT_UNROLLING_H
#define GATE_PASS_LIMIT_UNROLLING_H

#include "gate/module.h"

/* Runs after gate_reflect(). Changes the code in place; the gate owns it. */
bool gate_limit_unrolling(struct gate *g);

#endif
