/* SPDX-License-Identifier: MIT */
/*
 * Records the operand of an execution mode. check/stage.c, check/tess.c and check/mesh.c call it.
 */
#ifndef GATE_CHECK_MODE_H
#define GATE_CHECK_MODE_H

#include "gate/module.h"

/*
 * Stores @value, which must not be 0, and refuses a second one: readers differ in which of two they
 * take.
 */
bool gate_mode_declare(struct gate *g, uint32_t *field, uint32_t value, uint32_t mode);

#endif
