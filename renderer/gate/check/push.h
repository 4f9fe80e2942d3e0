/* SPDX-License-Identifier: MIT */
/*
 * Checks of push constants. check/reflect.c calls them for each variable.
 */
#ifndef GATE_CHECK_PUSH_H
#define GATE_CHECK_PUSH_H

#include "gate/module.h"

/* Checks that the push constants of a type lie within the push_size of the packet. */
bool gate_push_constants(struct gate *g, uint32_t type_id);

#endif
