/* SPDX-License-Identifier: MIT */
/*
 * Checks of the origin and the use of pointers, for check/reflect.c; and predicates on pointers to
 * device addresses, for checks and passes.
 */
#ifndef GATE_CHECK_POINTER_H
#define GATE_CHECK_POINTER_H

#include "gate/module.h"

/*
 * Checks that an instruction makes and uses pointers only in ways that the gate can follow. Device
 * addresses may come from anywhere.
 */
bool gate_pointer_ok(struct gate *g, const uint32_t *in, uint32_t op, uint32_t words);

/* Return true if a value is a pointer to a device address, or if a type contains pointers. */
bool gate_is_address(struct gate *g, uint32_t id);
bool gate_has_addresses(struct gate *g, uint32_t type_id);

#endif
