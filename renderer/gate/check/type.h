/* SPDX-License-Identifier: MIT */
/*
 * Sizes of types, for checks and passes.
 */
#ifndef GATE_CHECK_TYPE_H
#define GATE_CHECK_TYPE_H

#include "gate/module.h"

/*
 * Returns the width of a number, or of the numbers in an array, vector or matrix; 0: the type is
 * another one.
 */
uint32_t gate_number_bits(struct gate *g, uint32_t type_id);

/*
 * Returns the bytes of a type without padding; an array counts with its stride if that is larger.
 * Saturates.
 */
uint64_t gate_size_of(struct gate *g, uint32_t type_id);

/*
 * Returns the bytes that a variable of a type takes of the host's stack: a small number takes as
 * much as one of 32 bits.
 */
uint64_t gate_stack_size(struct gate *g, uint32_t type_id);

#endif
