/* SPDX-License-Identifier: MIT */
/*
 * Pass "addresses": masks device addresses. gate.c runs it, and sets the addressing model around
 * pass "robust-access".
 */
#ifndef GATE_PASS_MASK_ADDRESSES_H
#define GATE_PASS_MASK_ADDRESSES_H

#include "gate/module.h"

/*
 * Keeps all accesses to device addresses in their range. Runs after the passes that look at ids,
 * except gate_lower_subgroup_barriers().
 */
bool gate_mask_addresses(struct gate *g);

/*
 * Sets the addressing model: SPIRV-Tools and other readers do not take modules with device
 * addresses.
 */
void gate_set_addressing(struct gate *g, bool addresses);

#endif
